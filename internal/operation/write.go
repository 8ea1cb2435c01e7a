package operation

import (
	"strings"

	"verdict/internal/wire"
)

// Optional writes a text unless it is empty.
func Optional(w *wire.Writer, key, text string) {
	if text != "" {
		w.Key(key).String(text)
	}
}

// OptionalTime writes a stored time unless it is 0, which means never.
func OptionalTime(w *wire.Writer, key string, micros int64) {
	if micros != 0 {
		w.Key(key).String(Clock(micros))
	}
}

// WriteStrings writes a list of texts.
func WriteStrings(w *wire.Writer, list []string) {
	w.Array()
	for _, s := range list {
		w.String(s)
	}
	w.EndArray()
}

// The HTTP statuses of answers. They are stored with the answers to idempotent
// requests. The status of a declined decision is StatusOK too.
const (
	StatusOK      = 200
	StatusCreated = 201
)

// MaxNote is the maximum length of a note, in bytes.
const MaxNote = 2_000

// Note reads the member "note", a person's comment on their action.
func Note(f *wire.Form) string {
	text, _ := f.Text("note", MaxNote)
	return strings.Clone(text)
}

// AnyVersion is the expected version if a caller does no optimistic locking.
const AnyVersion = -1
