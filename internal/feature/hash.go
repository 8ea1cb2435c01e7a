package feature

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"sync"
)

// The text of a vector is hashed in chunks that fit into the processor's L1
// cache. The text before a feature's value has at most longestOpening bytes, for
// which the buffer always has capacity.
const (
	hashChunk      = 8 << 10
	longestOpening = 64
)

// hasher holds the reusable state of hashing a vector.
type hasher struct {
	digest hash.Hash
	text   [hashChunk + longestOpening + longestValue]byte
	sum    [sha256.Size]byte
}

var hashers = sync.Pool{New: func() any { return &hasher{digest: sha256.New()} }}

// openings holds the texts before the features' values, concatenated. Such a text
// consists of the end of the previous feature and the name. Each text is copied
// with a fixed size, which is cheaper than copying its actual length.
type openings struct {
	text []byte
	ends [Count]uint32
}

var opening = func() *openings {
	o := &openings{}
	for i, name := range plan.names {
		if i > 0 {
			o.text = append(o.text, "],"...)
		} else {
			o.text = append(o.text, '[')
		}
		o.text = append(o.text, `["`+name+`",`...)
		o.ends[i] = uint32(len(o.text))
	}
	o.text = append(o.text, make([]byte, longestOpening)...)
	return o
}()

// Hash returns the SHA-256 of a canonical JSON list. The list has a pair [name, value] for every feature, in name
// order. The value is null if the feature has none.
func (v *Vector) Hash() string {
	h, ok := hashers.Get().(*hasher)
	if !ok {
		return "" // unreachable: the pool holds only hashers
	}
	h.digest.Reset()
	n, from := 0, uint32(0)
	for i := range v.values {
		if n >= hashChunk {
			h.digest.Write(h.text[:n])
			n = 0
		}
		*(*[longestOpening]byte)(h.text[n:]) = [longestOpening]byte(opening.text[from:])
		n += int(opening.ends[i] - from)
		from = opening.ends[i]
		switch value := v.values[i]; {
		case value != 0:
			n += putDecimal((*[longestValue]byte)(h.text[n:]), value)
		case v.known[i/64]>>(i%64)&1 != 0:
			h.text[n] = '0'
			n++
		default:
			n += copy(h.text[n:], "null")
		}
	}
	n += copy(h.text[n:], "]]")
	h.digest.Write(h.text[:n])
	var out [len("sha256:") + 2*sha256.Size]byte
	at := copy(out[:], "sha256:")
	hex.Encode(out[at:], h.digest.Sum(h.sum[:0]))
	hashers.Put(h)
	return string(out[:])
}
