package journal

import (
	"context"
	"errors"
	"slices"

	"verdict/internal/sealing"
	"verdict/internal/store"
)

// ErrErased is the error for documents whose applicant was erased after they were read.
var ErrErased = errors.New("the applicant was erased in the meantime")

// current checks whether keys of the scope were removed, on any node, since tree was read. If so, it reads the key
// trees again and returns them. Otherwise it returns nil.
func (k *Keys) current(ctx context.Context, scope *store.Scope, tree *Tree) (*Tree, error) {
	changes, err := scope.KeyChanges(ctx)
	if err != nil || changes == tree.Changes(scope.Environment()) {
		return nil, err
	}
	return k.Reload(ctx, scope.Tenant())
}

// OpenDecision opens a stored decision like Tree.Open, with the present keys. The trees in memory may be out
// of date: a reference that was erased on another node and came back has a new key. OpenDecision returns a
// Tree that knows the key of the decision. The error is ErrErased if the applicant was erased after the
// decision was read.
func (k *Keys) OpenDecision(
	ctx context.Context, scope *store.Scope, d *store.Decision, f *store.Features,
) (*Tree, error) {
	tree, err := k.Tree(ctx, scope.Tenant())
	if err != nil {
		return nil, err
	}
	before, features := *d, store.Features{}
	before.People = slices.Clone(d.People)
	if f != nil {
		features = *f
	}
	tree, unreadable, err := k.open(ctx, tree, scope.Environment(), d, f)
	if err != nil || unreadable == nil {
		return tree, err
	}
	fresh, err := k.current(ctx, scope, tree)
	if err != nil {
		return nil, err
	}
	if fresh != nil {
		if *d = before; f != nil {
			*f = features
		}
		d.People = slices.Clone(before.People)
		tree, unreadable, err = k.open(ctx, fresh, scope.Environment(), d, f)
		if err != nil || unreadable == nil {
			return tree, err
		}
	}
	again, err := scope.Decisions(ctx).Get(d.ID)
	if err == nil && len(Emptied(&again, nil)) > len(Emptied(&before, nil)) {
		return nil, ErrErased
	}
	return tree, unreadable
}

// open looks up the key of a decision and opens the decision with it. unreadable is the error of Tree.Open.
func (k *Keys) open(
	ctx context.Context, t *Tree, environment string, d *store.Decision, f *store.Features,
) (_ *Tree, unreadable, err error) {
	if number := treeOfDecision(d, f); number != 0 {
		if t, err = k.with(ctx, t, number, holderOf(environment, d)); err != nil {
			return nil, nil, err
		}
	}
	if t, err = k.withPeople(ctx, t, environment, d); err != nil {
		return nil, nil, err
	}
	return t, t.Open(environment, d, f), nil
}

// treeOfDecision returns the number of the tree with the key of a stored decision, 0 if all its documents are
// empty.
func treeOfDecision(d *store.Decision, f *store.Features) (number int64) {
	for _, document := range documents(d, f) {
		if tree, sealed := sealing.TreeOf(*document); sealed {
			return tree
		}
		if len(*document) > 0 {
			number = max(d.KeyTree, firstTree)
		}
	}
	return number
}

// OpenRun opens a stored run like Tree.OpenRun, with the present keys. It returns ErrErased if the subject
// was erased after the run was read.
func (k *Keys) OpenRun(ctx context.Context, scope *store.Scope, r *store.Run) error {
	before := *r
	err := k.retry(ctx, scope, before.Response, holderOfRun(scope.Environment(), r), func(tree *Tree) error {
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
	err = k.retry(ctx, scope, stored, holderOfAnswer(scope.Environment(), key, of), func(tree *Tree) (err error) {
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

// retry calls open with the trees in memory, and if that fails, with the present ones. The trees know the
// key with which document is sealed.
func (k *Keys) retry(
	ctx context.Context, scope *store.Scope, document []byte, h holder, open func(*Tree) error,
) error {
	tree, err := k.Tree(ctx, scope.Tenant())
	if err != nil {
		return err
	}
	knowing, err := k.with(ctx, tree, tree.number(document), h)
	if err != nil {
		return err
	}
	unreadable := open(knowing)
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
	if fresh, err = k.with(ctx, fresh, fresh.number(document), h); err != nil {
		return err
	}
	return open(fresh)
}
