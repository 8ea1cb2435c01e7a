package advice

import (
	"verdict/internal/engine"
	"verdict/internal/rule"
)

// MaxSteps is the maximum number of steps of a search.
const MaxSteps = maxSteps

// ImprovePlainly is like Improve but makes a full decision for every trial.
func ImprovePlainly(plan *engine.Plan, facts *rule.Facts, d *engine.Decision, o Options) []Improvement {
	wanted := goalsOf(d)
	if len(wanted) == 0 {
		return nil
	}
	s := newSearch(plan, facts, d, o)
	s.plain = true
	return s.improve(wanted, d, o)
}

// CompletePlainly is like Complete but makes a full decision for every value.
func CompletePlainly(plan *engine.Plan, facts *rule.Facts, d *engine.Decision) Completeness {
	s := beginSearch(plan, facts, d, nil)
	s.plain = true
	return s.complete(facts, d)
}
