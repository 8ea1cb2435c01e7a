package store

import "context"

// Decision is a decision as it was answered, with the facts to repeat it from.
type Decision struct {
	ID            string
	CreatedMicros int64
	ApplicantRef  string
	Status        string
	Grade         string
	PolicyKey     string
	PolicyID      string
	PolicyVersion int64
	Endpoint      string
	EngineVersion string
	Hash          string
	Response      []byte // the answer's bytes; nil in lists
	Facts         []byte // what the engine saw; nil in lists
}

var decisionTable = newBulkTable("decisions",
	column{"id", text}, column{"created_micros", bigint}, column{"applicant_ref", text}, column{"status", text},
	column{"grade", text}, column{"policy_key", text}, column{"policy_id", text}, column{"policy_version", bigint},
	column{"endpoint", text}, column{"engine_version", text}, column{"hash", text},
	column{"response", bytea}, column{"facts", bytea})

func (d *Decision) row() []any {
	return []any{d.ID, d.CreatedMicros, d.ApplicantRef, d.Status, d.Grade, d.PolicyKey, d.PolicyID, d.PolicyVersion,
		d.Endpoint, d.EngineVersion, d.Hash, present(d.Response), present(d.Facts)}
}

// DecisionWrite is a decision and everything that becomes durable with it, in
// one transaction or not at all.
type DecisionWrite struct {
	Decision Decision
	Meter    Meter
	Audit    AuditEntry
	// Answer finishes the idempotency key the request was begun with, if any.
	Answer *IdempotencyAnswer
}

// InsertDecision stores a decision, counts it and finishes its idempotency
// key: Limited quota_exceeded when the quota is used up, Conflict when the key
// is not the caller's any more. Nothing is stored then.
func (tx *Tx) InsertDecision(w *DecisionWrite) error {
	refusals, err := tx.insertDecisions([]*DecisionWrite{w})
	if err != nil {
		return err
	}
	return refusals[0]
}

// insertDecisions stores many decisions of the scope in a few statements. A
// write that the quota refuses has its refusal and leaves nothing behind; an
// error means that none is to be kept.
func (tx *Tx) insertDecisions(writes []*DecisionWrite) (refusals []error, err error) {
	refusals, err = tx.admit(writes)
	if err != nil {
		return nil, err
	}
	rows := make([][]any, 0, len(writes))
	audits := make([]AuditEntry, 0, len(writes))
	for i, w := range writes {
		if refusals[i] != nil {
			continue
		}
		rows = append(rows, w.Decision.row())
		audits = append(audits, w.Audit)
	}
	if len(rows) == 0 {
		return refusals, nil
	}
	if err := tx.session.db.dialect.insertMany(tx, decisionTable, rows); err != nil {
		return nil, err
	}
	if err := tx.insertAudit(audits...); err != nil {
		return nil, err
	}
	for i, w := range writes {
		if refusals[i] == nil && w.Answer != nil {
			if err := tx.FinishIdempotency(*w.Answer); err != nil {
				return nil, err
			}
		}
	}
	return refusals, nil
}

const decisionColumns = `id, created_micros, applicant_ref, status, grade, policy_key, policy_id, policy_version,
	endpoint, engine_version, hash`

func (d *Decision) fields() []any {
	return []any{&d.ID, &d.CreatedMicros, &d.ApplicantRef, &d.Status, &d.Grade, &d.PolicyKey, &d.PolicyID, &d.PolicyVersion,
		&d.Endpoint, &d.EngineVersion, &d.Hash}
}

// Decision finds a decision by id.
func (tx *Tx) Decision(id string) (Decision, error) {
	var d Decision
	err := tx.one(append(d.fields(), &d.Response, &d.Facts),
		"SELECT "+decisionColumns+", response, facts FROM decisions WHERE tenant_id = $1 AND environment = $2 AND id = $3", id)
	return d, oneOf("decision", err)
}

// DecisionFilter narrows a list; empty fields do not. Status and applicant
// have an index each; the others are looked for along the list.
type DecisionFilter struct {
	Status, Grade, ApplicantRef, PolicyKey, PolicyID, Endpoint string
}

// ListDecisions is a page of the scope's decisions, without their documents,
// and whether there are more.
func (tx *Tx) ListDecisions(f DecisionFilter, p Page) ([]Decision, bool, error) {
	q := listOf("SELECT " + decisionColumns + " FROM decisions WHERE tenant_id = $1 AND environment = $2")
	if f.ApplicantRef != "" {
		q.where("applicant_ref <> ''") // so that the partial index applies
	}
	q.is("applicant_ref", f.ApplicantRef)
	q.is("status", f.Status)
	q.is("grade", f.Grade)
	q.is("policy_key", f.PolicyKey)
	q.is("policy_id", f.PolicyID)
	q.is("endpoint", f.Endpoint)
	return list(tx, q, p, func(scan func(...any) error) (d Decision, err error) {
		err = scan(d.fields()...)
		return d, err
	})
}

// InsertDecision is Tx.InsertDecision in a transaction of its own. Decisions
// that wait together are also inserted together, which is what makes this
// cheaper than Write with Tx.InsertDecision inside.
func (s *Scope) InsertDecision(ctx context.Context, w *DecisionWrite) error {
	return s.db.commits.submit(ctx, &job{decision: w, voice: s.voice()})
}

// Decision is Tx.Decision in a transaction of its own.
func (s *Scope) Decision(ctx context.Context, id string) (Decision, error) {
	return inRead(ctx, s, func(tx *Tx) (Decision, error) { return tx.Decision(id) })
}

// ListDecisions is Tx.ListDecisions in a transaction of its own.
func (s *Scope) ListDecisions(ctx context.Context, f DecisionFilter, p Page) ([]Decision, bool, error) {
	return inList(s.reading(ctx), func(tx *Tx) ([]Decision, bool, error) { return tx.ListDecisions(f, p) })
}
