package advice_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/engine"
	"verdict/internal/rule"
)

func TestComplete(t *testing.T) {
	t.Parallel()
	plan := defaultPlan()
	facts := factsOf(t, "bureau_score 742, bureau_is_ntc false, bureau_report.score 742, max_dpd_12m 0, "+
		"monthly_income 20000, requested_amount 100000")
	var d engine.Decision
	plan.Decide(facts, &d)
	c := complete(t, plan, facts, &d)
	residuals := map[string]string{}
	for _, o := range c.Open {
		residuals[o.RuleID] = o.Residual
	}
	if got := residuals["KO_FOIR_LOW_INCOME"]; got != "foir_effective >= 0.4" {
		t.Errorf("what is known was not left out: %q", got)
	}
	if got := residuals["RF_ENQUIRIES"]; got != "enquiries_6m > 6" {
		t.Errorf("what is known was not left out: %q", got)
	}
	// An age below 21 or obligations above the cap would lead to a decline. Bureau figures come
	// later, because they are harder to obtain than an answer from the applicant.
	want := []string{"age", "employment_type", "foir", "bureau_own_active_tradelines"}
	got := c.AskNext()
	if diff := cmp.Diff(want, got[:min(len(got), len(want))]); diff != "" {
		t.Errorf("%v\n%s", got, diff)
	}
}

// TestMissingMatters checks the reported best and worst outcomes of a missing number of enquiries
// against the outcomes of all numbers from 0 to 39.
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
		c := complete(t, plan, facts, &d)
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

// TestMissingMattersBetweenThresholds checks rules that read the offer or calculate with a field.
// For such rules, a value between two thresholds can give an outcome that neither threshold gives.
func TestMissingMattersBetweenThresholds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		knockout, facts, missing string
		best, worst              engine.Status
	}{
		"an offer beside an income": {
			`{"op":"gt","left":{"field":"offer_limit"},"right":{"field":"monthly_income"}}`,
			"bureau_score 760, bureau_is_ntc false, monthly_income 35000, foir 0.3",
			"requested_amount", engine.Approved, engine.Declined,
		},
		"a sum of counts": {
			`{"op":"eq","left":{"op":"add","args":[{"field":"enquiries_6m"},{"field":"active_tradelines"}]},
				"right":{"value":9}}`,
			"bureau_score 760, bureau_is_ntc false, monthly_income 35000, foir 0.3, requested_amount 50000, " +
				"active_tradelines 4", "enquiries_6m",
			engine.Approved, engine.Declined,
		},
		"a share of the income": {
			`{"op":"eq","left":{"op":"mul","args":[{"field":"monthly_income"},{"value":3}]},"right":{"value":333000}}`,
			"bureau_score 760, bureau_is_ntc false, foir 0.3, requested_amount 50000",
			"monthly_income", engine.Approved, engine.Declined,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			action := map[bool]string{true: "refer", false: "decline"}[c.missing == "requested_amount"]
			plan := compile(t, `{"name":"between","policy_key":"between","knockouts":[{"id":"K","stage":2,"action":"`+
				action+`","reason_code":"INC_LOW","condition_ast":`+c.knockout+`}],
				"scorecard":{"base_points":700,"min_score":300,"max_score":900,"factors":[]},
				"pricing_bands":[{"id":"B","grade":"B","min_score":300,"max_score":900,"action":"approve",
					"interest_rate":16,"tenure_months":36,
					"tenures_allowed":[36],"min_limit":20000,"max_limit":500000,"default_limit":50000,
					"income_multiple":12,"foir_cap":0.55}]}`)
			facts := factsOf(t, c.facts)
			var d engine.Decision
			plan.Decide(facts, &d)
			for _, m := range complete(t, plan, facts, &d).Missing {
				if m.Field == c.missing && (m.Best != c.best || m.Worst != c.worst) {
					t.Errorf("%s is said to lead to anything from %s to %s", m.Field, m.Best, m.Worst)
				}
				if m.Field == c.missing {
					return
				}
			}
			t.Errorf("%s is not missed", c.missing)
		})
	}
}

// TestMissingInstalmentsMatter checks, for several incomes, that the reported outcomes of missing
// bureau instalments include the best and the worst outcome over many amounts.
func TestMissingInstalmentsMatter(t *testing.T) {
	t.Parallel()
	between := compile(t,
		`{"name":"between","semantics":2,"affordability":{"obligations":{"of":["declared","bureau"]}},"knockouts":[
		{"id":"K","reason_code":"FOIR_HIGH","condition_ast":{"op":"between","field":"foir_effective","min":0.41,
			"max":0.415}},
		{"id":"R","action":"refer","reason_code":"FOIR_HIGH",
			"condition_ast":{"op":"between","field":"foir_effective","min":0.21,"max":0.215}}],
		"scorecard":{"base_points":700,"min_score":300,"max_score":900,"factors":[]},
		"pricing_bands":[{"id":"B","grade":"B","min_score":300,"max_score":900,"interest_rate":16,"tenure_months":36,
			"min_limit":20000,"max_limit":500000,"default_limit":50000,"income_multiple":12,"foir_cap":3}]}`)
	dice := &dice{state: 5}
	for range rounds(60, 1_000) {
		for _, plan := range []*engine.Plan{defaultPlan(), between} {
			facts := application(dice)
			facts.Set("bureau_own_emi", rule.Value{})
			var d engine.Decision
			plan.Decide(facts, &d)
			income := facts.Get("monthly_income").Number()
			b := newBench(plan, facts)
			best, worst := d.Status, d.Status
			for amount := rule.Number(0); amount <= 2*income; amount += max(rule.One, income/1_000) {
				b.try("bureau_own_emi", rule.Num(amount), func() {
					status, _ := b.decide()
					best, worst = min(best, status), max(worst, status)
				})
			}
			for _, m := range complete(t, plan, facts, &d).Missing {
				if m.Field == "bureau_own_emi" && (m.Best > best || m.Worst < worst) {
					t.Fatalf("from %s to %s, said to be from %s to %s: %v",
						best, worst, m.Best, m.Worst, facts.Sorted())
				}
			}
		}
	}
}
