package store

import (
	"cmp"
	"context"
	"slices"

	"verdict/internal/evidence"
	"verdict/internal/wire"
)

// LegalHold keeps everything about a person from being erased.
type LegalHold struct {
	ID             string
	Person         Person
	Reason         string
	Actor          string
	CreatedMicros  int64
	UntilMicros    int64 // when the hold ends by itself, 0 for never
	ReleasedMicros int64 // when somebody ended the hold, 0 if nobody did
	ReleasedBy     string
}

// InForce reports whether the hold applies at a time.
func (h *LegalHold) InForce(nowMicros int64) bool {
	return h.ReleasedMicros == 0 && (h.UntilMicros == 0 || h.UntilMicros > nowMicros)
}

const holdColumns = `id, applicant_ref, decision_id, reason, actor, created_micros, until_micros, released_micros,
	released_by`

// holdInForce is the beginning of the condition that a hold applies. The caller appends the parameter with the present
// time and a closing parenthesis.
const holdInForce = "released_micros = 0 AND (until_micros = 0 OR until_micros > "

func (h *LegalHold) fields() []any {
	return []any{&h.ID, &h.Person.ApplicantRef, &h.Person.DecisionID, &h.Reason, &h.Actor, &h.CreatedMicros,
		&h.UntilMicros, &h.ReleasedMicros, &h.ReleasedBy}
}

// The types of the journal events about legal holds.
const (
	EventHoldPlaced   = "legal_hold.placed"
	EventHoldReleased = "legal_hold.released"
)

// event returns the journal entry of a change of the hold. It does not name the person.
func (h *LegalHold) event(kind, actor string, micros int64) evidence.Record {
	until := ""
	if h.UntilMicros != 0 {
		until = evidence.At(h.UntilMicros)
	}
	return evidence.Record{
		Kind:   evidence.LegalHold,
		ID:     h.ID,
		Micros: wholeMillis(micros),
		Type:   kind,
		Data: eventData(func(w *wire.Writer) {
			w.Optional("actor", actor)
			w.Optional("decision_id", h.Person.DecisionID)
			w.Optional("legal_hold_id", h.ID)
			w.Optional("reason", h.Reason)
			w.Optional("until", until)
		}),
	}
}

// Placed returns the journal entry with which the hold was placed.
func (h *LegalHold) Placed() evidence.Record {
	return h.event(EventHoldPlaced, h.Actor, h.CreatedMicros)
}

// Released returns the journal entry with which the hold was released.
func (h *LegalHold) Released() evidence.Record {
	return h.event(EventHoldReleased, h.ReleasedBy, h.ReleasedMicros)
}

// LegalHoldReader reads legal holds.
type LegalHoldReader struct{ access }

// LegalHolds reads like LegalHoldReader, and places and releases holds.
type LegalHolds struct{ LegalHoldReader }

// LegalHolds returns the LegalHoldReader of the scope.
func (s *Scope) LegalHolds(ctx context.Context) LegalHoldReader {
	return LegalHoldReader{s.access(ctx)}
}

// LegalHolds returns the LegalHolds of the transaction.
func (tx *Tx) LegalHolds() LegalHolds { return LegalHolds{LegalHoldReader{tx.access()}} }

// Get returns a hold, NotFound if there is none.
func (lh LegalHoldReader) Get(id string) (LegalHold, error) {
	return readOf(lh.access, id, func(tx *Tx) (LegalHold, error) {
		var h LegalHold
		err := tx.one(h.fields(), "SELECT "+holdColumns+
			" FROM legal_holds WHERE tenant_id = $1 AND environment = $2 AND id = $3", id)
		return h, orNotFound("legal hold", err)
	})
}

// LegalHoldFilter filters a list; the zero value matches every hold.
type LegalHoldFilter struct {
	ApplicantRef  string
	InForceMicros int64 // only holds that apply at this time; 0 for all
}

// List returns a page of the scope's holds, and whether there are more.
func (lh LegalHoldReader) List(f LegalHoldFilter, p Page) ([]LegalHold, bool, error) {
	return readTwo(lh.access, func(tx *Tx) ([]LegalHold, bool, error) {
		q := listOf("SELECT " + holdColumns + " FROM legal_holds WHERE tenant_id = $1 AND environment = $2")
		q.equals("applicant_ref", f.ApplicantRef)
		if f.InForceMicros != 0 {
			q.where(holdInForce+"?)", f.InForceMicros)
		}
		q.page(p)
		return list(tx, q, p, func(scan func(...any) error) (h LegalHold, err error) {
			err = scan(h.fields()...)
			return h, err
		})
	})
}

// Walk calls fn for every hold of the scope, including those that have ended. If fn returns an error, Walk stops and
// returns the error. fn must not use the database.
func (lh LegalHoldReader) Walk(fn func(*LegalHold) error) error {
	return walkRows(lh.access, (*LegalHold).fields, fn, "SELECT "+holdColumns+
		" FROM legal_holds WHERE tenant_id = $1 AND environment = $2")
}

// Of returns the holds on a person that apply at a time, oldest first.
func (lh LegalHoldReader) Of(p Person, nowMicros int64) ([]LegalHold, error) {
	return read(lh.access, func(tx *Tx) ([]LegalHold, error) {
		holds, err := eachRow(tx, (*LegalHold).fields, "SELECT "+holdColumns+` FROM legal_holds
			WHERE tenant_id = $1 AND environment = $2 AND id IN (SELECT id FROM legal_holds WHERE tenant_id = $1
				AND environment = $2 AND applicant_ref = $3 AND decision_id = $4) AND `+holdInForce+`$5)
			LIMIT $6`, p.ApplicantRef, p.DecisionID, nowMicros, int64(MaxPage))
		// With ORDER BY, or without the subquery, SQLite would read all holds of the scope.
		slices.SortFunc(holds, func(a, b LegalHold) int {
			return cmp.Or(cmp.Compare(a.CreatedMicros, b.CreatedMicros), cmp.Compare(a.ID, b.ID))
		})
		return holds, err
	})
}

// Count returns the number of holds that apply at a time.
func (lh LegalHoldReader) Count(nowMicros int64) (int64, error) {
	return read(lh.access, func(tx *Tx) (n int64, err error) {
		err = tx.one([]any{&n}, `SELECT count(*) FROM legal_holds WHERE tenant_id = $1 AND environment = $2 AND `+
			holdInForce+"$3)", nowMicros)
		return n, err
	})
}

// Place stores a hold with its entry in the journal.
func (lh LegalHolds) Place(h LegalHold) error {
	if _, err := lh.tx.record(h.Placed()); err != nil {
		return err
	}
	lh.tx.noteWritten(h.ID)
	_, err := lh.tx.exec(`INSERT INTO legal_holds (tenant_id, environment, `+holdColumns+`)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
		h.ID, h.Person.ApplicantRef, h.Person.DecisionID, h.Reason, h.Actor, h.CreatedMicros, h.UntilMicros,
		h.ReleasedMicros, h.ReleasedBy)
	return err
}

// Release ends a hold, with an entry in the journal. A deferred erasure of the person is checked again soon.
func (lh LegalHolds) Release(h LegalHold, actor string, nowMicros int64) error {
	if _, err := lh.tx.record(h.event(EventHoldReleased, actor, nowMicros)); err != nil {
		return err
	}
	lh.tx.noteWritten(h.ID)
	if _, err := lh.tx.exec(`UPDATE legal_holds SET released_micros = $4, released_by = $5
		WHERE tenant_id = $1 AND environment = $2 AND id = $3`, h.ID, nowMicros, actor); err != nil {
		return err
	}
	_, err := lh.tx.exec(`UPDATE erasures SET next_micros = 0 WHERE tenant_id = $1 AND environment = $2
		AND applicant_ref = $3 AND decision_id = $4 AND state = 'deferred'`, h.Person.ApplicantRef, h.Person.DecisionID)
	return err
}
