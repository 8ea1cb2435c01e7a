package journal

import (
	"context"
	"errors"

	"verdict/internal/store"
)

// ErrErased is the error for documents whose applicant was erased after they were read.
var ErrErased = errors.New("the applicant was erased in the meantime")

// current returns the key trees again if keys of the scope were removed since tree was read, on any
// node. Otherwise it returns nil.
func (k *Keys) current(ctx context.Context, scope *store.Scope, tree *Tree) (*Tree, error) {
	changes, err := scope.KeyChanges(ctx)
	if err != nil || changes == tree.Changes(scope.Environment()) {
		return nil, err
	}
	return k.Reload(ctx, scope.Tenant())
}

// OpenDecision opens a stored decision like Tree.Open, with the present keys: a reference that was erased
// on another node and came back has a key that the trees in memory do not use. It returns the trees, and
// ErrErased if the applicant was erased after the decision was read.
func (k *Keys) OpenDecision(
	ctx context.Context, scope *store.Scope, d *store.Decision, f *store.Features,
) (*Tree, error) {
	tree, err := k.Tree(ctx, scope.Tenant())
	if err != nil {
		return nil, err
	}
	before, features := *d, store.Features{}
	if f != nil {
		features = *f
	}
	unreadable := tree.Open(scope.Environment(), d, f)
	if unreadable == nil {
		return tree, nil
	}
	fresh, err := k.current(ctx, scope, tree)
	if err != nil {
		return nil, err
	}
	if fresh != nil {
		tree, *d = fresh, before
		if f != nil {
			*f = features
		}
		if unreadable = tree.Open(scope.Environment(), d, f); unreadable == nil {
			return tree, nil
		}
	}
	if again, err := scope.Decisions(ctx).Get(d.ID); err == nil && len(Emptied(&again, nil)) > 0 {
		return nil, ErrErased
	}
	return tree, unreadable
}

// OpenRun opens a stored run like Tree.OpenRun, with the present keys. It returns ErrErased if the subject
// was erased after the run was read.
func (k *Keys) OpenRun(ctx context.Context, scope *store.Scope, r *store.Run) error {
	before := *r
	err := k.retry(ctx, scope, func(tree *Tree) error {
		*r = before
		return tree.OpenRun(scope.Environment(), r)
	})
	if errors.As(err, new(Unreadable)) {
		if again, failed := scope.Runs(ctx).Get(r.ID); failed == nil && len(again.Response) == 0 {
			return ErrErased
		}
	}
	return err
}

// OpenAnswer opens a stored answer like Tree.OpenAnswer, with the present keys. It returns ErrErased if the
// answer is about a decision whose applicant was erased after the answer was read.
func (k *Keys) OpenAnswer(
	ctx context.Context, scope *store.Scope, key store.IdempotencyKey, of *store.Decision, stored []byte,
) (body []byte, err error) {
	err = k.retry(ctx, scope, func(tree *Tree) (err error) {
		body, err = tree.OpenAnswer(scope.Environment(), key, of, stored)
		return err
	})
	if of != nil && errors.As(err, new(Unreadable)) {
		if again, failed := scope.Decisions(ctx).Get(of.ID); failed == nil && len(Emptied(&again, nil)) > 0 {
			return nil, ErrErased
		}
	}
	return body, err
}

// retry calls open with the trees in memory, and if that fails, with the present ones.
func (k *Keys) retry(ctx context.Context, scope *store.Scope, open func(*Tree) error) error {
	tree, err := k.Tree(ctx, scope.Tenant())
	if err != nil {
		return err
	}
	unreadable := open(tree)
	if unreadable == nil {
		return nil
	}
	fresh, err := k.current(ctx, scope, tree)
	if err != nil {
		return err
	}
	if fresh == nil {
		return unreadable
	}
	return open(fresh)
}
