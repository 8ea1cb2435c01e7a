package masterkey

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"verdict/internal/sealing"
)

// ErrNotAFile is the error if keys are to be changed in a variable or in the output of a
// command: only the operator can do that.
var ErrNotAFile = errors.New("the keys are not in a file, so only the operator can change them")

// Add adds a key at the end of a file. It does nothing if the file has the key.
func (s Source) Add(key sealing.Secret) error {
	return s.change(func(keys []sealing.Secret) []sealing.Secret {
		if slices.Contains(keys, key) {
			return keys
		}
		return append(slices.Clone(keys), key)
	})
}

// Drop removes the key with the given fingerprint from a file, and overwrites the bytes of the old file. It never
// removes the only key. If the source has the key but is not a file, Drop changes nothing and returns
// ErrNotAFile.
func (s Source) Drop(ctx context.Context, fingerprint sealing.Hash) error {
	if s.kind != "file" {
		keys, err := s.Read(ctx)
		if err == nil && slices.ContainsFunc(keys, named(fingerprint)) {
			err = ErrNotAFile
		}
		return err
	}
	return s.change(func(keys []sealing.Secret) []sealing.Secret {
		left := slices.DeleteFunc(slices.Clone(keys), named(fingerprint))
		if len(left) == 0 {
			return keys
		}
		return left
	})
}

// named returns a function that reports whether a key has a fingerprint.
func named(fingerprint sealing.Hash) func(sealing.Secret) bool {
	return func(key sealing.Secret) bool { return sealing.NewEpoch(key).Fingerprint() == fingerprint }
}

// change replaces the keys of a file, either completely or not at all. Other processes that
// change the file wait meanwhile. When change returns nil, the file survives a crash. The new
// file has the owner and the mode of the old one.
func (s Source) change(edit func([]sealing.Secret) []sealing.Secret) (err error) {
	if s.kind != "file" {
		return ErrNotAFile
	}
	path, err := filepath.EvalSymlinks(s.where)
	if err != nil {
		return err
	}
	before, err := openLocked(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, before.Close()) }() // this also unlocks the file
	text, err := io.ReadAll(io.LimitReader(before, maxText+1))
	if err != nil {
		return err
	}
	keys, err := Parse(text)
	if err != nil {
		return err
	}
	next := edit(keys)
	if slices.Equal(next, keys) {
		return nil
	}
	return replace(path, before, next, len(text))
}

// replace writes keys to a new file and renames it to path. size is the size of the old file.
func replace(path string, before *keyFile, keys []sealing.Secret, size int) error {
	next := path + ".new"
	if err := os.Remove(next); err != nil && !errors.Is(err, fs.ErrNotExist) { // it was left by a crash
		return err
	}
	if err := Write(next, keys...); err != nil {
		return err
	}
	if err := keepOwner(before.File, next); err != nil {
		return errors.Join(fmt.Errorf("give the new file the owner of the old one: %w", err), os.Remove(next))
	}
	return before.replaceBy(next, path, size)
}
