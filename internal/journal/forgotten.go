package journal

import (
	"context"
	"encoding/hex"
	"errors"

	"verdict/internal/sealing"
	"verdict/internal/store"
)

// Forgotten finds stored objects whose key was removed from its key tree, although the object was not erased. This
// happens if an older backup is restored with newer keys, and the person was erased after the backup was taken. An
// object that was altered is not forgotten.
type Forgotten struct{ keys *Keys }

// Forgotten returns the search for objects whose keys were removed.
func (k *Keys) Forgotten() Forgotten { return Forgotten{k} }

// find returns the present key of a holder in the tree that a document names. removed is false if no key of the holder
// was removed from that tree.
func (f Forgotten) find(
	ctx context.Context, scope *store.Scope, document []byte, of holder,
) (found foundKey, removed bool, err error) {
	tree, err := f.keys.Tree(ctx, scope.Tenant())
	if err != nil {
		return found, false, err
	}
	found, err = findKey(tree.number(document), of, f.keys.reader(ctx, tree))
	if errors.Is(err, errNoTree) {
		return found, false, nil
	}
	return found, err == nil && found.erased > 0, err
}

// Decision reports whether a stored decision is forgotten. reference is the reference in the leaf of the decision,
// which is not used if the decision has no leaf.
func (f Forgotten) Decision(
	ctx context.Context, scope *store.Scope, d *store.StoredDecision, reference sealing.Hash,
) (bool, error) {
	of := holderOf(scope.Environment(), &store.Decision{ID: d.ID, ApplicantRef: d.ApplicantRef})
	found, removed, err := f.find(ctx, scope, d.Head, of)
	if !removed {
		return false, err
	}
	// If the reference was erased before the backup and then used again, its present key still matches the leaf.
	return of.reference == "" || d.Leaf < 0 || sealing.Reference(found.key, of.reference) != reference, nil
}

// Run reports whether a stored run is forgotten. A run has no leaf to compare with, so the run must be sealed. It is
// forgotten if it cannot be opened with the present key.
func (f Forgotten) Run(ctx context.Context, scope *store.Scope, r *store.Run) (bool, error) {
	_, removed, err := f.find(ctx, scope, r.Response, holderOfRun(scope.Environment(), r))
	if !removed {
		return false, err
	}
	again := *r
	err = f.keys.OpenRun(ctx, scope, &again)
	if errors.As(err, new(Unreadable)) {
		return true, nil
	}
	return false, err
}

// Exposure reports whether a stored exposure is forgotten. It has no leaf either.
func (f Forgotten) Exposure(ctx context.Context, scope *store.Scope, e *store.Exposure) (bool, error) {
	of := holderOfExposure(scope.Environment(), e)
	_, removed, err := f.find(ctx, scope, e.Document, of)
	if !removed {
		return false, err
	}
	again := *e
	err = f.keys.retry(ctx, scope, e.Document, of, func(tree *Tree) error {
		again = *e
		return tree.OpenExposure(scope.Environment(), &again)
	})
	if errors.As(err, new(Unreadable)) {
		return true, nil
	}
	return false, err
}

// Person reports whether a person of a stored decision other than the primary applicant is forgotten.
func (f Forgotten) Person(ctx context.Context, scope *store.Scope, p *store.StoredPerson) (bool, error) {
	found, removed, err := f.find(ctx, scope, p.Head, holder{environment: scope.Environment(), reference: p.Ref})
	if !removed {
		return false, err
	}
	reference := sealing.Reference(found.key, p.Ref)
	return hex.EncodeToString(reference[:]) != PersonReplacement(p.Plain, p.Role), nil
}
