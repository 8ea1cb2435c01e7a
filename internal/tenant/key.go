package tenant

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"log/slog"
	"strings"
)

// A key is vk_<environment>_, 32 characters of chance and a checksum of six.
// The prefix lets scanners find a leaked key, the checksum lets us refuse a
// mistyped one without asking the database.
const (
	keyMark        = "vk_"
	base62         = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	chanceLength   = 32
	checksumLength = 6 // 62^6 > 2^32
	prefixLength   = 15
)

func keyStart(e Environment) string { return keyMark + string(e) + "_" }

// Key is an API key in the clear. It exists while a request is authenticated
// and in the one answer that shows it; storage has its hash. It prints as its
// first characters; Reveal is the key itself.
type Key struct {
	environment Environment
	text        Secret
}

// MintKey makes a key. The reader is crypto/rand.Reader, except in tests.
func MintKey(e Environment, random io.Reader) (Key, error) {
	if !e.Valid() {
		return Key{}, errors.New("mint key: no such environment")
	}
	text := []byte(keyStart(e))
	end := len(text) + chanceLength
	// 248 is the largest multiple of 62 that a byte can hold: taking the rest
	// too would make the first eight characters likelier than the others.
	const fair = 256 / len(base62) * len(base62)
	var draw [chanceLength]byte
	for len(text) < end {
		if _, err := io.ReadFull(random, draw[:]); err != nil {
			return Key{}, fmt.Errorf("mint key: %w", err)
		}
		for _, b := range draw {
			if int(b) < fair && len(text) < end {
				text = append(text, base62[int(b)%len(base62)])
			}
		}
	}
	sum := checksum(string(text))
	text = append(text, sum[:]...)
	return Key{e, NewSecret(string(text))}, nil
}

// checksum is the CRC-32 of a key's beginning, the environment included, so
// that a sandbox key with its prefix changed is no live key.
func checksum(beginning string) (digits [checksumLength]byte) {
	var room [64]byte // larger than any beginning, so that nothing is allocated
	sum := crc32.ChecksumIEEE(append(room[:0], beginning...))
	for i := checksumLength - 1; i >= 0; i-- {
		digits[i] = base62[sum%uint32(len(base62))]
		sum /= uint32(len(base62))
	}
	return digits
}

// ParseKey reads a key; ok is false when the text is not one, which its form
// and checksum tell. That a text is a key does not yet mean that anybody was
// given it: the hash must be found in storage.
//
// The comparison with the checksum takes no care of time, because the checksum
// follows from what the caller sent and keeps no secret of ours.
func ParseKey(text string) (key Key, ok bool) {
	for _, e := range Environments() {
		rest, found := strings.CutPrefix(text, keyStart(e))
		if !found || len(rest) != chanceLength+checksumLength || countBase62(rest) != len(rest) {
			continue
		}
		body := text[:len(text)-checksumLength]
		if sum := checksum(body); string(sum[:]) != text[len(body):] {
			return Key{}, false
		}
		// A copy, so that keeping the key does not keep the request it came in.
		return Key{e, NewSecret(strings.Clone(text))}, true
	}
	return Key{}, false
}

// countBase62 is how many base62 characters a text begins with.
func countBase62(text string) int {
	for i := range len(text) {
		c := text[i]
		if (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return i
		}
	}
	return len(text)
}

// KeyHash is what storage keeps of a key. The key has 190 bits of chance, so a
// fast hash cannot be searched and a slow one would buy nothing.
type KeyHash [sha256.Size]byte

// HashKey is the SHA-256 of the whole key.
func HashKey(key Key) KeyHash { return sha256.Sum256([]byte(key.Reveal())) }

// Equal compares in constant time. A lookup by hash needs it only as a second
// look: a hash does not tell how near a guessed key was.
func (h KeyHash) Equal(other KeyHash) bool { return subtle.ConstantTimeCompare(h[:], other[:]) == 1 }

// Environment is where the key works.
func (k Key) Environment() Environment { return k.environment }

// Prefix is the first 15 characters, by which a person tells keys apart.
func (k Key) Prefix() string {
	text := k.Reveal()
	return text[:min(prefixLength, len(text))]
}

// Reveal is the key itself, "" of the zero Key.
func (k Key) Reveal() string { return k.text.Reveal() }

// String is the prefix with an ellipsis.
func (k Key) String() string { return k.Prefix() + "…" }

// GoString is the prefix with an ellipsis.
func (k Key) GoString() string { return k.String() }

// Format writes the prefix with an ellipsis, whatever the verb.
func (k Key) Format(f fmt.State, _ rune) { printTo(f, k.String()) }

// LogValue is the prefix with an ellipsis.
func (k Key) LogValue() slog.Value { return slog.StringValue(k.String()) }

// MarshalText is the prefix with an ellipsis, in JSON too.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// scannable is how many characters of chance make a text look like a key. It
// is more than a prefix shows, so that one can search by prefix, and so few
// that a key cut short or mistyped is caught too: what is left of it would
// still give most of it away.
const scannable = 12

// LooksLikeKey reports whether there is something in a text that has the shape
// of a key: an environment's prefix, in any case, and a run of base62 behind
// it. A query value that does is refused, and a log line that would must not
// be written.
func LooksLikeKey(text string) bool {
	for i := 0; i+len(keyMark) <= len(text); i++ {
		if !strings.EqualFold(text[i:i+len(keyMark)], keyMark) {
			continue
		}
		for _, e := range Environments() {
			start := keyStart(e)
			rest := text[i:]
			if len(rest) >= len(start)+scannable && strings.EqualFold(rest[:len(start)], start) &&
				countBase62(rest[len(start):len(start)+scannable]) == scannable {
				return true
			}
		}
	}
	return false
}
