package decisioning

import (
	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/operation"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// Option changes how a request is handled.
type Option uint8

const (
	// Strict refuses members of a request that are not known, instead of
	// warning of them.
	Strict Option = 1 << iota
	// WithFacts adds the facts to a stored decision.
	WithFacts
)

// all joins options.
func all(options []Option) Option {
	var o Option
	for _, one := range options {
		o |= one
	}
	return o
}

// withFacts is an answer with the facts that are stored with it. The stored
// answer stays as it is: whoever asks for the facts changes nothing.
func withFacts(a operation.Answer, stored []byte, d *engine.Decision) operation.Answer {
	facts, err := ReadFacts(stored)
	if err != nil {
		return a // cannot be: they were written a moment ago
	}
	w := wire.Writer{Buf: make([]byte, 0, len(a.Body)+len(stored)+16)}
	w.Object().Members(a.Body)
	writeFacts(&w, facts, d)
	w.EndObject()
	return a.WithBody(w.Buf)
}

// writeFacts writes the facts of a decision as a member, with what was derived
// from them and with identifiers masked.
func writeFacts(w *wire.Writer, facts *rule.Facts, d *engine.Decision) {
	d.AddDerived(facts)
	mask(facts)
	w.Key("facts")
	facts.Write(w)
}

// mask hides what identifies a person, a place or a thing. It changes the
// facts, so it comes after everything that decides on them.
func mask(facts *rule.Facts) { facts.Change(field.Masked) }
