package store

// Referral is a decision that waits for a person's review.
type Referral struct {
	Decision           // without its facts
	AskedMicros int64  // when more information was last requested, 0 for never
	Assignee    string // the user who works on it; "" for nobody
}

// ReferralFilter filters the queue. Each filter has an index.
type ReferralFilter struct {
	ByAssignee bool
	Assignee   string // used if ByAssignee is set: only referrals of this user, "" for unassigned referrals
	BeforeID   string // only decisions with a smaller id, which are older; "" for no bound
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
	return ds.ReferralsOf(ReferralFilter{}, p)
}

// ReferralsOf returns a page of the queue like Referrals, with a filter.
func (ds DecisionReader) ReferralsOf(f ReferralFilter, p Page) ([]Referral, bool, error) {
	return readTwo(ds.access, func(tx *Tx) ([]Referral, bool, error) {
		return list(tx, referralPage(f, p), p, func(scan func(...any) error) (r Referral, err error) {
			err = scan(append(r.fields(), &r.Response, &r.Plain, &r.AskedMicros, &r.Assignee)...)
			return r, err
		})
	})
}

// referralPage returns the query of a page. The subquery selects the page before the decisions are looked up, and CROSS
// JOIN makes SQLite keep that order. In the other order SQLite would scan all decisions to find those in the queue.
func referralPage(f ReferralFilter, p Page) *query {
	q := listOf("SELECT " + decisionColumns +
		`, response, plain, asked_micros, assignee FROM (SELECT decision_id, asked_micros, assignee FROM referrals
		WHERE tenant_id = $1 AND environment = $2`)
	if f.ByAssignee {
		q.where("assignee = ?", f.Assignee)
	}
	if f.BeforeID != "" {
		q.where("decision_id < ?", f.BeforeID)
	}
	if p.AfterID != "" {
		q.where("decision_id > ?", p.AfterID)
	}
	q.add(" ORDER BY decision_id")
	q.limit(p)
	q.add(") waiting CROSS JOIN decisions WHERE id = decision_id AND tenant_id = $1 AND environment = $2 ORDER BY " +
		"decision_id")
	return q
}

// Assign changes the user who works on a referral; "" is nobody. It changes nothing and returns false if the referral
// is not in the queue or is not assigned to the user in from.
func (ds Decisions) Assign(decisionID, from, to string) (assigned bool, err error) {
	changed, err := ds.tx.exec(`UPDATE referrals SET assignee = $4
		WHERE tenant_id = $1 AND environment = $2 AND decision_id = $3 AND assignee = $5`, decisionID, to, from)
	return changed > 0, err
}

// Assignee returns the user who works on a referral, "" if nobody does or the decision is not in the queue.
func (ds Decisions) Assignee(decisionID string) (userID string, err error) {
	err = ds.tx.one([]any{&userID}, `SELECT assignee FROM referrals
		WHERE tenant_id = $1 AND environment = $2 AND decision_id = $3`, decisionID)
	return userID, ignoreAbsent(err)
}
