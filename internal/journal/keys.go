package journal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"verdict/internal/cache"
	"verdict/internal/sealing"
	"verdict/internal/store"
)

// Keys holds the key trees of tenants. It is safe for concurrent use.
type Keys struct {
	db     *store.DB
	master *masterKeys // nil if nothing is encrypted
	random io.Reader
	trees  *cache.Cache[treeKey, *Tree]
}

// Tree is the key tree of a tenant. It never changes, so it may be used concurrently.
type Tree struct {
	keys   *sealing.KeyTree
	number int64
	seals  bool // documents are encrypted
}

// NewTree returns a tree with its number. Documents are encrypted if seals is true.
func NewTree(keys *sealing.KeyTree, number int64, seals bool) *Tree {
	return &Tree{keys, number, seals}
}

// treeKey names a cached tree. After a standby was promoted, trees are read again: the
// standby may lack a tree that was stored shortly before.
type treeKey struct {
	tenant   string
	timeline uint64
}

// cachedTrees is the number of tenants whose key tree is cached.
const cachedTrees = 10_000

// NewKeys returns the keys of a database. Trees are stored encrypted with the epoch, or
// readable if epoch is nil. If the master key is replaced, the new one is read from source; a
// source of nil means that the key is never replaced. New trees are generated from random.
func NewKeys(
	db *store.DB, epoch *sealing.Epoch, source KeySource, random io.Reader, now func() time.Time,
) *Keys {
	k := &Keys{db: db, random: random}
	if epoch != nil {
		k.master = newMasterKeys(epoch, source)
	}
	k.trees = cache.New(cachedTrees, 0, now, k.load)
	return k
}

// Tree returns the key tree of a tenant. A tenant without a tree gets one.
func (k *Keys) Tree(ctx context.Context, tenantID string) (*Tree, error) {
	return k.trees.Get(ctx, treeKey{tenantID, k.db.Timeline()})
}

// ErrNoMasterKey is the error if the data of the database is encrypted and the process has
// no master key.
var ErrNoMasterKey = errors.New("the stored data is encrypted, and its master key was not given: -master-key")

// Seals reports whether documents are encrypted.
func (k *Keys) Seals() bool { return k.master != nil }

// permitted returns ErrNoMasterKey if the data of the database is encrypted and there is no
// master key.
func (k *Keys) permitted(ctx context.Context) error {
	if k.master != nil {
		return nil
	}
	protected, err := k.db.System().MasterKey(ctx)
	if err == nil && protected != nil {
		err = ErrNoMasterKey
	}
	return err
}

func (k *Keys) load(ctx context.Context, key treeKey) (*Tree, error) {
	if err := k.permitted(ctx); err != nil {
		return nil, err
	}
	var names, root sealing.Secret
	for _, secret := range []*sealing.Secret{&names, &root} {
		if _, err := io.ReadFull(k.random, secret[:]); err != nil {
			return nil, fmt.Errorf("generate a key tree: %w", err)
		}
	}
	fresh, err := sealing.NewKeyTree(names, root).AppendBinary(nil)
	if err != nil {
		return nil, err
	}
	var tree *sealing.KeyTree
	err = k.wrapping(ctx, func() error {
		stored, err := k.db.System().KeyTree(ctx, key.tenant, k.wrap(treeName(key.tenant, firstTree), fresh))
		if err != nil {
			return err
		}
		tree, err = k.parse(ctx, store.StoredTree{Tenant: key.tenant, Number: firstTree, Tree: stored})
		return err
	})
	if err != nil {
		return nil, err
	}
	return NewTree(tree, firstTree, k.Seals()), nil
}

// firstTree is the number of a tenant's only tree.
const firstTree = 1

// parse decodes a stored tree, encrypted or not.
func (k *Keys) parse(ctx context.Context, t store.StoredTree) (*sealing.KeyTree, error) {
	encoded, err := k.unwrap(ctx, treeName(t.Tenant, t.Number), t.Tree)
	var tree *sealing.KeyTree
	if err == nil {
		tree, err = sealing.ParseKeyTree(encoded)
	}
	if err != nil {
		return nil, fmt.Errorf("the key tree of tenant %s: %w", t.Tenant, err)
	}
	return tree, nil
}

// secretName is the name of the installation's secret.
const secretName = "installation secret"

// Secret returns the installation's secret, which is the key of keyed hashes. The first call,
// on any node, stores fresh as the secret, encrypted if there is a master key.
func (k *Keys) Secret(ctx context.Context, fresh []byte) ([]byte, error) {
	if err := k.permitted(ctx); err != nil {
		return nil, err
	}
	var secret []byte
	err := k.wrapping(ctx, func() error {
		stored, err := k.db.System().Secret(ctx, k.wrap(secretName, fresh))
		if err != nil {
			return err
		}
		secret, err = k.unwrap(ctx, secretName, stored)
		return err
	})
	return secret, err
}

func treeName(tenantID string, number int64) string {
	return "key tree " + tenantID + " " + strconv.FormatInt(number, 10)
}

// treesAtOnce is the number of tenants whose trees Protect reads at a time.
const treesAtOnce = 100

// Protect encrypts the trees and the installation's secret if they were stored before the
// database had a master key, and returns their number. It does nothing without a master key.
func (k *Keys) Protect(ctx context.Context) (protected int64, err error) {
	if k.master == nil {
		return 0, nil
	}
	system := k.db.System()
	replaced, err := system.ReplaceSecret(ctx, func(stored []byte) ([]byte, error) {
		if sealing.Wrapped(stored) {
			return nil, nil
		}
		return k.wrap(secretName, stored), nil
	})
	if err != nil {
		return 0, err
	}
	if replaced {
		protected++
	}
	for after := ""; ; {
		trees, err := system.KeyTrees(ctx, after, treesAtOnce)
		if err != nil || len(trees) == 0 {
			return protected, err
		}
		after = trees[len(trees)-1].Tenant
		trees = slices.DeleteFunc(trees, func(t store.StoredTree) bool { return sealing.Wrapped(t.Tree) })
		if len(trees) == 0 {
			continue
		}
		n, err := system.ReplaceKeyTrees(ctx, trees, func(t store.StoredTree) ([]byte, error) {
			if sealing.Wrapped(t.Tree) {
				return nil, nil // another node was faster
			}
			return k.wrap(treeName(t.Tenant, t.Number), t.Tree), nil
		})
		protected += n
		if err != nil {
			return protected, err
		}
	}
}

// keyOf returns the data key of a decision: that of its applicant, or a key of its own
// if the applicant is not named.
func (t *Tree) keyOf(environment string, d *store.Decision) sealing.Secret {
	if d.ApplicantRef == "" {
		return t.key(sealing.DecisionName(environment, d.ID))
	}
	return t.person(environment, d.ApplicantRef)
}

// person returns the data key of an applicant. A reference that was erased before has a new
// key.
func (t *Tree) person(environment, reference string) sealing.Secret {
	for erased := 0; ; erased++ {
		if key, ok := t.keys.Key(sealing.PersonName(environment, reference, erased)); ok {
			return key
		}
	}
}

// key returns the key of an object that is not a person. Such a key is never forgotten before
// the object's row.
func (t *Tree) key(name string) sealing.Secret {
	key, _ := t.keys.Key(name)
	return key
}
