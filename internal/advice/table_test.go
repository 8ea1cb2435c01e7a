package advice_test

import (
	"slices"
	"strings"
	"testing"

	"verdict/internal/advice"
	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// tablePlan returns the plan of lookupPolicy with a rule about a table, whose keys are the employer and the amount.
func tablePlan(t *testing.T) *engine.Plan {
	t.Helper()
	const tables = `"tables":[{"name":"grid","columns":[{"name":"cap","type":"number"}],"keys":[
		{"field":"applicant.employer","match":"exact","type":"string"},
		{"field":"requested_amount","match":"range","type":"number"}]}],"inputs"`
	text := strings.NewReplacer("CONDITION", `{"op":"lt","field":"table.grid.cap","value":5}`, `"inputs"`, tables).
		Replace(lookupPolicy)
	policy, err := engine.ParsePolicy([]byte(text), engine.Sources{Catalogue: field.Catalogue()})
	if err != nil {
		t.Fatal(err)
	}
	return engine.Compile(policy, field.Catalogue())
}

// TestNoAdviceAboutTables checks that no change of a key is proposed: the row of the new value is not known.
func TestNoAdviceAboutTables(t *testing.T) {
	t.Parallel()
	plan := tablePlan(t)
	facts := rule.NewFacts(field.Catalogue())
	facts.Set("requested_amount", rule.Num(rule.Int(400_000)))
	facts.Set("applicant.requested_amount", rule.Num(rule.Int(400_000)))
	facts.Set("applicant.employer", rule.Str("Acme"))
	facts.Set("table.grid.cap", rule.Num(rule.Int(9)))
	var d engine.Decision
	plan.Decide(facts, &d)
	if found, err := advice.Improve(plan, facts, &d, advice.Options{}); err != nil || len(found) > 0 {
		t.Errorf("%+v, %v", found, err)
	}
}

// TestMissingKeyOfATable checks that a missing key counts as a field that could make the decision better or worse,
// and that the result names the rule that needs the table.
func TestMissingKeyOfATable(t *testing.T) {
	t.Parallel()
	plan := tablePlan(t)
	facts := rule.NewFacts(field.Catalogue())
	facts.Set("requested_amount", rule.Num(rule.Int(200_000)))
	var d engine.Decision
	plan.Decide(facts, &d)
	got, err := advice.Complete(plan, facts, &d, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range got.Missing {
		if strings.HasPrefix(m.Field, "table.") {
			t.Errorf("%s is listed as a field", m.Field)
		}
		if m.Field == "applicant.employer" && m.Best == engine.Approved && m.Worst == engine.Declined &&
			len(m.Rules) == 1 && m.Rules[0] == "KO_LIST" {
			return
		}
	}
	t.Errorf("the employer is not among %+v", got.Missing)
}

// TestNobodyIsAskedForAPerson checks that fields of a co-applicant count as missing inputs only if the
// application has a co-applicant.
func TestNobodyIsAskedForAPerson(t *testing.T) {
	t.Parallel()
	policy, err := engine.ParsePolicy([]byte(`{"name":"P","semantics":2,"include_defaults":false,
		"affordability":{"people":"all"},"scorecard":{"base_points":700,"factors":[]},
		"pricing_bands":[{"id":"P","grade":"A","min_score":300,"max_score":900,"interest_rate":12,"tenure_months":12,
		"min_limit":1000,"max_limit":90000,"default_limit":5000,"foir_cap":0.5}]}`),
		engine.Sources{Catalogue: field.Catalogue()})
	if err != nil {
		t.Fatal(err)
	}
	plan := engine.Compile(policy, field.Catalogue())
	asks := func(facts *rule.Facts) (of []string) {
		var d engine.Decision
		plan.Decide(facts, &d)
		out, err := advice.Complete(plan, facts, &d, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range out.Missing {
			if field.IsOfRole(m.Field) {
				of = append(of, m.Field)
			}
		}
		return of
	}
	facts := rule.NewFacts(field.Catalogue())
	facts.Set(field.MonthlyIncome, rule.Num(rule.Int(40_000)))
	facts.Set(field.FOIR, rule.Num(rule.One/10))
	if got := asks(facts); len(got) > 0 {
		t.Errorf("alone: %v", got)
	}
	facts.Set("co_applicant.monthly_income", rule.Num(rule.Int(30_000)))
	if got := asks(facts); !slices.Contains(got, "co_applicant.foir") {
		t.Errorf("with a co-applicant: %v", got)
	}
}
