package store

import (
	"slices"
	"strings"
)

// DecisionPerson is a person in a decision who is not the primary applicant. The request names the person by a
// reference.
type DecisionPerson struct {
	Role  string
	Ref   string // the lender's reference, or ErasedPrefix and the replacement
	Facts []byte // the facts about the person; empty if they were erased
	// KeyTree is the number of the key tree with which Facts is sealed, as in Decision.
	KeyTree int64
}

var personTable = newBulkTable("decision_people",
	column{"decision_id", text}, column{"role", text}, column{"person_ref", text}, column{"facts", bytea})

func (d *Decision) peopleRows() (rows [][]any) {
	for i := range d.People {
		p := &d.People[i]
		rows = append(rows, []any{d.ID, p.Role, p.Ref, notNil(p.Facts)})
	}
	return rows
}

// OthersFacts returns the documents with the facts of people other than the primary applicant.
func (d *Decision) OthersFacts() [][]byte {
	documents := make([][]byte, len(d.People))
	for i := range d.People {
		documents[i] = d.People[i].Facts
	}
	return documents
}

// peopleMember is the beginning of the JSON member in the column plain that lists the people of a decision. No name
// and no text in a JSON document can contain it, because quotes are escaped there.
const peopleMember = `"people":{`

// namesPeople reports whether the column plain says that the decision has people in decision_people.
func (d *Decision) namesPeople() bool { return strings.Contains(d.Plain, peopleMember) }

// addPeople reads the people of the decisions whose column plain names people. It runs no statement for the other
// decisions.
func addPeople(tx *Tx, decisions ...*Decision) (err error) {
	for _, d := range decisions {
		if !d.namesPeople() {
			continue
		}
		if d.People, err = peopleOf(tx, d.ID); err != nil {
			return err
		}
	}
	return nil
}

// peopleOf returns the people of a decision in the order of their roles.
func peopleOf(tx *Tx, decisionID string) ([]DecisionPerson, error) {
	return eachRow(tx, func(p *DecisionPerson) []any { return []any{&p.Role, &p.Ref, &p.Facts} },
		`SELECT role, person_ref, facts FROM decision_people WHERE tenant_id = $1 AND environment = $2
		AND decision_id = $3 ORDER BY role`, decisionID)
}

// inOtherRoles returns a query for the decisions in which a person has a role other than primary applicant. ref is the
// SQL parameter with the person's reference.
func inOtherRoles(ref string) string {
	return `SELECT op.decision_id FROM decision_people op WHERE op.tenant_id = $1 AND op.environment = $2
		AND op.person_ref = ` + ref
}

// PersonRole is a decision in which a person has a role other than primary applicant.
type PersonRole struct {
	DecisionID    string
	Role          string
	CreatedMicros int64
	Status        string
	PrimaryRef    string // "" if the primary applicant is not named
	Review        string // the outcome of the last final review, "" if there is none
}

// Roles returns the newest decisions in which a person has a role other than primary applicant, at most limit, oldest
// first, and the total number of such decisions.
func (er ErasureReader) Roles(ref string, limit int) (roles []PersonRole, count int64, err error) {
	return readTwo(er.access, func(tx *Tx) (roles []PersonRole, count int64, err error) {
		roles, err = eachRow(tx, func(r *PersonRole) []any {
			return []any{&r.DecisionID, &r.Role, &r.CreatedMicros, &r.Status, &r.PrimaryRef, &r.Review}
		}, `SELECT p.decision_id, p.role, d.created_micros, d.status, d.applicant_ref, coalesce(`+finalReview+`, '')
			FROM decision_people p JOIN decisions d
				ON d.tenant_id = p.tenant_id AND d.environment = p.environment AND d.id = p.decision_id
			WHERE p.tenant_id = $1 AND p.environment = $2 AND p.person_ref = $3
			ORDER BY p.decision_id DESC LIMIT $4`, ref, int64(limit))
		if err != nil {
			return nil, 0, err
		}
		slices.Reverse(roles)
		err = tx.one([]any{&count}, `SELECT count(*) FROM decision_people
			WHERE tenant_id = $1 AND environment = $2 AND person_ref = $3`, ref)
		return roles, count, err
	})
}

// HeldPerson is a person who must be erased from a decision in which the person has a role other than primary
// applicant.
type HeldPerson struct {
	DecisionID string
	Role       string
	Leaf       int64
	Plain      string // Plain of the decision, which contains the replacement of the reference
	Head       []byte // the beginning of the facts, as in HeldDecision
}

func heldPeople(tx *Tx, ref string, limit int) ([]HeldPerson, error) {
	return eachRow(tx, func(p *HeldPerson) []any {
		return []any{&p.DecisionID, &p.Role, &p.Leaf, &p.Plain, &p.Head}
	}, "SELECT p.decision_id, p.role, d.leaf, d.plain, substr(p.facts, 1, "+headBytes+`) FROM decision_people p
		JOIN decisions d ON d.tenant_id = p.tenant_id AND d.environment = p.environment AND d.id = p.decision_id
		WHERE p.tenant_id = $1 AND p.environment = $2 AND p.person_ref = $3 ORDER BY p.decision_id LIMIT $4`,
		ref, int64(limit))
}

// StoredPerson is a person in a decision. The facts about the person were not erased.
type StoredPerson struct {
	HeldPerson
	Ref string
}

// PeopleBefore returns people whose facts were not erased. They are the people of at most limit decisions before
// decisionID, newest decision first. If decisionID is "", PeopleBefore begins with the newest decision.
func (er ErasureReader) PeopleBefore(decisionID string, limit int) ([]StoredPerson, error) {
	if decisionID == "" {
		decisionID = lastID
	}
	return read(er.access, func(tx *Tx) ([]StoredPerson, error) {
		return eachRow(tx, func(p *StoredPerson) []any {
			return []any{&p.DecisionID, &p.Role, &p.Ref, &p.Leaf, &p.Plain, &p.Head}
		}, "SELECT p.decision_id, p.role, p.person_ref, d.leaf, d.plain, substr(p.facts, 1, "+headBytes+`)
			FROM decision_people p JOIN decisions d
				ON d.tenant_id = p.tenant_id AND d.environment = p.environment AND d.id = p.decision_id
			WHERE p.tenant_id = $1 AND p.environment = $2 AND length(p.facts) > 0 AND p.decision_id IN
				(SELECT decision_id FROM decision_people WHERE tenant_id = $1 AND environment = $2 AND decision_id < $3
					AND length(facts) > 0 ORDER BY decision_id DESC LIMIT $4)
			ORDER BY p.decision_id DESC, p.role`, decisionID, int64(limit))
	})
}

// roleGuarantor is the role of a guarantor in decision_people, as package field names it.
const roleGuarantor = "guarantor"

// EmptyPerson erases the facts of a person who has a role other than primary applicant in a decision. It also erases
// the runs and the stored answers about the decision, because they may contain these facts. ref replaces the person's
// reference.
func (er Erasures) EmptyPerson(decisionID, role, ref string, counts *ErasedCounts) error {
	// A run keeps its reference, which is the reference of the primary applicant. The condition decision_id <> '' lets
	// the database use the partial index.
	runs, err := er.tx.exec(`UPDATE agent_runs SET request = $4, response = $4 WHERE tenant_id = $1 AND environment = $2
		AND decision_id <> '' AND decision_id = $3 AND length(response) > 0`, decisionID, noDocument)
	if err != nil {
		return err
	}
	counts.Runs += runs
	return er.emptyFacts(decisionID, role, ref, counts)
}

// emptyFacts does the work of EmptyPerson except for the runs.
func (er Erasures) emptyFacts(decisionID, role, ref string, counts *ErasedCounts) error {
	_, err := er.tx.exec(`UPDATE decision_people SET facts = $5, person_ref = $6
		WHERE tenant_id = $1 AND environment = $2 AND decision_id = $3 AND role = $4`,
		decisionID, role, noDocument, ErasedPrefix+ref)
	if err != nil {
		return err
	}
	if role == roleGuarantor {
		counts.Guarantors++
	} else {
		counts.CoApplicants++
	}
	return er.emptyAnswers(decisionID, counts)
}

// EmptyPeople erases the facts and the references of all people of a decision except the primary applicant, at the end
// of the retention period of the answer. Runs have a retention period of their own. replacement returns the text that
// replaces the reference of the person with the given role.
func (er Erasures) EmptyPeople(decisionID string, replacement func(plain, role string) string) error {
	var plain string
	err := er.tx.one([]any{&plain}, "SELECT plain FROM decisions WHERE tenant_id = $1 AND environment = $2 AND id = $3",
		decisionID)
	d := Decision{ID: decisionID, Plain: plain}
	if err == nil {
		err = addPeople(er.tx, &d)
	}
	for i := range d.People {
		p := &d.People[i]
		if strings.HasPrefix(p.Ref, ErasedPrefix) {
			continue
		}
		var counts ErasedCounts
		if err = er.emptyFacts(decisionID, p.Role, replacement(plain, p.Role), &counts); err != nil {
			return err
		}
	}
	return err
}

// wakeOthers schedules an early check of the deferred erasures of people who have a role other than primary applicant
// in a decision.
func (er Erasures) wakeOthers(decisionID string) error {
	_, err := er.tx.exec(`UPDATE erasures SET next_micros = 0 WHERE tenant_id = $1 AND environment = $2
		AND state = 'deferred' AND decision_id = '' AND applicant_ref IN (SELECT person_ref FROM decision_people
			WHERE tenant_id = $1 AND environment = $2 AND decision_id = $3)`, decisionID)
	return err
}
