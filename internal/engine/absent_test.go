package engine_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// absentPolicy returns a policy that names inputs of the applicant, the report
// and an optional block, and also a feature. Its scorecard reads an applicant
// input and a bank field.
func absentPolicy(t *testing.T, more, bands string) *engine.Policy {
	t.Helper()
	document := `{"name":"absent","include_defaults":false,"inputs":[{"name":"applicant.stability","type":"number"}],
		"knockouts":[` + more +
		`{"id":"KO_A","stage":1,"action":"decline","reason_code":"X","condition_ast":{"op":"and","args":[
			{"op":"gt","field":"foir","value":0.9},{"op":"eq","field":"device_is_emulator","value":true},
			{"op":"gt","field":"enquiry__all__7d__count","value":9}]}}],
		"scorecard":{"base_points":600,"factors":[
			{"factor":"stability","field":"applicant.stability","bins":[{"lt":5,"points":0},{"gte":5,"points":50}]},
			{"factor":"bounces","field":"bank_bounces","bins":[{"lt":5,"points":0},{"gte":5,"points":-50}]}]},
		"pricing_bands":[` + bands +
		`{"id":"PB","grade":"A","min_score":300,"max_score":900,"interest_rate":14,"tenure_months":24,
			"min_limit":10000,"max_limit":500000,"default_limit":50000,"foir_cap":0.5}]}`
	p, err := engine.ParsePolicy([]byte(document), engine.Sources{Catalogue: field.Catalogue()})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func factsOf(t *testing.T, document string) *rule.Facts {
	t.Helper()
	v, err := wire.Parse([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	facts, err := rule.ReadFacts(v, field.Catalogue())
	if err != nil {
		t.Fatal(err)
	}
	return facts
}

// TestAbsentInputs checks that absent inputs of the applicant and the report
// are listed, and that absent inputs of optional blocks and absent features are
// not.
func TestAbsentInputs(t *testing.T) {
	t.Parallel()
	const score = `{"id":"KO_S","stage":1,"action":"decline","reason_code":"X",
		"condition_ast":{"op":"lt","field":"bureau_score","value":650}},`
	plan := engine.Compile(absentPolicy(t, score, ""), field.Catalogue())
	for _, c := range []struct {
		facts string
		want  []string
		card  bool
	}{
		{`{}`, []string{"applicant.stability", "bureau_score", "foir"}, true},
		{`{"bank_bounces":1,"device_is_emulator":false}`,
			[]string{"applicant.stability", "bureau_score", "foir"}, true},
		{`{"applicant.stability":3}`, []string{"bureau_score", "foir"}, false},
		{`{"applicant.stability":3,"foir":0.2,"bureau_score":700,"bureau_is_ntc":false}`, nil, false},
		{`{"applicant.stability":3,"foir":0.2,"bureau_is_ntc":true}`, nil, false},
	} {
		var d engine.Decision
		plan.Decide(factsOf(t, c.facts), &d)
		got, card := d.AbsentInputs()
		if diff := cmp.Diff(c.want, got); diff != "" || card != c.card {
			t.Errorf("%s: card %t (-want +got):\n%s", c.facts, card, diff)
		}
	}
}

// TestNeedsScore checks that a policy needs a score if, and only if, a rule, a
// factor or a band reads the score or a fact derived from it.
func TestNeedsScore(t *testing.T) {
	t.Parallel()
	knockout := func(condition string) string {
		return `{"id":"KO_S","stage":1,"action":"decline","reason_code":"X","condition_ast":` + condition + `},`
	}
	const ntc = `{"id":"PB_N","grade":"NTC","ntc":true,"interest_rate":14,"tenure_months":24,
		"min_limit":10000,"max_limit":500000,"default_limit":50000,"foir_cap":0.5},`
	for _, c := range []struct {
		name, knockouts, bands string
		want                   bool
	}{
		{"no score", "", "", false},
		{"the score", knockout(`{"op":"lt","field":"bureau_score","value":650}`), "", true},
		{"new to credit", knockout(`{"op":"eq","field":"bureau_is_ntc","value":true}`), "", true},
		{"the index", knockout(`{"op":"exists","field":"bureau_ntc_index"}`), "", true},
		{"the raw score", knockout(`{"op":"lt","field":"bureau_report.score","value":650}`), "", true},
		{"a band", "", ntc, true},
		{"other bureau fields", knockout(`{"op":"gt","field":"max_dpd_12m","value":60}`), "", false},
	} {
		if got := absentPolicy(t, c.knockouts, c.bands).NeedsScore(); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}

// TestUndetermined checks that the eligibility status is "UNDETERMINED" if no
// Stage 1 rule could be evaluated, and that one evaluated rule is enough for
// another status.
func TestUndetermined(t *testing.T) {
	t.Parallel()
	const absent = `{"id":"KO_E","stage":1,"action":"refer","reason_code":"X",
		"condition_ast":{"op":"absent","field":"monthly_income"}},`
	for _, c := range []struct{ more, facts, status string }{
		{"", `{}`, "UNDETERMINED"},
		{"", `{"foir":0.2}`, "ELIGIBLE"},
		{absent, `{}`, "REFERRED"},
		{absent, `{"monthly_income":1}`, "ELIGIBLE"},
	} {
		var e engine.Eligibility
		engine.Compile(absentPolicy(t, c.more, ""), field.Catalogue()).Eligible(factsOf(t, c.facts), &e)
		if e.Status() != c.status || e.Eligible() != (c.status == "ELIGIBLE" || c.status == "REFERRED") {
			t.Errorf("%s with %q: %s, eligible %t", c.facts, c.more, e.Status(), e.Eligible())
		}
	}
}

// TestAbsentSources checks that the absent sources of a derived income and of
// derived obligations are listed instead of the derived fields.
func TestAbsentSources(t *testing.T) {
	t.Parallel()
	policy, err := engine.ParsePolicy([]byte(`{"name":"sources","semantics":2,"include_defaults":false,
		"affordability":{"income":{"of":["monthly_income","bank_income"]},
			"obligations":{"of":["declared","bureau","bank"]}},
		"knockouts":[{"id":"KO_F","stage":1,"action":"decline","reason_code":"X",
			"condition_ast":{"op":"gt","field":"foir_effective","value":0.6}}],
		"scorecard":{"base_points":600,"factors":[{"factor":"foir","field":"foir_effective",
			"bins":[{"lt":0.3,"points":50},{"gte":0.3,"points":0}]}]},
		"pricing_bands":[{"id":"PB","grade":"A","min_score":300,"max_score":900,"interest_rate":14,"tenure_months":24,
			"min_limit":10000,"max_limit":500000,"default_limit":50000,"foir_cap":0.5}]}`),
		engine.Sources{Catalogue: field.Catalogue()})
	if err != nil {
		t.Fatal(err)
	}
	plan := engine.Compile(policy, field.Catalogue())
	for facts, want := range map[string][]string{
		`{}`: {"bureau_own_emi", "foir", "monthly_income"},
		`{"monthly_income":50000,"bureau_own_emi":9000}`:            {"foir"},
		`{"monthly_income":50000,"foir":0.2,"bureau_own_emi":9000}`: nil,
	} {
		var d engine.Decision
		plan.Decide(factsOf(t, facts), &d)
		got, card := d.AbsentInputs()
		if diff := cmp.Diff(want, got); diff != "" || card != (facts == `{}`) {
			t.Errorf("%s: card %t (-want +got):\n%s", facts, card, diff)
		}
	}
}

// TestAbsentBankFigures checks that an absent bank statement figure is listed if the policy counts it. The figure is
// not listed if the policy takes the first given source and an earlier source is given.
func TestAbsentBankFigures(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		affordability, facts string
		want                 []string
	}{
		{`{"obligations":{"of":["declared","bank"]}}`, `{"monthly_income":50000,"foir":0.2}`, []string{"bank_due_emi"}},
		{`{"obligations":{"of":["declared","bank"]}}`, `{"bank_due_emi":5}`, nil},
		{`{"obligations":{"of":["declared","bank"],"take":"first"}}`, `{"foir":0.2}`, nil},
		{`{"obligations":{"of":["bank","declared"],"take":"first"}}`, `{"foir":0.2}`, []string{"bank_due_emi"}},
		{`{"obligations":{"of":["declared","bureau"]}}`, `{}`, nil},
		{`{"income":{"of":["bank_detected_income","monthly_income"]}}`,
			`{"monthly_income":1}`, []string{"bank_detected_income"}},
		{`{"income":{"of":["monthly_income","bank_income"]}}`, `{"monthly_income":1}`, nil},
	} {
		policy, err := engine.ParsePolicy([]byte(`{"name":"bank","semantics":2,"include_defaults":false,
			"affordability":`+c.affordability+`,"scorecard":{"base_points":600,"factors":[]},
			"pricing_bands":[{"id":"PB","grade":"A","min_score":300,"max_score":900,"interest_rate":14,
				"tenure_months":24,
				"min_limit":10000,"max_limit":500000,"default_limit":50000,"foir_cap":0.5}]}`),
			engine.Sources{Catalogue: field.Catalogue()})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, policy.AbsentBankFigures(factsOf(t, c.facts))); diff != "" {
			t.Errorf("%s of %s (-want +got):\n%s", c.affordability, c.facts, diff)
		}
	}
}
