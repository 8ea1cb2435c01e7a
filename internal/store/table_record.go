package store

import (
	"crypto/sha256"
	"strconv"

	"verdict/internal/evidence"
	"verdict/internal/wire"
)

// The types of the journal events about lookup tables.
const (
	eventTableCreated = "table.created"
	eventTableChanged = "table.changed"
	EventTableDeleted = "table.deleted"
)

// LoggedTable is a table with the number of the journal entry of its last change.
type LoggedTable struct {
	Table
	Leaf int64
	Salt []byte // the salt of the hash over all columns of the table and its document
}

func (t *LoggedTable) fields() []any { return append(t.Table.fields(), &t.Leaf, &t.Salt) }

// Commitment returns the salted hash of the row and of its document, which is part of the journal entry of its last
// change.
func (t *LoggedTable) Commitment(document []byte) [32]byte {
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	rows := sha256.Sum256(document)
	return evidence.Commit(t.Salt, t.ID, t.Name, number(t.Version), number(t.Rows), number(t.Bytes), t.Definition,
		number(t.CreatedMicros), t.CreatedBy, number(t.UpdatedMicros), t.UpdatedBy, string(rows[:]))
}

// record returns the journal entry of a change or the deletion of the table.
func (t *Table) record(event, actor string, micros int64) evidence.Record {
	return evidence.Record{
		Kind:   evidence.Table,
		ID:     t.ID,
		Micros: wholeMillis(micros),
		Type:   event,
		Data: eventData(func(w *wire.Writer) {
			w.Optional("actor", actor)
			w.Key("rows").Int(t.Rows)
			w.Optional("table", t.Name)
			w.Optional("table_id", t.ID)
			w.Key("version").Int(t.Version)
		}),
	}
}

// AllLogged returns the tables of the scope with their journal entries. A scope has at most a hundred tables.
func (t TableReader) AllLogged() ([]LoggedTable, error) {
	return read(t.access, func(tx *Tx) ([]LoggedTable, error) {
		return eachRow(tx, (*LoggedTable).fields, "SELECT "+tableColumns+`, leaf, salt FROM lookup_tables
			WHERE tenant_id = $1 AND environment = $2 ORDER BY id`)
	})
}
