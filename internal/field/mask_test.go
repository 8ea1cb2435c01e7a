package field

import (
	"testing"

	"verdict/internal/rule"
)

// TestMasked checks that identifiers are masked, that an identifying number
// becomes absent, and that descriptive values stay unchanged.
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
		{"applicant.account_no", rule.Str("00112233"), "••••2233", "••••2233"},
		{"applicant.accountNo", rule.Num(rule.Int(112233)), "absent", "••••"},
		{"applicant.voter_id", rule.Str("ABC1234"), "••••234", "••••234"},
		{"applicant.passport", rule.Str("M1234567"), "••••4567", "••••4567"},
		{"applicant.name", rule.Str("Asha Rao"), "•••• Rao", "•••• Rao"},
		{"applicant.fullName", rule.Str("Asha"), "••••ha", "••••ha"},
		{"applicant.permanent_address", rule.Str("4 MG Road"), "••••Road", "••••Road"},
		{"applicant.dob", rule.Str("1990-02-03"), "••••2-03", "••••2-03"},
		{"applicant.date_of_birth", rule.Num(rule.Int(1990)), "absent", "••••"},
		{"applicant.driving_licence", rule.Str("MH12"), "••••12", "••••12"},
		{"applicant.contact_phone", rule.Str("2345"), "••••45", "••••45"},
		{"applicant.gstin", rule.Str("27AAA"), "••••AA", "••••AA"},
		{"applicant.name_match_score", rule.Num(rule.Int(87)), "87", "87"},
		{"applicant.account_age_months", rule.Num(rule.Int(14)), "14", "14"},
		{"applicant.address_type", rule.Str("RENTED"), "RENTED", "RENTED"},
		{"applicant.employer_name", rule.Str("Acme"), "Acme", "Acme"},
		{"applicant.passport_verified", rule.Bool(true), "true", "true"},
		{"applicant.named_dealer", rule.Str("D-7"), "D-7", "D-7"},
		{"applicant.category", rule.Str("CAT_A"), "CAT_A", "CAT_A"},
		{"bureau_score", rule.Num(rule.Int(742)), "742", "742"},
		{"bureau_is_ntc", rule.Bool(false), "false", "false"},
	} {
		if got := Masked(c.name, c.value); got.String() != c.shown ||
			got.Type() != c.value.Type() && got.Type() != rule.Absent {
			t.Errorf("%s is shown as %s of type %s, want %s", c.name, got, got.Type(), c.shown)
		}
		if got := MaskedText(c.name, c.value); got != c.text {
			t.Errorf("%s is told as %s, want %s", c.name, got, c.text)
		}
	}
}

// TestMaskedByShape checks the older masking rules, which replays of stored
// runs still need.
func TestMaskedByShape(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ value, shown string }{
		"applicant.account_no": {"00112233", "00112233"},
		"applicant.pan":        {"AAAPZ1234C", "••••234C"},
	} {
		v := rule.Str(c.value)
		if got := MaskedByShape(name, v).Text(); got != c.shown {
			t.Errorf("%s is shown as %s", name, got)
		}
		if got := MaskedTextByShape(name, v); got != c.shown {
			t.Errorf("%s is told as %s", name, got)
		}
	}
}
