package journal

import (
	"context"
	"fmt"
	"io"
	"time"

	"verdict/internal/cache"
	"verdict/internal/sealing"
	"verdict/internal/store"
)

// Keys holds the key trees of tenants. It is safe for concurrent use.
type Keys struct {
	db     *store.DB
	random io.Reader
	trees  *cache.Cache[treeKey, *sealing.KeyTree]
}

// treeKey names a cached tree. After a standby was promoted, trees are read again: the
// standby may lack a tree that was stored shortly before.
type treeKey struct {
	tenant   string
	timeline uint64
}

// cachedTrees is the number of tenants whose key tree is cached.
const cachedTrees = 10_000

// NewKeys returns the keys of a database. New trees are generated from random.
func NewKeys(db *store.DB, random io.Reader, now func() time.Time) *Keys {
	k := &Keys{db: db, random: random}
	k.trees = cache.New(cachedTrees, 0, now, k.load)
	return k
}

// Tree returns the key tree of a tenant. A tenant without a tree gets one.
func (k *Keys) Tree(ctx context.Context, tenantID string) (*sealing.KeyTree, error) {
	return k.trees.Get(ctx, treeKey{tenantID, k.db.Timeline()})
}

func (k *Keys) load(ctx context.Context, key treeKey) (*sealing.KeyTree, error) {
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
	stored, err := k.db.System().KeyTree(ctx, key.tenant, fresh)
	if err != nil {
		return nil, err
	}
	tree, err := sealing.ParseKeyTree(stored)
	if err != nil {
		return nil, fmt.Errorf("the key tree of tenant %s: %w", key.tenant, err)
	}
	return tree, nil
}

// keyOf returns the data key of a decision: that of its applicant, or a key of its own
// if the applicant is not named. A reference that was erased before has a new key.
func keyOf(tree *sealing.KeyTree, environment string, d *store.Decision) sealing.Secret {
	if d.ApplicantRef == "" {
		key, _ := tree.Key(sealing.DecisionName(environment, d.ID)) // such a key is never forgotten before its row
		return key
	}
	for erased := 0; ; erased++ {
		if key, ok := tree.Key(sealing.PersonName(environment, d.ApplicantRef, erased)); ok {
			return key
		}
	}
}
