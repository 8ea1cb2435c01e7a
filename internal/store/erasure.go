package store

import (
	"context"
	"strings"

	"verdict/internal/evidence"
	"verdict/internal/wire"
)

// The states of an erasure.
const (
	ErasureDeferred  = "deferred" // the erasure waits; see Erasure.Basis
	ErasureRunning   = "running"
	ErasureCompleted = "completed"
	ErasureWithdrawn = "withdrawn"
)

// EventErasureStarted is the type of the event that begins an erasure in several transactions.
const EventErasureStarted = "erasure.started"

// ErasedPrefix begins the text that replaces the reference of an erased applicant. A keyed
// hash follows. The triggers of migration 0021 contain the prefix too.
const ErasedPrefix = "erased:"

// Person names somebody whose data is stored: by the lender's reference, or, if the applicant
// was not named, by a decision.
type Person struct{ ApplicantRef, DecisionID string }

// ErasedCounts says how much was erased.
type ErasedCounts struct {
	Decisions int64
	Features  int64 // decisions with a feature vector
	Runs      int64
	Answers   int64 // stored answers to requests with an Idempotency-Key
	AlertRefs int64 // references in the evidence of alerts
	Links     int64 // links between the person and accounts, devices and the like
	Exposures int64
	// CoApplicants and Guarantors count the decisions in which the person had that role instead of the role of primary
	// applicant.
	CoApplicants int64
	Guarantors   int64
}

// Erasure is the erasure of a person.
type Erasure struct {
	ID    string
	State string
	// Person is the person to erase. When the erasure is completed or withdrawn, Person.ApplicantRef is "".
	Person        Person
	Reason        string
	Actor         string
	CreatedMicros int64
	ErasedMicros  int64 // 0 until the erasure is completed
	Counts        ErasedCounts
	Refs          []string // the replacements of the reference, without ErasedPrefix
	// Trees lists the numbers of the key trees from which the person's keys must still be removed, separated by
	// spaces.
	Trees       string
	StartedLeaf int64 // the journal entry that begins an erasure in several transactions, -1 if there is none
	Leaf        int64 // the journal entry of the completed erasure, -1 if there is none

	// These fields are about an erasure that was deferred.
	Basis               []string // why it is deferred, empty if it is not
	DeferredUntilMicros int64    // when it can be carried out, 0 if that is not known
	NextMicros          int64    // when to check again whether it can be carried out
	WithdrawnMicros     int64    // 0 if it was not withdrawn
	WithdrawnBy         string
	RequestKey          string // a keyed hash of the request and its Idempotency-Key, "" if it has none
}

// Begin turns a deferred erasure into a running one.
func (e *Erasure) Begin() {
	e.State, e.Basis, e.DeferredUntilMicros, e.NextMicros = ErasureRunning, nil, 0, 0
}

const erasureColumns = `id, state, applicant_ref, decision_id, reason, actor, created_micros, erased_micros, decisions,
	features, runs, answers, alert_refs, links, refs, trees, started_leaf, leaf, basis, deferred_until_micros,
	next_micros, withdrawn_micros, withdrawn_by, exposures, request_key,
	co_applicants, guarantors`

// erasureRow is an Erasure in the form in which it is stored.
type erasureRow struct {
	Erasure

	refs, basis string
}

func (r *erasureRow) fields() []any {
	return []any{&r.ID, &r.State, &r.Person.ApplicantRef, &r.Person.DecisionID, &r.Reason, &r.Actor, &r.CreatedMicros,
		&r.ErasedMicros, &r.Counts.Decisions, &r.Counts.Features, &r.Counts.Runs, &r.Counts.Answers,
		&r.Counts.AlertRefs, &r.Counts.Links, &r.refs, &r.Trees, &r.StartedLeaf, &r.Leaf, &r.basis,
		&r.DeferredUntilMicros, &r.NextMicros, &r.WithdrawnMicros, &r.WithdrawnBy, &r.Counts.Exposures,
		&r.RequestKey, &r.Counts.CoApplicants, &r.Counts.Guarantors}
}

func (r *erasureRow) erasure() Erasure {
	r.Refs, r.Basis = strings.Fields(r.refs), strings.Fields(r.basis)
	return r.Erasure
}

// started returns the journal entry that begins an erasure in several transactions. The entry permits the emptying of
// the person's rows.
func (e *Erasure) started() evidence.Record {
	return evidence.Record{
		Kind:   evidence.Erasure,
		ID:     e.ID,
		Micros: e.CreatedMicros,
		Type:   EventErasureStarted,
		Data: eventData(func(w *wire.Writer) {
			w.Optional("decision_id", e.Person.DecisionID)
			w.Optional("erasure_id", e.ID)
			e.writeRefs(w)
		}),
	}
}

// completed returns the entry in the journal of a completed erasure.
func (e *Erasure) completed() evidence.Record {
	return evidence.Record{
		Kind:   evidence.Erasure,
		ID:     e.ID,
		Micros: e.ErasedMicros,
		Type:   "erasure.completed",
		Data: eventData(func(w *wire.Writer) {
			w.Optional("actor", e.Actor)
			w.Key("agent_runs").Int(e.Counts.Runs)
			w.Key("alert_references").Int(e.Counts.AlertRefs)
			w.Key("answers").Int(e.Counts.Answers)
			if e.Counts.CoApplicants > 0 { // entries of earlier versions do not have this member
				w.Key("co_applicant").Int(e.Counts.CoApplicants)
			}
			w.Optional("decision_id", e.Person.DecisionID)
			w.Key("decisions").Int(e.Counts.Decisions)
			w.Optional("erasure_id", e.ID)
			if e.Counts.Exposures > 0 { // entries of earlier versions do not have this member
				w.Key("exposures").Int(e.Counts.Exposures)
			}
			w.Key("features").Int(e.Counts.Features)
			w.Key("fraud_links").Int(e.Counts.Links)
			if e.Counts.Guarantors > 0 {
				w.Key("guarantor").Int(e.Counts.Guarantors)
			}
			w.Optional("reason", e.Reason)
			e.writeRefs(w)
		}),
	}
}

func (e *Erasure) writeRefs(w *wire.Writer) {
	if len(e.Refs) == 0 {
		return
	}
	w.Key("references").Array()
	for _, ref := range e.Refs {
		w.String(ref)
	}
	w.EndArray()
}

// Record returns the last entry of the erasure in the journal, and the number of the entry. The scope of the entry is
// not set.
func (e *Erasure) Record() (record evidence.Record, leaf int64) {
	if e.State == ErasureCompleted {
		return e.completed(), e.Leaf
	}
	return e.started(), e.StartedLeaf
}

// ErasureReader reads erasures and the data that is stored about people.
type ErasureReader struct{ access }

// Erasures reads like ErasureReader, stores erasures and erases data.
type Erasures struct{ ErasureReader }

// Erasures returns the ErasureReader of the scope.
func (s *Scope) Erasures(ctx context.Context) ErasureReader { return ErasureReader{s.access(ctx)} }

// Erasures returns the Erasures of the transaction.
func (tx *Tx) Erasures() Erasures { return Erasures{ErasureReader{tx.access()}} }

// Get returns an erasure, NotFound if there is none.
func (er ErasureReader) Get(id string) (Erasure, error) {
	return readOf(er.access, id, func(tx *Tx) (Erasure, error) {
		var row erasureRow
		err := tx.one(row.fields(), "SELECT "+erasureColumns+
			" FROM erasures WHERE tenant_id = $1 AND environment = $2 AND id = $3", id)
		return row.erasure(), orNotFound("erasure", err)
	})
}

// List returns a page of the scope's erasures, and whether there are more.
func (er ErasureReader) List(p Page) ([]Erasure, bool, error) {
	return readTwo(er.access, func(tx *Tx) ([]Erasure, bool, error) {
		q := listOf("SELECT " + erasureColumns + " FROM erasures WHERE tenant_id = $1 AND environment = $2")
		q.page(p)
		return list(tx, q, p, func(scan func(...any) error) (Erasure, error) {
			var row erasureRow
			err := scan(row.fields()...)
			return row.erasure(), err
		})
	})
}

// Open returns the erasure of a person that is deferred or running. found is false if there is none.
func (er ErasureReader) Open(p Person) (e Erasure, found bool, err error) {
	return readTwo(er.access, func(tx *Tx) (Erasure, bool, error) {
		rows, err := eachRow(tx, (*erasureRow).fields, "SELECT "+erasureColumns+` FROM erasures
			WHERE tenant_id = $1 AND environment = $2 AND applicant_ref = $3 AND decision_id = $4
			AND state IN ('deferred', 'running')`, p.ApplicantRef, p.DecisionID)
		if err != nil || len(rows) == 0 {
			return Erasure{}, false, err
		}
		return rows[0].erasure(), true, nil
	})
}

// OfRequest returns the erasure that a request with an Idempotency-Key began and that was completed after sinceMicros.
// found is false if there is none.
func (er ErasureReader) OfRequest(requestKey string, sinceMicros int64) (e Erasure, found bool, err error) {
	return readTwo(er.access, func(tx *Tx) (Erasure, bool, error) {
		rows, err := eachRow(tx, (*erasureRow).fields, "SELECT "+erasureColumns+` FROM erasures
			WHERE tenant_id = $1 AND environment = $2 AND request_key <> '' AND request_key = $3
			AND state = 'completed' AND erased_micros > $4 ORDER BY created_micros DESC, id DESC LIMIT 1`,
			requestKey, sinceMicros)
		if err != nil || len(rows) == 0 {
			return Erasure{}, false, err
		}
		return rows[0].erasure(), true, nil
	})
}

// Finished returns the completed erasure of a person. A completed erasure does not name the applicant. Parameter
// "before" is an earlier result of Held for the person. Finished reads one of the rows in this result, and finds
// the erasure by the text that replaces the reference in the row. found is false if there is no such erasure.
func (er ErasureReader) Finished(p Person, before *Held) (e Erasure, found bool, err error) {
	return readTwo(er.access, func(tx *Tx) (Erasure, bool, error) {
		where, name := "decision_id = $3", p.DecisionID
		if p.ApplicantRef != "" {
			var err error
			if name, err = replacedBy(tx, before); err != nil || name == "" {
				return Erasure{}, false, err
			}
			where = "refs LIKE '%' || $3 || '%'" // no hash contains another hash
		}
		rows, err := eachRow(tx, (*erasureRow).fields, "SELECT "+erasureColumns+` FROM erasures
			WHERE tenant_id = $1 AND environment = $2 AND state = 'completed' AND `+where+`
			ORDER BY created_micros DESC, id DESC LIMIT 1`, name)
		if err != nil || len(rows) == 0 {
			return Erasure{}, false, err
		}
		return rows[0].erasure(), true, nil
	})
}

// replacedBy returns the text that replaces the reference in one of the rows of before, without ErasedPrefix. It
// returns "" if the reference was not replaced.
func replacedBy(tx *Tx, before *Held) (ref string, err error) {
	switch {
	case len(before.Decisions) > 0:
		err = tx.one([]any{&ref}, `SELECT applicant_ref FROM decisions
			WHERE tenant_id = $1 AND environment = $2 AND id = $3`, before.Decisions[0].ID)
	case len(before.Runs) > 0:
		err = tx.one([]any{&ref}, `SELECT subject_ref FROM agent_runs
			WHERE tenant_id = $1 AND environment = $2 AND id = $3`, before.Runs[0].ID)
	case len(before.People) > 0:
		err = tx.one([]any{&ref}, `SELECT person_ref FROM decision_people
			WHERE tenant_id = $1 AND environment = $2 AND decision_id = $3 AND role = $4`,
			before.People[0].DecisionID, before.People[0].Role)
	}
	replacement, erased := strings.CutPrefix(ref, ErasedPrefix)
	if !erased {
		return "", ignoreAbsent(err)
	}
	return replacement, ignoreAbsent(err)
}

// Walk calls fn for every erasure of the scope, oldest first.
func (er ErasureReader) Walk(fn func(*Erasure) error) error {
	for p := (Page{}); ; {
		rows, more, err := er.List(p)
		if err != nil {
			return err
		}
		for i := range rows {
			if err := fn(&rows[i]); err != nil {
				return err
			}
		}
		if !more {
			return nil
		}
		p.AfterMicros, p.AfterID = rows[len(rows)-1].CreatedMicros, rows[len(rows)-1].ID
	}
}

// Put inserts an erasure, or replaces the stored erasure with the same id. It adds the journal entry of a completed
// erasure, and of a running erasure that has no entry yet. It sets the numbers of the entries in e. Put adds no entry
// for an erasure that is deferred or withdrawn.
func (er Erasures) Put(e *Erasure) (err error) {
	switch {
	case e.State == ErasureDeferred:
	case e.State == ErasureWithdrawn:
		e.Person.ApplicantRef = "" // no longer needed
	case e.State == ErasureCompleted:
		e.Person.ApplicantRef = "" // the replacements are in Refs
		e.Leaf, err = er.tx.record(e.completed())
	case e.StartedLeaf < 0:
		e.StartedLeaf, err = er.tx.record(e.started())
	}
	if err != nil {
		return err
	}
	er.tx.noteWritten(e.ID)
	_, err = er.tx.exec(`INSERT INTO erasures (tenant_id, environment, `+erasureColumns+`) VALUES ($1, $2, $3, $4, $5,
		$6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28,
		$29)
		ON CONFLICT (tenant_id, environment, id) DO UPDATE SET state = excluded.state,
		applicant_ref = excluded.applicant_ref, erased_micros = excluded.erased_micros,
		decisions = excluded.decisions, features = excluded.features, runs = excluded.runs,
		answers = excluded.answers, alert_refs = excluded.alert_refs, links = excluded.links, refs = excluded.refs,
		trees = excluded.trees, started_leaf = excluded.started_leaf, leaf = excluded.leaf, basis = excluded.basis,
		deferred_until_micros = excluded.deferred_until_micros, next_micros = excluded.next_micros,
		withdrawn_micros = excluded.withdrawn_micros, withdrawn_by = excluded.withdrawn_by,
		exposures = excluded.exposures, request_key = excluded.request_key,
		co_applicants = excluded.co_applicants, guarantors = excluded.guarantors`,
		e.ID, e.State, e.Person.ApplicantRef, e.Person.DecisionID, e.Reason, e.Actor, e.CreatedMicros, e.ErasedMicros,
		e.Counts.Decisions, e.Counts.Features, e.Counts.Runs, e.Counts.Answers, e.Counts.AlertRefs, e.Counts.Links,
		strings.Join(e.Refs, " "), e.Trees, e.StartedLeaf, e.Leaf, strings.Join(e.Basis, " "), e.DeferredUntilMicros,
		e.NextMicros, e.WithdrawnMicros, e.WithdrawnBy, e.Counts.Exposures, e.RequestKey,
		e.Counts.CoApplicants, e.Counts.Guarantors)
	return err
}

// ScopedErasure is an erasure with its scope.
type ScopedErasure struct {
	Tenant, Environment string
	Erasure
}

// OpenErasures returns running erasures of all tenants, at most limit, in the order of tenant, environment and id.
// Parameter "after" is the last erasure of the previous call, and the zero value for the first call.
func (sys *System) OpenErasures(ctx context.Context, after *ScopedErasure, limit int) ([]ScopedErasure, error) {
	return sys.erasures(ctx, `state = 'running' AND (tenant_id, environment, id) > ($1, $2, $3)
		ORDER BY tenant_id, environment, id LIMIT $4`, after.Tenant, after.Environment, after.ID, int64(limit))
}

// DueErasures returns deferred erasures of all tenants that must be checked again, at most limit. Those that have
// waited longest come first.
func (sys *System) DueErasures(ctx context.Context, nowMicros int64, limit int) ([]ScopedErasure, error) {
	return sys.erasures(ctx, `state = 'deferred' AND next_micros <= $1
		ORDER BY next_micros, tenant_id, environment, id LIMIT $2`, nowMicros, int64(limit))
}

// erasures returns the erasures of all tenants that satisfy a condition.
func (sys *System) erasures(ctx context.Context, condition string, args ...any) (found []ScopedErasure, err error) {
	err = sys.read(ctx, func(s *transaction) error {
		found = nil // the read may be repeated
		return s.each(func(scan func(...any) error) error {
			var row erasureRow
			var e ScopedErasure
			err := scan(append([]any{&e.Tenant, &e.Environment}, row.fields()...)...)
			e.Erasure = row.erasure()
			found = append(found, e)
			return err
		}, "SELECT tenant_id, environment, "+erasureColumns+" FROM erasures WHERE "+condition, args...)
	})
	return found, err
}
