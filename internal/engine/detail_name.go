package engine

import (
	"slices"
	"strings"
	"unicode"

	"verdict/internal/field"
	"verdict/internal/rule"
)

// MissingDetails is the beginning of the applicant-safe text for a limit cap that cannot be computed because fields
// are absent. The names of the missing details follow, separated by DetailSeparator.
const (
	MissingDetails  = "The amount depends on details that were not given: "
	DetailSeparator = ", "
)

// DetailName is the name of a detail of an application, in words that applicants use. Several fields can have the same
// name.
type DetailName struct {
	Key  string // stable, for translations; "" for an input that the policy declares
	Text string
}

// detailNames has the names of details by key. Applicants may read all of them, because none reveals a fraud check.
var detailNames = map[string]string{
	"income":         "the monthly income",
	"obligations":    "the existing obligations",
	"amount":         "the amount asked for",
	"tenure":         "the term asked for",
	"age":            "the age",
	"employment":     "the type of employment",
	"credit_report":  "details of the credit report",
	"bank_statement": "details of the bank statement",
	"co_applicant":   "details of the co-applicant",
	"guarantor":      "details of the guarantor",
	"application":    "details of the application",
}

// detailFields has the keys of the fields that have a name of their own.
var detailFields = map[string]string{
	field.MonthlyIncome:         "income",
	field.IncomeEffective:       "income",
	field.FOIR:                  "obligations",
	field.FOIREffective:         "obligations",
	field.RequestedAmount:       "amount",
	field.RequestedTenureMonths: "tenure",
	"age":                       "age",
	"employment_type":           "employment",
}

// detailGroups has the keys of all other fields, by the catalogue group of the field without a final ".*".
var detailGroups = map[string]string{
	"bureau":          "credit_report",
	"bureau_report":   "credit_report",
	"report":          "credit_report",
	"features":        "credit_report",
	"bank":            "bank_statement",
	"bank_summary":    "bank_statement",
	field.CoApplicant: "co_applicant",
	field.Guarantor:   "guarantor",
}

// DetailNames returns the names of details by key.
func DetailNames() map[string]string { return detailNames }

// NameOfDetail returns the applicant's name for a field that an application lacks. ok is false if applications do not
// contain the field, because the lender looks it up or computes it.
func NameOfDetail(name string) (n DetailName, ok bool) {
	if _, _, column := rule.ParseTableFact(name); column || field.IsOwn(name) {
		return DetailName{}, false
	}
	key := detailFields[name]
	if key == "" {
		id, found := field.Catalogue().Lookup(name)
		if !found {
			return DetailName{Text: detailWords(name)}, true
		}
		key = detailGroups[strings.TrimSuffix(field.Catalogue().Field(id).Group, ".*")]
	}
	if key == "" {
		key = "application"
	}
	return DetailName{key, detailNames[key]}, true
}

// detailWords converts the last part of a path, such as applicant.vehiclePrice, to lower-case words.
func detailWords(path string) string {
	var words strings.Builder
	for _, r := range path[strings.LastIndexByte(path, '.')+1:] {
		if unicode.IsUpper(r) && words.Len() > 0 {
			words.WriteByte(' ')
		}
		words.WriteRune(unicode.ToLower(r))
	}
	return spaced(words.String())
}

// capMessage returns the applicant-safe text of a limit cap that applies but cannot be computed. The text names the
// details that the application lacks. If it lacks none, the text says that the cap has no result for the given
// details.
func (d *Decision) capMessage() string {
	var names []string
	for _, missing := range d.absentFacts(d.plan.code.Missing(&d.cappedBy().Of, &d.frame)) {
		if n, ok := NameOfDetail(missing); ok && !slices.Contains(names, n.Text) {
			names = append(names, n.Text)
		}
	}
	if len(names) == 0 {
		return variantTexts[capWithoutResult].text
	}
	return MissingDetails + strings.Join(names, DetailSeparator)
}

// textOfCap returns the applicant-safe text of a reason that is about a limit cap. It returns "" for any other reason,
// and for a cap without a text of its own.
func (d *Decision) textOfCap(r Reason) string {
	switch {
	case r.kind != byLimit && r.kind != byMinimum, d.limit.binding != LimitCapped, d.limit.consumed:
		return ""
	case d.limit.capUnknown:
		return d.capMessage()
	case d.othersScore && d.plan.scores.caps[d.limit.capAt]:
		return "" // the cap's text may be about the applicant, not the co-applicant
	default:
		return d.cappedBy().ApplicantMessage
	}
}
