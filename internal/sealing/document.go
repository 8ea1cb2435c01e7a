package sealing

import (
	"encoding/binary"
	"math"
	"sync"

	"verdict/internal/compress"
)

// documentForm is the first byte of a sealed document. Other documents never begin with this byte: JSON begins with
// an ASCII character, and the encodings of vectors and histories begin with a small version number.
const documentForm = 0xE1

// MaxDocumentOverhead is the maximum number of bytes by which a sealed document is longer
// than the document.
const MaxDocumentOverhead = 1 + binary.MaxVarintLen64 + Overhead

// SealDocument appends a sealed document: a ciphertext that begins with the number of the
// key tree from which its key was derived. hash is the salted hash of the document. The
// document is compressed if that makes it shorter.
func (s Sealer) SealDocument(to []byte, tree int64, hash ZoneHash, document []byte) []byte {
	to = binary.AppendUvarint(append(to, documentForm), uint64(tree)) // TreeOf converts it back
	lent, _ := compressed.Get().(*[]byte)                             // the pool holds nothing else
	defer compressed.Put(lent)
	*lent = compress.Append((*lent)[:0], document)
	if len(*lent) < len(document) {
		return s.sealCompressed(to, hash, *lent)
	}
	return s.Seal(to, hash, document)
}

// compressed holds memory for compressed documents, which are needed only briefly.
var compressed = sync.Pool{New: func() any { return new([]byte) }}

// OpenDocument returns a document that SealDocument has sealed, or ErrUnreadable.
func (s Sealer) OpenDocument(zone Zone, stored []byte) ([]byte, error) {
	if !Sealed(stored) {
		return nil, ErrUnreadable
	}
	_, length := binary.Uvarint(stored[1:])
	if length <= 0 {
		return nil, ErrUnreadable
	}
	ciphertext := stored[1+length:]
	data, err := s.Open(zone|compressedZone, ciphertext)
	if err != nil { // the document is older than compression, or compression did not make it shorter
		return s.Open(zone, ciphertext)
	}
	document, err := compress.Expand(data, math.MaxInt32)
	if err != nil {
		return nil, ErrUnreadable
	}
	return document, nil
}

// Sealed reports whether stored bytes are a sealed document.
func Sealed(stored []byte) bool { return len(stored) > 0 && stored[0] == documentForm }

// TreeOf returns the number of the key tree from which the key of a sealed document was derived.
// stored is the document or its first bytes. ok is false for anything else.
func TreeOf(stored []byte) (tree int64, ok bool) {
	if !Sealed(stored) {
		return 0, false
	}
	number, length := binary.Uvarint(stored[1:])
	return int64(number), length > 0 // the trees of uploads have negative numbers
}
