package analysis

import (
	"verdict/internal/engine"
	"verdict/internal/fault"
)

// peopleCheck reports a policy that judges several people by the best score among them.
type peopleCheck struct{ *analysis }

func (a peopleCheck) run() {
	if p := a.policy.People; p != nil && p.Score == engine.HighestScore {
		a.report(SeverityWarning, fault.CodeHighestScoreCounts, location{section: atPolicy, rest: "/people/score"},
			"The higher bureau score of primary applicant and co-applicant counts: a co-applicant with a good score "+
				"hides the score of the primary applicant from every rule and factor.", nil)
	}
}
