package witness

import (
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"strings"
	"unicode"

	"verdict/internal/evidence"
)

// Key is the secret key of a witness with its name.
type Key struct {
	Name   string
	Secret ed25519.PrivateKey
}

const keyPrefix = "verdict-witness-key-1 "

// Text returns the content of the file with the secret key.
func (k Key) Text() string {
	return keyPrefix + k.Name + " " + base64.StdEncoding.EncodeToString(k.Secret.Seed()) + "\n"
}

// Public returns the public key, to give to those who check capsules.
func (k Key) Public() string { return evidence.WitnessKeyText(k.Name, k.Secret) }

// The errors about keys.
var (
	ErrName    = errors.New("the name of a witness must have 1 to 100 characters, without spaces and \"+\"")
	ErrNotAKey = errors.New("the file is not the secret key of a witness")
)

// CheckName returns ErrName if a witness cannot have the name.
func CheckName(name string) error {
	if name == "" || len(name) > 100 || strings.ContainsFunc(name, func(c rune) bool {
		return c == '+' || unicode.IsSpace(c) || !unicode.IsPrint(c)
	}) {
		return ErrName
	}
	return nil
}

// ParseKey reads the text of a secret key.
func ParseKey(text string) (Key, error) {
	rest, found := strings.CutPrefix(strings.TrimSpace(text), keyPrefix)
	name, encoded, _ := strings.Cut(rest, " ")
	seed, err := base64.StdEncoding.DecodeString(encoded)
	if !found || err != nil || len(seed) != ed25519.SeedSize || CheckName(name) != nil {
		return Key{}, ErrNotAKey
	}
	return Key{Name: name, Secret: ed25519.NewKeyFromSeed(seed)}, nil
}
