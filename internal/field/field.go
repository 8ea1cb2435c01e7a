// Package field defines the catalogue of the names that a condition may use: the canonical facts about an application,
// the facts derived from its optional blocks, the effective income and obligations, the raw paths of the request, the
// features, and the facts about the offer in Stage 2. Inputs that a policy declares are not in the catalogue.
//
// It contains names, types, units, domains and meanings, and the documentation made
// from them. It does not compute values: package application reads requests, package
// signal derives facts from blocks, and package feature computes features.
package field

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"verdict/internal/rule"
)

// The name of the bureau score, and the names of the facts that the engine itself reads to price an offer.
const (
	BureauScore           = "bureau_score"
	BureauIsNTC           = "bureau_is_ntc"
	MonthlyIncome         = "monthly_income"
	FOIR                  = "foir"
	RequestedAmount       = "requested_amount"
	RequestedTenureMonths = "requested_tenure_months"
)

// Names of further facts that a policy can use as sources of affordability, and of the facts that the engine derives
// from all sources before Stage 1.
const (
	BankIncome         = "bank_income"
	BankDetectedIncome = "bank_detected_income"
	BankDueEMI         = "bank_due_emi"
	BureauOwnEMI       = "bureau_own_emi"
	IncomeEffective    = "income_effective"
	FOIREffective      = "foir_effective"
)

// Names that the engine itself sets for Stage 2 rules.
const (
	FinalScore    = "final_score"
	Grade         = "grade"
	OfferLimit    = "offer_limit"
	OfferEMI      = "offer_emi"
	OfferAPR      = "offer_apr"
	PostOfferFOIR = "post_offer_foir"
)

// section is a group of fields as the documentation shows them.
type section struct {
	group  string
	title  string
	intro  string
	supply rule.Supply
	late   bool // the fields are computed after lists were read; see rule.Field.Late
	fields []entry
}

// eitherRequest is the supply of the fields that both decision and evaluate requests can have. Facts that are derived
// from optional blocks exist only for an evaluate request.
const eitherRequest = rule.FromDecisions | rule.FromEvaluate

// sections returns the groups in the order of the documentation, features last.
func sections() []section {
	return slices.Concat([]section{
		applicantSection(), affordabilitySection(), bureauSection(), bankSection(), deviceSection(),
		locationSection(), fraudSection(), ownSection(), offerSection(),
	}, peopleSections(), rawSections(), []section{featureSection()})
}

// Catalogue returns the catalogue, which is built once and never changes.
func Catalogue() *rule.Catalogue { return built() }

var built = sync.OnceValue(func() *rule.Catalogue {
	var fields []rule.Field
	for _, s := range sections() {
		for _, e := range s.fields {
			e.Group, e.Late = s.group, s.late || e.Late
			if e.Supply == 0 {
				e.Supply = s.supply
			}
			fields = append(fields, e.Field)
		}
	}
	c, err := rule.NewCatalogue(fields)
	if err != nil {
		// The tables are constants, so a mistake makes every test of this package
		// fail before a release.
		panic(fmt.Sprintf("field: %v", err))
	}
	return c
})

// OfApplicantOrReport reports whether a field belongs to the applicant or the bureau
// report, which every application has. It returns false for fields of an optional
// block, features and results of the engine.
func OfApplicantOrReport(f *rule.Field) bool {
	switch f.Group {
	case "applicant", "bureau", "applicant.*", "bureau_report.*", "report.*":
		return f.Supply != rule.FromEngine
	}
	return false
}

// Limits of a name that a policy declares for itself.
const (
	maxNameBytes = 128
	maxSegments  = 8
)

// Declarable reports whether a policy may declare the name as its own input: a path within the limits above that begins
// with "report." or "applicant." and is not in the catalogue.
func Declarable(name string) bool {
	if len(name) > maxNameBytes {
		return false
	}
	segments := strings.Split(name, ".")
	if len(segments) < 2 || len(segments) > maxSegments || segments[0] != "report" && segments[0] != "applicant" {
		return false
	}
	for _, s := range segments {
		if !isSegment(s) {
			return false
		}
	}
	_, known := Catalogue().Lookup(name)
	return !known
}

// isSegment reports whether s is a letter followed by letters, digits and
// underscores.
func isSegment(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || c != '_' && (c < '0' || c > '9')) {
			return false
		}
	}
	return s != ""
}
