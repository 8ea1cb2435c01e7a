package store

// Grounds are the reasons for which the erasure of a person must wait.
type Grounds struct {
	Approvals    []Approval // without those on which a loan was made
	OpenExposure bool
	OpenAlert    bool
	Holds        []LegalHold // those in force
}

// Approval is the newest approval of a person under a rule set.
type Approval struct {
	PolicyID      string
	CreatedMicros int64
}

// finalReview is the outcome of the last review of a decision that did not ask for more information.
const finalReview = `(SELECT r.outcome FROM decision_reviews r WHERE r.tenant_id = $1 AND r.environment = $2
	AND r.decision_id = d.id AND r.outcome <> '` + OutcomeAsks + `' ORDER BY r.created_micros DESC, r.id DESC LIMIT 1)`

// approved is the condition that the lender has made an offer: the decision is an approval that no person
// has overturned, or a referral with an offer that a person has overturned, which means approved.
const approved = `(d.status = 'APPROVED' AND coalesce(` + finalReview + `, '') <> 'overturned'
	OR d.status = 'REFERRED' AND (d.plain = '' OR d.plain LIKE '%"limit":%')
		AND coalesce(` + finalReview + `, '') = 'overturned')`

// booked is the condition that a loan was made on the decision, so that its offer is not open any more.
const booked = `EXISTS (SELECT 1 FROM exposures e WHERE e.tenant_id = $1 AND e.environment = $2
	AND e.decision_id <> '' AND e.decision_id = d.id)`

// GroundsQuery says whose grounds are wanted.
type GroundsQuery struct {
	Person    Person
	Alias     string // what replaces the reference in the evidence of alerts if the person was erased before
	SinceID   string // only approvals after this id
	NowMicros int64
}

// Grounds returns what the erasure of a person must wait for. It uses the indexes of references, so it
// costs the same however much else is stored.
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
		g.Approvals, err = eachRow(tx, func(a *Approval) []any { return []any{&a.PolicyID, &a.CreatedMicros} },
			`SELECT d.policy_id, max(d.created_micros) FROM decisions d
			WHERE d.tenant_id = $1 AND d.environment = $2 AND `+where+" AND d.id > $4 AND "+approved+" AND NOT "+booked+`
			GROUP BY d.policy_id ORDER BY d.policy_id`, name, q.SinceID)
		if err != nil {
			return Grounds{}, err
		}
		var open int64
		err = tx.one([]any{&open}, `SELECT count(*) FROM (SELECT 1 AS one FROM exposures WHERE tenant_id = $1
			AND environment = $2 AND applicant_ref = $3 AND closed_micros = 0 LIMIT 1) AS found`, q.Person.ApplicantRef)
		if err != nil {
			return Grounds{}, err
		}
		g.OpenExposure = open > 0
		var alerts int64
		err = tx.one([]any{&alerts}, `SELECT count(*) FROM (SELECT 1 AS one FROM fraud_alert_evidence e JOIN fraud_alerts a
			ON a.tenant_id = e.tenant_id AND a.environment = e.environment AND a.id = e.alert_id
			WHERE e.tenant_id = $1 AND e.environment = $2 AND e.part = $3 AND e.ref IN ($4, $5) AND a.status <> 'closed'
			LIMIT 1) AS found`, part, refs[0], refs[1])
		g.OpenAlert = alerts > 0
		return g, err
	})
}
