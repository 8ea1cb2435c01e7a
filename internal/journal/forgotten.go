package journal

import (
	"context"
	"encoding/hex"
	"errors"

	"verdict/internal/sealing"
	"verdict/internal/store"
)

// Forgotten reports whether the key of a stored decision was removed from its key tree, although the decision was not
// erased. This happens if an older backup is restored with newer keys, and the applicant was erased after the backup
// was taken. reference is the reference in the leaf of the decision, which is not used if the decision has no leaf. A
// decision that was altered is not forgotten.
func (k *Keys) Forgotten(
	ctx context.Context, scope *store.Scope, d *store.StoredDecision, reference sealing.Hash,
) (bool, error) {
	tree, err := k.Tree(ctx, scope.Tenant())
	if err != nil {
		return false, err
	}
	of := holderOf(scope.Environment(), &store.Decision{ID: d.ID, ApplicantRef: d.ApplicantRef})
	found, err := findKey(tree.number(d.Head), of, k.reader(ctx, tree))
	switch {
	case errors.Is(err, errNoTree) || err == nil && found.erased == 0:
		return false, nil
	case err != nil:
		return false, err
	}
	// If the reference was erased before the backup and then used again, its present key still matches the leaf.
	return of.reference == "" || d.Leaf < 0 || sealing.Reference(found.key, of.reference) != reference, nil
}

// ForgottenRun reports the same as Forgotten about a stored run. A run has no leaf to compare with, so the run must
// be sealed. It is forgotten if it cannot be opened with the present key.
func (k *Keys) ForgottenRun(ctx context.Context, scope *store.Scope, r *store.Run) (bool, error) {
	tree, err := k.Tree(ctx, scope.Tenant())
	if err != nil {
		return false, err
	}
	of := holderOfRun(scope.Environment(), r)
	found, err := findKey(tree.number(r.Response), of, k.reader(ctx, tree))
	switch {
	case errors.Is(err, errNoTree) || err == nil && found.erased == 0:
		return false, nil
	case err != nil:
		return false, err
	}
	again := *r
	err = k.OpenRun(ctx, scope, &again)
	if errors.As(err, new(Unreadable)) {
		return true, nil
	}
	return false, err
}

// ForgottenExposure reports the same as Forgotten about a stored exposure, which has no leaf either.
func (k *Keys) ForgottenExposure(ctx context.Context, scope *store.Scope, e *store.Exposure) (bool, error) {
	tree, err := k.Tree(ctx, scope.Tenant())
	if err != nil {
		return false, err
	}
	of := holderOfExposure(scope.Environment(), e)
	found, err := findKey(tree.number(e.Document), of, k.reader(ctx, tree))
	switch {
	case errors.Is(err, errNoTree) || err == nil && found.erased == 0:
		return false, nil
	case err != nil:
		return false, err
	}
	again := *e
	err = k.retry(ctx, scope, e.Document, of, func(tree *Tree) error {
		again = *e
		return tree.OpenExposure(scope.Environment(), &again)
	})
	if errors.As(err, new(Unreadable)) {
		return true, nil
	}
	return false, err
}

// ForgottenPerson reports the same as Forgotten about a person of a stored decision other than the primary applicant.
func (k *Keys) ForgottenPerson(ctx context.Context, scope *store.Scope, p *store.StoredPerson) (bool, error) {
	tree, err := k.Tree(ctx, scope.Tenant())
	if err != nil {
		return false, err
	}
	of := holder{environment: scope.Environment(), reference: p.Ref}
	found, err := findKey(tree.number(p.Head), of, k.reader(ctx, tree))
	switch {
	case errors.Is(err, errNoTree) || err == nil && found.erased == 0:
		return false, nil
	case err != nil:
		return false, err
	}
	reference := sealing.Reference(found.key, p.Ref)
	return hex.EncodeToString(reference[:]) != PersonReplacement(p.Plain, p.Role), nil
}
