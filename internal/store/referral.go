package store

// Referral is a decision that waits for a person.
type Referral struct {
	Decision          // without its facts
	AskedMicros int64 // when more information was last asked for, 0 for never
}

// statusReferred is the status of decisions that a person must look at.
const statusReferred = "REFERRED"

// OutcomeAsks is the outcome of a review that settles nothing: the decision
// waits on.
const OutcomeAsks = "more_information"

// referralTable is the queue; decisions enter it as they are inserted.
var referralTable = newBulkTable("referrals", column{"decision_id", text}, column{"asked_micros", bigint})

// waits reports whether a new decision enters the queue.
func (d *Decision) waits() bool { return d.Status == statusReferred }

func (d *Decision) referral() []any { return []any{d.ID, int64(0)} }

// settle takes a decision off the queue, or notes that it was asked about. One
// that does not wait is left as it is.
func (ds Decisions) settle(r Review) error {
	var err error
	if r.Outcome == OutcomeAsks {
		_, err = ds.tx.exec(
			"UPDATE referrals SET asked_micros = $4 WHERE tenant_id = $1 AND environment = $2 AND decision_id = $3",
			r.DecisionID, r.CreatedMicros)
	} else {
		_, err = ds.tx.exec(
			"DELETE FROM referrals WHERE tenant_id = $1 AND environment = $2 AND decision_id = $3", r.DecisionID)
	}
	return err
}

// Referrals returns a page of the queue, oldest first, and whether there are
// more; of p only the limit and the place to go on after count. A page that
// begins after a decision that was settled meanwhile goes on where that stood.
func (ds DecisionReader) Referrals(p Page) ([]Referral, bool, error) {
	return readTwo(ds.access, func(tx *Tx) ([]Referral, bool, error) {
		// The page is cut before the decisions are looked up, and CROSS keeps SQLite
		// to that order: the other way round, the queue would be found by walking
		// through all that was decided.
		q := listOf("SELECT " + decisionColumns + `, response, asked_micros FROM (SELECT decision_id, asked_micros FROM referrals
		WHERE tenant_id = $1 AND environment = $2`)
		if p.AfterID != "" {
			q.where("decision_id > ?", p.AfterID)
		}
		q.add(" ORDER BY decision_id")
		q.limit(p)
		q.add(
			") waiting CROSS JOIN decisions WHERE id = decision_id AND tenant_id = $1 AND environment = $2 ORDER BY decision_id")
		return list(tx, q, p, func(scan func(...any) error) (r Referral, err error) {
			err = scan(append(r.fields(), &r.Response, &r.AskedMicros)...)
			return r, err
		})
	})
}
