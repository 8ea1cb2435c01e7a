package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"slices"
	"sync"
)

// KeyState says what was done to the keys of a scope's people.
type KeyState struct {
	// Changes is raised whenever keys are removed from the tenant's key trees. A write of documents compares Changes
	// with the value that it had when the keys were read. Another node may have erased a person since then, and
	// nothing may be sealed with an erased key.
	Changes int64
	Erased  bool // somebody of the scope was erased
}

// TenantKeys holds the newest key tree of a tenant, and the state of each environment.
type TenantKeys struct {
	Newest StoredTree
	States map[string]KeyState
}

// ErrKeysChanged is the error of a write whose documents are sealed with keys from before an
// erasure. The caller must read the keys again and seal the documents with them.
var ErrKeysChanged = errors.New("keys were removed since the documents were sealed")

const selectKeyChanges = "SELECT key_changes FROM journal_heads WHERE tenant_id = $1 AND environment = $2"

// firstTree is the number of a tenant's first key tree.
const firstTree = 1

// TenantKeys returns the newest key tree of a tenant, which is the one with the highest number. The
// first call, on any node, stores fresh as the first tree; later calls ignore it.
func (sec *Secrets) TenantKeys(ctx context.Context, tenantID string, fresh []byte) (keys TenantKeys, err error) {
	// On SQLite, the numbers of changes are raised after the commit that changes the trees. They are read here before
	// the trees, so a tree may be newer than its number of changes, but not older.
	states := sec.db.keyChanges.of(tenantID)
	load := func(s *transaction) (err error) {
		keys, err = s.tenantKeys(tenantID, states)
		return err
	}
	if err = sec.read(ctx, load); err != nil || keys.Newest.Tree != nil {
		return keys, err
	}
	err = sec.write(ctx, "key tree", func(s *transaction) error {
		if _, err := s.exec("INSERT INTO key_trees (tenant_id, number, tree) VALUES ($1, $2, $3) "+
			"ON CONFLICT (tenant_id, number) DO NOTHING", tenantID, int64(firstTree), fresh); err != nil {
			return err
		}
		return load(s)
	})
	return keys, err
}

func (s *transaction) tenantKeys(tenantID string, inMemory map[string]int64) (TenantKeys, error) {
	keys := TenantKeys{States: map[string]KeyState{}}
	for _, environment := range environments {
		state := KeyState{Changes: inMemory[environment]}
		if s.db.dialect.hasHeads {
			err := s.one([]any{&state.Changes}, selectKeyChanges, tenantID, environment)
			if ignoreAbsent(err) != nil {
				return keys, err
			}
		}
		erased, err := s.firstColumn("SELECT id FROM erasures WHERE tenant_id = $1 AND environment = $2 LIMIT 1",
			tenantID, environment)
		if err != nil {
			return keys, err
		}
		state.Erased = len(erased) > 0
		keys.States[environment] = state
	}
	keys.Newest.Tenant = tenantID
	err := s.one([]any{&keys.Newest.Number, &keys.Newest.Tree},
		`SELECT number, tree FROM key_trees WHERE tenant_id = $1 AND number > 0
			ORDER BY number DESC LIMIT 1`, tenantID)
	return keys, ignoreAbsent(err)
}

// KeyTree returns a key tree of a tenant, or a part of one, by its number. found is false if there is
// none.
func (sec *Secrets) KeyTree(ctx context.Context, tenantID string, number int64) (t StoredTree, found bool, err error) {
	t = StoredTree{Tenant: tenantID, Number: number}
	err = sec.read(ctx, func(s *transaction) error {
		err := s.one([]any{&t.Tree}, "SELECT tree FROM key_trees WHERE tenant_id = $1 AND number = $2",
			tenantID, number)
		found = err == nil
		return ignoreAbsent(err)
	})
	return t, found, err
}

// KeyChanges returns the present value of the scope's KeyState.Changes.
func (s *Scope) KeyChanges(ctx context.Context) (changes int64, err error) {
	if !s.db.dialect.hasHeads {
		return s.db.keyChanges.get(s.rlsScope()), nil
	}
	err = s.Read(ctx, func(tx *Tx) error { return ignoreAbsent(tx.one([]any{&changes}, selectKeyChanges)) })
	return changes, err
}

// keyCounts counts the changes of the keys of each scope since the process started. Only SQLite
// uses it, because there all changes are made by one process. PostgreSQL counts in journal_heads.
type keyCounts struct {
	mu      sync.Mutex
	changes map[rlsScope]int64
}

func (k *keyCounts) get(scope rlsScope) int64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.changes[scope]
}

func (k *keyCounts) of(tenantID string) map[string]int64 {
	found := map[string]int64{}
	for _, environment := range environments {
		found[environment] = k.get(rlsScope{tenant: tenantID, environment: environment})
	}
	return found
}

func (k *keyCounts) add(scopes []rlsScope) {
	if len(scopes) == 0 {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.changes == nil {
		k.changes = map[rlsScope]int64{}
	}
	for _, scope := range scopes {
		k.changes[scope]++
	}
}

// keyChangesInMemory returns the number of changes of a scope's keys on SQLite, including the changes that this
// transaction has made: decisions are stored after the functions of the same transaction.
func (s *transaction) keyChangesInMemory(scope rlsScope) int64 {
	changes := s.db.keyChanges.get(scope)
	for _, changed := range s.rekeyed {
		if changed == scope {
			changes++
		}
	}
	return changes
}

// KeyTrees checks and changes the key trees of a scope's tenant. Secrets reads them.
type KeyTrees struct{ tx *Tx }

// KeyTrees returns the KeyTrees of the transaction.
func (tx *Tx) KeyTrees() KeyTrees { return KeyTrees{tx} }

// Check returns ErrKeysChanged if the scope's KeyState.Changes is not the given number. It locks the scope, so that
// the keys do not change until the transaction ends.
func (kt KeyTrees) Check(changes int64) error {
	tx := kt.tx
	if err := tx.Lock(); err != nil {
		return err
	}
	current := tx.transaction.keyChangesInMemory(tx.rls)
	if tx.transaction.db.dialect.hasHeads {
		if err := tx.one([]any{&current}, selectKeyChanges); err != nil {
			return err
		}
	}
	if current != changes {
		return ErrKeysChanged
	}
	return nil
}

// TreeChange replaces a key tree, or adds one.
type TreeChange struct {
	Number int64
	Was    []byte // the stored bytes that are replaced; nil for a new tree
	Tree   []byte
}

// Change changes the key trees of the tenant and raises Changes of the scope's KeyState. It returns ErrKeysChanged if
// a stored tree differs from Was. The caller must then undo the transaction.
func (kt KeyTrees) Change(changes []TreeChange) error {
	tx := kt.tx
	if err := tx.Lock(); err != nil {
		return err
	}
	for _, c := range changes {
		var stored []byte
		// A tenant's trees belong to both environments, so the statements do not use the environment.
		err := tx.transaction.setRLS(tx.rls)
		if err == nil {
			err = tx.transaction.one([]any{&stored}, "SELECT tree FROM key_trees WHERE tenant_id = $1 AND number = $2"+
				tx.transaction.db.dialect.forUpdate, tx.rls.tenant, c.Number)
		}
		switch {
		case errors.Is(err, sql.ErrNoRows) && c.Was == nil:
			_, err = tx.transaction.exec("INSERT INTO key_trees (tenant_id, number, tree) VALUES ($1, $2, $3)",
				tx.rls.tenant, c.Number, c.Tree)
		case errors.Is(err, sql.ErrNoRows), err == nil && (c.Was == nil || !bytes.Equal(stored, c.Was)):
			return ErrKeysChanged
		case err == nil:
			_, err = tx.transaction.exec("UPDATE key_trees SET tree = $3 WHERE tenant_id = $1 AND number = $2",
				tx.rls.tenant, c.Number, c.Tree)
		}
		if err != nil {
			return err
		}
	}
	if !tx.transaction.db.dialect.hasHeads {
		if !slices.Contains(tx.transaction.rekeyed, tx.rls) {
			tx.transaction.rekeyed = append(tx.transaction.rekeyed, tx.rls)
		}
		return nil
	}
	_, err := tx.exec(`UPDATE journal_heads SET key_changes = key_changes + 1
		WHERE tenant_id = $1 AND environment = $2`)
	return err
}
