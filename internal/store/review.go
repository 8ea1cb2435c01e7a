package store

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
// NotFound if the decision is not of this scope.
func (ds Decisions) AddReview(r Review) error {
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
	return ds.settle(r)
}

// Reviews returns the reviews of a decision, oldest first, at most MaxPage. It
// returns no reviews for a decision of another scope.
func (ds DecisionReader) Reviews(decisionID string) ([]Review, error) {
	return read(ds.access, func(tx *Tx) ([]Review, error) {
		var reviews []Review
		err := tx.each(func(scan func(...any) error) error {
			var r Review
			err := scan(&r.ID, &r.DecisionID, &r.CreatedMicros, &r.Actor, &r.Outcome, &r.ReasonCode, &r.Note)
			reviews = append(reviews, r)
			return err
		}, `SELECT id, decision_id, created_micros, actor, outcome, reason_code, note FROM decision_reviews
		WHERE tenant_id = $1 AND environment = $2 AND decision_id = $3 ORDER BY created_micros, id LIMIT $4`,
			decisionID, int64(MaxPage))
		return reviews, err
	})
}
