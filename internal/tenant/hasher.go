package tenant

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"

	"golang.org/x/crypto/argon2"

	"verdict/internal/fault"
)

// Lengths of new salts and hashes in bytes, as RFC 9106 recommends.
const (
	saltLength = 16
	hashLength = 32
)

// Hasher hashes and verifies passwords with argon2id. It bounds the number of
// concurrent hashes: each takes 19 MiB and about 40 ms of a core, so a flood of
// signups or logins would otherwise exhaust the memory. It is safe for concurrent
// use.
type Hasher struct {
	cost   Cost
	random io.Reader
	slots  chan struct{}
	wait   func(context.Context) (resume func())
}

// NewHasher returns a hasher that works on at most limit passwords at a time, or
// on one if limit is below 1. Except in tests, cost should be DefaultCost and
// random should be crypto/rand.Reader. NewHasher refuses a cost that Verify would
// refuse.
func NewHasher(cost Cost, limit int, random io.Reader) (*Hasher, error) {
	if !cost.valid() {
		return nil, errors.New("new password hasher: the cost is out of bounds")
	}
	return &Hasher{cost: cost, random: random, slots: make(chan struct{}, max(limit, 1)),
		wait: func(context.Context) func() { return func() {} }}, nil
}

// OnWait sets a function that the hasher calls if a caller must wait for a slot. The hasher calls the function
// before the wait, and calls the returned function resume after the wait. OnWait must be called before the hasher
// is used.
func (h *Hasher) OnWait(wait func(context.Context) (resume func())) { h.wait = wait }

// Hash returns the hash of a password with a new salt, to be stored. If the
// context ends before a slot is free, the error is of kind Unavailable.
func (h *Hasher) Hash(ctx context.Context, password Secret) (Secret, error) {
	if err := h.acquire(ctx); err != nil {
		return Secret{}, err
	}
	defer h.release()
	salt := make([]byte, saltLength)
	if _, err := io.ReadFull(h.random, salt); err != nil {
		return Secret{}, fmt.Errorf("salt for a password: %w", err)
	}
	made := encoded{cost: h.cost, salt: salt}
	made.hash = made.derive(password, hashLength)
	return NewSecret(made.String()), nil
}

// Verify reports whether password matches the hash in stored. upgrade reports whether
// the hash should be replaced, because it was made with another cost or with other
// lengths of salt and hash.
//
// For a user that does not exist, stored is the zero Secret. Verify then does the
// same work and returns false, so that the time taken does not reveal which
// addresses have an account. If stored is not a hash, Verify returns an error. If
// the context ends before a slot is free, the error is of kind Unavailable.
func (h *Hasher) Verify(ctx context.Context, password, stored Secret) (ok, upgrade bool, err error) {
	want := encoded{cost: h.cost, salt: make([]byte, saltLength), hash: make([]byte, hashLength)}
	nobody := stored.Reveal() == ""
	if !nobody {
		if want, err = parseEncoded(stored.Reveal()); err != nil {
			return false, false, err
		}
	}
	if err := h.acquire(ctx); err != nil {
		return false, false, err
	}
	defer h.release()
	got := want.derive(password, len(want.hash))
	if subtle.ConstantTimeCompare(got, want.hash) != 1 || nobody {
		return false, false, nil
	}
	upgrade = want.cost != h.cost || len(want.salt) != saltLength || len(want.hash) != hashLength
	return true, upgrade, nil
}

// acquire waits for a slot. It fails if the context has ended, even if a slot is
// free.
func (h *Hasher) acquire(ctx context.Context) error {
	if ctx.Err() == nil {
		select {
		case h.slots <- struct{}{}:
			return nil
		default:
		}
		resume := h.wait(ctx)
		defer resume()
		select {
		case h.slots <- struct{}{}:
			return nil
		case <-ctx.Done():
		}
	}
	return fault.New(fault.Unavailable, fault.CodeUnavailable,
		"too many people are signing up or signing in; try again in a moment")
}

func (h *Hasher) release() { <-h.slots }

func (e encoded) derive(password Secret, length int) []byte {
	return argon2.IDKey([]byte(password.Reveal()), e.salt, e.cost.Passes, e.cost.MemoryKiB, e.cost.Lanes,
		uint32(length))
}
