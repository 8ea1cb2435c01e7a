package field

import (
	"strings"

	"verdict/internal/rule"
)

// The roles of people other than the primary applicant.
const (
	CoApplicant = "co_applicant"
	Guarantor   = "guarantor"
)

// Names of the facts about a person's consent to the use of the report, without the role.
const (
	ConsentID = "consent_id"
	ConsentAt = "consent_at"
)

// HasCoApplicant is the name of the fact that says that an application has a co-applicant. It says nothing else about
// that person, so it is stored with the facts of the primary applicant.
const HasCoApplicant = "has_co_applicant"

// OfRole returns the name of a fact about the person with a role, such as co_applicant.bureau_score.
func OfRole(role, name string) string { return role + "." + name }

// IsOfRole reports whether a name is the name of a fact about a person other than the primary applicant.
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

// roleSection returns the facts about the person with a role. They are the facts that roleEntries lists, and are
// computed in the same way as for the applicant. Only policies of semantics 2 may name them.
func roleSection(role, title, who, reason string) section {
	s := section{
		group: role, title: title, supply: eitherRequest,
		intro: "These fields describe the " + who + " of an application that lists `applicants`. They mean for the " +
			who + " what the fields of the same name mean for the applicant, and are absent if there is no " + who +
			". Only policies of semantics 2 may use them.",
	}
	person := strings.NewReplacer("the applicant", "the "+who, "The applicant", "The "+who, "an applicant", "a "+who)
	for _, e := range roleEntries() {
		e.Name = OfRole(role, e.Name)
		e.Meaning = person.Replace(e.Meaning)
		e.Core, e.BureauScored = false, false
		if !IsFraudOfOther(e.Name) { // the reason code of the role does not describe a fraud check
			e = e.reason(reason)
		}
		s.fields = append(s.fields, e.since(2))
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
			e.Paise = false // a file may have a column for the fact, whose values may have more decimals
			list = append(list, e)
		}
	}
	for _, e := range ownSection().fields {
		if e.Name != OwnReference {
			e.Supply, e.Late = eitherRequest, true
			list = append(list, e)
		}
	}
	list = append(list, roleFraudEntries()...)
	return append(list,
		text(ConsentID, "The caller's identifier of the consent to use the report."),
		text(ConsentAt, "When the person consented to the use of the report, as sent."))
}

// roleFraudEntries returns the fraud facts that exist for each role. There are none about agents, because an agent
// brings an application, not a person.
func roleFraudEntries() (list []entry) {
	for _, e := range fraudSection().fields {
		if strings.HasPrefix(e.Name, "fraud_agent_") {
			continue
		}
		if e.Name == "fraud_blocklisted" {
			e = boolean(e.Name, "A value of this person is on the tenant's block list.").reason("FR_RING")
		}
		e.Supply, e.Late = rule.FromEvaluate, true
		list = append(list, e)
	}
	shared := count("fraud_shared_in_application", "Number of accounts, devices, mobile numbers and e-mail addresses "+
		"of this person that another person of the application has too.").reason("FR_RING")
	shared.Supply, shared.Late = rule.FromEvaluate, true
	return append(list, shared)
}

// IsFraudOfOther reports whether a name is one of the fraud facts about a person other than the primary applicant.
func IsFraudOfOther(name string) bool {
	if !IsOfRole(name) {
		return false
	}
	_, name, _ = strings.Cut(name, ".")
	return strings.HasPrefix(name, "fraud_")
}
