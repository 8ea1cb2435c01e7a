package advice_test

import (
	"strings"
	"testing"

	"verdict/internal/advice"
	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
)

const lookupPolicy = `{"name":"lists","semantics":2,"include_defaults":false,
	"inputs":[{"name":"applicant.employer","type":"string"}],
	"knockouts":[
		{"id":"KO_LIST","reason_code":"LISTED","condition_ast":CONDITION},
		{"id":"KO_AMOUNT","reason_code":"AMT_MIN","condition_ast":{"op":"gt","field":"requested_amount",
		"value":300000}}],
	"scorecard":{"base_points":700,"factors":[]},
	"pricing_bands":[{"id":"PB_A","grade":"A","min_score":300,"max_score":900,"interest_rate":14,"tenure_months":36,
		"min_limit":20000,"max_limit":500000,"default_limit":50000,"foir_cap":0.55}]}`

func lookupPlan(t *testing.T, condition string) *engine.Plan {
	t.Helper()
	policy, err := engine.ParsePolicy([]byte(strings.Replace(lookupPolicy, "CONDITION", condition, 1)),
		engine.Sources{Catalogue: field.Catalogue()})
	if err != nil {
		t.Fatal(err)
	}
	return engine.Compile(policy, field.Catalogue())
}

// TestNoAdviceAboutLists checks that no change is proposed for a field that the policy looks up in a list: whether
// the list contains the new value is not known.
func TestNoAdviceAboutLists(t *testing.T) {
	t.Parallel()
	for condition, proposed := range map[string]bool{
		`{"op":"false"}`: true,
		`{"op":"in_list","field":"requested_amount","list":"amounts"}`: false,
	} {
		plan := lookupPlan(t, condition)
		facts := rule.NewFacts(field.Catalogue())
		facts.Set("requested_amount", rule.Num(rule.Int(400_000)))
		facts.Set("applicant.requested_amount", rule.Num(rule.Int(400_000)))
		facts.Set("list.amounts.requested_amount", rule.Bool(false))
		var d engine.Decision
		plan.Decide(facts, &d)
		found, err := advice.Improve(plan, facts, &d, advice.Options{})
		if err != nil || (len(found) > 0) != proposed {
			t.Errorf("%s: %+v, %v", condition, found, err)
		}
	}
}

// TestMissingFieldOfAList checks a missing field that the policy would look up in a list. It must count as a field
// that could make the decision better or worse.
func TestMissingFieldOfAList(t *testing.T) {
	t.Parallel()
	plan := lookupPlan(t, `{"op":"in_list","field":"applicant.employer","list":"employers"}`)
	facts := rule.NewFacts(field.Catalogue())
	facts.Set("requested_amount", rule.Num(rule.Int(200_000)))
	var d engine.Decision
	plan.Decide(facts, &d)
	got, err := advice.Complete(plan, facts, &d, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range got.Missing {
		if strings.HasPrefix(m.Field, "list.") {
			t.Errorf("%s is listed as a field", m.Field)
		}
		if m.Field == "applicant.employer" && m.Best == engine.Approved && m.Worst == engine.Declined {
			return
		}
	}
	t.Errorf("the employer is not among %+v", got.Missing)
}
