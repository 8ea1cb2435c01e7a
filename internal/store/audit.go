package store

import "context"

// AuditEntry is who did what to what, and when. Entries are only ever added.
// A method that takes one writes it in its own transaction, and writes nothing
// when the ID is empty.
type AuditEntry struct {
	ID             string
	Environment    string // set by a Scope; a System method reads it
	CreatedMicros  int64
	Actor          string
	Action         string
	Object         string
	BeforeChecksum string
	AfterChecksum  string
	Note           string
}

var auditTable = newBulkTable("audit_log",
	column{"id", text}, column{"created_micros", bigint}, column{"actor", text}, column{"action", text},
	column{"object", text}, column{"before_checksum", text}, column{"after_checksum", text}, column{"note", text})

func (tx *Tx) insertAudit(entries ...AuditEntry) error {
	rows := make([][]any, 0, len(entries))
	for _, e := range entries {
		if e.ID != "" {
			rows = append(rows, []any{e.ID, e.CreatedMicros, e.Actor, e.Action, e.Object, e.BeforeChecksum, e.AfterChecksum, e.Note})
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return tx.insertMany(auditTable, rows)
}

// AuditFilter narrows a list; empty fields do not.
type AuditFilter struct{ Actor, Action, Object string }

// Audit adds an entry.
func (tx *Tx) Audit(entry AuditEntry) error { return tx.insertAudit(entry) }

// ListAudit is a page of the scope's entries, and whether there are more.
func (tx *Tx) ListAudit(f AuditFilter, p Page) ([]AuditEntry, bool, error) {
	q := listOf(`SELECT id, environment, created_micros, actor, action, object, before_checksum, after_checksum, note
		FROM audit_log WHERE tenant_id = $1 AND environment = $2`)
	q.is("actor", f.Actor)
	q.is("action", f.Action)
	q.is("object", f.Object)
	return list(tx, q, p, func(scan func(...any) error) (e AuditEntry, err error) {
		err = scan(&e.ID, &e.Environment, &e.CreatedMicros, &e.Actor, &e.Action, &e.Object,
			&e.BeforeChecksum, &e.AfterChecksum, &e.Note)
		return e, err
	})
}

// ListAudit is Tx.ListAudit in a transaction of its own.
func (s *Scope) ListAudit(ctx context.Context, f AuditFilter, p Page) ([]AuditEntry, bool, error) {
	return inList(s.reading(ctx), func(tx *Tx) ([]AuditEntry, bool, error) { return tx.ListAudit(f, p) })
}

// reading is Read with its context given.
func (s *Scope) reading(ctx context.Context) func(func(*Tx) error) error {
	return func(fn func(*Tx) error) error { return s.Read(ctx, fn) }
}
