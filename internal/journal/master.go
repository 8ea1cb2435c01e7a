package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"verdict/internal/sealing"
	"verdict/internal/store"
)

// KeySource is where the master keys are stored, outside the database.
type KeySource interface {
	// Read returns the keys, oldest first.
	Read(ctx context.Context) ([]sealing.Secret, error)
	// Drop removes the key with the given fingerprint. It returns an error if only the operator can do
	// that.
	Drop(ctx context.Context, fingerprint sealing.Hash) error
}

// ErrKeyReplaced is the error if the master key was replaced and this process does not have
// the new one.
var ErrKeyReplaced = errors.New("the master key was replaced, and this process does not have the new one; give it " +
	"the key file, or the keys, of a node that has it: -master-key")

// masterKeys holds the master keys that this process has, and encrypts other secrets with them. A nil *masterKeys has
// none: it leaves secrets unencrypted.
type masterKeys struct {
	db     *store.DB
	source KeySource // nil if the key is never replaced
	held   atomic.Pointer[heldKeys]
	mu     sync.Mutex // guards changes of held
}

// heldKeys is one state of masterKeys. It never changes.
type heldKeys struct {
	present *sealing.Epoch // secrets are encrypted with this one
	all     []*sealing.Epoch
	lost    bool // the database uses a key that this process does not have
}

func newMasterKeys(db *store.DB, epoch *sealing.Epoch, source KeySource) *masterKeys {
	m := &masterKeys{db: db, source: source}
	m.held.Store(&heldKeys{present: epoch, all: []*sealing.Epoch{epoch}})
	return m
}

// find returns the epoch with the given fingerprint, or nil if this process does not have it.
func (h *heldKeys) find(fingerprint []byte) *sealing.Epoch {
	at := slices.IndexFunc(h.all, func(e *sealing.Epoch) bool {
		own := e.Fingerprint()
		return bytes.Equal(own[:], fingerprint)
	})
	if at < 0 {
		return nil
	}
	return h.all[at]
}

// Held returns the fingerprints of the master keys that this process has.
func (k *Keys) Held() (fingerprints [][]byte) {
	if k.master == nil {
		return nil
	}
	for _, e := range k.master.held.Load().all {
		own := e.Fingerprint()
		fingerprints = append(fingerprints, own[:])
	}
	return fingerprints
}

// Lost returns ErrKeyReplaced if the last Refresh found that the database uses a master key
// that this process does not have.
func (k *Keys) Lost() error {
	if k.master != nil && k.master.held.Load().lost {
		return ErrKeyReplaced
	}
	return nil
}

// Refresh reads from the database which master key is the present one. If this process does
// not have a key that is used or announced, Refresh reads the source again. A key with which
// nothing is encrypted any more is dropped from memory.
func (k *Keys) Refresh(ctx context.Context) (store.KeyEpochs, error) {
	if k.master == nil {
		return store.KeyEpochs{}, nil
	}
	return k.master.refresh(ctx)
}

// refresh does the work of Keys.Refresh.
func (m *masterKeys) refresh(ctx context.Context) (store.KeyEpochs, error) {
	epochs, err := m.db.Secrets().KeyEpochs(ctx)
	if err != nil || epochs.Current == nil {
		return epochs, err // there is no present key before a service has used the database, as in some tests
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	held := *m.held.Load()
	var readError error
	if m.source != nil && slices.ContainsFunc(epochs.List, func(e store.KeyEpoch) bool {
		return e.ReplacedMicros == 0 && held.find(e.Fingerprint) == nil
	}) {
		held.all, readError = m.read(ctx, held.all)
	}
	held.all = slices.DeleteFunc(slices.Clone(held.all), func(e *sealing.Epoch) bool {
		own := e.Fingerprint()
		known, ok := epochs.Find(own[:])
		return ok && known.ReplacedMicros != 0
	})
	present := held.find(epochs.Current)
	if held.lost = present == nil; !held.lost {
		held.present = present
	}
	m.held.Store(&held)
	if readError != nil {
		readError = fmt.Errorf("read the master key again: %w", readError)
	}
	return epochs, readError
}

// read returns the keys of the source together with those that are held.
func (m *masterKeys) read(ctx context.Context, held []*sealing.Epoch) ([]*sealing.Epoch, error) {
	keys, err := m.source.Read(ctx)
	if err != nil {
		return held, err
	}
	all := slices.Clone(held)
	for _, key := range keys {
		e := sealing.NewEpoch(key)
		if !slices.ContainsFunc(all, func(h *sealing.Epoch) bool { return h.Fingerprint() == e.Fingerprint() }) {
			all = append(all, e)
		}
	}
	return all, nil
}

// wrap encrypts a secret with the present master key, if there is one.
func (m *masterKeys) wrap(name string, secret []byte) []byte {
	if m == nil {
		return secret
	}
	return m.held.Load().present.Wrap(name, secret)
}

// wrapping calls the function work. If work fails because the master key was replaced meanwhile, wrapping calls it
// once more. There are two kinds of work. The first kind stores a secret that wrap has encrypted; the database
// refuses the secret if the key was replaced. The second kind reads a secret and unwraps it; that fails if the
// secret's key was dropped.
func (m *masterKeys) wrapping(ctx context.Context, work func() error) error {
	if m == nil {
		return work()
	}
	before := m.held.Load().present
	err := work()
	if err == nil {
		return nil
	}
	_, failed := m.refresh(ctx)
	replaced := m.held.Load().present != before || errors.Is(err, ErrKeyReplaced)
	if failed != nil || !replaced {
		return err
	}
	return work()
}

// unwrap decrypts a secret, unless it is stored unencrypted. If it was encrypted with a master
// key that this process does not have, unwrap reads the keys again.
func (m *masterKeys) unwrap(ctx context.Context, name string, stored []byte) ([]byte, error) {
	fingerprint, wrapped := sealing.WrappedBy(stored)
	switch {
	case !wrapped:
		return stored, nil
	case m == nil:
		return nil, ErrNoMasterKey
	}
	epoch := m.held.Load().find(fingerprint[:])
	if epoch == nil {
		if _, err := m.refresh(ctx); err != nil {
			return nil, err
		}
		if epoch = m.held.Load().find(fingerprint[:]); epoch == nil {
			return nil, ErrKeyReplaced
		}
	}
	return epoch.Unwrap(name, stored)
}

// The limits of a transaction that encrypts trees again. No decision can be stored while it runs.
const (
	rewrapTrees = 50
	rewrapBytes = 4 << 20
)

// Rewrap encrypts the installation's secret and the key trees with the present master key if they are
// encrypted with a former one. It may be interrupted and called again. progress is called with the
// number of trees that are done and the number of all trees.
func (k *Keys) Rewrap(ctx context.Context, progress func(done, all int64)) error {
	if k.master == nil {
		return ErrNoMasterKey
	}
	present := k.master.held.Load().present.Fingerprint()
	if _, err := k.db.Secrets().ReplaceSecret(ctx, func(stored []byte) ([]byte, error) {
		return k.master.rewrap(ctx, secretName, stored)
	}); err != nil {
		return fmt.Errorf("encrypt the installation's secret again: %w", err)
	}
	all, err := k.db.Secrets().CountKeyTreesToWrap(ctx, present[:])
	if err != nil {
		return err
	}
	progress(0, all)
	for done, after := int64(0), (store.TreeSize{}); ; {
		found, err := k.db.Secrets().KeyTreesToWrap(ctx, present[:], after, rewrapTrees)
		if err != nil || len(found) == 0 {
			return err
		}
		trees := batch(found)
		after = found[len(trees)-1]
		n, err := k.db.Secrets().ReplaceKeyTrees(ctx, trees, func(t store.StoredTree) ([]byte, error) {
			return k.master.rewrap(ctx, treeName(t.Tenant, t.Number), t.Tree)
		})
		if err != nil {
			return fmt.Errorf("encrypt key trees again: %w", err)
		}
		done += n
		progress(done, max(done, all))
	}
}

// batch returns the first trees whose total size is at most rewrapBytes, at least one.
func batch(found []store.TreeSize) (trees []store.StoredTree) {
	size := int64(0)
	for _, t := range found {
		if size += t.Bytes; len(trees) > 0 && size > rewrapBytes {
			break
		}
		trees = append(trees, store.StoredTree{Tenant: t.Tenant, Number: t.Number})
	}
	return trees
}

// rewrap returns a secret encrypted with the present master key. It returns nil if the secret is
// already encrypted with that key or is stored unencrypted.
func (m *masterKeys) rewrap(ctx context.Context, name string, stored []byte) ([]byte, error) {
	held := m.held.Load()
	fingerprint, wrapped := sealing.WrappedBy(stored)
	if !wrapped || fingerprint == held.present.Fingerprint() {
		return nil, nil
	}
	epoch := held.find(fingerprint[:])
	if epoch == nil {
		return nil, fmt.Errorf("%s: %w", name, sealing.ErrUnreadable)
	}
	secret, err := epoch.Unwrap(name, stored)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return held.present.Wrap(name, secret), nil
}
