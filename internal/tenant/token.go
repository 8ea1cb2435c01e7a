package tenant

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
)

// tokenBytes is the number of random bytes of a token; 256 bits cannot be guessed.
const tokenBytes = 32

// Token authenticates a person without a password: in the cookie of a session and
// in the link of an invitation. Only its hash is stored. A Token does not print
// its value; Reveal returns the value.
type Token struct{ Secret }

// MintToken returns a new token. Except in tests, random should be
// crypto/rand.Reader.
func MintToken(random io.Reader) (Token, error) {
	var bits [tokenBytes]byte
	if _, err := io.ReadFull(random, bits[:]); err != nil {
		return Token{}, fmt.Errorf("mint token: %w", err)
	}
	return Token{NewSecret(base64.RawURLEncoding.EncodeToString(bits[:]))}, nil
}

// ParseToken reads a token. ok is false if the text does not have the form of a
// token. A well-formed token may never have been issued.
func ParseToken(text string) (t Token, ok bool) {
	if len(text) != base64.RawURLEncoding.EncodedLen(tokenBytes) || strings.ContainsAny(text, "\r\n") {
		return Token{}, false
	}
	if _, err := base64.RawURLEncoding.Strict().DecodeString(text); err != nil {
		return Token{}, false
	}
	// Copy the text, so that the token does not keep the whole request in memory.
	return Token{NewSecret(strings.Clone(text))}, true
}

// TokenHash is the stored hash of a token. A token has 256 random bits, so a fast
// hash is as good as a slow one.
type TokenHash [sha256.Size]byte

// HashToken returns the SHA-256 of a token.
func HashToken(t Token) TokenHash { return sha256.Sum256([]byte(t.Reveal())) }

// String returns the hash in hexadecimal, as it is stored.
func (h TokenHash) String() string { return hex.EncodeToString(h[:]) }

// ParseTokenHash reads a hash in the form of String, in lower or upper case. ok is false
// for any other text.
func ParseTokenHash(text string) (h TokenHash, ok bool) {
	if len(text) != hex.EncodedLen(len(h)) {
		return TokenHash{}, false
	}
	_, err := hex.Decode(h[:], []byte(text))
	return h, err == nil
}
