package engine_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"verdict/internal/engine"
)

// TestCorners checks cases in which the engine and the reference interpreter
// once disagreed. The wanted results follow the documented contract.
func TestCorners(t *testing.T) {
	t.Parallel()
	const (
		price = `"id":"B","grade":"B","min_score":300,"max_score":900,"interest_rate":12,"tenure_months":12,` +
			`"min_limit":1000,"max_limit":10000,"default_limit":5000,"foir_cap":0.5`
		approve = `{` + price + `}`
		refer   = `{` + price + `,"action":"refer"}`
		// The instalment, rounded to 2,909, would repay this loan early.
		long = `{"id":"B","grade":"B","min_score":300,"max_score":900,"interest_rate":27.14,"tenure_months":240,` +
			`"tenures_allowed":[12,240],` +
			`"min_limit":1000,"max_limit":128000,"default_limit":128000,"foir_cap":0.5}`
		stage2 = `{"id":"K","stage":2,"reason_code":"X","condition_ast":{"op":"gt","field":"%s","value":%s}}`
	)
	tests := []struct {
		name, knockouts, factors, band, facts string
		want                                  string // part of the canonical form
	}{
		{
			"weighted points are rounded once: 0.0000495 is nothing", "",
			`{"factor":"f","field":"foir","weight":0.005,"bins":[{"points":0.0099}]}`, approve,
			`{"foir":0}`, `{"factor":"f","points":0}`,
		},
		{
			"the FOIR after the offer is rounded once: 888/71904.29 is 0.012349…", "", "", approve,
			`{"foir":0,"monthly_income":71904.29}`, `"post_offer_foir":0.0123`,
		},
		{
			"Stage 2 sees the instalment that is charged", fmt.Sprintf(stage2, "offer_emi", "2908"), "", long,
			`{}`, `"emi":2908`,
		},
		{
			"an alternative shows the instalment that would be charged", "", "", long,
			`{"requested_tenure_months":12}`, `"alternatives":[{"emi":2908,"limit":128000,"tenure_months":240}]`,
		},
		{
			"a request cannot name the offer's limit", fmt.Sprintf(stage2, "offer_limit", "5"), "", approve,
			`{"requested_amount":1,"offer_limit":999}`, `"fired_rules":[]`,
		},
		{
			"money is read half-up to the paisa", "", "", approve,
			`{"requested_amount":1999.996}`, `"requested_amount":2000`,
		},
		{
			"who asks for less than nothing gets nothing", "", "", approve,
			`{"requested_amount":-1}`, `"reasons":[{"code":"AMT_MIN","rank":1}],"status":"DECLINED"`,
		},
		{
			"a referral by its band has a band", "", "", refer,
			`{}`, `"reasons":[],"status":"REFERRED"`,
		},
		{
			"of equal losses the first factor's ranks first", "",
			`{"factor":"f","field":"age","bins":[{"lt":30,"points":0,"reason_code":"XX"},` +
				`{"gte":30,"lt":50,"points":0,"reason_code":"YY"},{"gte":50,"points":10}]},` +
				`{"factor":"g","field":"foir","reason_code":"XX",` +
				`"bins":[{"lt":0.5,"points":0},{"gte":0.5,"points":10}]}`, refer,
			`{"age":40,"foir":0.1}`, `"reasons":[{"code":"YY","rank":1},{"code":"XX","rank":2}]`,
		},
		{
			"a capacity is rounded down to the paisa: 33333.33 × 0.23 is 7666.6659", "", "", approve,
			`{"monthly_income":33333.33,"foir":0.27}`, `"max_emi":7666.66`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			policy := fmt.Appendf(nil,
				`{"name":"corner","include_defaults":false,"knockouts":[%s],
					"scorecard":{"base_points":700,"factors":[%s]},"pricing_bands":[%s]}`,
				tt.knockouts, tt.factors, tt.band)
			plan := compile(t, policy)
			var d engine.Decision
			plan.Decide(decodeFacts(t, []byte(tt.facts)), &d)
			got := d.Canonical()
			if !strings.Contains(string(got), tt.want) {
				t.Errorf("want %s in\n%s", tt.want, got)
			}
			if naive := newReference(t, policy, plan.Checksum()).decide(t, []byte(tt.facts)); !bytes.Equal(got, naive) {
				t.Errorf("compiled\n%s\nreference\n%s", got, naive)
			}
		})
	}
}

// TestEmptyBinIsRefused checks that a bin without values is rejected. Such a
// bin was once accepted and then could not be read back.
func TestEmptyBinIsRefused(t *testing.T) {
	t.Parallel()
	policy := readDefaultPolicy(t)
	policy["scorecard"] = object{"base_points": 700, "factors": []any{object{
		"factor": "f", "field": "bureau",
		"bins": []any{object{"in": []any{}, "points": 1}, object{"else": true, "points": 0}},
	}}}
	if _, err := parse(encode(t, policy)); err == nil {
		t.Error("a bin without values was accepted")
	}
}
