package application

import (
	"slices"
	"strings"

	"verdict/internal/fault"
	"verdict/internal/field"
)

// Codes of warnings about what a policy names and a request does not have.
const (
	CodeInputsAbsent    = "inputs_absent"
	CodeScorecardAbsent = "scorecard_inputs_absent"
)

// WarnAbsent returns the application's warnings with what is to be said of the
// inputs of the applicant and the report that the policy names and that are
// absent. card is set when the scorecard has none of those that it reads.
func (a *Application) WarnAbsent(names []string, card bool) []fault.Item {
	if len(names) > 0 && a.History != nil {
		names = slices.DeleteFunc(names, a.settled)
	}
	if len(names) == 0 {
		return a.Warnings
	}
	warnings := make([]fault.Item, 0, len(a.Warnings)+2)
	warnings = append(append(warnings, a.Warnings...), fault.Item{
		Code: CodeInputsAbsent, Fields: names,
		Detail: "the policy names these inputs of the applicant or the report, and they are absent; what needs them was not evaluated",
	})
	if card {
		warnings = append(warnings, fault.Item{
			Code: CodeScorecardAbsent,
			Detail: "none of the inputs of the applicant or the report that the scorecard reads is there: " +
				"the score says nothing about this applicant",
		})
	}
	return warnings
}

// settled reports whether the accounts of the report were sent and the absence
// of a fact is what they say: nobody was ever late, there is no card, there is
// no account.
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
	return len(a.History.Accounts) == 0 || strings.Contains(name, "months_since") ||
		strings.HasSuffix(name, "card_utilisation") || strings.HasSuffix(name, "oldest_account_months")
}
