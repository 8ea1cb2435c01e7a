package evidence

import (
	"bytes"
	"errors"
	"strconv"

	"golang.org/x/mod/sumdb/tlog"

	"verdict/internal/wire"
)

// Reopening is the first leaf of a log that was reopened. A log is reopened under a new name if the
// database no longer contains what was signed. The leaf publishes the last checkpoint of the former
// log and the reason.
type Reopening struct {
	Origin string // the name of the reopened log
	At     string // RFC 3339 in UTC
	// Checkpoint is the last checkpoint of the former log, as a signed note.
	Checkpoint string
	// Kept is how many leaves at the beginning of the former log are known to be in the reopened
	// log as well. They follow this leaf.
	Kept   int64
	Reason string
}

// Append appends the leaf as canonical JSON (RFC 8785). These bytes are hashed.
func (r *Reopening) Append(to []byte) []byte {
	to = append(to, `{"at":`...)
	to = wire.AppendString(to, r.At)
	to = append(to, `,"checkpoint":`...)
	to = wire.AppendString(to, r.Checkpoint)
	to = append(to, `,"id":`...)
	to = wire.AppendString(to, r.Origin)
	to = append(to, `,"kept":`...)
	to = strconv.AppendInt(to, r.Kept, 10)
	to = append(to, `,"kind":"`+string(Reopened)+`","reason":`...)
	to = wire.AppendString(to, r.Reason)
	to = append(to, `,"v":`...)
	to = strconv.AppendInt(to, leafVersion, 10)
	return append(to, '}')
}

// ErrNotAReopening is the error for a text that is not the first leaf of a reopened log.
var ErrNotAReopening = errors.New("not the first leaf of a reopened log")

// ParseReopening reads the leaf. It accepts only the exact form that Append writes.
func ParseReopening(text []byte) (Reopening, error) {
	v, err := wire.Parse(text)
	if err != nil {
		return Reopening{}, ErrNotAReopening
	}
	r := Reopening{
		Origin:     v.Get("id").Text(),
		At:         v.Get("at").Text(),
		Checkpoint: v.Get("checkpoint").Text(),
		Reason:     v.Get("reason").Text(),
	}
	_, kept := v.Get("kept").Scalar()
	r.Kept, err = strconv.ParseInt(kept, 10, 64)
	if err != nil || r.Kept < 0 || !bytes.Equal(r.Append(nil), text) {
		return Reopening{}, ErrNotAReopening
	}
	return r, nil
}

// Hash returns the hash of the leaf in the tree.
func (r *Reopening) Hash() tlog.Hash { return tlog.RecordHash(r.Append(nil)) }
