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
	return t.sealPart(sealing.ListName(environment, listID), partObject(listID, chunk), values)
}

// OpenList returns the values in a chunk of a list. The error wraps Unreadable if they cannot be decrypted.
func (k *Keys) OpenList(ctx context.Context, scope Scope, listID string, chunk int64, stored []byte) ([]byte, error) {
	values, err := k.openPart(ctx, scope, sealing.ListName(scope.Environment, listID), partObject(listID, chunk), stored)
	if err != nil {
		return nil, fmt.Errorf("the values of list %s: %w", listID, err)
	}
	return values, nil
}

// SealTable returns the ciphertext of the rows of a table that was replaced at a time, as SealList does.
func (t *Tree) SealTable(environment, tableID string, micros int64, rows []byte) []byte {
	return t.sealPart(sealing.TableName(environment, tableID), partObject(tableID, micros), rows)
}

// OpenTable returns the rows that SealTable has encrypted. The error wraps Unreadable if they cannot be decrypted.
func (k *Keys) OpenTable(
	ctx context.Context, scope Scope, tableID string, micros int64, stored []byte,
) ([]byte, error) {
	rows, err := k.openPart(ctx, scope, sealing.TableName(scope.Environment, tableID), partObject(tableID, micros),
		stored)
	if err != nil {
		return nil, fmt.Errorf("the rows of table %s: %w", tableID, err)
	}
	return rows, nil
}

// sealPart encrypts a part of a list or table with the key that has a name in the tenant's key tree.
func (t *Tree) sealPart(name, object string, plain []byte) []byte {
	if !t.seals {
		return plain
	}
	key := t.secret(t.newest, holder{object: name})
	return t.sealAlone(&key, object, sealing.Request, plain)
}

// openPart decrypts what sealPart has encrypted.
func (k *Keys) openPart(ctx context.Context, scope Scope, name, object string, stored []byte) ([]byte, error) {
	if !sealing.Sealed(stored) {
		return stored, nil
	}
	tree, err := k.Tree(ctx, scope.Tenant)
	if err != nil {
		return nil, err
	}
	of := holder{object: name}
	if tree, err = k.with(ctx, tree, tree.number(stored), of); err != nil {
		return nil, err
	}
	return openAlone(sealing.NewSealer(tree.secret(tree.number(stored), of), object), sealing.Request, stored)
}

// partObject names a chunk of a list or a version of a table, so that its ciphertext cannot take the place of
// another's.
func partObject(id string, number int64) string { return id + " " + strconv.FormatInt(number, 10) }
