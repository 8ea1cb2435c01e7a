package store

import (
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

// AuditFilter narrows a list; empty fields do not.
type AuditFilter struct{ Actor, Action, Object string }

// Add adds entries, those without an ID left out.
func (au AuditLog) Add(entries ...AuditEntry) error {
	rows := make([][]any, 0, len(entries))
	for _, e := range entries {
		if e.ID != "" {
			rows = append(rows, []any{e.ID, e.CreatedMicros, e.Actor, e.Action, e.Object, e.BeforeChecksum, e.AfterChecksum, e.Note})
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return au.tx.insertMany(auditTable, rows)
}

// ActionDecided is the action of the entry that a decision is.
const ActionDecided = "decision.created"

// The prefixes of a decision's id and of an entry's.
const (
	decisionPrefix = "dec_"
	auditPrefix    = "aud_"
)

// personPrefix is that of people's ids. Whoever else acts is a program with a
// key, and has decided much.
const personPrefix = "usr_"

// List returns a page of the scope's entries, and where it ended: of what was
// written as an entry and of the decisions as many as the page may need of
// either, in one order. What a key did is looked for along the decisions, a
// stretch of them for each page, so that there may be another page after one
// that is not full, or that is empty.
func (au AuditReader) List(f AuditFilter, p Page) ([]AuditEntry, Place, error) {
	return readTwo(au.access, func(tx *Tx) ([]AuditEntry, Place, error) {
		p := p // a read may be repeated
		decides := f.Action == "" || f.Action == ActionDecided
		if decides && f.Object == "" && f.Actor != "" && !strings.HasPrefix(f.Actor, personPrefix) {
			end, err := tx.Decisions().stretch(p.ofDecisions(), "")
			if err != nil {
				return nil, Place{}, err
			}
			if end.ID != "" {
				p.end = Place{end.Micros, auditPrefix + strings.TrimPrefix(end.ID, decisionPrefix)}
			}
		}
		q := listOf(`SELECT * FROM (SELECT id, environment, created_micros, actor, action, object, before_checksum, after_checksum, note
		FROM audit_log WHERE tenant_id = $1 AND environment = $2`)
		q.is("actor", f.Actor)
		q.is("action", f.Action)
		q.is("object", f.Object)
		q.page(p)
		q.add(") AS written")
		if decides {
			q.add(" UNION ALL ")
			q.decided(f, p.ofDecisions())
		}
		q.add(p.order())
		q.limit(p)
		rows, more, err := list(tx, q, p, func(scan func(...any) error) (e AuditEntry, err error) {
			err = scan(&e.ID, &e.Environment, &e.CreatedMicros, &e.Actor, &e.Action, &e.Object,
				&e.BeforeChecksum, &e.AfterChecksum, &e.Note)
			return e, err
		})
		last := func() Place { return Place{rows[len(rows)-1].CreatedMicros, rows[len(rows)-1].ID} }
		return rows, next(more, last, p.end), err
	})
}

// ofDecisions is the same page of decisions. Entries and decisions are in one
// order of ids, so that a page which ended with an entry goes on with the
// decisions after it.
func (p Page) ofDecisions() Page {
	for _, id := range []*string{&p.AfterID, &p.end.ID} {
		if *id != "" {
			*id = decisionPrefix + strings.TrimPrefix(*id, auditPrefix)
		}
	}
	return p
}

// decided adds the decisions that a page of entries may need.
func (q *query) decided(f AuditFilter, p Page) {
	q.add(`SELECT * FROM (SELECT '` + auditPrefix + `' || substr(id, 5), environment, created_micros, actor,
		'` + ActionDecided + `', id, '', '', '' FROM decisions WHERE tenant_id = $1 AND environment = $2 AND actor <> ''`)
	if strings.HasPrefix(f.Actor, personPrefix) {
		q.where("substr(actor, 1, 4) = '" + personPrefix + "'") // so that the partial index applies
	}
	q.is("actor", f.Actor)
	q.is("id", f.Object)
	q.pageByID(p)
	q.add(") AS decided")
}
