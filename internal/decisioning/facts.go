package decisioning

import (
	"strings"

	"verdict/internal/engine"
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
func withFacts(a Answer, stored []byte, d *engine.Decision) Answer {
	facts, err := readFacts(stored)
	if err != nil {
		return a // cannot be: they were written a moment ago
	}
	w := wire.Writer{Buf: make([]byte, 0, len(a.Body)+len(stored)+16)}
	w.Object().Members(a.Body)
	writeFacts(&w, facts, d)
	w.EndObject()
	a.Body, a.lent = w.Buf, nil
	return a
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
func mask(facts *rule.Facts) {
	for _, name := range identifying {
		if v := facts.Get(name); v.Type() != rule.Absent {
			facts.Set(name, rule.Str(lastOf(v.String())))
		}
	}
	facts.ChangeOthers(func(v rule.Value) rule.Value {
		if looksIdentifying(v.String()) { // a number too: an Aadhaar may be sent as one
			return rule.Str(lastOf(v.String()))
		}
		return v
	})
}

// lastOf masks a text but for its end.
func lastOf(text string) string {
	runes := []rune(text)
	return "••••" + string(runes[max(0, len(runes)-recognisable):])
}

// looksIdentifying reports whether a text of a name that only the caller knows
// is shaped like an e-mail address, an account, card, Aadhaar or telephone
// number, or a PAN.
func looksIdentifying(text string) bool {
	const fewest = 9 // digits, one more than a date has
	digits, letters := 0, 0
	for i := range len(text) {
		switch c := text[i]; {
		case '0' <= c && c <= '9':
			digits++
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z':
			letters++
		}
	}
	pan := len(text) == 10 && letters == 6 && digits == 4 && strings.Trim(text[5:9], "0123456789") == ""
	return digits >= fewest || pan || strings.Contains(text, "@")
}
