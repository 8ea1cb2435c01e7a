package journal

import (
	"context"
	"errors"
	"fmt"
	"io"
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
	older  *cache.Cache[olderKey, *sealing.KeyTree]
	// maxTree is the size in bytes at which a tree is split. The newest tree then gets no new names, and
	// a new tree begins.
	maxTree int
}

// Tree holds the keys of a tenant. The newest key tree derives the keys of everything that is
// stored from now on; documents that were sealed earlier name their tree. Keys from earlier trees
// are only known if Keys has looked them up (Keys.with). A Tree never changes, so it may be used
// concurrently.
type Tree struct {
	tenant string
	keys   *sealing.KeyTree // the newest tree
	newest int64            // its number
	seals  bool             // documents are encrypted
	states map[string]store.KeyState
	found  map[keyName]sealing.Secret // keys from earlier trees
}

// keyName names a key in an earlier tree.
type keyName struct {
	tree int64
	name string
}

// NewTree returns a single key tree with its number. Documents are encrypted if seals is true.
func NewTree(keys *sealing.KeyTree, number int64, seals bool) *Tree {
	return &Tree{keys: keys, newest: number, seals: seals}
}

// Changes returns KeyState.Changes of the keys in an environment. A caller that stores a document sealed with these
// keys passes the number to the store, which refuses the document if the keys have changed since.
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

// The limits of the caches. cachedTrees limits the number of tenants, and cachedOlder the number of
// earlier trees and their parts. newestBytes and olderBytes limit their sizes in bytes. A tenant from
// whose newest tree nobody was removed needs treeOverhead bytes.
const (
	cachedTrees  = 10_000
	cachedOlder  = 10_000
	newestBytes  = 64 << 20
	olderBytes   = 32 << 20
	treeOverhead = 1 << 10
)

// NewKeys returns the keys of a database. Trees are stored encrypted with the master key of epoch, or unencrypted
// if epoch is nil. If the master key is replaced, the new one is read from source; if source is nil, the key is
// never replaced. New trees are generated from random.
func NewKeys(
	db *store.DB, epoch *sealing.Epoch, source KeySource, random io.Reader, now func() time.Time,
) *Keys {
	k := &Keys{db: db, random: random, maxTree: defaultMaxTree}
	if epoch != nil {
		k.master = newMasterKeys(db, epoch, source)
	}
	k.trees = cache.New(cachedTrees, 0, now, k.load)
	k.trees.Bound(newestBytes, func(t *Tree) int { return treeOverhead + t.keys.Size() })
	k.older = cache.New(cachedOlder, 0, now, k.loadOlder)
	k.older.Bound(olderBytes, func(t *sealing.KeyTree) int { return treeOverhead + t.Size() })
	return k
}

// Tree returns the newest key tree of a tenant. A tenant without a tree gets one. The tree may be older
// than an erasure on another node. The store then refuses documents that were sealed with this tree,
// with the error store.ErrKeysChanged, and the caller must call Reload.
func (k *Keys) Tree(ctx context.Context, tenantID string) (*Tree, error) {
	return k.trees.Get(ctx, treeKey{tenantID, k.db.Timeline()})
}

// Reload reads the newest key tree of a tenant again.
func (k *Keys) Reload(ctx context.Context, tenantID string) (*Tree, error) {
	k.trees.Forget(treeKey{tenantID, k.db.Timeline()})
	return k.Tree(ctx, tenantID)
}

// Memory returns the size of the cached trees in bytes, and its limit.
func (k *Keys) Memory() (bytes, limit int) {
	_, newest, newestLimit := k.trees.Usage()
	_, older, olderLimit := k.older.Usage()
	return newest + older, newestLimit + olderLimit
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
	protected, err := k.db.Secrets().MasterKey(ctx)
	if err == nil && protected != nil {
		err = ErrNoMasterKey
	}
	return err
}

func (k *Keys) load(ctx context.Context, key treeKey) (*Tree, error) {
	if err := k.permitted(ctx); err != nil {
		return nil, err
	}
	fresh, err := newTree(k.random)
	if err != nil {
		return nil, err
	}
	var t *Tree
	err = k.master.wrapping(ctx, func() error {
		stored, err := k.db.Secrets().TenantKeys(ctx, key.tenant, k.master.wrap(treeName(key.tenant, firstTree), fresh))
		if err != nil {
			return err
		}
		t = &Tree{tenant: key.tenant, newest: stored.Newest.Number, seals: k.Seals(), states: stored.States}
		t.keys, err = k.master.parse(ctx, stored.Newest)
		return err
	})
	return t, err
}

// newTree returns the encoding of a new key tree.
func newTree(random io.Reader) ([]byte, error) {
	var names, root sealing.Secret
	for _, secret := range []*sealing.Secret{&names, &root} {
		if _, err := io.ReadFull(random, secret[:]); err != nil {
			return nil, fmt.Errorf("generate a key tree: %w", err)
		}
	}
	return sealing.NewKeyTree(names, root).AppendBinary(nil)
}

// firstTree is the number of a tenant's first tree.
const firstTree = 1

// parse decodes a stored tree, encrypted or not.
func (m *masterKeys) parse(ctx context.Context, t store.StoredTree) (*sealing.KeyTree, error) {
	encoded, err := m.unwrap(ctx, treeName(t.Tenant, t.Number), t.Tree)
	var tree *sealing.KeyTree
	if err == nil {
		tree, err = sealing.ParseKeyTree(encoded)
	}
	if err != nil {
		return nil, fmt.Errorf("the key tree of tenant %s: %w", t.Tenant, err)
	}
	return tree, nil
}

const secretName = "installation secret"

// Secret returns the installation's secret, which is the key of keyed hashes. The first call, on any node, stores
// the argument "fresh" as the secret. It is stored encrypted if there is a master key.
func (k *Keys) Secret(ctx context.Context, fresh []byte) ([]byte, error) {
	if err := k.permitted(ctx); err != nil {
		return nil, err
	}
	var secret []byte
	err := k.master.wrapping(ctx, func() error {
		stored, err := k.db.Secrets().Secret(ctx, k.master.wrap(secretName, fresh))
		if err != nil {
			return err
		}
		secret, err = k.master.unwrap(ctx, secretName, stored)
		return err
	})
	return secret, err
}

func treeName(tenantID string, number int64) string {
	return "key tree " + tenantID + " " + strconv.FormatInt(number, 10)
}

// Protect encrypts the trees and the installation's secret if they were stored before the
// database had a master key, and returns their number. It does nothing without a master key.
func (k *Keys) Protect(ctx context.Context) (protected int64, err error) {
	if k.master == nil {
		return 0, nil
	}
	secrets := k.db.Secrets()
	replaced, err := secrets.ReplaceSecret(ctx, func(stored []byte) ([]byte, error) {
		if sealing.Wrapped(stored) {
			return nil, nil
		}
		return k.master.wrap(secretName, stored), nil
	})
	if err != nil {
		return 0, err
	}
	if replaced {
		protected++
	}
	for after := (store.TreeSize{}); ; {
		found, err := secrets.KeyTreesToWrap(ctx, nil, after, rewrapTrees)
		if err != nil || len(found) == 0 {
			return protected, err
		}
		trees := batch(found)
		after = found[len(trees)-1]
		n, err := secrets.ReplaceKeyTrees(ctx, trees, func(t store.StoredTree) ([]byte, error) {
			if sealing.Wrapped(t.Tree) {
				return nil, nil // another node was faster
			}
			return k.master.wrap(treeName(t.Tenant, t.Number), t.Tree), nil
		})
		protected += n
		if err != nil {
			return protected, err
		}
	}
}
