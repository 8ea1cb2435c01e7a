package httpapi

import (
	"strings"
)

// prefers reports whether the caller has a preference (RFC 7240), such as
// respond-async, or handling with the value strict.
func (c *call) prefers(name, value string) bool {
	for _, header := range c.r.Header["Prefer"] {
		for wish := range strings.SplitSeq(header, ",") {
			wish, _, _ = strings.Cut(wish, ";") // parameters
			token, text, _ := strings.Cut(wish, "=")
			text = strings.Trim(strings.TrimSpace(text), `"`)
			if strings.EqualFold(strings.TrimSpace(token), name) && strings.EqualFold(text, value) {
				return true
			}
		}
	}
	return false
}

// prefersAsync reports whether the caller would rather not wait.
func (c *call) prefersAsync() bool { return c.prefers("respond-async", "") }

// strict reports whether the caller wants unknown members to be refused, and says in
// the answer that they were.
func (c *call) strict() bool {
	if !c.prefers("handling", "strict") {
		return false
	}
	c.w.Header()["Preference-Applied"] = []string{"handling=strict"}
	return true
}
