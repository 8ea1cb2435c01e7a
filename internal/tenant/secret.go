package tenant

import (
	"fmt"
	"io"
	"log/slog"
)

// redacted is what every secret prints as.
const redacted = "[redacted]"

// Secret is a text that must not end up in a log, an error or an answer. It
// prints as [redacted] whatever the verb, in JSON and in slog too; Reveal is
// the one way to the text, so that a search for it finds every use.
//
// The text lies behind a pointer, because fmt does not call the methods of a
// value in an unexported field: there it would print a plain string, but of a
// pointer it only prints the address.
type Secret struct{ text *string }

// NewSecret keeps a text from being printed.
func NewSecret(text string) Secret { return Secret{&text} }

// Reveal is the text itself, "" of the zero Secret.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// String does not tell.
func (Secret) String() string { return redacted }

// GoString does not tell.
func (Secret) GoString() string { return redacted }

// Format does not tell, whatever the verb.
func (Secret) Format(f fmt.State, _ rune) { printTo(f, redacted) }

// LogValue does not tell.
func (Secret) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalText does not tell; JSON, as a value or as a map's key, goes through
// it too.
func (Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// printTo writes for a fmt.Formatter, which has no way to return an error: fmt
// itself reports one of the writer below.
func printTo(f fmt.State, text string) { _, _ = io.WriteString(f, text) }
