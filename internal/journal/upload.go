package journal

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"verdict/internal/sealing"
	"verdict/internal/store"
)

// Upload holds the key of an upload, which encrypts the rows of a backtest or a batch. The key is a key tree that
// is used for nothing else, so deleting its row destroys the key completely. If the key were derived from the
// tenant's tree, that tree would grow with every upload whose key is destroyed.
type Upload struct {
	*Tree
	keys    *Keys
	encoded []byte // the key tree; nil if documents are not encrypted
}

// NewUpload generates the key of an upload. Store stores it.
func (k *Keys) NewUpload(ctx context.Context, tenantID string) (*Upload, error) {
	tree, err := k.Tree(ctx, tenantID)
	if err != nil || !k.Seals() {
		return &Upload{Tree: tree, keys: k}, err
	}
	var number [8]byte
	if _, err := io.ReadFull(k.random, number[:]); err != nil {
		return nil, fmt.Errorf("generate the key of an upload: %w", err)
	}
	encoded, err := newTree(k.random)
	if err != nil {
		return nil, err
	}
	keys, err := sealing.ParseKeyTree(encoded)
	if err != nil {
		return nil, err
	}
	// The number is between twice store.LastUploadKey, which is negative, and store.LastUploadKey.
	low := int64(binary.LittleEndian.Uint64(number[:]) >> 3) //nolint:gosec // 61 bits
	own := &Tree{tenant: tenantID, keys: keys, newest: store.LastUploadKey - low, seals: true}
	return &Upload{Tree: own, keys: k, encoded: encoded}, nil
}

// Number returns the number that the job of the upload must store as its UploadKey. It is 0 if there is no upload.
func (u *Upload) Number() int64 {
	switch {
	case u == nil:
		return 0
	case u.encoded == nil:
		return store.UploadsReadable
	}
	return u.newest
}

// Store calls write with the encrypted key. write must pass it to store.KeyTrees.AddUpload in the transaction that
// stores the job. If the master key is replaced meanwhile, Store calls write again. A nil Upload has no key.
func (u *Upload) Store(ctx context.Context, write func(key store.StoredTree) error) error {
	if u == nil || u.encoded == nil {
		return write(store.StoredTree{})
	}
	return u.keys.master.wrapping(ctx, func() error {
		return write(store.StoredTree{
			Tenant: u.tenant,
			Number: u.newest,
			Tree:   u.keys.master.wrap(treeName(u.tenant, u.newest), u.encoded),
		})
	})
}

// ErrUploadDestroyed is the error for the rows of an upload whose key was destroyed.
var ErrUploadDestroyed = errors.New("the key of the uploaded rows was destroyed")

// uploadKey returns the tree with the key of an upload, or ErrUploadDestroyed if the tree is no longer stored. The tree
// is not cached, so that no node has the key after it was destroyed.
func (k *Keys) uploadKey(ctx context.Context, tenantID string, number int64) (t *Tree, err error) {
	if err := k.permitted(ctx); err != nil {
		return nil, err
	}
	err = k.master.wrapping(ctx, func() error {
		stored, found, err := k.db.Secrets().KeyTree(ctx, tenantID, number)
		if err == nil && !found {
			err = ErrUploadDestroyed
		}
		if err != nil {
			return err
		}
		keys, err := k.master.parse(ctx, stored)
		t = &Tree{tenant: tenantID, keys: keys, newest: number, seals: true}
		return err
	})
	return t, err
}
