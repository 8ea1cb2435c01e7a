package tenant

import (
	"fmt"
	"io"
	"log/slog"
)

// redacted is the text that every secret prints as.
const redacted = "[redacted]"

// Secret is a text that must not appear in a log, an error or an answer. It prints
// as "[redacted]" with every verb, in JSON and in slog too. Only Reveal returns the
// text, so that a search for Reveal finds every use.
//
// The text is behind a pointer, because fmt does not call the methods of a value in
// an unexported field. In such a field, fmt would print a string in plain text, but
// it prints only the address of a pointer.
type Secret struct{ text *string }

// NewSecret returns a Secret that holds text.
func NewSecret(text string) Secret { return Secret{&text} }

// Reveal returns the text itself, or "" for the zero Secret.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// String returns "[redacted]".
func (Secret) String() string { return redacted }

// GoString returns "[redacted]".
func (Secret) GoString() string { return redacted }

// Format writes "[redacted]", whatever the verb.
func (Secret) Format(f fmt.State, _ rune) { printTo(f, redacted) }

// LogValue returns "[redacted]".
func (Secret) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalText returns "[redacted]". JSON uses it too, for values and map keys.
func (Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// printTo writes a text for a fmt.Formatter. It ignores the error, because a
// Formatter cannot return it and fmt itself reports an error of the underlying
// writer.
func printTo(f fmt.State, text string) { _, _ = io.WriteString(f, text) }
