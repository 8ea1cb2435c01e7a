// Package document reads the JSON of requests into the values that the use cases take, and writes the values that they
// return (ADR 22). The API, the console and the stored answers of an Idempotency-Key share this package, so that the
// same value is always written as the same bytes.
//
// The Read functions return the faults of a body as a *fault.Error that names the faulty members and repeats no value.
// Most of them return all faults together.
package document

import (
	"bytes"
	"encoding/json"

	"verdict/internal/operation"
	"verdict/internal/wire"
)

// encode returns the body that the function write has written.
func encode(write func(*wire.Writer)) []byte {
	var w wire.Writer
	write(&w)
	return w.Buf
}

// answer returns an answer with the body that the function write has written.
func answer(status int, write func(*wire.Writer)) operation.Answer {
	return operation.Answer{Status: status, Body: encode(write)}
}

// Indented returns a document for people to read: it indents each level by two
// spaces, and keeps the order of members and the text of numbers.
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

// optional writes a text unless it is "".
func optional(w *wire.Writer, key, text string) {
	if text != "" {
		w.Key(key).String(text)
	}
}

// optionalTime writes a stored time unless it is 0, which means never.
func optionalTime(w *wire.Writer, key string, micros int64) { optional(w, key, timeText(micros)) }

// writeStrings writes a list of texts.
func writeStrings(w *wire.Writer, list []string) {
	w.Array()
	for _, s := range list {
		w.String(s)
	}
	w.EndArray()
}

// orNull writes a text, or null if the text is "".
func orNull(w *wire.Writer, key, text string) {
	if w.Key(key); text == "" {
		w.Null()
	} else {
		w.String(text)
	}
}
