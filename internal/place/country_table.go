package place

import (
	"encoding/binary"
	"errors"
	"math/bits"
)

var errCountries = errors.New("the table of countries is damaged")

// Append appends the table in the format of ReadCountries: the names, then for
// each family the number of spans, and for each span its country and the
// distance of its start from the previous start.
func (c *Countries) Append(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(c.names)-1))
	for _, name := range c.names[1:] {
		b = append(b, name...)
	}
	b = appendSpans(b, c.four)
	return appendSpans(b, c.six)
}

func appendSpans[A uint32 | uint64](b []byte, s spans[A]) []byte {
	b = binary.AppendUvarint(b, uint64(len(s.starts)))
	var before A
	for i, start := range s.starts {
		b = append(b, s.country[i])
		b = appendStep(b, uint64(start-before))
		before = start
	}
	return b
}

// Networks begin and end at multiples of powers of two, so the distance between two
// starts has many trailing zeros. It is encoded as the number of zeros, in the
// lowest six bits, followed by the bits before the zeros, without the lowest 1. The
// few distances that do not fit, including zero, are written in full after the
// marker unpacked.
const (
	zerosBits = 6
	zerosMask = 1<<zerosBits - 1
	unpacked  = zerosMask
)

func appendStep(b []byte, step uint64) []byte {
	zeros := bits.TrailingZeros64(step)
	if zeros < unpacked {
		if rest := step >> zeros >> 1; bits.Len64(rest) <= 64-zerosBits {
			return binary.AppendUvarint(b, rest<<zerosBits|uint64(zeros))
		}
	}
	b = binary.AppendUvarint(b, unpacked)
	return binary.AppendUvarint(b, step)
}

// step decodes a number of at most limit that appendStep encoded.
func (r *reader) step(limit uint64) uint64 {
	packed := r.uvarint(^uint64(0))
	zeros, rest := packed&zerosMask, packed>>zerosBits
	if zeros == unpacked {
		if rest != 0 {
			r.bad = true
		}
		return r.uvarint(limit)
	}
	step := (rest<<1 | 1) << zeros
	if r.bad || bits.Len64(rest)+1+int(zeros) > 64 || step > limit {
		r.bad = true
		return 0
	}
	return step
}

// ReadCountries decodes the output of Append. It returns an error if data is not a
// valid table.
func ReadCountries(data []byte) (*Countries, error) {
	r := reader{rest: data}
	c := &Countries{names: []string{""}}
	for range r.uvarint(maxNames) {
		name := string(r.bytes(2))
		if !isCountry(name) {
			return nil, errCountries
		}
		c.names = append(c.names, name)
	}
	c.four = readSpans[uint32](&r, len(c.names))
	c.six = readSpans[uint64](&r, len(c.names))
	if r.bad || len(r.rest) > 0 {
		return nil, errCountries
	}
	return c, nil
}

func readSpans[A uint32 | uint64](r *reader, names int) spans[A] {
	n := r.uvarint(maxSpans)
	// Every span takes at least two bytes, so a wrong count cannot cause a large
	// allocation.
	if n > uint64(len(r.rest))/2 {
		r.bad = true
		return spans[A]{}
	}
	s := spans[A]{starts: make([]A, n), country: make([]uint8, n)}
	var start A
	for i := range s.starts {
		country := r.bytes(1)
		step := r.step(uint64(^A(0) - start))
		if r.bad || int(country[0]) >= names || i > 0 && step == 0 {
			r.bad = true
			return spans[A]{}
		}
		start += A(step)
		s.starts[i], s.country[i] = start, country[0]
	}
	return s
}
