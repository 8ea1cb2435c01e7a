package store

import (
	"strings"
)

// AuditEntry records which actor did which action on which object, and when.
// Entries are only ever added. A method that takes an entry stores it in the same
// transaction as its other changes. It stores no entry if the ID is empty.
//
// A decision serves as its own audit entry; no separate entry is stored for it.
// The entry's id is the decision's id with the prefix "aud_" instead of "dec_".
type AuditEntry struct {
	ID             string
	Environment    string // used by System and Staff; others use the environment of the Scope or the API key
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

// AuditFilter filters a list; empty fields match everything.
type AuditFilter struct{ Actor, Action, Object string }

// Add adds entries. Entries without an ID are skipped.
func (au AuditLog) Add(entries ...AuditEntry) error {
	rows := make([][]any, 0, len(entries))
	for _, e := range entries {
		if e.ID != "" {
			rows = append(rows,
				[]any{e.ID, e.CreatedMicros, e.Actor, e.Action, e.Object, e.BeforeChecksum, e.AfterChecksum, e.Note})
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return auditTable.insert(au.tx, rows)
}

// ActionDecided is the action of the audit entries that represent decisions.
const ActionDecided = "decision.created"

// The prefixes of the ids of decisions and audit entries.
const (
	decisionPrefix = "dec_"
	auditPrefix    = "aud_"
)

// personPrefix is the prefix of people's ids. All other actors that decide are programs with an API key. Such a
// program may have made very many decisions.
const personPrefix = "usr_"

// List returns a page of the scope's entries and the Position at which it ended. It merges stored entries and
// decisions into one order, and reads at most one page of each. To find the decisions of an API key, it scans a
// limited number of decisions for each page. So a page may be short or even empty although more pages follow.
func (au AuditReader) List(f AuditFilter, p Page) ([]AuditEntry, Position, error) {
	return readTwo(au.access, func(tx *Tx) ([]AuditEntry, Position, error) {
		p := p // a copy, because the read may be repeated
		decides := f.Action == "" || f.Action == ActionDecided
		if decides && f.Object == "" && f.Actor != "" && !strings.HasPrefix(f.Actor, personPrefix) {
			end, err := tx.Decisions().scanEnd(p.ofDecisions(), "")
			if err != nil {
				return nil, Position{}, err
			}
			if end.ID != "" {
				p.end = Position{end.Micros, auditPrefix + strings.TrimPrefix(end.ID, decisionPrefix)}
			}
		}
		q := listOf(
			`SELECT * FROM (SELECT id, environment, created_micros, actor, action, object, ` +
				`before_checksum, after_checksum, note
		FROM audit_log WHERE tenant_id = $1 AND environment = $2`)
		q.equals("actor", f.Actor)
		q.equals("action", f.Action)
		q.equals("object", f.Object)
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
		last := func() Position { return Position{rows[len(rows)-1].CreatedMicros, rows[len(rows)-1].ID} }
		return rows, nextPosition(more, last, p.end), err
	})
}

// ofDecisions returns a copy of p in which the ids of audit entries are replaced
// by the ids of decisions. Both kinds of ids have the same order. So after a page
// that ended with an audit entry, a list of decisions can continue at the same
// position.
func (p Page) ofDecisions() Page {
	for _, id := range []*string{&p.AfterID, &p.end.ID} {
		if *id != "" {
			*id = decisionPrefix + strings.TrimPrefix(*id, auditPrefix)
		}
	}
	return p
}

// decided adds to q the query that returns decisions as audit entries.
func (q *query) decided(f AuditFilter, p Page) {
	q.add(`SELECT * FROM (SELECT '` + auditPrefix + `' || substr(id, 5), environment, created_micros, actor,
		'` + ActionDecided +
		`', id, '', '', '' FROM decisions WHERE tenant_id = $1 AND environment = $2 AND actor <> ''`)
	if strings.HasPrefix(f.Actor, personPrefix) {
		q.where("substr(actor, 1, 4) = '" + personPrefix + "'") // lets the database use the partial index
	}
	q.equals("actor", f.Actor)
	q.equals("id", f.Object)
	q.pageByID(p)
	q.add(") AS decided")
}
