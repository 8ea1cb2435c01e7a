package decisioning

import (
	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/operation"
	"verdict/internal/rule"
)

// Option changes what is told of a stored decision.
type Option uint8

// WithFacts adds the facts to a stored decision.
const WithFacts Option = 1

// withFacts is an answer with the facts that are stored with it. The stored
// answer stays as it is: whoever asks for the facts changes nothing.
func (s *Service) withFacts(a operation.Answer, stored []byte, d *engine.Decision) operation.Answer {
	facts, err := ReadFacts(stored)
	if err != nil {
		return a // cannot be: they were written a moment ago
	}
	return a.WithBody(s.options.AddFacts(a.Body, shown(facts, d)))
}

// shown returns the facts of a decision as they are shown: with what was derived
// from them, and with identifiers masked.
func shown(facts *rule.Facts, d *engine.Decision) *rule.Facts {
	d.AddDerived(facts)
	mask(facts)
	return facts
}

// mask hides what identifies a person, a place or a thing. It changes the
// facts, so it comes after everything that decides on them.
func mask(facts *rule.Facts) { facts.Change(field.Masked) }
