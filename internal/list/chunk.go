package list

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
)

// Chunk holds the keys of the entries in one part of a list, sorted, as they are stored. It is immutable. The zero
// Chunk is empty.
type Chunk struct {
	keys    []byte  // keySize bytes each
	expires []byte  // eight bytes each; empty if no entry expires
	first   uint64  // the beginning of the first key
	density float64 // how many entries there are for each beginning between those of the first and the last key
}

// Stored keys begin with a header: the form, whether entries expire, the number of the chunk, and a hash of its values
// as they are stored.
const (
	chunkForm   = 1
	atNumber    = 2
	atValues    = atNumber + 8
	chunkHeader = atValues + sha256.Size
	expirySize  = 8
	withExpiry  = 1

	// valuesForm begins the stored values. A sealed document begins with another byte.
	valuesForm = 1
)

// errChunk is the error of a stored chunk or directory that is not in the form of this package.
var errChunk = errors.New("the stored part of a list is damaged")

// ReadChunk returns the chunk that is stored as these bytes. The chunk refers to them, so they must not change.
func ReadChunk(stored []byte) (Chunk, error) {
	if len(stored) < chunkHeader || stored[0] != chunkForm || stored[1] > withExpiry {
		return Chunk{}, errChunk
	}
	each, rest := keySize, stored[chunkHeader:]
	if stored[1] == withExpiry {
		each += expirySize
	}
	if len(rest)%each != 0 {
		return Chunk{}, errChunk
	}
	n := len(rest) / each
	c := Chunk{keys: rest[:n*keySize], expires: rest[n*keySize:]}
	if n > 0 {
		c.first = c.begin(0)
		c.density = float64(n) / (float64(c.begin(n-1)-c.first) + 1)
	}
	return c, nil
}

// Len returns the number of entries.
func (c Chunk) Len() int { return len(c.keys) / keySize }

// Size returns the memory that the chunk takes, in bytes.
func (c Chunk) Size() int { return len(c.keys) + len(c.expires) }

// Key returns the key of entry i.
func (c Chunk) Key(i int) Key { return Key(c.keys[i*keySize:]) }

// ExpiresMicros returns when entry i expires, or 0 if it never expires.
func (c Chunk) ExpiresMicros(i int) int64 {
	if len(c.expires) == 0 {
		return 0
	}
	return int64(binary.BigEndian.Uint64(c.expires[i*expirySize:]))
}

// begin returns the first eight bytes of the key of entry i as a number, in the order of the keys.
func (c Chunk) begin(i int) uint64 { return binary.BigEndian.Uint64(c.keys[i*keySize:]) }

// below reports whether the key of entry i is below key.
func (c Chunk) below(i int, key *Key) bool {
	return bytes.Compare(c.keys[i*keySize:(i+1)*keySize], key[:]) < 0
}

// Search returns the index of the first entry whose key is not below key, and whether it has that key.
//
// It is an interpolation search: keys are hashes, so they are evenly distributed, and the entry is near the place that
// is computed from its key. The other keys of a chunk are rarely in the processor's cache.
func (c Chunk) Search(key Key) (at int, found bool) {
	low, high := 0, c.Len()
	if high == 0 {
		return 0, false
	}
	if begin := binary.BigEndian.Uint64(key[:]); begin > c.first {
		near := min(float64(begin-c.first)*c.density, float64(high-1))
		low, high = c.around(int(near), &key)
	}
	for low < high {
		middle := (low + high) / 2
		if c.below(middle, &key) {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low, low < c.Len() && c.Key(low) == key
}

// around returns a range of indexes that contains the one that Search returns. It begins at the entry "at" and doubles
// its steps, so it needs few steps if the result is near, and never more than the logarithm of the number of entries.
func (c Chunk) around(at int, key *Key) (low, high int) {
	const first = 8 // entries; half of the distance that is expected in a chunk with the usual number of entries
	low, high = 0, c.Len()
	if c.below(at, key) {
		low = at + 1
		for step := first; low+step < high; step *= 2 {
			if !c.below(low+step, key) {
				return low, low + step
			}
			low += step + 1
		}
		return low, high
	}
	high = at
	for step := first; high-step >= low; step *= 2 {
		if c.below(high-step, key) {
			return high - step + 1, high
		}
		high -= step
	}
	return low, high
}

// Contains reports whether the chunk has an entry with this key that has not expired at the given time.
func (c Chunk) Contains(key Key, atMicros int64) bool {
	i, found := c.Search(key)
	return found && Lasts(c.ExpiresMicros(i), atMicros)
}

// Lasts reports whether an entry is valid at the time atMicros. The entry expires at expiresMicros, or never if that
// is 0.
func Lasts(expiresMicros, atMicros int64) bool { return expiresMicros == 0 || expiresMicros > atMicros }

// Entry is a value of a list.
type Entry struct {
	Key           Key
	Value         string // as it was sent; in a hashed list the hash in hexadecimal
	ExpiresMicros int64  // 0: never
}

// Bind writes a hash of the values, as they are going to be stored, into the keys that Encode has returned. It
// returns the id of the chunk, which is a hash of these keys. So the ids in a directory show whether a chunk was
// altered.
func Bind(listID string, keys, storedValues []byte) (id int64) {
	digest := sha256.Sum256(storedValues)
	copy(keys[atValues:], digest[:])
	return chunkID(listID, keys)
}

func chunkID(listID string, keys []byte) int64 {
	h := sha256.New()
	_, _ = io.WriteString(h, listID+"\n") // a hash never returns an error
	_, _ = h.Write(keys)
	return max(1, int64(binary.BigEndian.Uint64(h.Sum(nil))>>1)) // 63 bits
}

// Intact reports whether stored keys are unchanged, that is, whether they have this id.
func Intact(listID string, id int64, keys []byte) bool { return chunkID(listID, keys) == id }

// IntactValues reports whether stored values are the ones that were stored with the keys.
func IntactValues(keys, storedValues []byte) bool {
	digest := sha256.Sum256(storedValues)
	return len(keys) >= chunkHeader && bytes.Equal(keys[atValues:chunkHeader], digest[:])
}

// ChunkNumber returns the number of the chunk with these stored keys, or 0 if they are damaged.
func ChunkNumber(keys []byte) int64 {
	if len(keys) < chunkHeader {
		return 0
	}
	return int64(binary.BigEndian.Uint64(keys[atNumber:])) // 63 bits
}

// Encode returns the two stored forms of entries, which must be sorted by key: the keys, for Bind and ReadChunk, and
// the values, for Decode. number is a random number that no other chunk of the list has, so that chunks with the same
// entries have different ids.
func Encode(entries []Entry, number int64) (keys, values []byte) {
	expires, size := byte(0), 0
	for i := range entries {
		size += len(entries[i].Value) + binary.MaxVarintLen16
		if entries[i].ExpiresMicros != 0 {
			expires = withExpiry
		}
	}
	keys = make([]byte, chunkHeader, chunkHeader+len(entries)*(keySize+int(expires)*expirySize))
	keys[0], keys[1] = chunkForm, expires
	binary.BigEndian.PutUint64(keys[atNumber:], uint64(number))
	values = append(make([]byte, 0, 1+size), valuesForm)
	for i := range entries {
		keys = append(keys, entries[i].Key[:]...)
		values = binary.AppendUvarint(values, uint64(len(entries[i].Value)))
		values = append(values, entries[i].Value...)
	}
	if expires == withExpiry {
		for i := range entries {
			keys = binary.BigEndian.AppendUint64(keys, uint64(entries[i].ExpiresMicros))
		}
	}
	return keys, values
}

// Decode returns the entries that Encode has encoded.
func Decode(keys, values []byte) ([]Entry, error) {
	c, err := ReadChunk(keys)
	if err != nil {
		return nil, err
	}
	if len(values) == 0 || values[0] != valuesForm {
		return nil, errChunk
	}
	entries, values := make([]Entry, c.Len()), values[1:]
	for i := range entries {
		length, read := binary.Uvarint(values)
		if read <= 0 || length > uint64(len(values)-read) {
			return nil, errChunk
		}
		end := read + int(length) // length is at most len(values)
		entries[i] = Entry{Key: c.Key(i), Value: string(values[read:end]), ExpiresMicros: c.ExpiresMicros(i)}
		values = values[end:]
	}
	if len(values) > 0 {
		return nil, errChunk
	}
	return entries, nil
}
