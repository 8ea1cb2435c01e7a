package evidence

import (
	"encoding/binary"
	"time"

	"golang.org/x/crypto/blake2b"

	"verdict/internal/sealing"
)

// Row is the part of a stored decision that is stored unencrypted and stays when its applicant is erased. The leaf
// covers the answer and the facts through the hashes of the zones in Plain, and the applicant
// through its reference.
type Row struct {
	Tenant        string
	Environment   string
	ID            string
	CreatedMicros int64
	Status        string
	Grade         string
	PolicyKey     string
	PolicyID      string
	PolicyVersion int64
	Endpoint      string
	EngineVersion string
	DecisionHash  string
	Actor         string // the id of the key or person that asked for the decision
	Plain         string // a JSON text with further values and the hashes of the zones
}

// AppendHash returns the hash over the scope and every column of the row. It uses buffer
// as memory and returns it, so that the caller can use it again.
func (r *Row) AppendHash(buffer []byte) (sealing.Hash, []byte) {
	text := binary.BigEndian.AppendUint64(buffer[:0], uint64(r.CreatedMicros)) // only the bits matter
	text = binary.BigEndian.AppendUint64(text, uint64(r.PolicyVersion))        // only the bits matter
	for _, column := range [...]string{
		r.Tenant, r.Environment, r.ID, r.Status, r.Grade, r.PolicyKey, r.PolicyID,
		r.Endpoint, r.EngineVersion, r.DecisionHash, r.Actor, r.Plain,
	} {
		text = binary.BigEndian.AppendUint32(text, uint32(len(column))) // columns are shorter than 4 GiB
		text = append(text, column...)
	}
	return blake2b.Sum256(text), text
}

// clockFormat is the format of times in leaves: RFC 3339 in UTC with milliseconds, as in
// answers.
const clockFormat = "2006-01-02T15:04:05.000Z07:00"

// At returns a time in microseconds in the format of leaves.
func At(micros int64) string { return time.UnixMicro(micros).UTC().Format(clockFormat) }
