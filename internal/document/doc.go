// Package document reads the JSON of requests into the values that the use cases
// take, and writes the values that they return (ADR 22). The API and the stored
// answers of an Idempotency-Key share it, so that the same thing is always written as
// the same bytes.
//
// ReadX returns all faults of a body at once, as a *fault.Error that names every
// member and repeats no value.
package document

import (
	"bytes"
	"encoding/json"

	"verdict/internal/operation"
	"verdict/internal/wire"
)

// encode writes a body.
func encode(write func(*wire.Writer)) []byte {
	var w wire.Writer
	write(&w)
	return w.Buf
}

// answer returns an answer whose body write writes.
func answer(status int, write func(*wire.Writer)) operation.Answer {
	return operation.Answer{Status: status, Body: encode(write)}
}

// Indented returns a document for people to read: two spaces to the level, members in
// their order, numbers as they were written.
func Indented(write func(*wire.Writer)) (string, error) {
	var b bytes.Buffer
	err := json.Indent(&b, encode(write), "", "  ")
	return b.String(), err
}

func timeText(micros int64) string {
	if micros == 0 {
		return ""
	}
	return operation.Clock(micros)
}

// orNull writes a text, or null if there is none.
func orNull(w *wire.Writer, key, text string) {
	if w.Key(key); text == "" {
		w.Null()
	} else {
		w.String(text)
	}
}
