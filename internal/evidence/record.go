package evidence

import (
	"bytes"
	"strconv"

	"verdict/internal/sealing"
)

// Record is an entry of the journal about anything but a decision: a review, a rule set, a change
// of the settings. Its data are the plain columns of the stored row, and also the data of the
// event. Columns with a text that a person wrote are included only as a salted hash.
type Record struct {
	Tenant      string
	Environment string
	Kind        Kind
	ID          string // the id of the object
	Micros      int64  // when it happened
	Type        string // the type of the event, such as decision.reviewed
	Data        []byte // a JSON object; the same data always gives the same bytes
	// Commitment is the salted hash of the texts; see Commit. It is the zero value if there
	// are none.
	Commitment sealing.Hash
	Backfilled bool
}

// Leaf returns the leaf of the record.
func (r *Record) Leaf() Leaf {
	return Leaf{
		Kind:       r.Kind,
		ID:         r.ID,
		At:         At(r.Micros),
		Row:        r.hash(),
		Commitment: r.Commitment,
		Backfilled: r.Backfilled,
	}
}

// hash returns the hash over the scope, the time and the data.
func (r *Record) hash() sealing.Hash {
	return sealing.HashTexts("verdict record", r.Tenant, r.Environment, string(r.Kind), r.ID,
		strconv.FormatInt(r.Micros, 10), r.Type, string(r.Data))
}

// Event returns the type and the data in the form in which they are stored in the journal.
func (r *Record) Event() []byte {
	return append(append([]byte(r.Type), ' '), r.Data...)
}

// ParseEvent splits what Event returned. ok is false for anything else.
func ParseEvent(stored []byte) (kind string, data []byte, ok bool) {
	name, data, ok := bytes.Cut(stored, []byte{' '})
	return string(name), data, ok && len(name) > 0 && len(data) > 0
}

// Commit returns the salted hash of texts. Only somebody who knows the salt can check a guess of the texts. So the
// hash may remain when the texts and the salt are erased.
func Commit(salt []byte, texts ...string) sealing.Hash {
	return sealing.HashTexts(append([]string{"verdict texts", string(salt)}, texts...)...)
}
