package store

// Expired is a decision or a run whose retention period may have ended.
type Expired struct {
	ID             string
	CreatedMicros  int64
	PolicyID       string // "" for a run
	Approved       bool   // the lender has made an offer, which may have ended since
	ApprovedMicros int64  // only for a decision; see approvedMicros
	Plain          string // only for a decision
	Person         Person
	Head           []byte // the beginning of the answer, as in HeldDecision
	Held           bool   // a legal hold is in force
	Leaf           int64  // only for a decision
}

// heldBy returns the condition that a legal hold on the person of a decision or a run is in force. ref and decision are
// the columns that name the person, and now is the parameter with the present time. Each of the two parts finds the
// holds by their index.
func heldBy(ref, decision, now string) string {
	hold := func(person string) string {
		return `EXISTS (SELECT 1 FROM legal_holds h WHERE h.tenant_id = $1 AND h.environment = $2 AND ` + person + `
			AND h.released_micros = 0 AND (h.until_micros = 0 OR h.until_micros > ` + now + `))`
	}
	return "(" + ref + " <> '' AND " + hold("h.applicant_ref = "+ref+" AND h.decision_id = ''") + " OR " +
		ref + " = '' AND " + decision + " <> '' AND " + hold("h.applicant_ref = '' AND h.decision_id = "+decision) + ")"
}

// heldByOthers returns the condition that a legal hold is in force on a person who has a role other than primary
// applicant in a decision.
func heldByOthers(decision, now string) string {
	return `EXISTS (SELECT 1 FROM decision_people p JOIN legal_holds h ON h.tenant_id = p.tenant_id
		AND h.environment = p.environment AND h.applicant_ref = p.person_ref AND h.decision_id = ''
		WHERE p.tenant_id = $1 AND p.environment = $2 AND p.decision_id = ` + decision + `
		AND h.released_micros = 0 AND (h.until_micros = 0 OR h.until_micros > ` + now + `))`
}

// ExpiredQuery selects decisions or runs by their ids, which are in the order of creation.
type ExpiredQuery struct {
	AfterID   string // only objects after this id
	BeforeID  string // only objects before this id
	Person    Person // only objects of this person; the zero value for everybody
	NowMicros int64
	Limit     int
}

// ofPerson returns the condition that an object belongs to the person of the query.
func (q ExpiredQuery) ofPerson(ref, decision string) (condition, name string) {
	switch {
	case q.Person.ApplicantRef != "":
		return ref + " <> '' AND " + ref + " = $7", q.Person.ApplicantRef
	case q.Person.DecisionID != "":
		return decision + " = $7", q.Person.DecisionID
	}
	return "$7 = ''", ""
}

// Decisions returns the oldest decisions of a query. Their documents may be empty already.
func (rt RetentionReader) Decisions(q ExpiredQuery) ([]Expired, error) {
	return read(rt.access, func(tx *Tx) (found []Expired, err error) {
		person, name := q.ofPerson("d.applicant_ref", "d.id")
		if q.Person.ApplicantRef != "" { // the person may also have a role other than primary applicant
			person = "(" + person + " OR d.id IN (" + inOtherRoles("$7") + "))"
		}
		err = tx.each(func(scan func(...any) error) error {
			var x Expired
			var approvedNow, held int64
			err := scan(&x.ID, &x.CreatedMicros, &x.PolicyID, &x.ApprovedMicros, &x.Plain, &x.Person.ApplicantRef,
				&x.Head, &x.Leaf, &approvedNow, &held)
			x.Approved, x.Held = approvedNow == 1, held == 1
			found = append(found, x)
			return err
		}, `SELECT d.id, d.created_micros, d.policy_id, `+approvedMicros+`, d.plain, d.applicant_ref,
				substr(d.response, 1, `+headBytes+`), d.leaf,
				CASE WHEN `+approved+` THEN 1 ELSE 0 END, CASE WHEN `+heldBy("d.applicant_ref", "d.id", "$5")+`
				OR `+heldByOthers("d.id", "$5")+` THEN 1 ELSE 0 END
			FROM decisions d WHERE d.tenant_id = $1 AND d.environment = $2 AND d.id > $3 AND d.id < $4 AND `+person+`
			ORDER BY d.id LIMIT $6`, q.AfterID, q.BeforeID, q.NowMicros, int64(q.Limit), name)
		return found, err
	})
}

// Runs returns the oldest runs of agents of a query. Their documents may be empty already.
func (rt RetentionReader) Runs(q ExpiredQuery) ([]Expired, error) {
	return read(rt.access, func(tx *Tx) (found []Expired, err error) {
		person, name := q.ofPerson("r.subject_ref", "r.decision_id")
		err = tx.each(func(scan func(...any) error) error {
			var x Expired
			var held int64
			err := scan(&x.ID, &x.CreatedMicros, &x.Person.ApplicantRef, &x.Head, &held)
			x.Held = held == 1
			found = append(found, x)
			return err
		}, `SELECT r.id, r.created_micros, r.subject_ref, substr(r.response, 1, `+headBytes+`),
				CASE WHEN `+heldBy("r.subject_ref", "r.decision_id", "$5")+` THEN 1 ELSE 0 END
			FROM agent_runs r WHERE r.tenant_id = $1 AND r.environment = $2 AND r.id > $3 AND r.id < $4 AND `+person+`
			ORDER BY r.id LIMIT $6`, q.AfterID, q.BeforeID, q.NowMicros, int64(q.Limit), name)
		return found, err
	})
}

// Count counts the decisions, or the runs, whose ids are between two ids. Parameter "most" is the number at which
// it stops counting.
func (rt RetentionReader) Count(runs bool, afterID, beforeID string, most int) (int64, error) {
	table := "decisions"
	if runs {
		table = "agent_runs"
	}
	return read(rt.access, func(tx *Tx) (n int64, err error) {
		err = tx.one([]any{&n}, "SELECT count(*) FROM (SELECT 1 AS one FROM "+table+` WHERE tenant_id = $1
			AND environment = $2 AND id > $3 AND id < $4 LIMIT $5) AS found`, afterID, beforeID, int64(most))
		return n, err
	})
}

// zoneColumns says which column holds the documents of each zone of a decision. It has the zones that can be emptied
// separately from the answer.
var zoneColumns = map[string]struct{ table, key, column string }{
	"combined": {"decisions", "id", "facts"},
	"history":  {"decision_features", "decision_id", "source"},
	"features": {"decision_features", "decision_id", "vector"},
}

// EmptyZone empties a zone of a decision, and returns 1 if it was not empty. The zone is combined, history or
// features.
func (rt Retention) EmptyZone(zone, decisionID string) (emptied int64, err error) {
	at := zoneColumns[zone]
	if zone == "combined" { // the facts of the other people are emptied together with those of the primary applicant
		others, err := rt.tx.exec(`UPDATE decision_people SET facts = $4 WHERE tenant_id = $1 AND environment = $2
			AND decision_id = $3 AND length(facts) > 0`, decisionID, noDocument)
		if err != nil {
			return 0, err
		}
		emptied = min(others, 1)
	}
	own, err := rt.tx.exec("UPDATE "+at.table+" SET "+at.column+" = $4 WHERE tenant_id = $1 AND environment = $2 AND "+
		at.key+" = $3 AND length("+at.column+") > 0", decisionID, noDocument)
	return max(emptied, own), err
}

// Ended returns the holds that ended after afterMicros and not later than untilMicros, oldest first. Documents may
// have been kept beyond their retention period because of these holds.
func (lh LegalHoldReader) Ended(afterMicros, untilMicros int64) ([]LegalHold, error) {
	return read(lh.access, func(tx *Tx) ([]LegalHold, error) {
		return eachRow(tx, (*LegalHold).fields, "SELECT "+holdColumns+` FROM legal_holds
			WHERE tenant_id = $1 AND environment = $2 AND (released_micros > $3 AND released_micros <= $4
				OR released_micros = 0 AND until_micros > $3 AND until_micros <= $4)
			ORDER BY created_micros, id`, afterMicros, untilMicros)
	})
}
