package engine

import (
	"iter"
	"strings"
)

// thresholdName is the name in a message's braces that stands for the value
// with which the deciding predicate compared.
const thresholdName = "threshold"

// templateNames yields the names in a message's braces.
func templateNames(message string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for {
			_, name, after, found := nextName(message)
			if !found || !yield(name) {
				return
			}
			message = after
		}
	}
}

// nextName returns the first name in braces and the text before and after it.
func nextName(message string) (before, name, after string, found bool) {
	before, rest, opened := strings.Cut(message, "{")
	name, after, closed := strings.Cut(rest, "}")
	return before, name, after, opened && closed
}

// expand replaces every {name} with its value. An unclosed brace stays
// unchanged.
func expand(message string, value func(name string) string) string {
	var b strings.Builder
	for {
		before, name, after, found := nextName(message)
		if !found {
			b.WriteString(message)
			return b.String()
		}
		b.WriteString(before)
		b.WriteString(value(name))
		message = after
	}
}
