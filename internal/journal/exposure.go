package journal

import (
	"context"
	"errors"
	"fmt"

	"verdict/internal/sealing"
	"verdict/internal/store"
)

// ErrEarlierTree is the error for a document whose key is from an earlier tree and was not looked up.
var ErrEarlierTree = errors.New("the key of an exposure was not looked up")

func holderOfExposure(environment string, e *store.Exposure) holder {
	return holder{environment: environment, reference: e.ApplicantRef}
}

// SealExposure replaces the document of an exposure by its ciphertext, with the person's key. It does nothing if
// documents are not encrypted.
func (t *Tree) SealExposure(environment string, e *store.Exposure) {
	if !t.seals {
		return
	}
	key := t.secret(t.newest, holderOfExposure(environment, e))
	e.Document = t.sealAlone(&key, e.ID, sealing.Request, e.Document)
}

// OpenExposure replaces the ciphertext of a stored exposure by its document. It returns ErrEarlierTree if the key must
// be looked up with WithExposures first; other errors wrap Unreadable.
func (t *Tree) OpenExposure(environment string, e *store.Exposure) error {
	number, sealed := sealing.TreeOf(e.Document)
	if !sealed {
		return nil
	}
	of := holderOfExposure(environment, e)
	if !t.knows(number, of) {
		return ErrEarlierTree
	}
	opened, err := openAlone(sealing.NewSealer(t.secret(number, of), e.ID), sealing.Request, e.Document)
	if err != nil {
		return fmt.Errorf("exposure %s: %w", e.ID, err)
	}
	e.Document = opened
	return nil
}

// WithExposures returns a Tree that also knows the keys of exposures from earlier trees.
func (k *Keys) WithExposures(
	ctx context.Context, t *Tree, environment string, list []store.Exposure,
) (_ *Tree, err error) {
	for i := range list {
		if number, sealed := sealing.TreeOf(list[i].Document); sealed {
			if t, err = k.with(ctx, t, number, holderOfExposure(environment, &list[i])); err != nil {
				return nil, err
			}
		}
	}
	return t, nil
}

// SealStoredExposure seals the document of an exposure that is stored unencrypted. It reports whether it has sealed
// the document.
func (t *Tree) SealStoredExposure(environment string, e *store.Exposure) bool {
	if !t.seals || sealing.Sealed(e.Document) {
		return false
	}
	t.SealExposure(environment, e)
	return true
}
