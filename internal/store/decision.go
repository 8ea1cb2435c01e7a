package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Decision is a decision as it was answered, with the facts needed to repeat
// it.
//
// Ids are in the order of creation: of two decisions, the one with the greater
// id was not created earlier. Lists rely on this.
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
	Actor         string // who asked for the decision; if "", the decision is not in the audit trail
	Response      []byte // the bytes of the answer; nil in lists
	Facts         []byte // the engine's input; nil in lists
	// Leaf is the number of the decision's entry in the journal, -1 while the
	// decision has none. Insert sets it.
	Leaf int64
	// Plain is a JSON text with the parts of the outcome that remain when the applicant is erased, and with the hashes
	// of the other parts (ADR 23).
	Plain string
	// KeyTree is the number of the key tree with which the documents are sealed. It is 0 if the documents are stored
	// readable or were not opened. It is not a column: package journal sets it when it opens the documents.
	KeyTree int64
	// People are the people other than the primary applicant whom the request names, in the order of their roles. They
	// are not a column; nil in lists.
	People []DecisionPerson
}

var decisionTable = newBulkTable("decisions",
	column{"id", text}, column{"created_micros", bigint}, column{"applicant_ref", text}, column{"status", text},
	column{"grade", text}, column{"policy_key", text}, column{"policy_id", text}, column{"policy_version", bigint},
	column{"endpoint", text}, column{"engine_version", text}, column{"hash", text}, column{"actor", text},
	column{"response", bytea}, column{"facts", bytea}, column{"leaf", bigint}, column{"plain", text})

func (d *Decision) row() []any {
	return []any{d.ID, d.CreatedMicros, d.ApplicantRef, d.Status, d.Grade, d.PolicyKey, d.PolicyID, d.PolicyVersion,
		d.Endpoint, d.EngineVersion, d.Hash, d.Actor, notNil(d.Response), notNil(d.Facts), d.Leaf, d.Plain}
}

// DecisionWrite is a decision and everything that is stored with it in one
// transaction.
type DecisionWrite struct {
	Decision Decision
	Features *Features // the decision's feature vector, nil if none was computed
	Meter    Meter
	Entry    Entry // the decision's entry in the journal
	// KeyChanges is the value that KeyState.Changes had when the keys of the documents were read.
	KeyChanges int64
	// Answer is the answer to repetitions of the request; nil if the request
	// had no idempotency key.
	Answer *IdempotencyAnswer
}

// Insert stores a decision with its answer and counts it against the quota. It returns Limited quota_exceeded if
// the quota is used up. It returns *AlreadyAnswered or Invalid idempotency_key_reused if the answer's key is taken.
// It returns ErrKeysChanged if the decision is sealed with keys from before an erasure. In all these cases nothing
// is stored.
func (ds Decisions) Insert(w *DecisionWrite) error {
	refusals, err := ds.insertAll([]*DecisionWrite{w})
	if err != nil {
		return err
	}
	return refusals[0]
}

// insertAll stores many decisions of the scope in a few statements. It returns
// one refusal for each write, nil if the write was stored; a refused write stores
// nothing. If insertAll returns an error, the transaction must be rolled back.
//
// It locks the scope first, by reserving numbers in the journal. Then it inserts the
// answers: a repeated request must get the stored answer even if the quota is used up,
// and must not count against the quota.
func (ds Decisions) insertAll(writes []*DecisionWrite) (refusals []error, err error) {
	leaf, keyChanges, err := ds.tx.Journal().reserve(len(writes))
	if err != nil {
		return nil, err
	}
	for _, w := range writes {
		if w.KeyChanges != keyChanges {
			return ds.insertCurrent(writes, keyChanges)
		}
	}
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
	if leaf, err = ds.addEntries(leaf, writes, refusals); err != nil {
		return nil, err
	}
	rows := make([][]any, 0, len(writes))
	var features, waiting, people [][]any
	for i, w := range writes {
		if refusals[i] != nil {
			continue
		}
		w.Decision.Leaf = leaf
		leaf++
		rows = append(rows, w.Decision.row())
		ds.tx.noteWritten(w.Decision.ID)
		if w.Features != nil {
			features = append(features, w.Features.row(w.Decision.ID))
		}
		if w.Decision.waits() {
			waiting = append(waiting, w.Decision.referral())
		}
		people = append(people, w.Decision.peopleRows()...)
	}
	if len(rows) == 0 {
		return refusals, nil
	}
	if err := decisionTable.insert(ds.tx, rows); err != nil {
		return nil, err
	}
	if len(features) > 0 {
		if err := featureTable.insert(ds.tx, features); err != nil {
			return nil, err
		}
	}
	if len(waiting) > 0 {
		if err := referralTable.insert(ds.tx, waiting); err != nil {
			return nil, err
		}
	}
	if len(people) > 0 {
		if err := personTable.insert(ds.tx, people); err != nil {
			return nil, err
		}
	}
	return refusals, nil
}

// insertCurrent stores the writes that are sealed with the current keys, and refuses the others with ErrKeysChanged.
// The caller has reserved a number for each write.
func (ds Decisions) insertCurrent(writes []*DecisionWrite, keyChanges int64) ([]error, error) {
	if err := ds.tx.Journal().release(len(writes)); err != nil {
		return nil, err
	}
	refusals := all(len(writes), ErrKeysChanged)
	var current []*DecisionWrite
	var places []int
	for i, w := range writes {
		if w.KeyChanges == keyChanges {
			current, places = append(current, w), append(places, i)
		}
	}
	if len(current) == 0 {
		return refusals, nil
	}
	stored, err := ds.insertAll(current)
	for k, i := range places {
		if err == nil {
			refusals[i] = stored[k]
		}
	}
	return refusals, err
}

// addEntries adds the entries of the writes that were not refused, and returns the number of the first entry. first is
// the result of Journal.reserve.
func (ds Decisions) addEntries(first int64, writes []*DecisionWrite, refusals []error) (int64, error) {
	entries := make([]Entry, 0, len(writes))
	for i, w := range writes {
		if refusals[i] == nil {
			entries = append(entries, w.Entry)
		}
	}
	journal := ds.tx.Journal()
	if refused := len(writes) - len(entries); refused > 0 {
		if err := journal.release(refused); err != nil {
			return 0, err
		}
	}
	if len(entries) == 0 {
		return first, nil
	}
	return journal.put(first, entries, writes[0].Decision.CreatedMicros)
}

// settleAnswers removes the answers of writes that the quota refused. If the key of a write was taken before, in this
// call or earlier, the write is refused with the stored answer.
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
		// If the quota refused the write that took the key, there is no answer: refuse this write too.
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

// allColumns are decisionColumns and the documents.
const allColumns = decisionColumns + ", response, facts, leaf, plain"

const plainColumns = decisionColumns + ", plain"

func (d *Decision) plainFields() []any { return append(d.fields(), &d.Plain) }

func (d *Decision) fields() []any {
	return []any{&d.ID, &d.CreatedMicros, &d.ApplicantRef, &d.Status, &d.Grade, &d.PolicyKey, &d.PolicyID,
		&d.PolicyVersion, &d.Endpoint, &d.EngineVersion, &d.Hash, &d.Actor}
}

func (d *Decision) allFields() []any {
	return append(d.fields(), &d.Response, &d.Facts, &d.Leaf, &d.Plain)
}

// Get returns a decision with its documents, NotFound if there is none.
func (ds DecisionReader) Get(id string) (Decision, error) {
	return readOf(ds.access, id, func(tx *Tx) (Decision, error) {
		var d Decision
		err := tx.one(d.allFields(),
			"SELECT "+allColumns+" FROM decisions WHERE tenant_id = $1 AND environment = $2 AND id = $3", id)
		if err == nil {
			err = addPeople(tx, &d)
		}
		return d, orNotFound("decision", err)
	})
}

// DecisionFilter filters a list; empty fields match everything. Status, grade, applicant and policy id have an
// index each. A list scans one of these indexes, or the index by id, and checks all further conditions row by row.
// It scans at most scanRows rows for each page.
type DecisionFilter struct {
	Status, Grade, ApplicantRef, PolicyKey, PolicyID, Endpoint string
}

// Outcomes returns decisions by their ids, without applicant and documents. An id that does
// not exist is not in the result.
func (ds DecisionReader) Outcomes(ids []string) (map[string]Decision, error) {
	return ds.byIDs(selectOutcomes, (*Decision).outcomeFields, ids)
}

// Summaries returns decisions by their ids, without their documents. An id that does not exist is not in the result.
func (ds DecisionReader) Summaries(ids []string) (map[string]Decision, error) {
	return ds.byIDs(selectSummaries, (*Decision).fields, ids)
}

// byIDs reads decisions with a statement that selectByIDs has built.
func (ds DecisionReader) byIDs(
	statement string, fields func(*Decision) []any, ids []string,
) (map[string]Decision, error) {
	return read(ds.access, func(tx *Tx) (map[string]Decision, error) {
		found := make(map[string]Decision, len(ids))
		for part := range slices.Chunk(ids, outcomesAtOnce) {
			// The statement has a fixed number of parameters, so that it is prepared once.
			args := make([]any, outcomesAtOnce)
			for i := range args {
				args[i] = part[min(i, len(part)-1)]
			}
			err := tx.each(func(scan func(...any) error) error {
				var d Decision
				err := scan(fields(&d)...)
				found[d.ID] = d
				return err
			}, statement, args...)
			if err != nil {
				return nil, err
			}
		}
		return found, nil
	})
}

// outcomesAtOnce is the number of decisions that byIDs reads with one statement.
const outcomesAtOnce = 100

const outcomeColumns = "id, status, grade, policy_key, policy_id, policy_version, endpoint, hash"

func (d *Decision) outcomeFields() []any {
	return []any{&d.ID, &d.Status, &d.Grade, &d.PolicyKey, &d.PolicyID, &d.PolicyVersion, &d.Endpoint, &d.Hash}
}

var selectOutcomes, selectSummaries = selectByIDs(outcomeColumns), selectByIDs(decisionColumns)

// selectByIDs returns a statement that selects outcomesAtOnce decisions, each by its primary key.
//
// A subquery returns the wanted ids together with the scope. If the scope were a condition on the decisions,
// PostgreSQL would read the whole scope: before the first ANALYZE it assumes that the scope has one decision.
// PostgreSQL plans a subquery with DISTINCT separately, so it does not move the scope out of the subquery.
func selectByIDs(columns string) string {
	const firstParameter = 3 // the first parameter after the tenant and the environment
	list := make([]string, outcomesAtOnce)
	for i := range list {
		list[i] = fmt.Sprintf("($%d)", firstParameter+i)
	}
	return "SELECT " + columns + ` FROM (SELECT DISTINCT $1 AS of_tenant, $2 AS of_environment, column1 AS of_id
			FROM (VALUES ` + strings.Join(list, ", ") + `) AS given) AS wanted
		JOIN decisions ON tenant_id = of_tenant AND environment = of_environment AND id = of_id`
}

// List returns a page of the scope's decisions, without their documents, and the Position at which it ended. With
// several filters, a page may be short or even empty although more pages follow.
func (ds DecisionReader) List(f DecisionFilter, p Page) ([]Decision, Position, error) {
	return readTwo(ds.access, func(tx *Tx) ([]Decision, Position, error) {
		rows, more, end, err := tx.Decisions().list(decisionColumns, f, p, (*Decision).fields)
		return rows, nextPosition(more, func() Position { return rows[len(rows)-1].place() }, end), err
	})
}

// list returns a page of decisions, whether there are more decisions before the
// end of the scan, and that end.
func (ds Decisions) list(
	columns string, f DecisionFilter, p Page, fields func(*Decision) []any,
) (rows []Decision, more bool, end Position, err error) {
	if p.end, err = ds.endOf(f, p); err != nil {
		return nil, false, Position{}, err
	}
	rows, more, err = list(ds.tx, pageOf(columns, f, p), p, func(scan func(...any) error) (d Decision, err error) {
		err = scan(fields(&d)...)
		return d, err
	})
	return rows, more, p.end, err
}

// ListPlain returns the page that List returns, with the column plain. List does not read that column, because SQLite
// must read past the documents of a row to reach it.
func (ds DecisionReader) ListPlain(f DecisionFilter, p Page) ([]Decision, Position, error) {
	return readTwo(ds.access, func(tx *Tx) ([]Decision, Position, error) {
		rows, more, end, err := tx.Decisions().list(plainColumns, f, p, (*Decision).plainFields)
		return rows, nextPosition(more, func() Position { return rows[len(rows)-1].place() }, end), err
	})
}

func pageOf(columns string, f DecisionFilter, p Page) *query {
	q := listOf("SELECT " + columns + " FROM decisions WHERE tenant_id = $1 AND environment = $2")
	q.filtered(f)
	q.pageByID(p)
	return q
}

func (d *Decision) place() Position { return Position{d.CreatedMicros, d.ID} }

// walkPage is the number of decisions, documents included, that Walk has in
// memory at a time.
const walkPage = 50

// Walk calls fn for every decision of the scope that satisfies the filter and the
// page's limits, documents included. It visits them in the page's order,
// beginning after the page's AfterID. Walk has only a few decisions in memory at
// a time. Outside a transaction it keeps no transaction open while fn runs. So it
// also visits decisions created in the meantime, if they come later in the order.
// If fn returns an error, Walk stops and returns the error.
func (ds DecisionReader) Walk(f DecisionFilter, p Page, fn func(*Decision) error) error {
	if p.Limit <= 0 {
		p.Limit = walkPage
	}
	for {
		var end Position
		rows, more, err := readTwo(ds.access, func(tx *Tx) (rows []Decision, more bool, err error) {
			rows, more, end, err = tx.Decisions().list(allColumns, f, p, (*Decision).allFields)
			for i := 0; i < len(rows) && err == nil; i++ {
				err = addPeople(tx, &rows[i])
			}
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
		case more: // more decisions follow in the same scan
			p.AfterID, p.end = rows[len(rows)-1].ID, end
		case end.ID == "":
			return nil
		default:
			p.AfterID, p.end = end.ID, Position{}
		}
	}
}

// Count counts the scope's decisions one by one, without a time limit. It is for
// the operator's work and not for requests, because it can take long.
func (ds DecisionReader) Count() (n int64, err error) {
	count := func(tx *Tx) error {
		return tx.one([]any{&n}, "SELECT count(*) FROM decisions WHERE tenant_id = $1 AND environment = $2")
	}
	if ds.tx != nil {
		err = count(ds.tx)
		return n, err
	}
	err = ds.scope.db.readLong(ds.ctx, func(t *transaction) error {
		return count(&Tx{transaction: t, rls: ds.scope.rlsScope()})
	})
	return n, err
}

// InsertDecision stores a decision like Decisions.Insert, in a transaction of
// its own. Decisions that wait together are inserted together, so it is cheaper
// than a Write that calls Decisions.Insert. The committer inserts them with
// [Decisions.insertAll], or on PostgreSQL with the statement in pipeline.go.
func (s *Scope) InsertDecision(ctx context.Context, w *DecisionWrite) error {
	return s.confirmed(ctx, s.db.submit(ctx, &job{decision: w, rls: s.rlsScope(), scope: s.rlsScope()}))
}
