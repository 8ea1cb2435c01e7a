package store

import (
	"context"

	"verdict/internal/fault"
)

// Table is one version of a lookup table, without its rows (ADR 28).
type Table struct {
	Name          string
	ID            string // a table that is deleted and created again has another id
	Version       int64  // assigned by Put
	Rows          int64
	Bytes         int64  // the size of the rows
	Definition    string // encoded by the caller
	CreatedMicros int64
	CreatedBy     string
	UpdatedMicros int64
	UpdatedBy     string
}

const tableColumns = `name, id, version, rows_count, bytes, definition, created_micros, created_by, updated_micros,
	updated_by`

func (t *Table) fields() []any {
	return []any{&t.Name, &t.ID, &t.Version, &t.Rows, &t.Bytes, &t.Definition, &t.CreatedMicros, &t.CreatedBy,
		&t.UpdatedMicros, &t.UpdatedBy}
}

// TableCaps limits the lookup tables of a scope: their number, and the rows and bytes of all of them together.
type TableCaps struct{ Tables, Rows, Bytes int64 }

// TableReader reads lookup tables.
type TableReader struct{ access }

// Tables reads like TableReader, and changes lookup tables.
type Tables struct{ TableReader }

// Tables returns the TableReader of the scope.
func (s *Scope) Tables(ctx context.Context) TableReader { return TableReader{s.access(ctx)} }

// Tables returns the Tables of the transaction.
func (tx *Tx) Tables() Tables { return Tables{TableReader{tx.access()}} }

// Get returns the latest version of a table, NotFound if there is no table of this name.
func (t TableReader) Get(name string) (Table, error) {
	return read(t.access, func(tx *Tx) (Table, error) { return selectTable(tx, name, "") })
}

// Lock returns a table like Get, and locks it until the transaction ends.
func (t Tables) Lock(name string) (Table, error) {
	return selectTable(t.tx, name, t.tx.transaction.db.dialect.forUpdate)
}

// selectTable reads a table. clause is appended to the SELECT, for example to lock the row.
func selectTable(tx *Tx, name, clause string) (found Table, err error) {
	err = tx.one(found.fields(), "SELECT "+tableColumns+
		" FROM lookup_tables WHERE tenant_id = $1 AND environment = $2 AND name = $3"+clause, name)
	return found, orNotFound("table", err)
}

// All returns the tables of the scope, ordered by name.
func (t TableReader) All() ([]Table, error) {
	return read(t.access, func(tx *Tx) (tables []Table, err error) {
		err = tx.each(func(scan func(...any) error) error {
			var found Table
			err := scan(found.fields()...)
			tables = append(tables, found)
			return err
		}, "SELECT "+tableColumns+" FROM lookup_tables WHERE tenant_id = $1 AND environment = $2 ORDER BY name")
		return tables, err
	})
}

// Document returns the rows of a version of a table, NotFound if the version was replaced or deleted.
func (t TableReader) Document(tableID string, version int64) ([]byte, error) {
	return read(t.access, func(tx *Tx) (document []byte, err error) {
		err = tx.one([]any{&document}, `SELECT document FROM lookup_table_documents
			WHERE tenant_id = $1 AND environment = $2 AND table_id = $3 AND version = $4`, tableID, version)
		return document, orNotFound("version of a table", err)
	})
}

// Put stores a version of a table and its entry in the journal. It returns the version with its number, which is one
// more than the last number. The first version creates the table; its number is above the versions of all deleted
// tables. document has the rows of the version. If there is a previous version, Put calls allow with it, and allow may
// refuse the new version.
//
// Put returns Precondition precondition_failed if the last version is not the expected one, where 0 means that there
// is no table of this name yet. It returns Conflict cap_reached if the scope would have more than the caps allow.
func (t Tables) Put(
	table Table, document []byte, expectedVersion int64, caps TableCaps, allow func(before Table) error,
) (Table, error) {
	// The transaction has locked the scope, so nobody else changes its tables.
	before, err := t.Lock(table.Name)
	if err != nil && !isRefusal(err) {
		return Table{}, err
	}
	if before.Version != expectedVersion || expectedVersion > 0 && before.ID != table.ID {
		return Table{}, fault.New(fault.Precondition, fault.CodePreconditionFailed,
			"the table was changed in the meantime; read it again")
	}
	if before.Version > 0 {
		if err := allow(before); err != nil {
			return Table{}, err
		}
	}
	if err := t.checkCaps(table, caps); err != nil {
		return Table{}, err
	}
	event, last := eventTableChanged, before.Version
	if last == 0 {
		event = eventTableCreated
		if last, err = t.highestDeleted(); err != nil {
			return Table{}, err
		}
	}
	table.Version = last + 1
	logged := LoggedTable{Table: table, Salt: newSalt()}
	record := table.record(event, table.UpdatedBy, table.UpdatedMicros)
	record.Commitment = logged.Commitment(document)
	leaf, err := t.tx.record(record)
	if err != nil {
		return Table{}, err
	}
	_, err = t.tx.exec(`INSERT INTO lookup_tables (tenant_id, environment, `+tableColumns+`, leaf, salt)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
		ON CONFLICT (tenant_id, environment, name) DO UPDATE SET version = excluded.version,
			rows_count = excluded.rows_count, bytes = excluded.bytes, definition = excluded.definition,
			updated_micros = excluded.updated_micros, updated_by = excluded.updated_by,
			leaf = excluded.leaf, salt = excluded.salt`,
		table.Name, table.ID, table.Version, table.Rows, table.Bytes, table.Definition,
		table.CreatedMicros, table.CreatedBy, table.UpdatedMicros, table.UpdatedBy, leaf, logged.Salt)
	if err == nil {
		err = t.deleteDocuments(table.ID)
	}
	if err == nil {
		_, err = t.tx.exec(`INSERT INTO lookup_table_documents (tenant_id, environment, table_id, version, document)
			VALUES ($1, $2, $3, $4, $5)`, table.ID, table.Version, notNil(document))
	}
	return table, err
}

// highestDeleted returns the highest version that a deleted table had, 0 if no table was deleted.
func (t Tables) highestDeleted() (version int64, err error) {
	err = t.tx.one([]any{&version}, `SELECT coalesce(max(highest), 0) FROM deleted_lookup_tables
		WHERE tenant_id = $1 AND environment = $2`)
	return version, err
}

// checkCaps refuses a table that would exceed the caps of the scope.
func (t Tables) checkCaps(table Table, caps TableCaps) error {
	var others, rows, bytes int64
	err := t.tx.one([]any{&others, &rows, &bytes}, `SELECT count(*), coalesce(sum(rows_count), 0),
		coalesce(sum(bytes), 0) FROM lookup_tables WHERE tenant_id = $1 AND environment = $2 AND name <> $3`,
		table.Name)
	switch {
	case err != nil:
		return err
	case others+1 > caps.Tables:
		return fault.New(fault.Conflict, fault.CodeCapReached,
			"at most %d tables are allowed in an environment; delete one with DELETE /v1/tables/{name}", caps.Tables)
	case rows+table.Rows > caps.Rows:
		return fault.New(fault.Conflict, fault.CodeCapReached,
			"the tables of an environment may have at most %d rows together; the other tables have %d", caps.Rows, rows)
	case bytes+table.Bytes > caps.Bytes:
		return fault.New(fault.Conflict, fault.CodeCapReached,
			"the tables of an environment may have at most %d bytes together; the other tables have %d", caps.Bytes,
			bytes)
	}
	return nil
}

// Delete deletes a table, and adds an entry to the journal. It returns NotFound if there is no table of this name, and
// Conflict table_in_use if Users returns a rule set for the table.
func (t Tables) Delete(name, actor string, nowMicros int64) (Table, error) {
	// An activation locks the tables of its rule set. So a concurrent activation either was committed before this
	// lock, or will find the table deleted.
	table, err := t.Lock(name)
	if err != nil {
		return Table{}, err
	}
	users, err := t.Users(name)
	if err != nil {
		return Table{}, err
	}
	if len(users) > 0 {
		return Table{}, fault.New(fault.Conflict, fault.CodeTableInUse,
			"rule set %s, which is %s, names this table; activate a rule set without it first", users[0].ID,
			users[0].Role())
	}
	if err := t.deleteDocuments(table.ID); err != nil {
		return Table{}, err
	}
	if _, err := t.tx.exec(
		"DELETE FROM lookup_tables WHERE tenant_id = $1 AND environment = $2 AND name = $3", name,
	); err != nil {
		return Table{}, err
	}
	if _, err := t.tx.exec(`INSERT INTO deleted_lookup_tables (tenant_id, environment, highest) VALUES ($1, $2, $3)
		ON CONFLICT (tenant_id, environment) DO UPDATE SET highest = excluded.highest
		WHERE excluded.highest > deleted_lookup_tables.highest`, table.Version); err != nil {
		return Table{}, err
	}
	_, err = t.tx.record(table.record(EventTableDeleted, actor, nowMicros))
	return table, err
}

func (t Tables) deleteDocuments(tableID string) error {
	_, err := t.tx.exec(`DELETE FROM lookup_table_documents
		WHERE tenant_id = $1 AND environment = $2 AND table_id = $3`, tableID)
	return err
}

// Users returns the rule sets that name a table and can decide without further checks; see ListReader.Users.
func (t TableReader) Users(name string) ([]ListUser, error) {
	return read(t.access, func(tx *Tx) ([]ListUser, error) { return ruleSetsNaming(tx, tablesOfRuleSets, name) })
}

// Use records the tables that a new rule set names.
func (t Tables) Use(ruleSetID string, names []string) error {
	for _, name := range names {
		if _, err := t.tx.exec(`INSERT INTO rule_set_tables (tenant_id, environment, table_name, rule_set_id)
			VALUES ($1, $2, $3, $4)`, name, ruleSetID); err != nil {
			return err
		}
	}
	return nil
}
