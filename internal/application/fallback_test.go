package application

import (
	"testing"

	"verdict/internal/field"
	"verdict/internal/rule"
)

// TestFallBackStored checks the fallbacks of stored facts. Facts stored before
// there were facts about own accounts get these facts from the figures of all
// accounts. Facts stored later stay unchanged.
func TestFallBackStored(t *testing.T) {
	t.Parallel()
	old := rule.NewFacts(field.Catalogue())
	old.Set("max_dpd_12m", rule.Num(rule.Int(31)))
	old.Set("bureau_suit_or_wilful", rule.Bool(true))
	FallBackStored(old)
	if old.Get("bureau_own_max_dpd_12m").String() != "31" || old.Get("bureau_own_suit_or_wilful").String() != "true" ||
		old.Len() != 4 {
		t.Errorf("old facts became %v", old.Sorted())
	}
	// Only a guaranteed loan was late. The own accounts have no payment
	// history, so their days past due are unknown.
	later := rule.NewFacts(field.Catalogue())
	later.Set("max_dpd_12m", rule.Num(rule.Int(31)))
	later.Set("bureau_own_active_tradelines", rule.Num(rule.Int(1)))
	FallBackStored(later)
	if later.Len() != 2 {
		t.Errorf("later facts became %v", later.Sorted())
	}
}

// TestFallbacksAreTwins checks that a fact and its fallback have the same type,
// unit, domain and reason code.
func TestFallbacksAreTwins(t *testing.T) {
	t.Parallel()
	c := field.Catalogue()
	for _, f := range fallbacks() {
		own, all := c.Field(f.id), c.Field(f.from)
		if own.Type != all.Type || own.Unit != all.Unit || own.Integer != all.Integer ||
			own.ReasonCode != all.ReasonCode ||
			own.BoundedBelow != all.BoundedBelow || own.Min != all.Min || own.BoundedAbove != all.BoundedAbove ||
			own.Max != all.Max {
			t.Errorf("%s and %s are not alike", f.name, f.fromName)
		}
	}
}
