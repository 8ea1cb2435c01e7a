package feature

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// The first byte of an encoded vector is the number of its catalogue. All catalogues
// so far share one encoding and one order of names.

var (
	errVersion = errors.New("not a feature vector of this version")
	errCut     = errors.New("feature vector is cut short")
	errForm    = errors.New("feature vector is not in its shortest form")
)

// Encode appends the stored form of the vector: the catalogue, one bit for each feature that says whether it has a
// value, and the values. Sums and maxima of amounts are stored in paise and counts as integers, which keeps the
// encoding short.
func (v *Vector) Encode(dst []byte) []byte {
	const usual = 3 // bytes of a usual value
	dst = slices.Grow(dst, 1+8*len(v.known)+usual*v.Populated())
	dst = append(dst, byte(v.Catalogue()))
	for _, word := range v.known {
		dst = binary.LittleEndian.AppendUint64(dst, word)
	}
	for i := range v.values {
		if value, ok := v.Get(i); ok {
			dst = binary.AppendVarint(dst, value/storedUnit(i))
		}
	}
	return dst
}

// DecodeVector decodes a stored vector. It accepts only the output of Encode and
// returns an error for all other bytes.
func DecodeVector(data []byte, v *Vector) error {
	*v = Vector{}
	if len(data) == 0 || data[0] < byte(Catalogue1) || data[0] > byte(Catalogue2) {
		return errVersion
	}
	catalogue := Catalogue(data[0])
	data = data[1:]
	if len(data) < 8*len(v.known) {
		return errCut
	}
	var known [len(v.known)]uint64
	for i := range known {
		known[i] = binary.LittleEndian.Uint64(data[8*i:])
	}
	data = data[8*len(known):]
	const used = Count % 64
	if used != 0 && known[len(known)-1]>>used != 0 {
		return errForm
	}
	for i := range v.values {
		if known[i/64]>>(i%64)&1 == 0 {
			continue
		}
		stored, n := binary.Varint(data)
		if n <= 0 {
			return errCut
		}
		if n > 1 && data[n-1] == 0 {
			return errForm
		}
		data = data[n:]
		unit := storedUnit(i)
		if stored > mostValue/unit || stored < -mostValue/unit {
			return fmt.Errorf("value of %s: %w", NameAt(i), errForm)
		}
		v.values[i] = stored * unit
	}
	if len(data) != 0 {
		return errForm
	}
	v.known = known
	v.setCatalogue(catalogue)
	return nil
}

// storedUnit returns the unit of which every value of a feature is a multiple.
func storedUnit(index int) int64 {
	p, _, aggregation := place(index)
	switch aggregation {
	case countAt:
		return one
	case sumAt, maxAt:
		return p.unit
	default:
		return 1
	}
}
