package store

import "context"

// Decision is a decision as it was answered, with the facts to repeat it from.
//
// The order of ids is the order of creation: of two decisions the one with the
// greater id was not created earlier. Lists rely on it.
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
	Actor         string // who asked for it; "" leaves it out of the audit trail
	Response      []byte // the answer's bytes; nil in lists
	Facts         []byte // what the engine saw; nil in lists
}

var decisionTable = newBulkTable("decisions",
	column{"id", text}, column{"created_micros", bigint}, column{"applicant_ref", text}, column{"status", text},
	column{"grade", text}, column{"policy_key", text}, column{"policy_id", text}, column{"policy_version", bigint},
	column{"endpoint", text}, column{"engine_version", text}, column{"hash", text}, column{"actor", text},
	column{"response", bytea}, column{"facts", bytea})

func (d *Decision) row() []any {
	return []any{d.ID, d.CreatedMicros, d.ApplicantRef, d.Status, d.Grade, d.PolicyKey, d.PolicyID, d.PolicyVersion,
		d.Endpoint, d.EngineVersion, d.Hash, d.Actor, present(d.Response), present(d.Facts)}
}

// DecisionWrite is a decision and everything that becomes durable with it, in
// one transaction or not at all.
type DecisionWrite struct {
	Decision Decision
	Features *Features // its feature vector, nil when none was made
	Meter    Meter
	// Answer is what repetitions of the request are to hear, if it had a key.
	Answer *IdempotencyAnswer
}

// Insert stores a decision with its answer, and counts it: Limited
// quota_exceeded when the quota is used up, *AlreadyAnswered or Invalid
// idempotency_key_reused when the answer's key has one. Nothing is stored then.
func (ds Decisions) Insert(w *DecisionWrite) error {
	refusals, err := ds.insertAll([]*DecisionWrite{w})
	if err != nil {
		return err
	}
	return refusals[0]
}

// insertAll stores many decisions of the scope in a few statements. A
// write that is refused has its refusal and leaves nothing behind; an error
// means that none is to be kept.
//
// The answers come first: a repetition must hear what was answered even when
// the quota has no room for it, and must not use any.
func (ds Decisions) insertAll(writes []*DecisionWrite) (refusals []error, err error) {
	answers := make([]*IdempotencyAnswer, len(writes))
	for i, w := range writes {
		answers[i] = w.Answer
	}
	taken, err := ds.tx.Answers().insertAll(answers)
	if err != nil {
		return nil, err
	}
	refusals, err = ds.tx.Usage().admit(writes, taken)
	if err != nil {
		return nil, err
	}
	if err := ds.settleAnswers(answers, taken, refusals); err != nil {
		return nil, err
	}
	rows := make([][]any, 0, len(writes))
	var features, waiting [][]any
	for i, w := range writes {
		if refusals[i] != nil {
			continue
		}
		rows = append(rows, w.Decision.row())
		ds.tx.wrote(w.Decision.ID)
		if w.Features != nil {
			features = append(features, w.Features.row(w.Decision.ID))
		}
		if w.Decision.waits() {
			waiting = append(waiting, w.Decision.referral())
		}
	}
	if len(rows) == 0 {
		return refusals, nil
	}
	if err := ds.tx.insertMany(decisionTable, rows); err != nil {
		return nil, err
	}
	if len(features) > 0 {
		if err := ds.tx.insertMany(featureTable, features); err != nil {
			return nil, err
		}
	}
	if len(waiting) > 0 {
		if err := ds.tx.insertMany(referralTable, waiting); err != nil {
			return nil, err
		}
	}
	return refusals, nil
}

// settleAnswers withdraws the answers of those that the quota refused, and
// gives those that found their key taken what was answered: by a neighbour in
// the same group or long ago.
func (ds Decisions) settleAnswers(answers []*IdempotencyAnswer, taken []bool, refusals []error) error {
	refused := map[IdempotencyKey]error{}
	for i, a := range answers {
		if a == nil || refusals[i] == nil {
			continue
		}
		refused[a.Key] = refusals[i]
		if err := ds.tx.Answers().withdraw(a.Key); err != nil {
			return err
		}
	}
	for i, a := range answers {
		if !taken[i] {
			continue
		}
		// If the neighbour was refused there is no answer, only its refusal.
		otherwise := refused[a.Key]
		if otherwise == nil {
			otherwise = inProgress()
		}
		refusals[i] = ds.tx.Answers().answered(a, otherwise)
		if !isRefusal(refusals[i]) {
			return refusals[i]
		}
	}
	return nil
}

const decisionColumns = `id, created_micros, applicant_ref, status, grade, policy_key, policy_id, policy_version,
	endpoint, engine_version, hash, actor`

// wholeColumns are those and the documents.
const wholeColumns = decisionColumns + ", response, facts"

func (d *Decision) fields() []any {
	return []any{&d.ID, &d.CreatedMicros, &d.ApplicantRef, &d.Status, &d.Grade, &d.PolicyKey, &d.PolicyID, &d.PolicyVersion,
		&d.Endpoint, &d.EngineVersion, &d.Hash, &d.Actor}
}

func (d *Decision) whole() []any { return append(d.fields(), &d.Response, &d.Facts) }

// Get finds a decision by id.
func (ds DecisionReader) Get(id string) (Decision, error) {
	return readOf(ds.access, id, func(tx *Tx) (Decision, error) {
		var d Decision
		err := tx.one(d.whole(),
			"SELECT "+wholeColumns+" FROM decisions WHERE tenant_id = $1 AND environment = $2 AND id = $3", id)
		return d, oneOf("decision", err)
	})
}

// DecisionFilter narrows a list; empty fields do not. Status, grade, applicant
// and policy id have an index each. What else is asked for is looked for along
// that list, a stretch of it for each page.
type DecisionFilter struct {
	Status, Grade, ApplicantRef, PolicyKey, PolicyID, Endpoint string
}

// List returns a page of the scope's decisions, without their documents,
// and where it ended. With several filters there may be another page after one
// that is not full, or that is empty.
func (ds DecisionReader) List(f DecisionFilter, p Page) ([]Decision, Place, error) {
	return readTwo(ds.access, func(tx *Tx) ([]Decision, Place, error) {
		rows, more, end, err := tx.Decisions().list(decisionColumns, f, p, (*Decision).fields)
		return rows, next(more, func() Place { return rows[len(rows)-1].place() }, end), err
	})
}

// list is a page of decisions, whether there are more of them up to
// the end of the stretch that it looked at, and that end.
func (ds Decisions) list(
	columns string, f DecisionFilter, p Page, fields func(*Decision) []any,
) (rows []Decision, more bool, end Place, err error) {
	if p.end, err = ds.endOf(f, p); err != nil {
		return nil, false, Place{}, err
	}
	rows, more, err = list(ds.tx, pageOf(columns, f, p), p, func(scan func(...any) error) (d Decision, err error) {
		err = scan(fields(&d)...)
		return d, err
	})
	return rows, more, p.end, err
}

func pageOf(columns string, f DecisionFilter, p Page) *query {
	q := listOf("SELECT " + columns + " FROM decisions WHERE tenant_id = $1 AND environment = $2")
	q.filtered(f)
	q.pageByID(p)
	return q
}

func (d *Decision) place() Place { return Place{d.CreatedMicros, d.ID} }

// walkPage is how many decisions a walk holds at a time, documents included.
const walkPage = 50

// Walk hands every decision of the scope that the filter and the
// page's bounds admit to fn, documents included, in the page's order and
// beginning after its last row. It holds a few at a time, and outside a
// transaction none while fn runs: decisions created meanwhile are met too when
// they are in the way. An error of fn ends the walk and is returned.
func (ds DecisionReader) Walk(f DecisionFilter, p Page, fn func(*Decision) error) error {
	if p.Limit <= 0 {
		p.Limit = walkPage
	}
	for {
		var end Place
		rows, more, err := readTwo(ds.access, func(tx *Tx) (rows []Decision, more bool, err error) {
			rows, more, end, err = tx.Decisions().list(wholeColumns, f, p, (*Decision).whole)
			return rows, more, err
		})
		if err != nil {
			return err
		}
		for i := range rows {
			if err := fn(&rows[i]); err != nil {
				return err
			}
		}
		switch {
		case more: // in the same stretch
			p.AfterID, p.end = rows[len(rows)-1].ID, end
		case end.ID == "":
			return nil
		default:
			p.AfterID, p.end = end.ID, Place{}
		}
	}
}

// Count counts the scope's decisions by looking at each, however long that
// takes: it is for the operator's work and not for requests.
func (ds DecisionReader) Count() (n int64, err error) {
	count := func(tx *Tx) error {
		return tx.one([]any{&n}, "SELECT count(*) FROM decisions WHERE tenant_id = $1 AND environment = $2")
	}
	if ds.tx != nil {
		err = count(ds.tx)
		return n, err
	}
	err = ds.scope.db.readLong(ds.ctx, func(session *session) error {
		return count(&Tx{session: session, voice: ds.scope.voice()})
	})
	return n, err
}

// InsertDecision is Decisions.Insert in a transaction of its own. Decisions that
// wait together are also inserted together, so this is cheaper than a Write that
// calls Decisions.Insert.
func (s *Scope) InsertDecision(ctx context.Context, w *DecisionWrite) error {
	return s.confirmed(ctx, s.db.submit(ctx, &job{decision: w, voice: s.voice(), scope: s.voice()}))
}
