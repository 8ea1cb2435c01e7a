package list

import (
	"encoding/binary"
	"math/bits"
)

// Directory names the chunks of one version of a list. The first bits of a key are the index of its chunk. The id of a
// chunk is a hash of its content, so a chunk never changes, and versions share the chunks in which they do not differ.
// The zero Directory is that of an empty list.
type Directory struct {
	bits uint
	ids  []byte // eight bytes each; 0 for a chunk without entries
}

const (
	directoryForm   = 1
	directoryHeader = 2
	idSize          = 8

	// chunkEntries is the maximum average number of entries in a chunk of a new directory. A chunk of this size is read
	// quickly, and a list of a million entries has about a thousand chunks.
	chunkEntries = 1024
	// crowded is the average number of entries at which a list is divided again.
	crowded = 2 * chunkEntries
	maxBits = 16
)

// NewDirectory returns a directory for a number of entries, with no chunk in it.
func NewDirectory(entries int) Directory {
	d := Directory{}
	if entries > chunkEntries {
		d.bits = uint(bits.Len(uint((entries - 1) / chunkEntries)))
	}
	d.bits = min(d.bits, maxBits)
	d.ids = make([]byte, idSize<<d.bits)
	return d
}

// ReadDirectory returns the directory that is stored as these bytes. It refers to them, so they must not change.
func ReadDirectory(stored []byte) (Directory, error) {
	if len(stored) < directoryHeader || stored[0] != directoryForm || stored[1] > maxBits {
		return Directory{}, errChunk
	}
	d := Directory{bits: uint(stored[1]), ids: stored[directoryHeader:]}
	if len(d.ids) != idSize<<d.bits {
		return Directory{}, errChunk
	}
	return d, nil
}

// Stored returns the bytes that ReadDirectory reads.
func (d Directory) Stored() []byte {
	if d.ids == nil {
		d = NewDirectory(0)
	}
	return append([]byte{directoryForm, byte(d.bits)}, d.ids...)
}

// Len returns the number of chunks, counting those without entries.
func (d Directory) Len() int { return len(d.ids) / idSize }

// Crowded reports whether a list with this directory and this many entries should be divided into more chunks.
func (d Directory) Crowded(entries int) bool { return d.bits < maxBits && entries > crowded<<d.bits }

// Index returns the index of the chunk to which a key belongs.
func (d Directory) Index(k Key) int { return int(binary.BigEndian.Uint16(k[:]) >> (maxBits - d.bits)) }

// Chunk returns the id of the chunk at an index, or 0 if the chunk has no entries.
func (d Directory) Chunk(index int) int64 {
	if d.ids == nil {
		return 0
	}
	return int64(binary.BigEndian.Uint64(d.ids[index*idSize:]))
}

// With returns a copy of the directory with other chunks at some indexes.
func (d Directory) With(chunks map[int]int64) Directory {
	if d.ids == nil {
		d = NewDirectory(0)
	}
	out := Directory{bits: d.bits, ids: append([]byte{}, d.ids...)}
	for index, id := range chunks {
		binary.BigEndian.PutUint64(out.ids[index*idSize:], uint64(id))
	}
	return out
}

// Chunks yields the id of every chunk that has entries.
func (d Directory) Chunks(yield func(id int64) bool) {
	for i := range d.Len() {
		if id := d.Chunk(i); id != 0 && !yield(id) {
			return
		}
	}
}
