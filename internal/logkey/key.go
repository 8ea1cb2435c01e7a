package logkey

import (
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

const keyPrefix = "verdict-log-key-1 "

// ErrNotAKey is the error for a file that is not a log key.
var ErrNotAKey = errors.New("the file is not a log key")

// Read reads a key. The error is fs.ErrNotExist if there is no file, and ErrNotAKey if
// the file contains something else.
func Read(path string) (ed25519.PrivateKey, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	text, err := io.ReadAll(io.LimitReader(f, 1<<10))
	if err != nil {
		return nil, err
	}
	encoded, found := strings.CutPrefix(strings.TrimSpace(string(text)), keyPrefix)
	seed, err := base64.StdEncoding.DecodeString(encoded)
	if !found || err != nil || len(seed) != ed25519.SeedSize {
		return nil, fmt.Errorf("%s: %w", path, ErrNotAKey)
	}
	return ed25519.NewKeyFromSeed(seed), nil
}

// Create writes a new key, which only the owner of the file can read. The error is
// fs.ErrExist if the file exists: a key is never replaced.
func Create(path string, random io.Reader) (ed25519.PrivateKey, error) {
	seed := make([]byte, ed25519.SeedSize)
	if _, err := io.ReadFull(random, seed); err != nil {
		return nil, err
	}
	text := keyPrefix + base64.StdEncoding.EncodeToString(seed) + "\n"
	if err := writeNew(path, text); err != nil {
		return nil, err
	}
	return ed25519.NewKeyFromSeed(seed), nil
}

// writeNew creates a file that survives a crash.
func writeNew(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return syncFolder(path)
}

// syncFolder makes the names of the files in a file's folder survive a crash.
func syncFolder(path string) error {
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("open the folder: %w", err)
	}
	return errors.Join(folder.Sync(), folder.Close())
}
