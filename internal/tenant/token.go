package tenant

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
)

// tokenBytes is how much chance a token has: nobody guesses 256 bits.
const tokenBytes = 32

// Token is what lets somebody in without a password: it stands in the cookie
// of a session and in the link of an invitation. Storage has its hash. It does
// not print itself; Reveal is the token.
type Token struct{ Secret }

// MintToken makes a token. The reader is crypto/rand.Reader, except in tests.
func MintToken(random io.Reader) (Token, error) {
	var chance [tokenBytes]byte
	if _, err := io.ReadFull(random, chance[:]); err != nil {
		return Token{}, fmt.Errorf("mint token: %w", err)
	}
	return Token{NewSecret(base64.RawURLEncoding.EncodeToString(chance[:]))}, nil
}

// ParseToken reads a token; ok is false when the text does not have the form
// of one. That it has does not yet mean that anybody was given it.
func ParseToken(text string) (t Token, ok bool) {
	if len(text) != base64.RawURLEncoding.EncodedLen(tokenBytes) || strings.ContainsAny(text, "\r\n") {
		return Token{}, false
	}
	if _, err := base64.RawURLEncoding.Strict().DecodeString(text); err != nil {
		return Token{}, false
	}
	// A copy, so that keeping the token does not keep the request it came in.
	return Token{NewSecret(strings.Clone(text))}, true
}

// TokenHash is what storage keeps of a token. Its 256 bits of chance make a
// fast hash as good as a slow one.
type TokenHash [sha256.Size]byte

// HashToken is the SHA-256 of a token.
func HashToken(t Token) TokenHash { return sha256.Sum256([]byte(t.Reveal())) }

// String is how storage writes the hash.
func (h TokenHash) String() string { return hex.EncodeToString(h[:]) }

// ParseTokenHash reads what storage wrote.
func ParseTokenHash(text string) (h TokenHash, ok bool) {
	if len(text) != hex.EncodedLen(len(h)) {
		return TokenHash{}, false
	}
	_, err := hex.Decode(h[:], []byte(text))
	return h, err == nil
}
