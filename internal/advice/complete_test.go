package advice_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/advice"
	"verdict/internal/engine"
	"verdict/internal/rule"
)

func TestComplete(t *testing.T) {
	t.Parallel()
	plan := defaultPlan()
	facts := factsOf(t, "bureau_score 742, bureau_is_ntc false, bureau_report.score 742, max_dpd_12m 0, monthly_income 20000, requested_amount 100000")
	var d engine.Decision
	plan.Decide(facts, &d)
	c := advice.Complete(plan, facts, &d)
	residuals := map[string]string{}
	for _, o := range c.Open {
		residuals[o.RuleID] = o.Residual
	}
	if got := residuals["KO_FOIR_LOW_INCOME"]; got != "foir >= 0.4" {
		t.Errorf("what is known was not left out: %q", got)
	}
	if got := residuals["RF_ENQUIRIES"]; got != "enquiries_6m > 6" {
		t.Errorf("what is known was not left out: %q", got)
	}
	// An age below 21 or obligations above the cap would decline; what the
	// bureau counts costs more than asking, and comes later.
	want := []string{"age", "employment_type", "foir", "active_tradelines"}
	got := c.AskNext()
	if diff := cmp.Diff(want, got[:min(len(got), len(want))]); diff != "" {
		t.Errorf("%v\n%s", got, diff)
	}
}

// What is said to matter does, and what is said not to does not: every answer
// that the policy tells apart is tried by hand.
func TestMissingMatters(t *testing.T) {
	t.Parallel()
	plan, dice := defaultPlan(), &dice{state: 3}
	for range rounds(100, 3_000) {
		facts := application(dice)
		for _, name := range []string{"monthly_income", "enquiries_6m"} {
			facts.Set(name, rule.Value{})
		}
		facts.Set("applicant.monthly_income", rule.Value{})
		facts.Set("bureau_report.enquiries_6m", rule.Value{})
		var d engine.Decision
		plan.Decide(facts, &d)
		c := advice.Complete(plan, facts, &d)
		b := newBench(plan, facts)
		for _, m := range c.Missing {
			if m.Field != "enquiries_6m" {
				continue
			}
			best, worst := d.Status, d.Status
			for n := range int64(40) {
				b.try("enquiries_6m", rule.Num(rule.Int(n)), func() {
					status, _ := b.decide()
					best, worst = min(best, status), max(worst, status)
				})
			}
			if best != m.Best || worst != m.Worst {
				t.Fatalf("from %s to %s, said to be from %s to %s: %v", best, worst, m.Best, m.Worst, facts.Sorted())
			}
		}
	}
}
