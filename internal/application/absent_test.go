package application

import (
	"slices"
	"strings"
	"testing"

	"verdict/internal/fault"
)

// TestSettledByAccounts checks that an absent fact causes no warning if the
// accounts explain the absence, and causes a warning if the accounts lack the
// data that the fact needs.
func TestSettledByAccounts(t *testing.T) {
	t.Parallel()
	const loan = `"accountType":"personal_loan","status":"active","currentBalance":5`
	const card = `"accountType":"credit_card","status":"active","currentBalance":5`
	for _, c := range []struct {
		accounts, name string
		told           bool
	}{
		{``, "bureau_own_oldest_account_months", false},
		{`{` + loan + `}`, "bureau_own_oldest_account_months", true},
		{`{` + loan + `,"ownership":"guarantor"}`, "bureau_own_oldest_account_months", false},
		{`{` + loan + `}`, "bureau_own_card_utilisation", false},
		{`{` + card + `}`, "bureau_own_card_utilisation", true},
		{`{` + card + `}`, "bureau_card_utilisation", true},
		{`{` + loan + `}`, "bureau_months_since_30dpd", true},
		{`{` + loan + `,"paymentHistory":[{"month":"2026-10","dpd":0}]}`, "bureau_months_since_30dpd", false},
		{`{` + loan + `}`, "bureau_own_written_off_months_since", false},
	} {
		app := accept(t, evaluation(`,"reportDate":"2026-11-10","accounts":[`+c.accounts+`]`, ""), Options{})
		told := slices.ContainsFunc(app.WarnAbsent([]string{c.name}, false),
			func(w fault.Item) bool { return w.Code == fault.CodeInputsAbsent })
		if told != c.told {
			t.Errorf("[%s]: %s is told of: %t", c.accounts, c.name, told)
		}
	}
}

// TestAbsentTextIsTrue checks that the warning about absent inputs mentions
// "missing_points" and "on_absent".
func TestAbsentTextIsTrue(t *testing.T) {
	t.Parallel()
	app := accept(t, evaluation("", ""), Options{})
	for _, w := range app.WarnAbsent([]string{"foir"}, false) {
		if w.Code == fault.CodeInputsAbsent &&
			(!strings.Contains(w.Detail, "missing_points") || !strings.Contains(w.Detail, "on_absent")) {
			t.Error(w.Detail)
		}
	}
}
