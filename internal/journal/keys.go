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
	// maxTree is the size in bytes from which on a tree gets no new names, and a new tree begins.
	maxTree int
}

// Tree holds the key trees of a tenant. The newest tree derives the keys of everything that is
// stored from now on; documents that were sealed earlier name their tree. A Tree never changes,
// so it may be used concurrently.
type Tree struct {
	trees  map[int64]*sealing.KeyTree // by number
	newest int64
	seals  bool // documents are encrypted
	states map[string]store.KeyState
}

// NewTree returns a single key tree with its number. Documents are encrypted if seals is true.
func NewTree(keys *sealing.KeyTree, number int64, seals bool) *Tree {
	return &Tree{trees: map[int64]*sealing.KeyTree{number: keys}, newest: number, seals: seals}
}

// Changes returns KeyState.Changes of the keys in an environment. A write of what the keys have
// sealed passes it to the store.
func (t *Tree) Changes(environment string) int64 { return t.states[environment].Changes }

// Erased reports whether somebody was erased in an environment.
func (t *Tree) Erased(environment string) bool { return t.states[environment].Erased }

// number returns the number of the tree that a document names. A document that is not sealed is
// from before the tenant had a second tree.
func (t *Tree) number(document []byte) int64 {
	if number, sealed := sealing.TreeOf(document); sealed {
		return number
	}
	return firstTree
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
	k := &Keys{db: db, random: random, maxTree: defaultMaxTree}
	if epoch != nil {
		k.master = newMasterKeys(epoch, source)
	}
	k.trees = cache.New(cachedTrees, 0, now, k.load)
	return k
}

// Tree returns the key trees of a tenant. A tenant without a tree gets one. The trees may be from
// before an erasure on another node; the store then refuses what they have sealed with
// store.ErrKeysChanged, and the caller must call Reload.
func (k *Keys) Tree(ctx context.Context, tenantID string) (*Tree, error) {
	return k.trees.Get(ctx, treeKey{tenantID, k.db.Timeline()})
}

// Cached returns the key trees of a tenant if they are in memory. It is for transactions, which must
// not wait for another read.
func (k *Keys) Cached(tenantID string) (*Tree, bool) {
	return k.trees.Peek(treeKey{tenantID, k.db.Timeline()})
}

// Reload reads the key trees of a tenant again.
func (k *Keys) Reload(ctx context.Context, tenantID string) (*Tree, error) {
	k.trees.Forget(treeKey{tenantID, k.db.Timeline()})
	return k.Tree(ctx, tenantID)
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
	fresh, err := k.newTree()
	if err != nil {
		return nil, err
	}
	var t *Tree
	err = k.wrapping(ctx, func() error {
		stored, err := k.db.System().TenantKeys(ctx, key.tenant, k.wrap(treeName(key.tenant, firstTree), fresh))
		if err != nil {
			return err
		}
		t = &Tree{trees: map[int64]*sealing.KeyTree{}, seals: k.Seals(), states: stored.States}
		for _, s := range stored.Trees {
			if t.trees[s.Number], err = k.parse(ctx, s); err != nil {
				return err
			}
			t.newest = s.Number
		}
		return nil
	})
	return t, err
}

// newTree returns the encoding of a new key tree.
func (k *Keys) newTree() ([]byte, error) {
	var names, root sealing.Secret
	for _, secret := range []*sealing.Secret{&names, &root} {
		if _, err := io.ReadFull(k.random, secret[:]); err != nil {
			return nil, fmt.Errorf("generate a key tree: %w", err)
		}
	}
	return sealing.NewKeyTree(names, root).AppendBinary(nil)
}

// firstTree is the number of a tenant's first tree.
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

// keyOf returns the data key of a decision from a tree: that of its applicant, or a key of its
// own if the applicant is not named.
func (t *Tree) keyOf(number int64, environment string, d *store.Decision) sealing.Secret {
	if d.ApplicantRef == "" {
		return t.key(number, sealing.DecisionName(environment, d.ID))
	}
	return t.person(number, environment, d.ApplicantRef)
}

// person returns the data key of an applicant from a tree. A reference that was erased before has
// a new key. If there is no such tree, person returns a key that opens nothing.
func (t *Tree) person(number int64, environment, reference string) (key sealing.Secret) {
	if keys := t.trees[number]; keys != nil {
		_, key = currentKey(keys, environment, reference)
	}
	return key
}

// currentKey returns the smallest number of erasures of an applicant with which the tree still derives
// a key, and the key. It does not return the name, which then needs no memory.
func currentKey(keys *sealing.KeyTree, environment, reference string) (erased int, key sealing.Secret) {
	for ; ; erased++ {
		if key, ok := keys.Key(sealing.PersonName(environment, reference, erased)); ok {
			return erased, key
		}
	}
}

// key returns the key of an object that is not a person, from a tree. It returns a key that opens
// nothing if the key was erased or there is no such tree.
func (t *Tree) key(number int64, name string) sealing.Secret {
	keys := t.trees[number]
	if keys == nil {
		return sealing.Secret{}
	}
	key, _ := keys.Key(name)
	return key
}
