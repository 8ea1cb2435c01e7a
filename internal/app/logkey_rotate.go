package app

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"verdict/internal/evidence"
	"verdict/internal/logkey"
	"verdict/internal/store"
)

// chooseKey returns the key with which a node begins: the present key, or a key that was replaced by the
// present key. A node with a replaced key signs nothing until it gets the new key. chooseKey returns an error
// if the key file has neither.
func chooseKey(
	ctx context.Context, ring logkey.Ring, path string, db *store.DB, logger *slog.Logger,
) (ed25519.PrivateKey, error) {
	present, _, err := adoptChanges(ctx, ring, db)
	if err != nil {
		return nil, err
	}
	if key := ring.Find(present); key != nil {
		return key, nil
	}
	_, text, err := db.Secrets().LogKeyHistory(ctx)
	if err != nil {
		return nil, err
	}
	// A change counts only if the key of this node has signed it.
	changes, err := evidence.ParseKeyChanges(text)
	mine := slices.IndexFunc(changes, func(c evidence.KeyChange) bool { return ring.Find(c.From) != nil })
	if err != nil || mine < 0 || !bytes.Equal(changes[len(changes)-1].To, present) {
		return nil, fmt.Errorf("the key in %s is neither the one with which the logs of this database are signed, nor "+
			"one that was replaced by it; give every node the same file", path)
	}
	logger.ErrorContext(ctx, "this node does not have the new log key, so the node signs nothing; copy the file of "+
		"-log-key from the node on which the key was replaced",
		"file", path, "replaced_at", changes[mine].At)
	return ring.Find(changes[mine].From), nil
}

// adoptChanges stores the newest key of a ring in a database that has no key. It also stores
// the key changes that the ring has and the database lacks: an older copy may have been
// restored, or a replacement was interrupted. It returns the present key, and whether that key
// has changed.
func adoptChanges(ctx context.Context, ring logkey.Ring, db *store.DB) (present []byte, changed bool, err error) {
	present, err = db.Secrets().SetLogKey(ctx, evidence.PublicOf(ring.Newest()))
	if err != nil {
		return nil, false, err
	}
	for _, c := range ring.Changes {
		if !bytes.Equal(c.From, present) {
			continue
		}
		if _, err := db.Secrets().ReplaceLogKey(ctx, c.From, c.To, c.String()); err != nil {
			return nil, false, err
		}
		// Another node may have stored the same change meanwhile.
		if present, err = db.Secrets().LogKey(ctx); err != nil {
			return nil, false, err
		}
		changed = true
	}
	return present, changed, nil
}

// RotateLogKey replaces the log key by a new one, in the key file and in the database. The old
// and the new key sign the change. Running nodes continue with the new key as soon as they
// find it in their key file. If an earlier rotation was interrupted, RotateLogKey completes
// that rotation instead.
func RotateLogKey(ctx context.Context, c Config, db *store.DB, now time.Time) (path string, err error) {
	if path = c.logKeyFile(); path == "" || c.LogKey == logKeyOff {
		return "", errors.New("-log-key: name the file of the key that is replaced")
	}
	ring, err := logkey.Read(path)
	if err != nil {
		return path, fmt.Errorf("-log-key: %w", err)
	}
	present, completed, err := adoptChanges(ctx, ring, db)
	if err != nil {
		return path, err
	}
	from := ring.Find(present)
	if from == nil {
		return path, fmt.Errorf("-log-key: the key in %s is not the one with which the logs of this database are "+
			"signed", path)
	}
	to := from
	if !completed {
		if to, err = logkey.NewKey(rand.Reader); err != nil {
			return path, err
		}
		if ring, err = replaceKey(ctx, path, ring, from, to, now, db); err != nil {
			return path, err
		}
	}
	// The old key is not needed any more. The operator must destroy its copies elsewhere.
	return path, logkey.Ring{Keys: []ed25519.PrivateKey{to}, Changes: ring.Changes}.Replace(path)
}

// replaceKey stores a change of the key, first in the key file and then in the database. If
// replaceKey is interrupted in between, the next start completes the change.
func replaceKey(
	ctx context.Context, path string, ring logkey.Ring, from, to ed25519.PrivateKey, now time.Time, db *store.DB,
) (logkey.Ring, error) {
	change := evidence.NewKeyChange(from, to, evidence.At(now.UnixMicro()))
	next := logkey.Ring{
		Keys:    []ed25519.PrivateKey{from, to},
		Changes: append(slices.Clone(ring.Changes), change),
	}
	if err := next.Replace(path); err != nil {
		return ring, err
	}
	done, err := db.Secrets().ReplaceLogKey(ctx, change.From, change.To, change.String())
	if err == nil && !done {
		err = errors.Join(errors.New("another process replaced the log key at the same time"), ring.Replace(path))
	}
	return next, err
}
