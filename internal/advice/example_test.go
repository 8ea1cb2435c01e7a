package advice_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/advice"
	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// factsOf parses facts from "name value" pairs that are separated by ", ".
func factsOf(tb testing.TB, text string) *rule.Facts {
	tb.Helper()
	f := rule.NewFacts(field.Catalogue())
	for pair := range strings.SplitSeq(text, ", ") {
		name, value, _ := strings.Cut(pair, " ")
		switch n, _, ok := rule.ParseNumber(value); {
		case value == "true" || value == "false":
			f.Set(name, rule.Bool(value == "true"))
		case ok:
			f.Set(name, rule.Num(n))
		default:
			tb.Fatalf("%q is no number", value)
		}
	}
	ownAccounts(f)
	return f
}

// lines formats improvements as readable text.
func lines(list []advice.Improvement) []string {
	out := []string{}
	for i := range list {
		x := &list[i]
		var parts []string
		for _, c := range x.Changes {
			from := "nothing"
			if c.From.Type() != rule.Absent {
				from = c.From.String()
			}
			part := fmt.Sprintf("%s %s to %s", c.Field, from, c.To)
			if c.Waiting {
				part += " by waiting"
			}
			parts = append(parts, part)
		}
		full := ""
		if x.Full {
			full = " in full"
		}
		out = append(out, fmt.Sprintf("%s: %s%s, %s %d over %d", strings.Join(parts, " and "), x.Status, full, x.Grade,
			x.LimitPaise/100, x.TenureMonths))
	}
	return out
}

const good = "bureau_score 742, bureau_is_ntc false, bureau_report.score 742, max_dpd_12m 0, active_tradelines 4, "

func TestImprove(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, facts string
		options     advice.Options
		want        []string
	}{
		{
			name: "obligations too high",
			facts: good +
				"monthly_income 40000, foir 0.62, enquiries_6m 1, requested_amount 200000, applicant.foir 0.62",
			want: []string{"foir_effective 0.62 to 0.48: APPROVED, C 21000 over 36"},
		},
		{
			name:  "a counter-offer made whole",
			facts: good + "monthly_income 85000, foir 0.48, enquiries_6m 1, requested_amount 300000",
			want:  []string{"foir_effective 0.48 to 0.44: APPROVED in full, B 300000 over 48"},
		},
		{
			name:  "too little was asked for",
			facts: good + "monthly_income 85000, foir 0.3, enquiries_6m 1, requested_amount 15000",
			want:  []string{"requested_amount 15000 to 20000: APPROVED, B 20000 over 48"},
		},
		{
			name:  "referred for enquiries",
			facts: good + "monthly_income 85000, foir 0.3, enquiries_6m 8, requested_amount 100000",
			want:  []string{"enquiries_6m 8 to 6 by waiting: APPROVED, C 100000 over 36"},
		},
		{
			name:  "nothing helps a low score",
			facts: "bureau_score 610, bureau_is_ntc false, monthly_income 85000, foir 0.7, requested_amount 100000",
			want:  []string{},
		},
		{
			name:  "nothing to improve",
			facts: good + "monthly_income 85000, foir 0.3, enquiries_6m 1, requested_amount 100000",
			want:  []string{},
		},
		{
			name: "a longer tenure",
			facts: good + "monthly_income 30000, foir 0.44, enquiries_6m 1, requested_amount 50000, " +
				"requested_tenure_months 12, applicant.tenure_months 12",
			want: []string{"foir_effective 0.44 to 0.39: APPROVED in full, B 50000 over 12",
				"requested_tenure_months 12 to 24: APPROVED in full, B 50000 over 24"},
		},
		{
			name: "a longer tenure that the caller rules out",
			facts: good +
				"monthly_income 30000, foir 0.44, enquiries_6m 1, requested_amount 50000, requested_tenure_months 12",
			options: advice.Options{Tenures: []int{12}},
			want:    []string{"foir_effective 0.44 to 0.39: APPROVED in full, B 50000 over 12"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			plan, facts := defaultPlan(), factsOf(t, c.facts)
			var d engine.Decision
			plan.Decide(facts, &d)
			got := lines(improve(t, plan, facts, &d, c.options))
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s %d:\n%s", d.Status, d.Offer.LimitPaise/100, diff)
			}
		})
	}
}

// TestBothNamesMoveTogether checks that a change sets both the canonical field
// and the path of the request. An evaluate request sends the FOIR as a
// percentage, and a rule may read that raw value.
func TestBothNamesMoveTogether(t *testing.T) {
	t.Parallel()
	plan := compile(t, `{"name":"raw","base":"none","knockouts":[{"id":"K","reason_code":"FOIR_HIGH","condition_ast":
		{"op":"gt","field":"report.incomeAssessment.foir","value":40.5}}],
		"scorecard":{"base_points":700,"factors":[]},
		"pricing_bands":[{"id":"B","grade":"B","min_score":300,"max_score":900,
		"interest_rate":12,"tenure_months":24,"min_limit":1000,"max_limit":100000,"default_limit":5000,
		"foir_cap":0.6}]}`)
	facts := factsOf(t, "bureau_score 700, monthly_income 50000, foir 0.48, report.incomeAssessment.foir 48, "+
		"report.scoreData.score 700")
	var d engine.Decision
	plan.Decide(facts, &d)
	want := []string{"foir 0.48 to 0.4: APPROVED, B 100000 over 24"}
	if diff := cmp.Diff(want, lines(improve(t, plan, facts, &d, advice.Options{}))); diff != "" {
		t.Error(diff)
	}
}

// TestSomeFieldsAreNeverAdvisedOn checks that no improvement proposes a higher
// income, another score or another device, even if the policy lists the field
// in "actionable_fields".
func TestSomeFieldsAreNeverAdvisedOn(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"bureau_score", "bureau_report.score", "applicant.monthly_income", "report.incomeAssessment.monthlyIncome",
		"bank_income", "fraud_beneficiary_applicants", "location_pincode_risk_score", "age", "bureau_is_ntc",
	} {
		op, value := "lt", "1000000"
		if name == "bureau_is_ntc" {
			op, value = "eq", "true"
		}
		plan := compile(t,
			fmt.Sprintf(`{"name":"wrong","actionable_fields":[%q,"foir"],"knockouts":[{"id":"K","reason_code":"X",
			"condition_ast":{"op":%q,"field":%q,"value":%s}}],"scorecard":{"base_points":700,"factors":[]},
			"pricing_bands":[{"id":"B","grade":"B","min_score":300,"max_score":900,"interest_rate":12,
				"tenure_months":24,
			"min_limit":1000,"max_limit":100000,"default_limit":5000,"foir_cap":0.6}]}`, name, op, name, value))
		facts := factsOf(t, "foir 0.3, monthly_income 50000")
		facts.Set(name, rule.Num(rule.Int(5)))
		if name == "bureau_is_ntc" {
			facts.Set(name, rule.Bool(true))
		}
		var d engine.Decision
		plan.Decide(facts, &d)
		if d.Status != engine.Declined {
			t.Fatalf("%s: %s", name, d.Status)
		}
		for _, x := range improve(t, plan, facts, &d, advice.Options{}) {
			if slices.ContainsFunc(x.Changes, func(c advice.Change) bool { return c.Field != "foir" }) {
				t.Errorf("%s: %+v", name, x)
			}
		}
	}
}
