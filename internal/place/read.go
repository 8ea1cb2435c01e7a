package place

import "encoding/binary"

// reader decodes numbers from the front of a table. After the first number that
// is truncated or too large, bad is set and the reader returns zeros.
type reader struct {
	rest []byte
	bad  bool
}

// uvarint decodes a number of at most limit.
func (r *reader) uvarint(limit uint64) uint64 {
	v, n := binary.Uvarint(r.rest)
	if r.bad || n <= 0 || v > limit {
		r.bad = true
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

// varint decodes a number between -limit and limit.
func (r *reader) varint(limit int64) int64 {
	v, n := binary.Varint(r.rest)
	if r.bad || n <= 0 || v > limit || v < -limit {
		r.bad = true
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

// bytes returns the next n bytes.
func (r *reader) bytes(n int) []byte {
	if r.bad || n > len(r.rest) {
		r.bad = true
		return nil
	}
	taken := r.rest[:n]
	r.rest = r.rest[n:]
	return taken
}
