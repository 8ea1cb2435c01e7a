package store

// Referral is a decision that waits for a person's review.
type Referral struct {
	Decision          // without its facts
	AskedMicros int64 // when more information was last requested, 0 for never
}

// statusReferred is the status of decisions that a person must review.
const statusReferred = "REFERRED"

// OutcomeAsks is the outcome of a review that requests more information. The
// decision stays in the queue.
const OutcomeAsks = "more_information"

// referralTable is the queue of referrals. A referred decision is added when it is
// inserted.
var referralTable = newBulkTable("referrals", column{"decision_id", text}, column{"asked_micros", bigint})

// waits reports whether a new decision is added to the queue.
func (d *Decision) waits() bool { return d.Status == statusReferred }

func (d *Decision) referral() []any { return []any{d.ID, int64(0)} }

// settle removes a decision from the queue, or records that more information
// was requested. settled reports whether the decision was in the queue and was
// removed. A decision that is not in the queue is left unchanged.
func (ds Decisions) settle(r Review) (settled bool, err error) {
	if r.Outcome == OutcomeAsks {
		_, err = ds.tx.exec(
			"UPDATE referrals SET asked_micros = $4 WHERE tenant_id = $1 AND environment = $2 AND decision_id = $3",
			r.DecisionID, r.CreatedMicros)
		return false, err
	}
	removed, err := ds.tx.exec(
		"DELETE FROM referrals WHERE tenant_id = $1 AND environment = $2 AND decision_id = $3", r.DecisionID)
	return removed > 0, err
}

// Referrals returns a page of the queue, oldest first, and whether there are
// more. It uses only Limit and AfterID of p. If the decision AfterID has left the
// queue in the meantime, the page begins at the position where that decision was.
func (ds DecisionReader) Referrals(p Page) ([]Referral, bool, error) {
	return readTwo(ds.access, func(tx *Tx) ([]Referral, bool, error) {
		// The subquery selects the page before the decisions are looked up, and
		// CROSS JOIN makes SQLite keep that order. In the other order SQLite
		// would scan all decisions to find those in the queue.
		q := listOf("SELECT " + decisionColumns +
			`, response, plain, asked_micros FROM (SELECT decision_id, asked_micros FROM referrals
		WHERE tenant_id = $1 AND environment = $2`)
		if p.AfterID != "" {
			q.where("decision_id > ?", p.AfterID)
		}
		q.add(" ORDER BY decision_id")
		q.limit(p)
		q.add(
			") waiting CROSS JOIN decisions WHERE id = decision_id AND tenant_id = $1 AND environment = $2 ORDER BY " +
				"decision_id")
		return list(tx, q, p, func(scan func(...any) error) (r Referral, err error) {
			err = scan(append(r.fields(), &r.Response, &r.Plain, &r.AskedMicros)...)
			return r, err
		})
	})
}
