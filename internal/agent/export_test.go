package agent

import "verdict/internal/wire"

// Objection says why a model's prose is not taken.
var Objection = objection

// Escape keeps a text from being anything but text in Markdown.
var Escape = escape

// ReadAsk reads a request's own members and writes them as they are stored.
func ReadAsk(body wire.Value) (stored []byte, err error) {
	a, err := readAsk(body)
	return written(a), err
}

// ReadStoredAsk reads what is stored and writes it again.
func ReadStoredAsk(stored []byte) (again []byte, err error) {
	a, err := readStoredAsk(stored)
	return written(a), err
}

func written(a ask) []byte {
	var w wire.Writer
	a.write(&w)
	return w.Buf
}
