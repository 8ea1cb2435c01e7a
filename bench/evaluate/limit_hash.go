package evaluate

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"strconv"

	"verdict/internal/feature"
)

// limitHash computes the same hash as our service: the hash of the list of names
// and values as canonical JSON.
type limitHash struct {
	digest hash.Hash
	text   []byte
}

func newLimitHash() *limitHash { return &limitHash{digest: sha256.New()} }

// heads holds the text before each value, and tails the decimal point with the
// digits after it.
var (
	heads = func() (list [feature.Count]string) {
		for i := range list {
			list[i] = `],["` + feature.NameAt(i) + `",`
		}
		list[0] = "[" + list[0][2:]
		return list
	}()
	tails = func() (list [10_000]string) {
		for i := 1; i < len(list); i++ {
			text := strconv.Itoa(10_000 + i)[1:]
			for text[len(text)-1] == '0' {
				text = text[:len(text)-1]
			}
			list[i] = "." + text
		}
		return list
	}()
)

// hashChunk is the number of bytes that are hashed at a time. It is small enough
// for the processor's first-level cache.
const hashChunk = 8 << 10

func (h *limitHash) sum(v *limitVector) string {
	h.digest.Reset()
	text := h.text[:0]
	for i := range v.values {
		if len(text) > hashChunk {
			h.digest.Write(text)
			text = text[:0]
		}
		text = append(text, heads[i]...)
		if !v.known[i] {
			text = append(text, "null"...)
			continue
		}
		value := v.values[i]
		if value < 0 {
			text = append(text, '-')
			value = -value
		}
		text = strconv.AppendInt(text, value/10_000, 10)
		text = append(text, tails[value%10_000]...)
	}
	text = append(text, "]]"...)
	h.digest.Write(text)
	h.text = text
	return "sha256:" + hex.EncodeToString(h.digest.Sum(nil))
}
