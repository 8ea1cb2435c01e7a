package report

import "testing"

// TestOwners checks the spellings of the account owner by bureau. The codes 2,
// 3 and 4 mean something different at CIBIL than at the other bureaus.
func TestOwners(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		bureau, told string
		want         Owner
	}{
		{"x", `"individual"`, Own},
		{"x", `"Joint Account"`, Joint},
		{"x", `"joint_guarantor"`, Guarantor},
		{"x", `"Co-Borrower"`, Joint},
		{"x", `"Authorized User"`, AuthorisedUser},
		{"x", `"add-on card holder"`, AuthorisedUser},
		{"x", `"Supplementary card"`, AuthorisedUser},
		{"x", `"Supl Card Holder"`, AuthorisedUser},
		{"x", `"1"`, Own}, {"x", `2`, Joint}, {"x", `"03"`, AuthorisedUser}, {"x", `"7"`, Guarantor},
		{"experian", `"2"`, Joint},
		{"equifax", `"Guarantor"`, Guarantor},
		{"crif", `"Primary"`, Own},
		{"cibil", `1`, Own}, {"cibil", `"2"`, AuthorisedUser}, {"cibil", `"3"`, Guarantor}, {"cibil", `4`, Joint},
		{"transunion?", `"authorised_user"`, AuthorisedUser},
	} {
		h, faults, warnings := readBureau(t, c.bureau, commonAccount(`"ownership":`+c.told))
		if len(faults) > 0 || len(warnings) > 0 || h.Accounts[0].Owner != c.want {
			t.Errorf("%s %s: owner %d, want %d; faults %v, warnings %v",
				c.bureau, c.told, h.Accounts[0].Owner, c.want, faults, warnings)
		}
	}
	for _, c := range []struct{ bureau, told string }{
		{"x", `"Z"`}, {"cibil", `"5"`}, {"x", `"4"`}, {"cibil", `"7"`}, {"x", `"hirer"`}, {"x", `true`},
	} {
		h, _, warnings := readBureau(t, c.bureau, commonAccount(`"ownership":`+c.told))
		if len(warnings) != 1 || h.Accounts[0].Owner != Own {
			t.Errorf("%s %s: owner %d, warnings %v", c.bureau, c.told, h.Accounts[0].Owner, warnings)
		}
	}
}
