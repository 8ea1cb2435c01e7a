package list

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"

	"verdict/internal/rule"
)

// Type is the type of the values in a list.
type Type string

// The types. The entries of a hashed list are SHA-256 hashes of values, so that the lender need not send the values
// themselves.
const (
	Text   Type = "text"
	Number Type = "number"
	Hashed Type = "hashed"
)

// Types lists the types.
func Types() []string { return []string{string(Text), string(Number), string(Hashed)} }

// ParseType returns the type with a name. It returns false if there is none.
func ParseType(name string) (Type, bool) {
	switch t := Type(name); t {
	case Text, Number, Hashed:
		return t, true
	}
	return "", false
}

// Of returns the type of the fields whose values can be in a list of type t.
func (t Type) Of() rule.Type {
	if t == Number {
		return rule.NumberType
	}
	return rule.StringType
}

// Key identifies the value of an entry within its list. Equal values have the same key. It has 128 bits, so that
// nobody can find another value with the key of an entry. It is a keyed hash, so that nobody who reads the database can
// confirm a guess of a value.
type Key [keySize]byte

const keySize = 16

// Compare orders keys as entries are stored.
func (k Key) Compare(other Key) int { return bytes.Compare(k[:], other[:]) }

// String returns the key in hexadecimal.
func (k Key) String() string { return hex.EncodeToString(k[:]) }

// ParseKey reads the result of Key.String.
func ParseKey(text string) (k Key, ok bool) {
	if len(text) != 2*keySize {
		return k, false
	}
	_, err := hex.Decode(k[:], []byte(text))
	return k, err == nil
}

// Keyer computes the keys of one list.
type Keyer struct {
	Type   Type
	Secret [sha256.Size]byte
}

// normalSize is the size of a buffer in which nearly every normal form fits.
const normalSize = 320

// Of returns the key of the value of a field. The value must have the type that Type.Of returns. It allocates nothing
// for a short ASCII text or a number.
func (k *Keyer) Of(v rule.Value) Key {
	var buffer [sha256.Size + normalSize]byte
	keyed := append(buffer[:0], k.Secret[:]...)
	switch k.Type {
	case Number:
		keyed = binary.BigEndian.AppendUint64(keyed, uint64(v.Number()))
	case Hashed:
		var plain [normalSize]byte
		digest := sha256.Sum256(Normal(plain[:0], v.Text()))
		keyed = append(keyed, digest[:]...)
	default:
		keyed = Normal(keyed, v.Text())
	}
	return shortened(sha256.Sum256(keyed))
}

// OfDigest returns the key of an entry of a hashed list.
func (k *Keyer) OfDigest(digest []byte) Key {
	var buffer [2 * sha256.Size]byte
	return shortened(sha256.Sum256(append(append(buffer[:0], k.Secret[:]...), digest...)))
}

func shortened(sum [sha256.Size]byte) Key { return Key(sum[:keySize]) }
