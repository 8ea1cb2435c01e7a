package decisioning

import (
	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/operation"
	"verdict/internal/rule"
)

// Option selects additional parts of the result of Decision.
type Option uint8

// WithFacts adds the facts to a stored decision.
const WithFacts Option = 1

// withFacts returns an answer with the facts of the decision added. The answer is
// stored without the facts.
func (o *Options) withFacts(a operation.Answer, stored []byte, d *engine.Decision) operation.Answer {
	facts, err := ReadFacts(stored)
	if err != nil {
		return a // impossible: conclude has just written them
	}
	return a.WithBody(o.AddFacts(a.Body, shown(facts, d)))
}

// shown returns the facts of a decision as clients see them: with the derived facts
// added and identifiers masked. It changes facts.
func shown(facts *rule.Facts, d *engine.Decision) *rule.Facts {
	d.AddDerived(facts)
	mask(facts)
	return facts
}

// mask masks the facts that identify somebody. mask changes facts, so it must be
// called after the decision.
func mask(facts *rule.Facts) { facts.Change(field.Masked) }
