package journal

import (
	"context"
	"encoding/hex"
	"errors"
	"slices"

	"verdict/internal/sealing"
	"verdict/internal/store"
)

// defaultMaxTree is the size in bytes at which a tree, or a part of one, is split. An erasure rewrites the tree
// or the part that contains the person's key. So this size also limits how many bytes of trees an erasure writes
// in one transaction, and how many a decision of the tenant must read after an erasure. A tree reaches this size
// after about 100 people were removed from it.
const defaultMaxTree = 1 << 20

// SetMaxTree sets the size at which a tree is split, for tests with few people. It must not be called while
// somebody is erased.
func (k *Keys) SetMaxTree(bytes int) { k.maxTree = bytes }

// TreeOf returns the number of the tree whose keys seal a document. head is the document or its
// beginning.
func (t *Tree) TreeOf(head []byte) int64 { return t.number(head) }

// Replacement returns the text that replaces the reference of an applicant in erased rows whose
// keys are from the tree with the given number. It is also the reference in the leaves of these rows. ok is
// false if WithPerson has not looked up the applicant's key in that tree.
func (t *Tree) Replacement(number int64, environment, reference string) (text string, ok bool) {
	h := holder{environment: environment, reference: reference}
	if !t.knows(number, h) {
		return "", false
	}
	hash := sealing.Reference(t.secret(number, h), reference)
	return hex.EncodeToString(hash[:]), true
}

// WithPerson returns a Tree that also knows the keys of an applicant from the trees with the given numbers.
// Transactions must not wait for another read, so they use keys that were looked up before.
func (k *Keys) WithPerson(
	ctx context.Context, t *Tree, environment, reference string, numbers []int64,
) (_ *Tree, err error) {
	for _, number := range numbers {
		if t, err = k.with(ctx, t, number, holder{environment: environment, reference: reference}); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// Removal is the removal of a person's keys from some trees.
type Removal struct {
	Changes []store.TreeChange // to be stored with store.KeyTrees.Change
	Trees   []int64            // the trees from which the keys are then removed
}

// Remove returns the changes that remove the keys of a person from trees with the given numbers. It goes through
// the trees in order. It always handles the first tree, and stops before the changes have more than maxTree
// bytes. A tree that becomes too large is split. If the newest tree is split, a new tree is added. The changes
// must be stored in a transaction after which no document is sealed with the removed keys.
func (k *Keys) Remove(
	ctx context.Context, tenantID, environment string, p store.Person, numbers []int64,
) (r Removal, err error) {
	if err := k.permitted(ctx); err != nil {
		return r, err
	}
	fresh, err := newTree(k.random)
	if err != nil {
		return r, err
	}
	stored, err := k.db.Secrets().TenantKeys(ctx, tenantID, k.master.wrap(treeName(tenantID, firstTree), fresh))
	if err != nil {
		return r, err
	}
	h := holder{object: sealing.DecisionName(environment, p.DecisionID)}
	if p.ApplicantRef != "" {
		h = holder{environment: environment, reference: p.ApplicantRef}
	}
	size := 0
	for _, number := range numbers {
		removal := treeRemoval{keys: k, tenant: tenantID, newest: stored.Newest}
		changes, err := removal.run(ctx, number, h)
		if err != nil {
			return r, err
		}
		for _, c := range changes {
			size += len(c.Tree)
		}
		if len(r.Trees) > 0 && size > k.maxTree {
			break
		}
		r.Changes, r.Trees = append(r.Changes, changes...), append(r.Trees, number)
	}
	return r, nil
}

// treeRemoval removes a key from a stored tree. It does not use the cache, because the store replaces a tree only
// if the stored bytes are still the ones that were read.
type treeRemoval struct {
	keys   *Keys
	tenant string
	newest store.StoredTree
	read   []store.StoredTree
}

// run returns the changes, or none if there is no such tree.
func (r *treeRemoval) run(ctx context.Context, number int64, h holder) ([]store.TreeChange, error) {
	found, err := findKey(number, h, func(at treePart) (*sealing.KeyTree, error) { return r.load(ctx, at) })
	if errors.Is(err, errNoTree) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	changes, err := r.replace(found.at, found.keys.Forget(found.name))
	if err != nil || number != r.newest.Number || len(changes) == 1 {
		return changes, err
	}
	// The newest tree was split. Add a new tree, because the keys of new names must be from a tree that is in
	// memory as a whole.
	added, err := newTree(r.keys.random)
	return append(changes, r.change(treePart{tree: number + 1}, added)), err
}

// load reads a part of a tree.
func (r *treeRemoval) load(ctx context.Context, at treePart) (*sealing.KeyTree, error) {
	stored, found := r.newest, at.number() == r.newest.Number
	if !found {
		var err error
		if stored, found, err = r.keys.db.Secrets().KeyTree(ctx, r.tenant, at.number()); err != nil {
			return nil, err
		}
	}
	if !found {
		return nil, errNoTree
	}
	r.read = append(r.read, stored)
	return r.keys.master.parse(ctx, stored)
}

// replace returns the changes that replace the keys in a part of a tree. It splits the part if it is too large.
// Without encryption the rows do not name their tree, so there is only one tree, which is never split.
func (r *treeRemoval) replace(at treePart, keys *sealing.KeyTree) (changes []store.TreeChange, err error) {
	var parts []*sealing.KeyTree
	if keys.Size() >= r.keys.maxTree && r.keys.Seals() && at.level < sealing.MaxSplits {
		keys, parts = keys.Split(at.level)
	}
	encoded, err := keys.AppendBinary(nil)
	if err != nil {
		return nil, err
	}
	changes = append(changes, r.change(at, encoded))
	for i, part := range parts {
		more, err := r.replace(at.part(i), part)
		if err != nil {
			return nil, err
		}
		changes = append(changes, more...)
	}
	return changes, nil
}

// change returns the change that stores an encoded part of a tree.
func (r *treeRemoval) change(at treePart, encoded []byte) store.TreeChange {
	number := at.number()
	c := store.TreeChange{Number: number, Tree: r.keys.master.wrap(treeName(r.tenant, number), encoded)}
	if i := slices.IndexFunc(r.read, func(s store.StoredTree) bool { return s.Number == number }); i >= 0 {
		c.Was = r.read[i].Tree
	}
	return c
}
