package journal

import (
	"context"
	"fmt"
	"strconv"

	"verdict/internal/sealing"
	"verdict/internal/store"
)

// SealList returns the ciphertext of the values in a chunk of a list, or the values themselves if documents are not
// encrypted. The key is derived from the tenant's key tree, so a new master key changes nothing in the row.
func (t *Tree) SealList(environment, listID string, chunk int64, values []byte) []byte {
	return t.sealChunk(sealing.ListName(environment, listID), chunkObject(listID, chunk), values)
}

// OpenList returns the values in a chunk of a list. The error wraps Unreadable if they cannot be decrypted.
func (k *Keys) OpenList(ctx context.Context, scope Scope, listID string, chunk int64, stored []byte) ([]byte, error) {
	name := sealing.ListName(scope.Environment, listID)
	values, err := k.openChunk(ctx, scope.Tenant, name, chunkObject(listID, chunk), stored)
	if err != nil {
		return nil, fmt.Errorf("the values of list %s: %w", listID, err)
	}
	return values, nil
}

// SealBatch returns the ciphertext of the rows in a chunk of a batch, or the rows themselves if documents are not
// encrypted.
func (u *Upload) SealBatch(environment, batchID string, chunk int64, rows []byte) []byte {
	return u.sealChunk(sealing.BatchName(environment, batchID), chunkObject(batchID, chunk), rows)
}

// OpenBatch returns the rows in a chunk of a batch. The error wraps ErrUploadDestroyed if their key was destroyed, and
// Unreadable if they cannot be decrypted.
func (k *Keys) OpenBatch(ctx context.Context, scope Scope, batchID string, chunk int64, stored []byte) ([]byte, error) {
	name := sealing.BatchName(scope.Environment, batchID)
	rows, err := k.openChunk(ctx, scope.Tenant, name, chunkObject(batchID, chunk), stored)
	if err != nil {
		return nil, fmt.Errorf("the rows of batch %s: %w", batchID, err)
	}
	return rows, nil
}

// SealBacktest returns the ciphertext of the uploaded rows in a chunk of a backtest, like SealBatch.
func (u *Upload) SealBacktest(environment, backtestID string, chunk int64, rows []byte) []byte {
	return u.sealChunk(sealing.BacktestName(environment, backtestID), chunkObject(backtestID, chunk), rows)
}

// OpenBacktest returns the rows in a chunk of a backtest. The error wraps ErrUploadDestroyed if their key was
// destroyed, and Unreadable if they cannot be decrypted.
func (k *Keys) OpenBacktest(
	ctx context.Context, scope Scope, backtestID string, chunk int64, stored []byte,
) ([]byte, error) {
	name := sealing.BacktestName(scope.Environment, backtestID)
	rows, err := k.openChunk(ctx, scope.Tenant, name, chunkObject(backtestID, chunk), stored)
	if err != nil {
		return nil, fmt.Errorf("the rows of backtest %s: %w", backtestID, err)
	}
	return rows, nil
}

// SealTable returns the ciphertext of all rows of a table that were stored at the given time, like SealList.
func (t *Tree) SealTable(environment, tableID string, micros int64, rows []byte) []byte {
	return t.sealChunk(sealing.TableName(environment, tableID), chunkObject(tableID, micros), rows)
}

// OpenTable returns the rows that SealTable has encrypted. The error wraps Unreadable if they cannot be decrypted.
func (k *Keys) OpenTable(
	ctx context.Context, scope Scope, tableID string, micros int64, stored []byte,
) ([]byte, error) {
	name := sealing.TableName(scope.Environment, tableID)
	rows, err := k.openChunk(ctx, scope.Tenant, name, chunkObject(tableID, micros), stored)
	if err != nil {
		return nil, fmt.Errorf("the rows of table %s: %w", tableID, err)
	}
	return rows, nil
}

// sealChunk encrypts a chunk with the key that has the given name in the key tree.
func (t *Tree) sealChunk(name, chunk string, data []byte) []byte {
	if !t.seals {
		return data
	}
	key := t.secret(t.newest, holder{object: name})
	return t.sealAlone(&key, chunk, sealing.Request, data)
}

// openChunk decrypts what sealChunk has encrypted.
func (k *Keys) openChunk(ctx context.Context, tenantID, name, chunk string, stored []byte) ([]byte, error) {
	if !sealing.Sealed(stored) {
		return stored, nil
	}
	number, _ := sealing.TreeOf(stored)
	of := holder{object: name}
	var tree *Tree
	var err error
	if number <= store.LastUploadKey {
		tree, err = k.uploadKey(ctx, tenantID, number)
	} else if tree, err = k.Tree(ctx, tenantID); err == nil {
		tree, err = k.with(ctx, tree, number, of)
	}
	if err != nil {
		return nil, err
	}
	return openAlone(sealing.NewSealer(tree.secret(number, of), chunk), sealing.Request, stored)
}

// chunkObject names a chunk of a list, a table, a batch or a backtest, so that its ciphertext cannot replace that of
// another chunk.
func chunkObject(id string, chunk int64) string { return id + " " + strconv.FormatInt(chunk, 10) }
