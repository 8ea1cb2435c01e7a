package field

import "strings"

// The roles of people other than the primary applicant.
const (
	CoApplicant = "co_applicant"
	Guarantor   = "guarantor"
)

// Names of the facts about a person's consent to the use of the report, below the role.
const (
	ConsentID = "consent_id"
	ConsentAt = "consent_at"
)

// HasCoApplicant is the name of the fact that an application has a co-applicant. It says nothing about that person, so
// it is stored with the facts of the primary applicant.
const HasCoApplicant = "has_co_applicant"

// OfRole returns the name of a fact about the person with a role, such as co_applicant.bureau_score.
func OfRole(role, name string) string { return role + "." + name }

// IsOfRole reports whether a name is that of a fact about a person other than the primary applicant.
func IsOfRole(name string) bool {
	return strings.HasPrefix(name, CoApplicant+".") || strings.HasPrefix(name, Guarantor+".")
}

// RoleFacts returns the names of the facts that exist for each role, without the role.
func RoleFacts() (names []string) {
	for _, e := range roleEntries() {
		names = append(names, e.Name)
	}
	return names
}

// peopleSections returns the facts about people other than the primary applicant.
func peopleSections() []section {
	with := roleSection(CoApplicant, "Co-applicant", "co-applicant", reasonCoApplicant)
	with.fields = append(with.fields, boolean(HasCoApplicant, "The application has a co-applicant; absent if it has "+
		"none. It is stored if the policy reads it or chooses between the two scores.").
		reason(reasonCoApplicant).since(2))
	return []section{with, roleSection(Guarantor, "Guarantor", "guarantor", "GUARANTOR")}
}

const reasonCoApplicant = "CO_APPLICANT"

// roleSection returns the facts about the person with a role: those of the applicant, the report and the bank
// statement, computed in the same way. Only policies of semantics 2 may name them.
func roleSection(role, title, who, reason string) section {
	s := section{
		group: role, title: title, supply: eitherRequest,
		intro: "These fields describe the " + who + " of an application that lists `applicants`. They mean for the " +
			who + " what the fields of the same name mean for the applicant, and are absent if there is no " + who +
			". Only policies of semantics 2 may use them.",
	}
	for _, e := range roleEntries() {
		e.Name = OfRole(role, e.Name)
		e.Core, e.BureauScored = false, false
		s.fields = append(s.fields, e.reason(reason).since(2))
	}
	return s
}

// roleEntries returns the facts that exist for each role, under the names that they have for the applicant.
func roleEntries() (list []entry) {
	for _, s := range []section{applicantSection(), bureauSection(), bankSection()} {
		for _, e := range s.fields {
			if e.Name == RequestedAmount || e.Name == RequestedTenureMonths {
				continue
			}
			if e.Supply == 0 {
				e.Supply = s.supply
			}
			e.Paise = false // a column of a file can state the fact itself, with more decimals
			list = append(list, e)
		}
	}
	for _, e := range ownSection().fields {
		if e.Name != OwnReference {
			e.Supply, e.Late = eitherRequest, true
			list = append(list, e)
		}
	}
	return append(list,
		text(ConsentID, "The caller's identifier of the consent to use the report."),
		text(ConsentAt, "When the person consented to the use of the report, as sent."))
}
