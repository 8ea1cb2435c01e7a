package store

import (
	"context"

	"verdict/internal/fault"
)

// List is one version of a list of values (ADR 25).
type List struct {
	Name          string
	ID            string // identifies the chunks; a list that is deleted and created again has another id
	Type          string
	Version       int64 // assigned by Put
	Entries       int64
	Bytes         int64  // the size of all values
	Directory     []byte // names the chunks, encoded by the caller
	CreatedMicros int64
	CreatedBy     string
	UpdatedMicros int64
	UpdatedBy     string
}

const listColumns = `name, id, type, version, entries, bytes, directory, created_micros, created_by, updated_micros,
	updated_by`

func (l *List) fields() []any {
	return []any{&l.Name, &l.ID, &l.Type, &l.Version, &l.Entries, &l.Bytes, &l.Directory, &l.CreatedMicros,
		&l.CreatedBy, &l.UpdatedMicros, &l.UpdatedBy}
}

// ListCaps limits the lists of a scope: their number, and the entries and bytes of all of them together.
type ListCaps struct{ Lists, Entries, Bytes int64 }

// ListReader reads lists and their chunks.
type ListReader struct{ access }

// Lists reads like ListReader, and changes lists.
type Lists struct{ ListReader }

// Lists returns the ListReader of the scope.
func (s *Scope) Lists(ctx context.Context) ListReader { return ListReader{s.access(ctx)} }

// Lists returns the Lists of the transaction.
func (tx *Tx) Lists() Lists { return Lists{ListReader{tx.access()}} }

// Get returns the latest version of a list, NotFound if there is no list of this name.
func (l ListReader) Get(name string) (List, error) {
	return read(l.access, func(tx *Tx) (List, error) { return selectList(tx, name, "") })
}

// Lock returns a list like Get, and locks it until the transaction ends.
func (l Lists) Lock(name string) (List, error) {
	return selectList(l.tx, name, l.tx.transaction.db.dialect.forUpdate)
}

// selectList reads a list. clause is appended to the SELECT, for example to lock the row.
func selectList(tx *Tx, name, clause string) (found List, err error) {
	err = tx.one(found.fields(), "SELECT "+listColumns+
		" FROM lists WHERE tenant_id = $1 AND environment = $2 AND name = $3"+clause, name)
	return found, orNotFound("list", err)
}

// All returns the lists of the scope, ordered by name, without their directories.
func (l ListReader) All() ([]List, error) {
	return read(l.access, func(tx *Tx) (lists []List, err error) {
		err = tx.each(func(scan func(...any) error) error {
			var found List
			err := scan(&found.Name, &found.ID, &found.Type, &found.Version, &found.Entries, &found.Bytes,
				&found.CreatedMicros, &found.CreatedBy, &found.UpdatedMicros, &found.UpdatedBy)
			lists = append(lists, found)
			return err
		}, `SELECT name, id, type, version, entries, bytes, created_micros, created_by, updated_micros, updated_by
			FROM lists WHERE tenant_id = $1 AND environment = $2 ORDER BY name`)
		return lists, err
	})
}

// Put stores a version of a list and its entry in the journal. It returns the version with its number, which is one
// more than the last number. The first version creates the list; its number is above the versions of all deleted
// lists.
//
// Put returns Precondition precondition_failed if the last version is not the expected one, where 0 means that there
// is no list of this name yet. It returns Conflict cap_reached if the scope would have more than the caps allow.
func (l Lists) Put(list List, expectedVersion int64, caps ListCaps) (List, error) {
	// The transaction has locked the scope, so nobody else changes its lists.
	before, err := l.Lock(list.Name)
	if err != nil && !isRefusal(err) {
		return List{}, err
	}
	if before.Version != expectedVersion || expectedVersion > 0 && before.ID != list.ID {
		return List{}, fault.New(fault.Precondition, fault.CodePreconditionFailed,
			"the list was changed in the meantime; read it again")
	}
	if err := l.checkCaps(list, caps); err != nil {
		return List{}, err
	}
	event, last := eventListChanged, before.Version
	if before.Version == 0 {
		event = eventListCreated
		if last, err = l.highestDeleted(); err != nil {
			return List{}, err
		}
	}
	list.Version = last + 1
	logged := LoggedList{List: list, Salt: newSalt()}
	leaf, err := l.tx.record(logged.change(event))
	if err != nil {
		return List{}, err
	}
	_, err = l.tx.exec(`INSERT INTO lists (tenant_id, environment, `+listColumns+`, leaf, salt)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
		ON CONFLICT (tenant_id, environment, name) DO UPDATE SET version = excluded.version,
			entries = excluded.entries, bytes = excluded.bytes, directory = excluded.directory,
			updated_micros = excluded.updated_micros, updated_by = excluded.updated_by,
			leaf = excluded.leaf, salt = excluded.salt`,
		list.Name, list.ID, list.Type, list.Version, list.Entries, list.Bytes, notNil(list.Directory),
		list.CreatedMicros, list.CreatedBy, list.UpdatedMicros, list.UpdatedBy, leaf, logged.Salt)
	return list, err
}

// highestDeleted returns the highest version that a deleted list had, 0 if no list was deleted.
func (l Lists) highestDeleted() (version int64, err error) {
	err = l.tx.one([]any{&version}, `SELECT coalesce(max(highest), 0) FROM deleted_lists
		WHERE tenant_id = $1 AND environment = $2`)
	return version, err
}

// checkCaps refuses a list that would exceed the caps of the scope.
func (l Lists) checkCaps(list List, caps ListCaps) error {
	var others, entries, bytes int64
	err := l.tx.one([]any{&others, &entries, &bytes},
		`SELECT count(*), coalesce(sum(entries), 0), coalesce(sum(bytes), 0)
		FROM lists WHERE tenant_id = $1 AND environment = $2 AND name <> $3`, list.Name)
	switch {
	case err != nil:
		return err
	case others+1 > caps.Lists:
		return fault.New(fault.Conflict, fault.CodeCapReached,
			"at most %d lists are allowed in an environment; delete one with DELETE /v1/lists/{name}", caps.Lists)
	case entries+list.Entries > caps.Entries:
		return fault.New(fault.Conflict, fault.CodeCapReached,
			"the lists of an environment may have at most %d entries together; the other lists have %d",
			caps.Entries, entries)
	case bytes+list.Bytes > caps.Bytes:
		return fault.New(fault.Conflict, fault.CodeCapReached,
			"the values of an environment's lists may have at most %d bytes together; those of the other lists have %d",
			caps.Bytes, bytes)
	}
	return nil
}

// Delete deletes a list, and adds an entry to the journal. Its chunks stay until they are purged. Delete returns
// NotFound if there is no list of this name, and Conflict list_in_use if Users returns a rule set for the list.
func (l Lists) Delete(name, actor string, nowMicros int64) (List, error) {
	// An activation locks the lists of its rule set. So a concurrent activation either was committed before this lock,
	// or will find the list deleted.
	list, err := l.Lock(name)
	if err != nil {
		return List{}, err
	}
	users, err := l.Users(name)
	if err != nil {
		return List{}, err
	}
	if len(users) > 0 {
		return List{}, fault.New(fault.Conflict, fault.CodeListInUse,
			"rule set %s, which is %s, names this list; activate a rule set without it first", users[0].ID,
			users[0].Role())
	}
	if _, err := l.tx.exec(
		"DELETE FROM lists WHERE tenant_id = $1 AND environment = $2 AND name = $3", name,
	); err != nil {
		return List{}, err
	}
	if _, err := l.tx.exec(`INSERT INTO deleted_lists (tenant_id, environment, highest) VALUES ($1, $2, $3)
		ON CONFLICT (tenant_id, environment) DO UPDATE SET highest = excluded.highest
		WHERE excluded.highest > deleted_lists.highest`, list.Version); err != nil {
		return List{}, err
	}
	_, err = l.tx.record(list.deletion(actor, nowMicros))
	return list, err
}

// ListUser is a rule set that names a list or a table.
type ListUser struct {
	ID, PolicyKey, Name, Status string
	Version                     int64
}

// Role returns the reason for which the lists and tables of the rule set cannot be deleted.
func (u ListUser) Role() string {
	if u.Status == StatusActive {
		return "active"
	}
	return "the one that a rollback would activate"
}

// Users returns the rule sets that name a list and can decide without further checks: those that are active, and
// those that were active immediately before them, which a rollback would activate.
func (l ListReader) Users(name string) ([]ListUser, error) {
	return read(l.access, func(tx *Tx) ([]ListUser, error) { return ruleSetsNaming(tx, listsOfRuleSets, name) })
}

// Each constant is a FROM clause with the condition on the name. rule_set_lists records which lists each rule set
// names, and rule_set_tables records which tables.
const (
	listsOfRuleSets  = "FROM rule_set_lists u, rule_sets r WHERE u.list = $3"
	tablesOfRuleSets = "FROM rule_set_tables u, rule_sets r WHERE u.table_name = $3"
)

// ruleSetsNaming returns the rule sets that ListReader.Users describes. Parameter "from" is listsOfRuleSets or
// tablesOfRuleSets.
func ruleSetsNaming(tx *Tx, from, name string) (users []ListUser, err error) {
	err = tx.each(func(scan func(...any) error) error {
		var u ListUser
		err := scan(&u.ID, &u.PolicyKey, &u.Name, &u.Status, &u.Version)
		users = append(users, u)
		return err
	}, `SELECT r.id, r.policy_key, r.name, r.status, r.version `+from+`
		AND u.tenant_id = $1 AND u.environment = $2
		AND r.tenant_id = u.tenant_id AND r.environment = u.environment AND r.id = u.rule_set_id
		AND (r.status = 'active'
			OR r.status = 'retired' AND EXISTS (SELECT 1 FROM rule_sets a WHERE a.tenant_id = $1
				AND a.environment = $2 AND a.policy_key = r.policy_key AND a.status = 'active'
				AND a.activated_micros = r.retired_micros))
		ORDER BY r.status, r.policy_key, r.id`, name)
	return users, err
}

// Use records the lists that a new rule set names.
func (l Lists) Use(ruleSetID string, names []string) error {
	for _, name := range names {
		if _, err := l.tx.exec(`INSERT INTO rule_set_lists (tenant_id, environment, list, rule_set_id)
			VALUES ($1, $2, $3, $4)`, name, ruleSetID); err != nil {
			return err
		}
	}
	return nil
}
