package agent

import (
	"fmt"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// aboutPeople is the section about the co-applicant and the guarantor. Memos of the fifth and later editions
// have it.
const aboutPeople = "Co-applicant and guarantor"

// rolesOfMemo are the people other than the primary applicant, with the words that a memo uses for them.
var rolesOfMemo = []struct{ role, who string }{{field.CoApplicant, "co-applicant"}, {field.Guarantor, "guarantor"}}

// sayPeople adds the statements about the co-applicant and the guarantor, and whose score counts.
func (m *memoWriter) sayPeople() {
	if m.study.ask.edition < fifthEdition {
		return
	}
	facts := m.study.facts
	for _, person := range rolesOfMemo {
		name := func(base string) string { return field.OfRole(person.role, base) }
		tell := func(text, base string) {
			if v := facts.Get(name(base)); v.Type() != rule.Absent {
				m.say(aboutPeople, fmt.Sprintf(text, person.who, v), cite{name(base), v.String()})
			}
		}
		tell("The %s has a bureau score of %s.", field.BureauScore)
		if facts.Get(name(field.BureauIsNTC)) == rule.Bool(true) {
			m.say(aboutPeople, fmt.Sprintf("The %s is new to credit.", person.who),
				cite{name(field.BureauIsNTC), "true"})
		}
		tell("The %s declares an income of %s a month.", field.MonthlyIncome)
		tell("Declared obligations of the %s: %s of that income.", field.FOIR)
		tell("Instalments on the report of the %s: %s a month.", field.BureauOwnEMI)
	}
	m.sayScore()
}

// countedScore is the name that a memo uses for the bureau score that counts, if that score belongs to somebody
// other than the primary applicant.
const countedScore = "counted_bureau_score"

// nameOf returns the name that a memo uses for the field of a reason. It is countedScore for the bureau score if the
// co-applicant's score counts, and the name of the field otherwise.
func (m *memoWriter) nameOf(name string) string {
	if m.study.ask.edition < fifthEdition || name != field.BureauScore {
		return name
	}
	if score, chosen := m.decision.CountedScore(); chosen && m.isOthers(score) {
		return countedScore
	}
	return name
}

// isOthers reports whether the score that counts is not that of the primary applicant.
func (m *memoWriter) isOthers(score rule.Number) bool {
	own, rated := m.study.number(field.BureauScore)
	return !rated || own != score
}

// sayScore adds the statement that says whose bureau score counts, if the policy chooses between the scores of two
// people.
func (m *memoWriter) sayScore() {
	people := m.study.plan.Policy().People
	score, chosen := m.decision.CountedScore()
	if people == nil || !chosen {
		return
	}
	which := map[engine.PeopleScore]string{engine.LowestScore: "lower", engine.HighestScore: "higher"}[people.Score]
	whose := "the primary applicant"
	if m.isOthers(score) {
		whose = "the co-applicant"
	}
	m.say(aboutPeople,
		fmt.Sprintf("The policy counts the %s score of both applicants: %s, that of %s.", which, score, whose),
		cite{"people.score", people.Score.String()}, cite{countedScore, score.String()})
}
