package application

import (
	"fmt"
	"slices"
	"strings"

	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/report"
	"verdict/internal/rule"
)

// WarnAbsent returns the application's warnings and a warning about the inputs in names, which the policy reads and
// the request lacks. If card is set, the request has none of the inputs that the scorecard reads, and WarnAbsent adds
// a second warning. It adds no warning if names is empty, or if the accounts explain every absence (see settled).
func (a *Application) WarnAbsent(names []string, card bool) []fault.Item {
	if len(names) > 0 && a.History != nil {
		names = slices.DeleteFunc(names, a.settled)
	}
	if len(names) == 0 {
		return a.Warnings
	}
	warnings := make([]fault.Item, 0, len(a.Warnings)+2)
	warnings = append(append(warnings, a.Warnings...), fault.Item{
		Code:   fault.CodeInputsAbsent,
		Fields: names,
		Detail: "the policy names these inputs of the applicant or the report, but they are absent: a rule that " +
			"needs them followed its on_absent, or did not fire; a factor gave its missing_points, or 0 points",
	})
	if card {
		warnings = append(warnings, fault.Item{
			Code: fault.CodeScorecardInputsAbsent,
			Detail: "all inputs of the applicant and the report that the scorecard reads are absent: the score says " +
				"nothing about this applicant",
		})
	}
	return warnings
}

// bankFigures holds, for each bank figure that a policy may count, the text of
// the warning if the figure is absent. member is the member of bank_summary that
// looks like the figure but does not replace it.
var bankFigures = map[string]struct{ member, text string }{
	field.BankDueEMI: {"emi", "the policy takes obligations from bank_due_emi, which is computed from " +
		"bank_summary.transactions and is absent%s; send the transactions of at least one whole month"},
	field.BankDetectedIncome: {"income",
		"the policy takes income from bank_detected_income, which is computed from bank_summary.transactions and is " +
			"absent%s; send the transactions of at least one whole month"},
	field.BankIncome: {"", "the policy takes income from bank_income, but bank_summary states none%s; " +
		"send bank_summary.income"},
}

// WarnBank adds a warning for each bank figure in names. names are the absent
// figures that the policy's affordability counts. If no bank_summary was sent,
// WarnBank adds no warning, because the block is optional.
func (a *Application) WarnBank(names []string) {
	if !a.hasBank {
		return
	}
	for _, name := range names {
		of := bankFigures[name]
		pointer, instead := "/bank_summary", ", so it was not counted"
		if of.member != "" && a.Facts.Get("bank_summary."+of.member).Type() != rule.Absent {
			pointer += "/" + of.member
			instead = ", so nothing was counted: bank_summary." + of.member + " is not used instead"
		}
		a.Warnings = append(a.Warnings, fault.Item{
			Pointer: pointer,
			Code:    fault.CodeBankFigureAbsent,
			Fields:  []string{name},
			Detail:  fmt.Sprintf(of.text, instead),
		})
	}
}

// settled reports whether the absence of a fact is itself information. That is so if the accounts were sent and show
// that no payment was late, that there is no card, that nothing was written off or settled, or that there are no
// accounts.
func (a *Application) settled(name string) bool {
	if !a.History.HasAccounts {
		return false
	}
	id, known := field.Catalogue().Lookup(name)
	if !known || field.Catalogue().Field(id).Group != "bureau" {
		return false
	}
	switch name {
	case "bureau", "enquiries_6m", "bureau_report_age_days", field.BureauScore, field.BureauIsNTC, bureauNTCIndex:
		return false
	}
	own := strings.HasPrefix(name, "bureau_own_")
	switch {
	case len(a.History.Accounts) == 0:
		return true
	case strings.HasSuffix(name, "months_since_30dpd"):
		return a.hasAccount(own, func(x *report.Account) bool { return len(x.History) > 0 })
	case strings.HasSuffix(name, "card_utilisation"):
		return !a.hasAccount(own, func(x *report.Account) bool { return x.Live && x.Product == report.CreditCard })
	case strings.HasSuffix(name, "oldest_account_months"):
		return !a.hasAccount(own, func(*report.Account) bool { return true })
	}
	return strings.Contains(name, "months_since")
}

// hasAccount reports whether an account satisfies the function "is". If the argument "own" is set, it looks
// only at accounts that the applicant owes.
func (a *Application) hasAccount(own bool, is func(*report.Account) bool) bool {
	return slices.ContainsFunc(a.History.Accounts, func(x report.Account) bool {
		return (!own || x.Owner.Owes()) && is(&x)
	})
}
