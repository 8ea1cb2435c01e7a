package store

import (
	"slices"

	"verdict/internal/fault"
)

// MaxReviews is the maximum number of reviews of a decision, so that Reviews
// can return all of them. Older decisions may have more.
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

// AddReview adds a review and updates the queue of referrals. It returns
// NotFound if the decision is not of this scope, and Conflict cap_reached if
// the decision has MaxReviews reviews. A review that requests more information
// cannot be the last one: it leaves the decision in the queue, and there must
// be room for the review that takes it out. A decision that got MaxReviews
// reviews before there was a limit may still wait in the queue; the one review
// that takes it out is added in spite of the limit.
func (ds Decisions) AddReview(r Review) error {
	// The lock makes reviewers on other nodes wait, so that the count below stays
	// true until the commit.
	if err := ds.tx.lockScope(); err != nil {
		return err
	}
	added, err := ds.tx.exec(`INSERT INTO decision_reviews (tenant_id, environment, id, decision_id, created_micros,
		actor, outcome, reason_code, note)
		SELECT $1, $2, $3, id, $5, $6, $7, $8, $9 FROM decisions WHERE tenant_id = $1 AND environment = $2 AND id = $4`,
		r.ID, r.DecisionID, r.CreatedMicros, r.Actor, r.Outcome, r.ReasonCode, r.Note)
	if err == nil && added == 0 {
		return notFound("decision")
	}
	if err != nil {
		return err
	}
	settled, err := ds.settle(r)
	if err != nil || settled {
		return err
	}
	return ds.checkReviews(r)
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
