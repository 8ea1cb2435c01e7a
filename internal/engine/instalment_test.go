package engine_test

import (
	"testing"

	"verdict/internal/engine"
)

// TestTextOfFOIRWithoutObligations checks that the reason text for an applicant
// without obligations says that the new instalment is high, not that existing
// obligations are high.
func TestTextOfFOIRWithoutObligations(t *testing.T) {
	t.Parallel()
	const instalment, existing = "The instalment would be high compared with income", "Existing obligations are " +
		"high compared with income"
	const band = `"pricing_bands":[{"id":"P","grade":"A","min_score":300,"max_score":900,"interest_rate":16,
		"tenure_months":36,
		"min_limit":20000,"max_limit":500000,"default_limit":50000,"foir_cap":0.5}]`
	const after = `,
		"knockouts":[{"id":"KO","stage":2,"condition_ast":{"op":"gt","field":"post_offer_foir","value":0.4}}]`
	for _, c := range []struct{ sections, facts, want string }{
		{`"semantics":2,` + band, `{"monthly_income":10000,"foir":0,"requested_amount":400000}`, instalment},
		{`"semantics":2,` + band, `{"monthly_income":900,"foir":0,"requested_amount":400000}`, instalment},
		{`"semantics":2,` + band, `{"monthly_income":20000,"foir":0.4,"requested_amount":400000}`, existing},
		{`"semantics":2,` + band + after, `{"monthly_income":10000,"foir":0,"requested_amount":400000}`, instalment},
		{band, `{"monthly_income":10000,"foir":0,"requested_amount":400000}`, existing}, // semantics 1
	} {
		d := lessonDecide(t, lessonPlan(t, c.sections), c.facts)
		if len(d.Reasons) == 0 || d.Reasons[0].Code != engine.ReasonFOIRHigh || d.Message(d.Reasons[0]) != c.want {
			t.Errorf("%s: %v, want FOIR_HIGH with %q", c.facts, codesOf(d), c.want)
		}
	}
}
