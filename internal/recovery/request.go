package recovery

import (
	"time"

	"verdict/internal/wire"
)

// Request is a case that has not been read yet, because the advice depends on
// the time at which it is read. A Request is valid as long as the document that
// it was made from.
type Request struct {
	// Strict refuses unknown members instead of warning about them.
	Strict bool

	body wire.Value
}

// NewRequest returns a request for a body.
func NewRequest(body wire.Value) Request { return Request{body: body} }

// Read reads the case.
func (r Request) Read(now time.Time) (Case, error) {
	if r.Strict {
		return ReadStrict(r.body, now)
	}
	return Read(r.body, now)
}

// Write writes the case as it was sent. Members at the pointers in unread are
// replaced by true.
func (r Request) Write(w *wire.Writer, unread map[string]bool) { writeRead(w, r.body, unread) }

// writeRead writes a value and replaces every member listed in unread by true.
func writeRead(w *wire.Writer, v wire.Value, unread map[string]bool) {
	switch {
	case len(unread) == 0:
		w.Value(v)
	case v.Kind() == wire.Object:
		w.Object()
		for name, member := range v.Members() {
			if w.Name(name); unread[member.Pointer()] {
				w.Bool(true)
				continue
			}
			writeRead(w, member, unread)
		}
		w.EndObject()
	case v.Kind() == wire.Array:
		w.Array()
		for _, element := range v.Elements() {
			writeRead(w, element, unread)
		}
		w.EndArray()
	default:
		w.Value(v)
	}
}
