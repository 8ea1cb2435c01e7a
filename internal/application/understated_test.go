package application

import (
	"testing"

	"verdict/internal/fault"
)

// TestFOIRUnderstated checks the warning about a declared FOIR that is too low for the accounts of
// the report.
func TestFOIRUnderstated(t *testing.T) {
	t.Parallel()
	account := func(owner, emi string) string {
		return `{"accountType":"personal_loan","ownership":"` + owner + `","openDate":"2025-02-11","status":"active",` +
			`"sanctionedAmount":900000,"currentBalance":800000,"emi":` + emi + `}`
	}
	for _, c := range []struct {
		name, foir, account string
		want                string
	}{
		{"far below", "10", account("individual", "69000"), "/report/cibil/incomeAssessment/foir"},
		{"no more than 0.05 below", "71.67", account("individual", "69000"), ""},
		{"above", "80", account("individual", "69000"), ""},
		{"another's account", "10", account("guarantor", "69000"), ""},
	} {
		app := accept(t, evaluation(
			`,"incomeAssessment":{"monthlyIncome":90000,"foir":`+c.foir+`},"reportDate":"2026-11-10","accounts":[`+
				c.account+`]`, ""), Options{})
		if got := pointerOf(app.Warnings, fault.CodeFOIRUnderstated); got != c.want {
			t.Errorf("%s: warned of %q, want %q", c.name, got, c.want)
		}
	}
	app := accept(t, decision(`"monthly_income":90000,"foir":0.1`, `"score":742,"total_emi":69000`), Options{})
	if got := pointerOf(app.Warnings, fault.CodeFOIRUnderstated); got != "/applicant/foir" {
		t.Errorf("a decision request is warned of %q", got)
	}
}

func pointerOf(list []fault.Item, code string) string {
	for _, item := range list {
		if item.Code == code {
			return item.Pointer
		}
	}
	return ""
}
