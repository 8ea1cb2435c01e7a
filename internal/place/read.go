package place

import "encoding/binary"

// reader takes numbers off the front of a table. After the first one that is
// cut short or too large it is bad and yields zeros.
type reader struct {
	rest []byte
	bad  bool
}

// uvarint takes a number of at most limit.
func (r *reader) uvarint(limit uint64) uint64 {
	v, n := binary.Uvarint(r.rest)
	if r.bad || n <= 0 || v > limit {
		r.bad = true
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

// varint takes a number between -limit and limit.
func (r *reader) varint(limit int64) int64 {
	v, n := binary.Varint(r.rest)
	if r.bad || n <= 0 || v > limit || v < -limit {
		r.bad = true
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

// bytes takes n bytes.
func (r *reader) bytes(n int) []byte {
	if r.bad || n > len(r.rest) {
		r.bad = true
		return nil
	}
	taken := r.rest[:n]
	r.rest = r.rest[n:]
	return taken
}
