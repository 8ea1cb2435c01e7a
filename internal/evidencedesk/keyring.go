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
)

// keyring holds the keys of the logs. The database says which key is the present one, but
// it is believed only if the keys themselves have signed the change: whoever writes to the
// database could exchange a key.
type keyring struct {
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
	errKeyUnrelated = errors.New("the database names a log key by which the key of this node was not replaced")
)

// prepareKey returns nil if this node can sign with the present key.
func (s *Service) prepareKey(ctx context.Context) error {
	if err := s.refreshKeys(ctx); err != nil {
		return err
	}
	s.keyring.mu.Lock()
	defer s.keyring.mu.Unlock()
	if s.keyring.secret == nil {
		return errKeyMissing
	}
	return nil
}

// refreshKeys reads which key is the present one. If the key was replaced, it looks for the
// new secret key.
func (s *Service) refreshKeys(ctx context.Context) error {
	present, text, err := s.core.DB.System().LogKeyHistory(ctx)
	if err != nil || present == nil {
		return err
	}
	k := &s.keyring
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
	if k.secret == nil && s.options.Key != nil && s.options.FindKey != nil {
		if k.secret, err = s.options.FindKey(present); err != nil {
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

// publicKey returns the present public key, nil if none is known.
func (s *Service) publicKey() []byte {
	s.keyring.mu.Lock()
	defer s.keyring.mu.Unlock()
	return s.keyring.public
}

// logKeys returns the public keys of a log.
func (s *Service) logKeys(origin string) *evidence.LogKeys {
	s.keyring.mu.Lock()
	defer s.keyring.mu.Unlock()
	return evidence.NewLogKeys(origin, s.keyring.public, s.keyring.changes)
}

// keysText returns the public keys of a log for those who check it.
func (s *Service) keysText(origin string) (string, error) {
	s.keyring.mu.Lock()
	defer s.keyring.mu.Unlock()
	return evidence.LogKeysText(origin, s.keyring.public, s.keyring.changes)
}

// signer returns the signer of a log.
func (s *Service) signer(origin string) (note.Signer, error) {
	s.keyring.mu.Lock()
	defer s.keyring.mu.Unlock()
	if s.keyring.secret == nil {
		return nil, errKeyMissing
	}
	return evidence.NewSigner(origin, s.keyring.secret)
}
