package store

import (
	"cmp"
	"context"
	"slices"
	"strconv"
)

// MaxOwn is the maximum number of decisions of a person that Own returns, the newest ones. It limits the cost of a
// decision about a person who applies very often.
const MaxOwn = 500

// OwnDecision is an earlier decision about a person.
type OwnDecision struct {
	ID            string
	CreatedMicros int64
	Status        string
	PolicyKey     string
	PolicyID      string
	Plain         string
	Leaf          int64  // the number of its entry in the journal, -1 if it has none yet
	Review        string // the outcome of the last final review, "" if there is none
	Booked        bool   // an exposure names the decision
}

// OwnQuery says what to read about a person.
type OwnQuery struct {
	ApplicantRef string
	SinceID      string // only decisions after this id
	// RequestKey is the keyed hash of the request that is being decided. Decisions of the same request after
	// RepeatedMicros are left out.
	RequestKey     string
	RepeatedMicros int64
}

// Own is what the lender has decided for a person before, and has lent.
type Own struct {
	Decisions []OwnDecision // the newest first; of those in one millisecond the one that was stored last
	Exposures []Exposure    // those that are not closed
}

// selectOwn uses the index of references, so it costs the same however much else is stored. The limit is part of the
// text, because SQLite plans a statement again each time a limit parameter is bound.
var selectOwn = `SELECT d.id, d.created_micros, d.status, d.policy_key, d.policy_id, d.plain, d.leaf, coalesce(` +
	finalReview + `, ''), (SELECT count(*) FROM exposures e WHERE e.tenant_id = $1 AND e.environment = $2
		AND e.decision_id <> '' AND e.decision_id = d.id)
	FROM decisions d WHERE d.tenant_id = $1 AND d.environment = $2 AND d.applicant_ref <> '' AND d.applicant_ref = $3
		AND d.id > $4 AND d.id NOT IN (SELECT q.decision_id FROM recent_requests q WHERE q.tenant_id = $1
			AND q.environment = $2 AND q.request_key = $5 AND q.created_micros > $6)
	ORDER BY d.id DESC LIMIT ` + strconv.Itoa(MaxOwn)

const selectOpenExposures = "SELECT " + exposureColumns + ` FROM exposures WHERE tenant_id = $1 AND environment = $2
	AND applicant_ref = $3 AND closed_micros = 0 ORDER BY id`

// Own returns what the lender has decided for a person before, and has lent. In a transaction that writes, the scope
// is locked, so that of two decisions at the same moment, on any nodes, the second sees the first.
func (ex ExposureReader) Own(q OwnQuery) (Own, error) {
	return read(ex.access, func(tx *Tx) (own Own, err error) {
		own.Decisions, err = eachRow(tx, func(d *OwnDecision) []any {
			return []any{&d.ID, &d.CreatedMicros, &d.Status, &d.PolicyKey, &d.PolicyID, &d.Plain, &d.Leaf, &d.Review,
				countFlag{&d.Booked}}
		}, selectOwn, q.ApplicantRef, q.SinceID, q.RequestKey, q.RepeatedMicros)
		if err != nil {
			return Own{}, err
		}
		slices.SortStableFunc(own.Decisions, func(a, b OwnDecision) int {
			return cmp.Or(cmp.Compare(b.CreatedMicros, a.CreatedMicros), cmp.Compare(b.Leaf, a.Leaf))
		})
		own.Exposures, err = eachRow(tx, (*Exposure).fields, selectOpenExposures, q.ApplicantRef)
		return own, err
	})
}

// Remember stores that a request led to a decision, so that a repetition of it is recognised.
func (ex Exposures) Remember(requestKey, decisionID string, nowMicros int64) error {
	_, err := ex.tx.exec(`INSERT INTO recent_requests (tenant_id, environment, request_key, decision_id, created_micros)
		VALUES ($1, $2, $3, $4, $5)`, requestKey, decisionID, nowMicros)
	return err
}

// PurgeRecentRequests deletes at most limit requests that were remembered before a time, and returns their number.
func (sys *System) PurgeRecentRequests(ctx context.Context, beforeMicros int64, limit int) (removed int64, err error) {
	err = sys.write(ctx, "recent requests", func(s *transaction) (err error) {
		removed, err = s.exec(`DELETE FROM recent_requests WHERE (tenant_id, environment, request_key, decision_id) IN
			(SELECT tenant_id, environment, request_key, decision_id FROM recent_requests WHERE created_micros < $1
				ORDER BY created_micros LIMIT $2)`, beforeMicros, int64(limit))
		return err
	})
	return removed, err
}
