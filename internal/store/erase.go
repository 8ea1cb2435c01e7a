package store

// HeldDecision is a decision that must be erased together with a person.
type HeldDecision struct {
	ID   string
	Leaf int64
	Head []byte // the beginning of the stored answer, which names the key tree if the answer is sealed
}

// HeldRun is a run that must be erased together with a person.
type HeldRun struct {
	ID         string
	SubjectRef string
	Head       []byte // the beginning of the stored answer, as in HeldDecision
}

// HeldExposure is an exposure that must be erased together with a person.
type HeldExposure struct {
	ID   string
	Head []byte // the beginning of the document, which names the key tree if it is sealed
}

// Held lists the data about a person that must be erased.
type Held struct {
	Decisions []HeldDecision
	Runs      []HeldRun
	Exposures []HeldExposure
	People    []HeldPerson // decisions in which the person has a role other than primary applicant
	Linked    bool         // the fraud counters contain the person
}

// Empty reports whether nothing is held.
func (h *Held) Empty() bool {
	return len(h.Decisions) == 0 && len(h.Runs) == 0 && len(h.Exposures) == 0 && len(h.People) == 0 &&
		!h.Linked
}

// Exceeds reports whether there are more decisions, runs, exposures or other roles than parameter "most" allows.
func (h *Held) Exceeds(most int) bool {
	return len(h.Decisions) > most || len(h.Runs) > most || len(h.Exposures) > most || len(h.People) > most
}

// headBytes is the number of bytes of a sealed document that name its key tree.
const headBytes = "11"

// Held returns the stored data about a person: at most limit decisions, limit runs, limit exposures and limit other
// roles. It uses the indexes on references, so its cost does not depend on how much else is stored.
func (er ErasureReader) Held(p Person, limit int) (Held, error) {
	return read(er.access, func(tx *Tx) (h Held, err error) {
		if h.Decisions, err = heldDecisions(tx, p, limit); err != nil {
			return Held{}, err
		}
		if h.Runs, err = heldRuns(tx, p, limit); err != nil {
			return Held{}, err
		}
		if p.ApplicantRef != "" {
			if h.Exposures, err = heldExposures(tx, p.ApplicantRef, limit); err != nil {
				return Held{}, err
			}
			if h.People, err = heldPeople(tx, p.ApplicantRef, limit); err != nil {
				return Held{}, err
			}
			var links int64
			err = tx.one([]any{&links}, `SELECT count(*) FROM (SELECT 1 AS one FROM fraud_links WHERE tenant_id = $1
				AND environment = $2 AND member = $3 LIMIT 1) AS linked`, p.ApplicantRef)
			h.Linked = links > 0
		}
		return h, err
	})
}

func heldDecisions(tx *Tx, p Person, limit int) ([]HeldDecision, error) {
	// The condition applicant_ref <> '' lets the database use the partial index.
	where, name := "applicant_ref <> '' AND applicant_ref = $3", p.ApplicantRef
	if p.ApplicantRef == "" {
		where, name = "id = $3 AND applicant_ref = '' AND (length(response) > 0 OR length(facts) > 0)", p.DecisionID
	}
	return eachRow(tx, func(d *HeldDecision) []any { return []any{&d.ID, &d.Leaf, &d.Head} },
		"SELECT id, leaf, substr(response, 1, "+headBytes+`) FROM decisions
		WHERE tenant_id = $1 AND environment = $2 AND `+where+" ORDER BY id LIMIT $4", name, int64(limit))
}

func heldRuns(tx *Tx, p Person, limit int) ([]HeldRun, error) {
	where, name := "subject_ref = $3", p.ApplicantRef
	if p.ApplicantRef == "" {
		where = "decision_id <> '' AND decision_id = $3 AND subject_ref = '' AND length(response) > 0"
		name = p.DecisionID
	}
	return eachRow(tx, func(r *HeldRun) []any { return []any{&r.ID, &r.SubjectRef, &r.Head} },
		"SELECT id, subject_ref, substr(response, 1, "+headBytes+`) FROM agent_runs
		WHERE tenant_id = $1 AND environment = $2 AND `+where+" ORDER BY created_micros, id LIMIT $4",
		name, int64(limit))
}

func heldExposures(tx *Tx, applicantRef string, limit int) ([]HeldExposure, error) {
	return eachRow(tx, func(e *HeldExposure) []any { return []any{&e.ID, &e.Head} },
		"SELECT id, substr(document, 1, "+headBytes+`) FROM exposures WHERE tenant_id = $1 AND environment = $2
		AND applicant_ref = $3 ORDER BY created_micros, id LIMIT $4`, applicantRef, int64(limit))
}

// DeleteExposure deletes an exposure, and adds an entry to the journal.
func (er Erasures) DeleteExposure(id string, nowMicros int64, counts *ErasedCounts) error {
	deleted, err := er.tx.exec("DELETE FROM exposures WHERE tenant_id = $1 AND environment = $2 AND id = $3", id)
	if err != nil || deleted == 0 {
		return err
	}
	if err := er.tx.Exposures().recordDeleted(id, deletedByErasure, nowMicros); err != nil {
		return err
	}
	counts.Exposures += deleted
	return er.tx.StoredBytes().release(deleted * exposureBytes)
}

// StoredDecision is a decision whose documents were not erased.
type StoredDecision struct {
	HeldDecision
	ApplicantRef string
}

// StoredBefore returns at most limit decisions whose documents were not erased, newest first. It begins before id, or
// with the newest decision if id is "".
func (er ErasureReader) StoredBefore(id string, limit int) ([]StoredDecision, error) {
	if id == "" {
		id = lastID
	}
	return read(er.access, func(tx *Tx) ([]StoredDecision, error) {
		return eachRow(tx, func(d *StoredDecision) []any { return []any{&d.ID, &d.ApplicantRef, &d.Leaf, &d.Head} },
			"SELECT id, applicant_ref, leaf, substr(response, 1, "+headBytes+`) FROM decisions
			WHERE tenant_id = $1 AND environment = $2 AND id < $3 AND length(response) > 0
			ORDER BY id DESC LIMIT $4`, id, int64(limit))
	})
}

// noDocument is an emptied document.
var noDocument = []byte{}

// EmptyDecision erases the documents of a decision and of its features, and the stored answers about the decision. It
// adds their numbers to counts. ref replaces the reference of the applicant; it is "" if the decision names none.
func (er Erasures) EmptyDecision(id, ref string, counts *ErasedCounts) error {
	replace, args := "", []any{id, noDocument}
	if ref != "" {
		replace, args = ", applicant_ref = $5", append(args, ErasedPrefix+ref)
	}
	if _, err := er.tx.exec("UPDATE decisions SET response = $4, facts = $4"+replace+
		" WHERE tenant_id = $1 AND environment = $2 AND id = $3", args...); err != nil {
		return err
	}
	counts.Decisions++
	features, err := er.tx.exec(`UPDATE decision_features SET vector = $4, source = $4
		WHERE tenant_id = $1 AND environment = $2 AND decision_id = $3`, id, noDocument)
	if err != nil {
		return err
	}
	counts.Features += features
	return er.emptyAnswers(id, counts)
}

// emptyAnswers erases the stored answers about a decision.
func (er Erasures) emptyAnswers(id string, counts *ErasedCounts) error {
	answers, err := er.tx.exec(`UPDATE idempotency_keys SET body = $4
		WHERE tenant_id = $1 AND environment = $2 AND subject <> '' AND subject = $3 AND length(body) > 0`,
		id, noDocument)
	counts.Answers += answers
	return err
}

// EmptyRun erases the documents of a run. ref replaces the reference of its subject; it is "" if
// the run names none.
func (er Erasures) EmptyRun(id, ref string, counts *ErasedCounts) error {
	replace, args := "", []any{id, noDocument}
	if ref != "" {
		replace, args = ", subject_ref = $5", append(args, ErasedPrefix+ref)
	}
	_, err := er.tx.exec("UPDATE agent_runs SET request = $4, response = $4"+replace+
		" WHERE tenant_id = $1 AND environment = $2 AND id = $3", args...)
	counts.Runs++
	return err
}

// HideMember replaces the reference of a person by alias, which is a keyed hash of the reference. It does so in the
// fraud counters, in rings, in the evidence of alerts and in all legal holds. The holds have usually ended, because
// an erasure waits until no hold is in force. It does not wait if the person's keys were removed before. If a later
// application has the reference, Observe finds the person under the alias.
func (er Erasures) HideMember(ref, alias string, counts *ErasedCounts) error {
	for _, change := range []struct {
		count *int64
		text  string
	}{
		{&counts.Links, "UPDATE fraud_links SET member = $4 WHERE tenant_id = $1 AND environment = $2 AND member = $3"},
		{nil, "UPDATE fraud_ring_people SET person = $4 WHERE tenant_id = $1 AND environment = $2 AND person = $3"},
		// Without the subqueries, SQLite would read all evidence and all holds of the scope.
		{&counts.AlertRefs, `UPDATE fraud_alert_evidence SET ref = $4
			WHERE tenant_id = $1 AND environment = $2 AND part = 'applicant' AND ref = $3
			AND alert_id IN (SELECT alert_id FROM fraud_alert_evidence
				WHERE tenant_id = $1 AND environment = $2 AND part = 'applicant' AND ref = $3)`},
		{nil, `UPDATE legal_holds SET applicant_ref = $4 WHERE tenant_id = $1 AND environment = $2
			AND id IN (SELECT id FROM legal_holds
				WHERE tenant_id = $1 AND environment = $2 AND applicant_ref = $3)`},
	} {
		changed, err := er.tx.exec(change.text, ref, alias)
		if err != nil {
			return err
		}
		if change.count != nil {
			*change.count += changed
		}
	}
	return nil
}
