package report

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestInstalmentOfNothing checks the warning about an instalment of 0 or -1 on
// an account with a balance. Many reports write 0 or -1 for an unknown
// instalment.
func TestInstalmentOfNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		bureau, members string
		told            bool
	}{
		{"x", `"currentBalance":900000,"emi":0`, true},
		{"x", `"currentBalance":900000,"emi":"0"`, true},
		{"x", `"currentBalance":0,"emi":0`, false},
		{"x", `"currentBalance":900000,"emi":9000`, false},
		{"x", `"currentBalance":900000,"emi":0,"status":"closed"`, false},
		{"x", `"emi":0`, false},
		{"cibil", `"currentBalance":900000,"emiAmount":-1`, true},
		{"cibil", `"currentBalance":900000,"emiAmount":0`, true},
		{"experian", `"Current_Balance":"900000","Scheduled_Monthly_Payment_Amount":"-1"`, true},
		{"experian", `"Current_Balance":"900000","Scheduled_Monthly_Payment_Amount":"0"`, true},
		{"equifax", `"Balance":"900000","InstallmentAmount":"0"`, true},
		{"equifax", `"Balance":"900000","InstallmentAmount":-1`, true},
		{"crif", `"CURRENT-BAL":"9,00,000","INSTALLMENT-AMT":"0/Monthly"`, true},
		{"crif", `"CURRENT-BAL":"9,00,000","INSTALLMENT-AMT":"0/Weekly"`, true},
		{"crif", `"CURRENT-BAL":"9,00,000","INSTALLMENT-AMT":"-1"`, true},
	} {
		gaps := gapsOf(t, c.bureau, bureauBody(c.bureau, c.members))
		if told := slices.ContainsFunc(gaps,
			func(g string) bool { return hasCode(g, "instalment_missing") }); told != c.told {
			t.Errorf("%s %s: %v", c.bureau, c.members, gaps)
		}
	}
	if gaps := gapsOf(t, "x",
		commonAccount(`"accountType":"gold_loan","openDate":"2024-02-11","currentBalance":9,"emi":0`)); gaps != nil {
		t.Errorf("a gold loan is paid back at its end: %v", gaps)
	}
}

// TestCardInstalment checks the warning about a credit card whose stated
// instalment is more than 5 % of its balance.
func TestCardInstalment(t *testing.T) {
	t.Parallel()
	for members, want := range map[string][]string{
		`"currentBalance":100000,"emi":5000`:                   nil,
		`"currentBalance":100000,"emi":5000.01`:                {"/accounts/0/emi card_instalment_not_counted"},
		`"currentBalance":100000`:                              nil,
		`"currentBalance":100000,"emi":9000,"status":"closed"`: nil,
		`"emi":9000`:                  {"/accounts/0/emi card_instalment_not_counted"},
		`"currentBalance":-5,"emi":1`: {"/accounts/0/emi card_instalment_not_counted"},
		`"currentBalance":0,"emi":0`:  nil,
	} {
		_, _, warnings := readBureau(t, "x", commonAccount(`"accountType":"credit_card","creditLimit":200000,`+members))
		if diff := cmp.Diff(want, warnings); diff != "" {
			t.Errorf("%s:\n%s", members, diff)
		}
	}
}
