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

// A key is "vk_<environment>_", 32 random characters and a checksum of six. The
// prefix lets scanners find a leaked key. The checksum allows a mistyped key to be
// refused without a database lookup.
const (
	keyMark        = "vk_"
	base62         = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	chanceLength   = 32
	checksumLength = 6 // 62^6 > 2^32
	prefixLength   = 15
)

// KeyForm says in words how a key looks.
const KeyForm = "a key is vk_sandbox_ or vk_live_ and 38 letters and digits after it"

func keyStart(e Environment) string { return keyMark + string(e) + "_" }

// Key is an API key in plain text. It exists only while a request is
// authenticated, and in the one answer that contains it; only its hash is stored.
// It prints as its first characters; Reveal returns the key itself.
type Key struct {
	environment Environment
	text        Secret
}

// MintKey returns a new key. Except in tests, random should be crypto/rand.Reader.
func MintKey(e Environment, random io.Reader) (Key, error) {
	if !e.Valid() {
		return Key{}, errors.New("mint key: no such environment")
	}
	text := []byte(keyStart(e))
	end := len(text) + chanceLength
	// 248 is the largest multiple of 62 that fits into a byte. Bytes from 248 on are
	// rejected, because they would make the first eight characters of base62 more
	// likely.
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

// checksum returns the CRC-32 of the beginning of a key in base62. The environment
// is included, so that changing the prefix of a sandbox key does not make it a
// live key.
func checksum(beginning string) (digits [checksumLength]byte) {
	var room [64]byte // longer than the beginning of any key, so that append allocates nothing
	sum := crc32.ChecksumIEEE(append(room[:0], beginning...))
	for i := checksumLength - 1; i >= 0; i-- {
		digits[i] = base62[sum%uint32(len(base62))]
		sum /= uint32(len(base62))
	}
	return digits
}

// ParseKey reads a key; ok is false if the form or the checksum is wrong. A
// well-formed key may never have been issued, so the caller must look up its hash
// in storage.
//
// The checksum is not compared in constant time, because it depends only on what
// the caller sent and protects no secret.
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
		// Copy the text, so that the key does not keep the whole request in memory.
		return Key{e, NewSecret(strings.Clone(text))}, true
	}
	return Key{}, false
}

// countBase62 returns the number of base62 characters at the start of a text.
func countBase62(text string) int {
	for i := range len(text) {
		c := text[i]
		if (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return i
		}
	}
	return len(text)
}

// KeyHash is the stored hash of a key. A key has 190 random bits, so nobody can
// find the key of a hash by trying keys, and a slow hash would gain nothing.
type KeyHash [sha256.Size]byte

// HashKey returns the SHA-256 of the whole key.
func HashKey(key Key) KeyHash { return sha256.Sum256([]byte(key.Reveal())) }

// Equal compares two hashes in constant time. After a lookup by hash the
// comparison is only an additional check: the hash of a guessed key does not
// reveal how close the guess was.
func (h KeyHash) Equal(other KeyHash) bool { return subtle.ConstantTimeCompare(h[:], other[:]) == 1 }

// Environment returns the environment of the key.
func (k Key) Environment() Environment { return k.environment }

// Prefix returns the first 15 characters, by which people distinguish keys.
func (k Key) Prefix() string {
	text := k.Reveal()
	return text[:min(prefixLength, len(text))]
}

// Reveal returns the key itself, or "" for the zero Key.
func (k Key) Reveal() string { return k.text.Reveal() }

// String returns the prefix with an ellipsis.
func (k Key) String() string { return k.Prefix() + "…" }

// GoString returns the prefix with an ellipsis.
func (k Key) GoString() string { return k.String() }

// Format writes the prefix with an ellipsis, whatever the verb.
func (k Key) Format(f fmt.State, _ rune) { printTo(f, k.String()) }

// LogValue returns the prefix with an ellipsis.
func (k Key) LogValue() slog.Value { return slog.StringValue(k.String()) }

// MarshalText returns the prefix with an ellipsis, in JSON too.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// scannable is the number of random characters from which a text looks like a key.
// It is larger than the number of random characters in a prefix, so that people can
// search by prefix. It is low enough to find a truncated or mistyped key, which
// still reveals most of the key.
const scannable = 12

// LooksLikeKey reports whether a text contains something like a key: the prefix of
// an environment, in upper or lower case, followed by base62 characters. Callers
// refuse such a query value and do not write such a log line.
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
