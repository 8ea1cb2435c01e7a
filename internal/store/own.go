package store

import (
	"cmp"
	"context"
	"slices"
	"strconv"
)

// MaxOwn is the maximum number of decisions that Own returns for a person as primary applicant, and also the maximum
// for the person in other roles. Own returns the newest ones. The maximum limits the cost of a decision about a person
// who applies very often. If there are more decisions, Own also returns the newest of the older decisions that may be
// open offers: MaxOwn requests about a small loan must not hide an offer of a large one.
const MaxOwn = 500

// The limits of the search for offers among older decisions: maxOlder decisions are read, and at most maxSeries offers
// are returned for each combination of primary applicant, policy_key and status.
const (
	maxOlder  = 10_000
	maxSeries = 20
)

// OwnDecision is an earlier decision about a person.
type OwnDecision struct {
	ID             string
	CreatedMicros  int64
	ApprovedMicros int64 // when the lender approved; see the constant approvedMicros
	Status         string
	PolicyKey      string
	PolicyID       string
	Plain          string
	Leaf           int64  // the number of its entry in the journal, -1 if it has none yet
	Review         string // the outcome of the last final review, "" if there is none
	Booked         bool   // an exposure names the decision
	Role           string // the person's role, "" for the primary applicant
	PrimaryRef     string // reference of the primary applicant; "" if Role is ""
}

// OwnQuery says what to read about a person.
type OwnQuery struct {
	ApplicantRef string
	SinceID      string // only decisions after this id
	// RequestKey is the keyed hash of the request that is being decided. Own leaves out the decisions of the same
	// request that were made after RepeatedMicros.
	RequestKey     string
	RepeatedMicros int64
}

// Own holds the lender's earlier decisions about a person, and the person's open loans.
type Own struct {
	Decisions []OwnDecision // see MaxOwn; newest first; of decisions with equal times, the last stored comes first
	Exposures []Exposure    // the open exposures, with the role of the person
}

// selectOwn uses the index on references, so its cost does not depend on how much else is stored. The limit is part of
// the text, because SQLite plans a statement again each time a limit parameter is bound.
var selectOwn = `SELECT ` + ownColumns + ` FROM decisions d
	WHERE d.tenant_id = $1 AND d.environment = $2 AND d.applicant_ref <> '' AND d.applicant_ref = $3
		AND d.id > $4 AND d.id NOT IN (` + repeatedRequests + `)
	ORDER BY d.id DESC LIMIT ` + strconv.Itoa(MaxOwn)

// selectOwnOthers selects the decisions in which the person has a role other than primary applicant. The person's
// roles come from a subquery with a limit, because PostgreSQL does not apply the parameters inside such a subquery
// to the tables outside it. Without the limit, PostgreSQL would compare each role with all decisions of the scope:
// before a table is first analysed, it assumes that a scope has one row.
var selectOwnOthers = `SELECT ` + ownColumns + `, p.role, d.applicant_ref
	FROM (SELECT tenant_id, environment, decision_id, role FROM decision_people WHERE tenant_id = $1
	AND environment = $2
			AND person_ref = $3 AND decision_id > $4 AND decision_id NOT IN (` + repeatedRequests + `)
		ORDER BY decision_id DESC LIMIT ` + strconv.Itoa(MaxOwn) + `) AS p
	JOIN decisions d ON d.tenant_id = p.tenant_id AND d.environment = p.environment AND d.id = p.decision_id
	ORDER BY d.id DESC`

// selectOlderOffers and selectOlderOthers correspond to selectOwn and selectOwnOthers. They select decisions with ids
// before parameter $7 that may be open offers: the newest ones for each primary applicant, policy_key and status.
var (
	selectOlderOffers = olderOffers(`SELECT id, created_micros, status, policy_key, policy_id, plain, leaf, '' AS role,
			'' AS primary_ref FROM decisions
		WHERE tenant_id = $1 AND environment = $2 AND applicant_ref <> '' AND applicant_ref = $3
			AND id > $4 AND id < $7 AND id NOT IN (` + repeatedRequests + `)
		ORDER BY id DESC LIMIT ` + strconv.Itoa(maxOlder))
	selectOlderOthers = olderOffers(
		`SELECT o.id, o.created_micros, o.status, o.policy_key, o.policy_id, o.plain, o.leaf,
			p.role, o.applicant_ref AS primary_ref
		FROM (SELECT tenant_id, environment, decision_id, role FROM decision_people
			WHERE tenant_id = $1 AND environment = $2 AND person_ref = $3
				AND decision_id > $4 AND decision_id < $7 AND decision_id NOT IN (` + repeatedRequests + `)
			ORDER BY decision_id DESC LIMIT ` + strconv.Itoa(maxOlder) + `) AS p
		JOIN decisions o ON o.tenant_id = p.tenant_id AND o.environment = p.environment AND o.id = p.decision_id`)
)

// olderOffers returns a statement that selects decisions that may be open offers. Parameter "from" is the query
// whose result the statement searches.
func olderOffers(from string) string {
	return `SELECT ` + ownColumns + `, d.role, d.primary_ref FROM (SELECT d.*,
			row_number() OVER (PARTITION BY d.primary_ref, d.policy_key, d.status ORDER BY d.id DESC) AS place
		FROM (` + from + `) AS d WHERE d.status <> 'DECLINED') AS d
	WHERE d.place <= ` + strconv.Itoa(maxSeries) + ` ORDER BY d.id DESC LIMIT ` + strconv.Itoa(MaxOwn)
}

const ownColumns = `d.id, d.created_micros, d.status, d.policy_key, d.policy_id, d.plain, d.leaf, coalesce(` +
	finalReview + `, ''), ` + approvedMicros +
	`, (SELECT count(*) FROM exposures e WHERE e.tenant_id = $1 AND e.environment = $2
		AND e.decision_id <> '' AND e.decision_id = d.id)`

const repeatedRequests = `SELECT q.decision_id FROM recent_requests q WHERE q.tenant_id = $1
	AND q.environment = $2 AND q.request_key = $5 AND q.created_micros > $6`

func (d *OwnDecision) fields() []any {
	return []any{&d.ID, &d.CreatedMicros, &d.Status, &d.PolicyKey, &d.PolicyID, &d.Plain, &d.Leaf, &d.Review,
		&d.ApprovedMicros, countFlag{&d.Booked}}
}

// roleFields returns the destinations that the method fields returns, and the destinations for Role and PrimaryRef.
func (d *OwnDecision) roleFields() []any { return append(d.fields(), &d.Role, &d.PrimaryRef) }

const selectOpenExposures = "SELECT " + exposureColumns + ` FROM exposures WHERE tenant_id = $1 AND environment = $2
	AND applicant_ref = $3 AND closed_micros = 0 ORDER BY id`

// selectOthersExposures selects the loans of other people on decisions in which the person has a role. It also selects
// closed loans: with a condition for open loans, PostgreSQL might search the index of open exposures, which does not
// contain the decisions. No person has as many roles as the limit allows; selectOwnOthers explains the limit.
const selectOthersExposures = `SELECT e.id, e.applicant_ref, e.decision_id, e.document, e.created_micros, e.created_by,
		e.updated_micros, e.updated_by, e.closed_micros, p.role
	FROM (SELECT tenant_id, environment, decision_id, role FROM decision_people WHERE tenant_id = $1
	AND environment = $2
		AND person_ref = $3 LIMIT 1000000000) AS p
	JOIN exposures e ON e.tenant_id = p.tenant_id AND e.environment = p.environment AND e.decision_id = p.decision_id
	WHERE e.decision_id <> '' ORDER BY e.id`

// selectHas selects whether a person has decisions, open exposures, and roles in applications of others. Most
// applicants are new, so for most of them this is the only statement.
const selectHas = `SELECT
	(SELECT count(*) FROM (SELECT 1 AS one FROM decisions WHERE tenant_id = $1 AND environment = $2
		AND applicant_ref <> '' AND applicant_ref = $3 LIMIT 1) AS first),
	(SELECT count(*) FROM (SELECT 1 AS one FROM exposures WHERE tenant_id = $1 AND environment = $2
		AND applicant_ref = $3 AND closed_micros = 0 LIMIT 1) AS first),
	(SELECT count(*) FROM (SELECT 1 AS one FROM decision_people WHERE tenant_id = $1 AND environment = $2
		AND person_ref = $3 LIMIT 1) AS first)`

// Own returns the lender's earlier decisions about a person, and the person's open loans. In a transaction that
// writes, the scope is locked. So if two decisions are made at the same moment, on any nodes, the second sees the
// first.
func (ex ExposureReader) Own(q OwnQuery) (Own, error) {
	return read(ex.access, func(tx *Tx) (own Own, err error) {
		var decisions, loans, roles bool
		err = tx.one([]any{countFlag{&decisions}, countFlag{&loans}, countFlag{&roles}}, selectHas, q.ApplicantRef)
		if err != nil {
			return Own{}, err
		}
		args := []any{q.ApplicantRef, q.SinceID, q.RequestKey, q.RepeatedMicros}
		if decisions {
			if own.Decisions, err = eachRow(tx, (*OwnDecision).fields, selectOwn, args...); err != nil {
				return Own{}, err
			}
			if err := own.addOlder(tx, own.Decisions, selectOlderOffers, args); err != nil {
				return Own{}, err
			}
		}
		if loans {
			if own.Exposures, err = eachRow(tx, (*Exposure).fields, selectOpenExposures, q.ApplicantRef); err != nil {
				return Own{}, err
			}
		}
		if roles {
			if err := own.addOthers(tx, args); err != nil {
				return Own{}, err
			}
		}
		slices.SortStableFunc(own.Decisions, func(a, b OwnDecision) int {
			return cmp.Or(cmp.Compare(b.CreatedMicros, a.CreatedMicros), cmp.Compare(b.Leaf, a.Leaf))
		})
		return own, nil
	})
}

// addOthers adds the decisions and the loans of other people in which the person has a role. args are the parameters
// of selectOwnOthers.
func (own *Own) addOthers(tx *Tx, args []any) error {
	decisions, err := eachRow(tx, (*OwnDecision).roleFields, selectOwnOthers, args...)
	if err != nil {
		return err
	}
	own.Decisions = append(own.Decisions, decisions...)
	if err := own.addOlder(tx, decisions, selectOlderOthers, args); err != nil {
		return err
	}
	owed, err := eachRow(tx, func(e *Exposure) []any { return append(e.fields(), &e.Role) },
		selectOthersExposures, args[0])
	if err != nil {
		return err
	}
	owed = slices.DeleteFunc(owed, func(e Exposure) bool { return e.ClosedMicros != 0 })
	own.Exposures = append(own.Exposures, owed...)
	return nil
}

// addOlder adds older decisions that may be open offers. It does so only if the list read has MaxOwn decisions and so
// may be incomplete. args are the parameters with which read was selected.
func (own *Own) addOlder(tx *Tx, read []OwnDecision, query string, args []any) error {
	if len(read) < MaxOwn {
		return nil
	}
	oldest := read[len(read)-1].ID
	older, err := eachRow(tx, (*OwnDecision).roleFields, query, append(slices.Clip(args), oldest)...)
	own.Decisions = append(own.Decisions, older...)
	return err
}

// Remember stores that a request led to a decision, so that a repetition of the request is recognised.
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
