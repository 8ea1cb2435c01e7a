// Package compress compresses stored documents. Answers and facts are short texts that have most of their words in
// common. A compressor without a dictionary finds few repetitions in one such text, so this compressor has a
// dictionary of sample texts.
//
// The format is LZ77 with a window of 64 KiB: literal bytes, and copies of earlier bytes. The dictionary counts as the
// bytes before the document. The package is pure, and usually allocates only the result.
package compress

import (
	_ "embed"
	"encoding/binary"
	"errors"
	"math"
	"math/bits"
	"sync"
)

// dictionary holds sample answers and facts. Stored documents refer to its bytes by their position, so it must never
// change. Other kinds of texts need another dictionary, in a format of their own.
//
//go:embed dictionary.txt
var dictionary string

// ErrDamaged is the error for bytes that Append has not written.
var ErrDamaged = errors.New("the compressed document is damaged")

const (
	window   = 1<<16 - 1 // the greatest distance of a copy
	minCopy  = 4         // bytes; a copy takes three bytes, so a shorter one saves nothing
	hashed   = 5         // bytes that are hashed to find a copy
	wordSize = 8         // bytes that are read together
	tableLog = 12        // log2 of the size of the hash table for a document
	wordsLog = 14        // log2 of the size of the hash table for the dictionary

	// A copy and the literals before it begin with one byte: the number of literals in the upper half and the number
	// of copied bytes in the lower half. If a number does not fit, the rest follows in bytes of 255 and a last byte
	// below 255.
	half     = 4
	halfFull = 1<<half - 1
)

// table maps the hash of some bytes to their position in a document, plus one and plus base. Positions of earlier
// documents are at most base, so the table need not be cleared for each document.
type table struct {
	base      uint32
	positions [1 << tableLog]uint32
}

// begin prepares the table for a document of the given size.
func (t *table) begin(size int) {
	if uint64(t.base)+uint64(size) >= math.MaxUint32 { // a size is not negative
		*t = table{}
	}
}

// end invalidates all stored positions, after a document of the given size was processed.
func (t *table) end(size int) { t.base += uint32(size) } // begin has checked the sum

// swap returns the position that is stored for the hash key, or -1 if there is none, and stores another position.
func (t *table) swap(key uint64, position int) int {
	stored := &t.positions[key>>(64-tableLog)]
	earlier := int64(*stored) - int64(t.base) - 1
	*stored = t.base + uint32(position+1) // documents are shorter than 4 GiB
	return int(max(-1, earlier))
}

var tables = sync.Pool{New: func() any { return new(table) }}

// words maps the hash of some bytes to their position in the dictionary, plus one.
var words = sync.OnceValue(func() *[1 << wordsLog]uint16 {
	var found [1 << wordsLog]uint16
	for i := 0; i+wordSize <= len(dictionary); i++ {
		found[hash(word(dictionary, i))>>(64-wordsLog)] = uint16(i + 1) // no overflow: see TestDictionary
	}
	return &found
})

// Append appends the compressed document to its first argument. The result may be longer than the document.
func Append(to, document []byte) []byte {
	to = binary.AppendUvarint(to, uint64(len(document)))
	if len(document) == 0 {
		return to
	}
	positions, _ := tables.Get().(*table) // the pool holds nothing else
	defer tables.Put(positions)
	return positions.compress(to, document)
}

// compress appends a compressed document without its length. The document is not empty.
func (t *table) compress(to, document []byte) []byte {
	known := words()
	t.begin(len(document))
	defer t.end(len(document))
	literals := 0 // the position of the first byte that is not written yet
	for i := 0; i+wordSize <= len(document); {
		next := word(document, i)
		key := hash(next)
		earlier := t.swap(key, i)
		var distance, length int
		if earlier >= 0 && i-earlier <= window && alike(word(document, earlier), next) {
			distance, length = i-earlier, common(document, i, document[earlier:])
		}
		if at := int(known[key>>(64-wordsLog)]) - 1; at >= 0 && length < 2*wordSize &&
			i+len(dictionary)-at <= window && alike(word(dictionary, at), next) {
			if l := common(document, i, dictionary[at:]); l > length {
				distance, length = i+len(dictionary)-at, l
			}
		}
		if length < minCopy {
			i += 1 + (i-literals)>>6 // the steps grow while no copy is found
			continue
		}
		to = appendCopy(to, document[literals:i], distance, length)
		i += length
		literals = i
	}
	if literals == len(document) { // the document ends with a copy
		return to
	}
	return appendLiterals(to, document[literals:], 0)
}

// common compares the bytes of the document from index i on with the argument earlier. It returns how many bytes at
// the beginning are the same.
func common[T string | []byte](document []byte, i int, earlier T) int {
	n := 0
	for i+n+wordSize <= len(document) && n+wordSize <= len(earlier) {
		if different := word(document, i+n) ^ word(earlier, n); different != 0 {
			return n + bits.TrailingZeros64(different)/8
		}
		n += wordSize
	}
	for i+n < len(document) && n < len(earlier) && document[i+n] == earlier[n] {
		n++
	}
	return n
}

func appendCopy(to, literals []byte, distance, length int) []byte {
	to = appendLiterals(to, literals, min(length-minCopy, halfFull))
	to = append(to, byte(distance), byte(distance>>8)) // at most window, so two bytes are enough
	if rest := length - minCopy - halfFull; rest >= 0 {
		to = appendRest(to, rest)
	}
	return to
}

// appendLiterals appends the byte with both numbers, and the literals. lower is the lower half of the byte.
func appendLiterals(to, literals []byte, lower int) []byte {
	to = append(to, byte(min(len(literals), halfFull)<<half|lower)) // two halves of a byte
	if rest := len(literals) - halfFull; rest >= 0 {
		to = appendRest(to, rest)
	}
	return append(to, literals...)
}

func appendRest(to []byte, rest int) []byte {
	for ; rest >= 255; rest -= 255 {
		to = append(to, 255)
	}
	return append(to, byte(rest)) // less than 255
}

// Expand returns the document that Append has compressed. It returns ErrDamaged for any other bytes that cannot be
// expanded, and if the document is longer than limit.
func Expand(compressed []byte, limit int) ([]byte, error) {
	size, n := binary.Uvarint(compressed)
	if n <= 0 || size > uint64(max(limit, 0)) { // max, because a negative limit would become a huge uint64
		return nil, ErrDamaged
	}
	r := reader{from: compressed[n:]}
	document := make([]byte, 0, min(size, uint64(expansion*len(compressed)))) // neither number overflows
	for uint64(len(document)) < size {
		first := r.byte()
		literals, length := int(first>>half), int(first&halfFull)
		if literals == halfFull {
			literals += r.rest()
		}
		document = append(document, r.take(literals)...)
		if r.failed || uint64(len(document)) >= size {
			break
		}
		distance := int(r.byte()) | int(r.byte())<<8
		if length == halfFull {
			length += r.rest()
		}
		length += minCopy
		from := len(document) - distance
		if r.failed || distance == 0 || from < -len(dictionary) || length > int(size)-len(document) { // size ≤ limit
			return nil, ErrDamaged
		}
		if from < 0 {
			known := dictionary[len(dictionary)+from:]
			known = known[:min(length, len(known))]
			document = append(document, known...)
			length -= len(known)
			from = 0
		}
		for length > 0 { // the copy may contain bytes that it has just written
			part := document[from:min(from+length, len(document))]
			document = append(document, part...)
			from, length = from+len(part), length-len(part)
		}
	}
	if r.failed || uint64(len(document)) != size || len(r.from) > 0 {
		return nil, ErrDamaged
	}
	return document, nil
}

// expansion limits the memory that Expand allocates initially, as a multiple of the compressed length. Most documents
// need no more.
const expansion = 16

// reader reads compressed bytes, and notes whether there were too few.
type reader struct {
	from   []byte
	failed bool
}

func (r *reader) byte() byte {
	if len(r.from) == 0 {
		r.failed = true
		return 0
	}
	b := r.from[0]
	r.from = r.from[1:]
	return b
}

func (r *reader) take(n int) []byte {
	if n > len(r.from) {
		r.failed = true
		return nil
	}
	taken := r.from[:n]
	r.from = r.from[n:]
	return taken
}

func (r *reader) rest() (n int) {
	for {
		b := r.byte()
		n += int(b)
		if b < 255 {
			return n
		}
	}
}

// alike reports whether the first minCopy bytes of two words are the same.
func alike(a, b uint64) bool { return uint32(a^b) == 0 } // the first four bytes

// hash spreads the first bytes of a word over the upper bits.
func hash(word uint64) uint64 { return (word << (8 * (wordSize - hashed))) * 0x9E3779B185EBCA87 }

func word[T string | []byte](text T, i int) uint64 {
	t := text[i : i+wordSize]
	return uint64(t[0]) | uint64(t[1])<<8 | uint64(t[2])<<16 | uint64(t[3])<<24 |
		uint64(t[4])<<32 | uint64(t[5])<<40 | uint64(t[6])<<48 | uint64(t[7])<<56
}
