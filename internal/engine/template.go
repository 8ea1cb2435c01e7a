package engine

import (
	"strings"
)

// thresholdName is the name in a message's braces that stands for the
// constant the deciding predicate compared with.
const thresholdName = "threshold"

// templateNames lists the names in a message's braces.
func templateNames(message string) (names []string) {
	if !strings.Contains(message, "{") {
		return nil
	}
	expand(message, func(name string) string {
		names = append(names, name)
		return ""
	})
	return names
}

// expand replaces every {name}; a brace that is not closed stays as it is.
func expand(message string, value func(name string) string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(message, "{")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		name, after, closed := strings.Cut(rest, "}")
		if !closed {
			b.WriteByte('{')
			b.WriteString(rest)
			return b.String()
		}
		b.WriteString(value(name))
		message = after
	}
}
