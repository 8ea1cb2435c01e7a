package application

import (
	"testing"

	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// TestBodyStatesItsFacts reads bodies that were made from facts and compares the facts.
func TestBodyStatesItsFacts(t *testing.T) {
	t.Parallel()
	number := func(name string, n int64) rule.NamedValue {
		return rule.NamedValue{Name: name, Value: rule.Num(rule.Int(n))}
	}
	for _, facts := range [][]rule.NamedValue{
		{number(field.BureauScore, 742), {Name: field.BureauIsNTC, Value: rule.Bool(false)}},
		{{Name: field.BureauIsNTC, Value: rule.Bool(true)}, number(field.MonthlyIncome, 30_000)},
		{
			number("age", 40), number(field.BureauScore, 700), number("enquiries_6m", 3),
			number("bureau_own_max_dpd_12m", 30), number("bureau_own_active_tradelines", 4),
			number(field.MonthlyIncome, 85_000), number(field.RequestedAmount, 200_000),
			number(field.RequestedTenureMonths, 36), {Name: field.FOIR, Value: rule.Num(rule.One * 35 / 100)},
			{Name: "employment_type", Value: rule.Str("SALARIED")},
			{Name: "bureau_own_suit_or_wilful", Value: rule.Bool(false)},
		},
	} {
		body, ok := Body(facts)
		if !ok {
			t.Errorf("%v cannot be stated", facts)
			continue
		}
		v, err := wire.Parse(body)
		if err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		read, err := ReadDecision(v, Options{})
		if err != nil {
			t.Errorf("%s: %v", body, err)
			continue
		}
		for _, f := range facts {
			if got := read.Facts.Get(f.Name); got != f.Value {
				t.Errorf("%s: %s is read as %v, not as %v", body, f.Name, got, f.Value)
			}
		}
	}
	if body, ok := Body([]rule.NamedValue{{Name: "fraud_beneficiary_reuse", Value: rule.Bool(true)}}); ok {
		t.Errorf("a derived fact is stated: %s", body)
	}
}
