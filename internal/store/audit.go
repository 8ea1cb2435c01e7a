package store

import (
	"context"
	"strings"
)

// AuditEntry is who did what to what, and when. Entries are only ever added.
// A method that takes one writes it in its own transaction, and writes nothing
// when the ID is empty.
//
// A decision is its own entry, and no other is stored for it. Its id with
// another prefix is the entry's.
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

// ActionDecided is the action of the entry that a decision is.
const ActionDecided = "decision.created"

// The prefixes of a decision's id and of an entry's.
const (
	decisionPrefix = "dec_"
	auditPrefix    = "aud_"
)

// ListAudit is a page of the scope's entries, and whether there are more: of
// what was written as an entry and of the decisions as many as the page may
// need of either, in one order.
func (tx *Tx) ListAudit(f AuditFilter, p Page) ([]AuditEntry, bool, error) {
	q := listOf(`SELECT * FROM (SELECT id, environment, created_micros, actor, action, object, before_checksum, after_checksum, note
		FROM audit_log WHERE tenant_id = $1 AND environment = $2`)
	q.is("actor", f.Actor)
	q.is("action", f.Action)
	q.is("object", f.Object)
	q.page(p)
	q.add(") AS written")
	if f.Action == "" || f.Action == ActionDecided {
		q.add(" UNION ALL ")
		q.decided(f, p)
	}
	q.add(p.order())
	q.limit(p)
	return list(tx, q, p, func(scan func(...any) error) (e AuditEntry, err error) {
		err = scan(&e.ID, &e.Environment, &e.CreatedMicros, &e.Actor, &e.Action, &e.Object,
			&e.BeforeChecksum, &e.AfterChecksum, &e.Note)
		return e, err
	})
}

// decided adds the decisions that a page of entries may need. Entries and
// decisions are in one order of ids, so that a page which ended with an entry
// goes on with the decisions after it.
func (q *query) decided(f AuditFilter, p Page) {
	q.add(`SELECT * FROM (SELECT '` + auditPrefix + `' || substr(id, 5), environment, created_micros, actor,
		'` + ActionDecided + `', id, '', '', '' FROM decisions WHERE tenant_id = $1 AND environment = $2 AND actor <> ''`)
	q.is("actor", f.Actor)
	q.is("id", f.Object)
	if p.AfterID != "" {
		p.AfterID = decisionPrefix + strings.TrimPrefix(p.AfterID, auditPrefix)
	}
	q.pageByID(p)
	q.add(") AS decided")
}

// ListAudit is Tx.ListAudit in a transaction of its own.
func (s *Scope) ListAudit(ctx context.Context, f AuditFilter, p Page) ([]AuditEntry, bool, error) {
	return inList(s.reading(ctx), func(tx *Tx) ([]AuditEntry, bool, error) { return tx.ListAudit(f, p) })
}

// reading is Read with its context given.
func (s *Scope) reading(ctx context.Context) func(func(*Tx) error) error {
	return func(fn func(*Tx) error) error { return s.Read(ctx, fn) }
}
