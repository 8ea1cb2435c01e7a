package logkey

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"verdict/internal/durablefile"
	"verdict/internal/evidence"
)

const (
	keyPrefix    = "verdict-log-key-1 "
	changePrefix = "verdict-log-key-change-1 "
)

// Ring is the content of a key file: the secret keys, and the changes that led to the last
// of them. A file has more than one secret key only while the key is being replaced.
type Ring struct {
	Keys    []ed25519.PrivateKey
	Changes []evidence.KeyChange
}

// ErrNotAKey is the error for a file that is not a log key.
var ErrNotAKey = errors.New("the file is not a log key")

// maxRing is the maximum size of a key file in bytes.
const maxRing = 1 << 20

// Read reads a key file. The error is fs.ErrNotExist if there is no file, and ErrNotAKey if
// the file contains something else.
func Read(path string) (Ring, error) {
	f, err := os.Open(path)
	if err != nil {
		return Ring{}, err
	}
	defer func() { _ = f.Close() }() // it was only read
	text, err := io.ReadAll(io.LimitReader(f, maxRing))
	if err != nil {
		return Ring{}, err
	}
	ring, err := parseRing(string(text))
	if err != nil {
		return Ring{}, fmt.Errorf("%s: %w", path, err)
	}
	return ring, nil
}

func parseRing(text string) (r Ring, err error) {
	var changes strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if encoded, found := strings.CutPrefix(line, keyPrefix); found {
			seed, err := base64.StdEncoding.DecodeString(encoded)
			if err != nil || len(seed) != ed25519.SeedSize {
				return Ring{}, ErrNotAKey
			}
			r.Keys = append(r.Keys, ed25519.NewKeyFromSeed(seed))
		} else if change, found := strings.CutPrefix(line, changePrefix); found {
			changes.WriteString(change + "\n")
		} else if line != "" {
			return Ring{}, ErrNotAKey
		}
	}
	if len(r.Keys) == 0 {
		return Ring{}, ErrNotAKey
	}
	r.Changes, err = evidence.ParseKeyChanges(changes.String())
	return r, err
}

// Newest returns the last key.
func (r Ring) Newest() ed25519.PrivateKey { return r.Keys[len(r.Keys)-1] }

// Find returns the secret key of a public key, or nil if the ring does not have it.
func (r Ring) Find(public []byte) ed25519.PrivateKey {
	for _, key := range r.Keys {
		if bytes.Equal(evidence.PublicOf(key), public) {
			return key
		}
	}
	return nil
}

// text returns the content of the file.
func (r Ring) text() string {
	var text strings.Builder
	for _, c := range r.Changes {
		text.WriteString(changePrefix + c.String() + "\n")
	}
	for _, key := range r.Keys {
		text.WriteString(keyPrefix + base64.StdEncoding.EncodeToString(key.Seed()) + "\n")
	}
	return text.String()
}

// Replace replaces the content of a key file, either completely or not at all. When it
// returns nil, the file survives a crash.
func (r Ring) Replace(path string) error {
	next := path + ".new"
	if err := os.Remove(next); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := durablefile.WriteNew(next, []byte(r.text())); err != nil {
		return err
	}
	if err := os.Rename(next, path); err != nil {
		return err
	}
	return durablefile.SyncFolder(path)
}

// NewKey returns a new key.
func NewKey(random io.Reader) (ed25519.PrivateKey, error) {
	seed := make([]byte, ed25519.SeedSize)
	if _, err := io.ReadFull(random, seed); err != nil {
		return nil, err
	}
	return ed25519.NewKeyFromSeed(seed), nil
}

// Create writes a new key, which only the owner of the file can read. The error is
// fs.ErrExist if the file exists: Create never replaces a key.
func Create(path string, random io.Reader) (ed25519.PrivateKey, error) {
	key, err := NewKey(random)
	if err != nil {
		return nil, err
	}
	return key, durablefile.WriteNew(path, []byte(Ring{Keys: []ed25519.PrivateKey{key}}.text()))
}
