package field

import (
	"testing"

	"verdict/internal/rule"
)

// TestMasked: identifiers are masked, numbers stay numbers or are left out, and
// what describes stays as it is.
func TestMasked(t *testing.T) {
	t.Parallel()
	lat, _, _ := rule.ParseNumber("19.076")
	for _, c := range []struct {
		name        string
		value       rule.Value
		shown, text string
	}{
		{"fraud.beneficiary_account", rule.Str("50100044554321"), "••••4321", "••••4321"},
		{"applicant.id", rule.Str("CUST-000917"), "••••0917", "••••0917"},
		{"fraud.applicant_ref", rule.Str("A-1"), "••••1", "••••1"},
		{"fraud.agent_id", rule.Str("7"), "••••", "••••"},
		{"location.lat", rule.Num(lat), "absent", "••••"},
		{"applicant.pan", rule.Str("AAAPZ1234C"), "••••234C", "••••234C"},
		{"applicant.aadhaar", rule.Num(rule.Int(123412341234)), "absent", "••••"},
		{"applicant.category", rule.Str("CAT_A"), "CAT_A", "CAT_A"},
		{"bureau_score", rule.Num(rule.Int(742)), "742", "742"},
		{"bureau_is_ntc", rule.Bool(false), "false", "false"},
	} {
		if got := Masked(c.name, c.value); got.String() != c.shown || got.Type() != c.value.Type() && got.Type() != rule.Absent {
			t.Errorf("%s is shown as %s of type %s, want %s", c.name, got, got.Type(), c.shown)
		}
		if got := MaskedText(c.name, c.value); got != c.text {
			t.Errorf("%s is told as %s, want %s", c.name, got, c.text)
		}
	}
}
