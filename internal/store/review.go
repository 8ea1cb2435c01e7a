package store

import (
	"slices"

	"verdict/internal/evidence"
	"verdict/internal/fault"
	"verdict/internal/wire"
)

// MaxReviews is the maximum number of reviews of a decision, so that Reviews can return all of them. A decision may
// have more if they were added before there was a limit.
const MaxReviews = MaxPage

// Review is a person's review of a decision. Reviews are only ever added; the
// decision stays as it was answered.
type Review struct {
	ID            string
	DecisionID    string
	CreatedMicros int64
	Actor         string
	Outcome       string
	ReasonCode    string
	Note          string
}

// LoggedReview is a review with the number of its entry in the journal.
type LoggedReview struct {
	Review
	Leaf int64  // -1 if the review is older than the journal and has no entry yet
	Salt []byte // the salt of the hash over the note
}

// Record returns the review's entry in the journal. The scope of the entry is not set.
func (r *LoggedReview) Record() evidence.Record {
	return evidence.Record{
		Kind:   evidence.Review,
		ID:     r.ID,
		Micros: r.CreatedMicros,
		Type:   "decision.reviewed",
		Data: eventData(func(w *wire.Writer) {
			w.Optional("actor", r.Actor)
			w.Optional("decision_id", r.DecisionID)
			w.Optional("outcome", r.Outcome)
			w.Optional("reason_code", r.ReasonCode)
			w.Optional("review_id", r.ID)
		}),
		Commitment: evidence.Commit(r.Salt, r.Note),
	}
}

// AddReview adds a review and its entry in the journal, and updates the queue of referrals. It returns NotFound if the
// decision is not of this scope, and Conflict cap_reached if the decision has MaxReviews reviews.
//
// A review that requests more information leaves the decision in the queue, so it cannot be the last one that the
// limit allows: the final review, which removes the decision from the queue, must still be possible. A decision that
// got MaxReviews reviews before there was a limit may still wait in the queue. Its final review is added in spite of
// the limit.
func (ds Decisions) AddReview(r Review) error {
	// The lock makes reviewers on other nodes wait, so that the count below stays
	// true until the commit.
	if err := ds.tx.Lock(); err != nil {
		return err
	}
	logged := LoggedReview{Review: r, Salt: newSalt()}
	leaf, err := ds.tx.record(logged.Record())
	if err != nil {
		return err
	}
	added, err := ds.tx.exec(`INSERT INTO decision_reviews (tenant_id, environment, id, decision_id, created_micros,
		actor, outcome, reason_code, note, leaf, salt)
		SELECT $1, $2, $3, id, $5, $6, $7, $8, $9, $10, $11
		FROM decisions WHERE tenant_id = $1 AND environment = $2 AND id = $4`,
		r.ID, r.DecisionID, r.CreatedMicros, r.Actor, r.Outcome, r.ReasonCode, r.Note, leaf, logged.Salt)
	if err == nil && added == 0 {
		return fault.Missing("decision") // the caller rolls the transaction back, and the journal entry with it
	}
	if err != nil {
		return err
	}
	if err := ds.wakeErasure(r.DecisionID); err != nil {
		return err
	}
	settled, err := ds.settle(r)
	if err != nil || settled {
		return err
	}
	return ds.checkReviews(r)
}

// wakeErasure schedules an early check of the deferred erasures of the decision's people: a review may have ended the
// offer for which they wait, or have made an offer.
func (ds Decisions) wakeErasure(decisionID string) error {
	_, err := ds.tx.exec(`UPDATE erasures SET next_micros = 0
		WHERE tenant_id = $1 AND environment = $2 AND state = 'deferred' AND (applicant_ref, decision_id) =
			(SELECT applicant_ref, CASE WHEN applicant_ref = '' THEN id ELSE '' END FROM decisions
			WHERE tenant_id = $1 AND environment = $2 AND id = $3)`, decisionID)
	if err != nil {
		return err
	}
	return ds.tx.Erasures().wakeOthers(decisionID)
}

// checkReviews returns Conflict cap_reached if the review, which has been
// added, exceeds the limit of its decision.
func (ds Decisions) checkReviews(r Review) error {
	var n int64
	err := ds.tx.one([]any{&n}, `SELECT count(*) FROM decision_reviews
		WHERE tenant_id = $1 AND environment = $2 AND decision_id = $3`, r.DecisionID)
	switch {
	case err != nil:
		return err
	case n > MaxReviews:
		return fault.New(fault.Conflict, fault.CodeCapReached,
			"this decision has %d reviews, which is as many as a decision may have", MaxReviews)
	case n == MaxReviews && r.Outcome == OutcomeAsks:
		return fault.New(fault.Conflict, fault.CodeCapReached,
			"this decision has %d reviews and may have only one more, which must uphold or overturn it", MaxReviews-1)
	}
	return nil
}

// Reviews returns the latest reviews of a decision, oldest first, at most
// MaxReviews. It returns no reviews for a decision of another scope.
func (ds DecisionReader) Reviews(decisionID string) ([]Review, error) {
	return read(ds.access, func(tx *Tx) ([]Review, error) {
		var reviews []Review
		err := tx.each(func(scan func(...any) error) error {
			var r Review
			err := scan(&r.ID, &r.DecisionID, &r.CreatedMicros, &r.Actor, &r.Outcome, &r.ReasonCode, &r.Note)
			reviews = append(reviews, r)
			return err
		}, `SELECT id, decision_id, created_micros, actor, outcome, reason_code, note FROM decision_reviews
		WHERE tenant_id = $1 AND environment = $2 AND decision_id = $3 ORDER BY created_micros DESC, id DESC LIMIT $4`,
			decisionID, int64(MaxReviews))
		slices.Reverse(reviews)
		return reviews, err
	})
}

const loggedReviewColumns = "id, decision_id, created_micros, actor, outcome, reason_code, note, leaf, salt"

func (r *LoggedReview) fields() []any {
	return []any{&r.ID, &r.DecisionID, &r.CreatedMicros, &r.Actor, &r.Outcome, &r.ReasonCode, &r.Note, &r.Leaf, &r.Salt}
}

func (r *LoggedReview) rowID() string { return r.ID }

// LoggedReview returns a review of a decision, NotFound if there is none.
func (ds DecisionReader) LoggedReview(decisionID, id string) (LoggedReview, error) {
	return read(ds.access, func(tx *Tx) (r LoggedReview, err error) {
		err = tx.one(r.fields(), "SELECT "+loggedReviewColumns+` FROM decision_reviews
			WHERE tenant_id = $1 AND environment = $2 AND decision_id = $3 AND id = $4`, decisionID, id)
		return r, orNotFound("review", err)
	})
}

// WalkReviews calls fn for every review of the scope. Outside a transaction it keeps no transaction open while fn
// runs. If fn returns an error, WalkReviews stops and returns the error.
func (ds DecisionReader) WalkReviews(fn func(*LoggedReview) error) error {
	var last LoggedReview
	for {
		rows, err := read(ds.access, func(tx *Tx) (rows []LoggedReview, err error) {
			return eachRow(tx, (*LoggedReview).fields, "SELECT "+loggedReviewColumns+` FROM decision_reviews
				WHERE tenant_id = $1 AND environment = $2 AND (decision_id, created_micros, id) > ($3, $4, $5)
				ORDER BY decision_id, created_micros, id LIMIT $6`,
				last.DecisionID, last.CreatedMicros, last.ID, int64(MaxPage))
		})
		if err != nil || len(rows) == 0 {
			return err
		}
		for i := range rows {
			if err := fn(&rows[i]); err != nil {
				return err
			}
		}
		last = rows[len(rows)-1]
	}
}

// fillReviews adds journal entries for the oldest reviews that have none, and returns the number of added entries.
func fillReviews(tx *Tx, b Backfill) (int, error) {
	rows, err := withoutEntry[LoggedReview](tx, loggedReviewColumns, "decision_reviews", b)
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	records := make([]evidence.Record, len(rows))
	for i := range rows {
		rows[i].Salt = newSalt()
		records[i] = rows[i].Record()
	}
	first, err := b.record(tx, records...)
	if err != nil {
		return 0, err
	}
	for i := range rows {
		r := &rows[i]
		if _, err := tx.exec(`UPDATE decision_reviews SET leaf = $6, salt = $7 WHERE tenant_id = $1
			AND environment = $2 AND decision_id = $3 AND created_micros = $4 AND id = $5`,
			r.DecisionID, r.CreatedMicros, r.ID, first+int64(i), r.Salt); err != nil {
			return 0, err
		}
	}
	return len(rows), nil
}
