package journal

import (
	"context"
	"fmt"
	"strconv"

	"verdict/internal/sealing"
)

// SealList returns the ciphertext of the values in a chunk of a list, or the values themselves if documents are not
// encrypted. The key is derived from the tenant's key tree, so a new master key changes nothing in the row.
func (t *Tree) SealList(environment, listID string, chunk int64, values []byte) []byte {
	if !t.seals {
		return values
	}
	key := t.secret(t.newest, holder{object: sealing.ListName(environment, listID)})
	return t.sealAlone(&key, chunkObject(listID, chunk), sealing.Request, values)
}

// OpenList returns the values in a chunk of a list. The error wraps Unreadable if they cannot be decrypted.
func (k *Keys) OpenList(ctx context.Context, scope Scope, listID string, chunk int64, stored []byte) ([]byte, error) {
	if !sealing.Sealed(stored) {
		return stored, nil
	}
	tree, err := k.Tree(ctx, scope.Tenant)
	if err != nil {
		return nil, err
	}
	of := holder{object: sealing.ListName(scope.Environment, listID)}
	if tree, err = k.with(ctx, tree, tree.number(stored), of); err != nil {
		return nil, err
	}
	sealer := sealing.NewSealer(tree.secret(tree.number(stored), of), chunkObject(listID, chunk))
	values, err := openAlone(sealer, sealing.Request, stored)
	if err != nil {
		return nil, fmt.Errorf("the values of list %s: %w", listID, err)
	}
	return values, nil
}

// chunkObject names a chunk, so that its ciphertext cannot take the place of another chunk's.
func chunkObject(listID string, chunk int64) string {
	return listID + " " + strconv.FormatInt(chunk, 10)
}
