package sealing

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"errors"
	"hash"
	"slices"
	"sync"

	"golang.org/x/crypto/blake2b"
)

// Zone is a part of the stored data about a person. The numbers of zones are stored,
// so they must not change.
type Zone uint8

// The zones of a decision.
const (
	Response  Zone = 1 // the answer
	Applicant Zone = 2
	History   Zone = 3 // the bureau report
	Statement Zone = 4 // bank statements
	Device    Zone = 5
	Location  Zone = 6
	Fraud     Zone = 7
	Features  Zone = 8
	Combined  Zone = 9  // facts of several people, or of several zones
	Request   Zone = 10 // the input of an agent's run
	// CoApplicant and Guarantor are the facts about the person with that role, under that person's key.
	CoApplicant Zone = 11
	Guarantor   Zone = 12
)

var zoneNames = [...]string{
	Response: "response", Applicant: "applicant", History: "history", Statement: "statement", Device: "device",
	Location: "location", Fraud: "fraud", Features: "features", Combined: "combined",
	Request: "request", CoApplicant: "co_applicant", Guarantor: "guarantor",
}

// String returns the name of the zone in the API, or "" for an unknown zone.
func (z Zone) String() string {
	if int(z) >= len(zoneNames) {
		return ""
	}
	return zoneNames[z]
}

// ZoneNamed returns the zone with the given name. ok is false if there is none.
func ZoneNamed(name string) (z Zone, ok bool) {
	i := slices.Index(zoneNames[:], name)
	return Zone(max(i, 0)), i > 0 // there are few zones
}

// SaltSize is the length of a zone's salt in bytes.
const SaltSize = 16

// Salt makes the hash of a zone unpredictable. Without the salt, somebody could
// confirm a guess of the data of an erased zone.
type Salt [SaltSize]byte

// Hash is a BLAKE2b-256 hash. SHA-256 is not used, because on processors without
// instructions for it, hashing would be most of the cost of sealing.
type Hash [blake2b.Size256]byte

// ErrUnreadable is the error for a ciphertext that was made with another key or
// for another object or zone, or that was altered.
var ErrUnreadable = errors.New("the ciphertext cannot be opened with this key")

// Sealer seals and opens the zones of one object, such as a decision.
type Sealer struct {
	aead   cipher.AEAD
	nonces Secret // the key of the hashes from which nonces are taken
}

// NewSealer returns the sealer of an object. The name of the object must be unique
// among all objects that are sealed with the key. Each object has its own cipher, so
// that a ciphertext cannot be opened if it is moved to another row.
func NewSealer(key Secret, object string) Sealer {
	own := keyed(&key, "seal ", object)
	block, err := aes.NewCipher(own[:])
	if err != nil {
		panic(err) // cannot happen: the key has the right length
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		panic(err) // cannot happen: AES has the right block size
	}
	return Sealer{aead: aead, nonces: keyed(&key, "nonce ", object)}
}

// zoneSalts holds the label of each zone for SaltOf.
var zoneSalts = func() (labels [len(zoneNames)]string) {
	for zone, name := range zoneNames {
		labels[zone] = "salt " + name + " "
	}
	return labels
}()

// SaltOf returns the salt of a zone of an object, derived from the person's key. So the
// salt cannot be computed any more when the key is forgotten.
func SaltOf(key *Secret, object string, zone Zone) Salt {
	derived := keyed(key, zoneSalts[zone], object)
	return Salt(derived[:SaltSize])
}

// Seal appends the ciphertext of a zone to its first argument. hash is the salted hash of
// the zone. The nonce is derived from the hash, so it is safe to seal a zone again with
// other data or another salt, for instance when a transaction is repeated.
func (s Sealer) Seal(to []byte, hash ZoneHash, data []byte) []byte {
	nonce := keyed(&s.nonces, "", hash.Hash[:])
	return s.seal(to, &nonce, hash.Zone, data)
}

// sealCompressed is like Seal for compressed data. The compressed bytes may depend on the version of the program, so
// the nonce is derived from them, too.
func (s Sealer) sealCompressed(to []byte, hash ZoneHash, data []byte) []byte {
	both := HashZone(hash.Zone, Salt(hash.Hash[:SaltSize]), data)
	nonce := keyed(&s.nonces, "compressed ", both[:])
	return s.seal(to, &nonce, hash.Zone|compressedZone, data)
}

// compressedZone is added to the zone of compressed data, so that the cipher distinguishes it from other data.
const compressedZone Zone = 0x80

func (s Sealer) seal(to []byte, nonce *Secret, zone Zone, data []byte) []byte {
	to = append(to, nonce[:nonceSize]...)
	from := len(to)
	to = append(to, data...)
	// The cipher gets the copy of the nonce that is in the output, so that the variable nonce is not allocated on the
	// heap.
	return s.aead.Seal(to[:from], to[from-nonceSize:from], to[from:], zoneLabels[zone][:])
}

// Overhead is the number of bytes by which a ciphertext is longer than its data.
const Overhead = nonceSize + tagSize

const nonceSize, tagSize = 12, 16

// zoneLabels holds the additional data of each zone for the cipher.
var zoneLabels = func() (labels [256][1]byte) {
	for zone := range labels {
		labels[zone][0] = byte(zone)
	}
	return labels
}()

// Open returns the data of a zone, or ErrUnreadable.
func (s Sealer) Open(zone Zone, sealed []byte) (data []byte, err error) {
	if len(sealed) < nonceSize {
		return nil, ErrUnreadable
	}
	data, err = s.aead.Open(nil, sealed[:nonceSize], sealed[nonceSize:], zoneLabels[zone][:])
	if err != nil {
		return nil, ErrUnreadable
	}
	return data, nil
}

// zoneHasher hashes a zone without allocating memory.
type zoneHasher struct {
	hash hash.Hash
	head [SaltSize + 1]byte
	sum  Hash
}

var zoneHashers = sync.Pool{New: func() any {
	h, err := blake2b.New256(nil)
	if err != nil {
		panic(err) // there is no key that could be too long
	}
	return &zoneHasher{hash: h}
}}

// HashZone returns the salted hash of a zone.
func HashZone(zone Zone, salt Salt, data []byte) Hash {
	h, _ := zoneHashers.Get().(*zoneHasher) // the pool holds nothing else
	defer zoneHashers.Put(h)
	h.hash.Reset()
	h.head[copy(h.head[:], salt[:])] = byte(zone)
	h.hash.Write(h.head[:])
	h.hash.Write(data)
	h.hash.Sum(h.sum[:0])
	return h.sum
}

// ZoneHash is the salted hash of a zone of an object.
type ZoneHash struct {
	Zone Zone
	Hash Hash
}

// Commitment returns the hash over the zones of an object, in the given order.
func Commitment(zones []ZoneHash) Hash {
	text := append(make([]byte, 0, 512), "verdict zones"...)
	for _, z := range zones {
		text = append(append(text, byte(z.Zone)), z.Hash[:]...)
	}
	return blake2b.Sum256(text)
}

// Reference returns a hash that represents a name in public. It is the same for the
// same key and name, and cannot be guessed without the key.
func Reference(key Secret, name string) Hash {
	return Hash(keyed(&key, "reference ", name))
}

// HashTexts returns a hash over a list of texts. The length of each text is hashed
// too, so that different lists have different hashes.
func HashTexts(texts ...string) Hash {
	var list []byte
	for _, text := range texts {
		list = binary.BigEndian.AppendUint64(list, uint64(len(text)))
		list = append(list, text...)
	}
	return blake2b.Sum256(list)
}

// keyed returns a hash of a text. Only those who know the key can compute the hash. The
// key comes first and has a fixed length; unlike SHA-256, BLAKE2b is then a secure
// keyed hash without a second pass.
func keyed[T string | []byte](key *Secret, label string, text T) Secret {
	var short [4 * SecretSize]byte
	return blake2b.Sum256(append(append(append(short[:0], key[:]...), label...), text...))
}
