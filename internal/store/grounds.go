package store

import "strconv"

// Grounds are the reasons for which the erasure of a person must wait.
type Grounds struct {
	Approvals    []Approval // only those without a loan: at most MaxOwn as primary applicant, MaxOwn in other roles
	OpenExposure bool
	OpenAlert    bool
	Holds        []LegalHold // only holds in force
}

// Approval is an approved decision about a person.
type Approval struct {
	PolicyID       string
	CreatedMicros  int64
	ApprovedMicros int64 // when the lender approved; see the constant approvedMicros
	Plain          string
}

// finalReview is the SQL expression for the outcome of the last final review of a decision. A review that asks for
// more information is not final.
const finalReview = `(SELECT r.outcome FROM decision_reviews r WHERE r.tenant_id = $1 AND r.environment = $2
	AND r.decision_id = d.id AND r.outcome <> '` + OutcomeAsks + `' ORDER BY r.created_micros DESC, r.id DESC LIMIT 1)`

// approvedMicros is the SQL expression for the time at which the lender approved: the time of the decision, or of the
// last final review of a referral.
const approvedMicros = `CASE WHEN d.status = 'REFERRED' THEN coalesce((SELECT r.created_micros
	FROM decision_reviews r WHERE r.tenant_id = $1 AND r.environment = $2 AND r.decision_id = d.id
	AND r.outcome <> '` + OutcomeAsks + `' ORDER BY r.created_micros DESC, r.id DESC LIMIT 1), d.created_micros)
	ELSE d.created_micros END`

// approved is the SQL condition that the lender has made an offer. The decision is an approval that no reviewer has
// overturned, or a referral with an offer that a reviewer has overturned. Overturning a referral approves it.
const approved = `(d.status = 'APPROVED' AND coalesce(` + finalReview + `, '') <> 'overturned'
	OR d.status = 'REFERRED' AND (d.plain = '' OR d.plain LIKE '%"limit":%')
		AND coalesce(` + finalReview + `, '') = 'overturned')`

// booked is the SQL condition that a loan was made on the decision, so that its offer is no longer open.
const booked = `EXISTS (SELECT 1 FROM exposures e WHERE e.tenant_id = $1 AND e.environment = $2
	AND e.decision_id <> '' AND e.decision_id = d.id)`

// GroundsQuery names a person and limits the decisions that Grounds reads.
type GroundsQuery struct {
	Person    Person
	Alias     string // the replacement of the reference in the evidence of alerts, if the person was erased before
	SinceID   string // only decisions with an id after this one
	NowMicros int64
}

// Grounds returns the reasons for which the erasure of a person must wait. It uses the indexes on references, so its
// cost does not depend on how much else is stored.
func (er ErasureReader) Grounds(q GroundsQuery) (Grounds, error) {
	return read(er.access, func(tx *Tx) (g Grounds, err error) {
		if g.Holds, err = tx.LegalHolds().Of(q.Person, q.NowMicros); err != nil {
			return Grounds{}, err
		}
		// The condition applicant_ref <> '' lets the database use the partial index.
		where, name := "d.applicant_ref <> '' AND d.applicant_ref = $3", q.Person.ApplicantRef
		part, refs := partApplicant, []string{q.Person.ApplicantRef, q.Alias}
		if q.Person.ApplicantRef == "" {
			where, name = "d.id = $3 AND d.applicant_ref = ''", q.Person.DecisionID
			part, refs = partDecision, []string{q.Person.DecisionID, q.Person.DecisionID}
		}
		if g.Approvals, err = approvals(tx, "decisions d", where, name, q.SinceID); err != nil {
			return Grounds{}, err
		}
		owes := []string{"applicant_ref = $3"}
		if q.Person.ApplicantRef != "" { // offers and loans of others in which the person has a role
			// CROSS JOIN makes SQLite begin with the person; otherwise it reads all decisions after SinceID.
			others, err := approvals(tx, "decision_people op CROSS JOIN decisions d",
				`op.tenant_id = $1 AND op.environment = $2 AND op.person_ref = $3 AND d.id = op.decision_id`, name,
				q.SinceID)
			if err != nil {
				return Grounds{}, err
			}
			g.Approvals = append(g.Approvals, others...)
			owes = append(owes, "decision_id <> '' AND decision_id IN ("+inOtherRoles("$3")+")")
		}
		for _, of := range owes {
			var open int64
			err = tx.one([]any{&open}, `SELECT count(*) FROM (SELECT 1 AS one FROM exposures WHERE tenant_id = $1
				AND environment = $2 AND `+of+` AND closed_micros = 0 LIMIT 1) AS found`, q.Person.ApplicantRef)
			if err != nil {
				return Grounds{}, err
			}
			g.OpenExposure = g.OpenExposure || open > 0
		}
		var alerts int64
		err = tx.one([]any{&alerts},
			`SELECT count(*) FROM (SELECT 1 AS one FROM fraud_alert_evidence e JOIN fraud_alerts a
			ON a.tenant_id = e.tenant_id AND a.environment = e.environment AND a.id = e.alert_id
			WHERE e.tenant_id = $1 AND e.environment = $2 AND e.part = $3 AND e.ref IN ($4, $5) AND a.status <> 'closed'
			LIMIT 1) AS found`, part, refs[0], refs[1])
		g.OpenAlert = alerts > 0
		return g, err
	})
}

// approvals returns the newest approvals among some decisions, at most MaxOwn. It omits approvals on which a loan
// was made. Parameter "from" is the FROM clause, and parameter "where" is the SQL condition that selects the
// decisions. In the condition, $3 is the value of parameter name.
func approvals(tx *Tx, from, where, name, sinceID string) ([]Approval, error) {
	return eachRow(tx, func(a *Approval) []any {
		return []any{&a.PolicyID, &a.CreatedMicros, &a.ApprovedMicros, &a.Plain}
	}, "SELECT d.policy_id, d.created_micros, "+approvedMicros+` AS approved_micros, d.plain FROM `+from+`
		WHERE d.tenant_id = $1 AND d.environment = $2 AND `+where+" AND d.id > $4 AND "+approved+" AND NOT "+booked+`
		ORDER BY approved_micros DESC, d.id DESC LIMIT `+strconv.Itoa(MaxOwn), name, sinceID)
}
