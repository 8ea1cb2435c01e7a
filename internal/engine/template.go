package engine

import (
	"iter"
	"strings"
)

// thresholdName is a special name in a message: {threshold} is replaced with the value that the deciding predicate
// compared with.
const thresholdName = "threshold"

// templateNames yields the names in a message's braces, in order and with
// repetitions.
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
// found is false if there is none.
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
