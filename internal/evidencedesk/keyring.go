package evidencedesk

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"sync"

	"golang.org/x/mod/sumdb/note"

	"verdict/internal/evidence"
	"verdict/internal/operation"
	"verdict/internal/store"
)

// keyring holds the keys of the logs. The database says which key is the present one. The keyring
// believes this only if the keys themselves have signed the change, because anybody who can write
// to the database could exchange a key.
type keyring struct {
	db    *store.DB
	signs bool // this node was started with a key
	// find returns the secret key of a public key, as Options.FindKey does; it may be nil.
	find func(public []byte) (ed25519.PrivateKey, error)

	mu      sync.Mutex
	secret  ed25519.PrivateKey // nil if this node cannot sign
	public  []byte             // the present key; nil if none is known
	changes []evidence.KeyChange
	read    bool // the changes were read
}

// The errors of a node whose key was replaced.
var (
	errKeyMissing = errors.New("the log key was replaced, and this node does not have the new one; copy the file of " +
		"-log-key from the node on which it was replaced")
	errKeyUnrelated = errors.New("the key of -log-key is neither the one that the database names for its logs, " +
		"nor one that was replaced by it; give every node the same file")
)

// newKeyring returns the keys with which a node is started.
func newKeyring(db *store.DB, o *Options) *keyring {
	k := &keyring{db: db, signs: o.Key != nil, find: o.FindKey, secret: o.Key, public: o.Public}
	if o.Key != nil {
		k.public, _ = o.Key.Public().(ed25519.PublicKey) // never fails for this key type
	}
	return k
}

// prepare returns nil if this node can sign with the present key.
func (k *keyring) prepare(ctx context.Context) error {
	if err := k.refresh(ctx); err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.secret == nil {
		return errKeyMissing
	}
	return nil
}

// refresh reads which key is the present one. If the key was replaced, it looks for the new
// secret key.
func (k *keyring) refresh(ctx context.Context) error {
	present, text, err := k.db.Secrets().LogKeyHistory(ctx)
	if err != nil || present == nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.read && bytes.Equal(present, k.public) && k.secret != nil {
		return nil
	}
	changes, err := evidence.ParseKeyChanges(text)
	switch {
	case err != nil:
		return operation.AsDefect(fmt.Errorf("the stored changes of the log key: %w", err))
	case k.public != nil && !leads(changes, k.public, present):
		return operation.AsDefect(errKeyUnrelated)
	}
	if !bytes.Equal(present, k.public) {
		k.secret = nil
	}
	if k.secret == nil && k.signs && k.find != nil {
		if k.secret, err = k.find(present); err != nil {
			return fmt.Errorf("read the new log key: %w", err)
		}
	}
	k.public, k.changes, k.read = present, changes, true
	return nil
}

// leads reports whether changes lead from one key to another.
func leads(changes []evidence.KeyChange, from, to []byte) bool {
	for _, c := range changes {
		if bytes.Equal(from, c.From) {
			from = c.To
		}
	}
	return bytes.Equal(from, to)
}

// present returns the present public key, or nil if none is known.
func (k *keyring) present() []byte {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.public
}

// logKeys returns the public keys of a log.
func (k *keyring) logKeys(origin string) *evidence.LogKeys {
	k.mu.Lock()
	defer k.mu.Unlock()
	return evidence.NewLogKeys(origin, k.public, k.changes)
}

// text returns the public keys of a log for those who check it.
func (k *keyring) text(origin string) (string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return evidence.LogKeysText(origin, k.public, k.changes)
}

// signer returns the signer of a log.
func (k *keyring) signer(origin string) (note.Signer, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.secret == nil {
		return nil, errKeyMissing
	}
	return evidence.NewSigner(origin, k.secret)
}
