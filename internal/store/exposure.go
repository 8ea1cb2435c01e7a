package store

import (
	"bytes"
	"context"
	"fmt"
)

// Exposure is a loan that the lender has reported.
type Exposure struct {
	ID            string
	ApplicantRef  string
	DecisionID    string // the decision on which the loan was made, "" if there is none
	Document      []byte // product and amounts, sealed
	CreatedMicros int64
	CreatedBy     string
	UpdatedMicros int64
	UpdatedBy     string
	ClosedMicros  int64 // 0 if it is not closed
	// Role is the role of the person for whom Own has read the exposure, "" for the applicant. It is not a column.
	Role string
}

const exposureColumns = `id, applicant_ref, decision_id, document, created_micros, created_by, updated_micros,
	updated_by, closed_micros`

func (e *Exposure) fields() []any {
	return []any{&e.ID, &e.ApplicantRef, &e.DecisionID, &e.Document, &e.CreatedMicros, &e.CreatedBy, &e.UpdatedMicros,
		&e.UpdatedBy, &e.ClosedMicros}
}

// countFlag scans a count and sets the flag to whether the count is positive.
type countFlag struct{ flag *bool }

// Scan implements sql.Scanner.
func (c countFlag) Scan(value any) error {
	n, ok := value.(int64)
	if !ok {
		return fmt.Errorf("a count is a %T", value)
	}
	*c.flag = n > 0
	return nil
}

// ExposureReader reads exposures, and the lender's earlier decisions about a person.
type ExposureReader struct{ access }

// Exposures reads like ExposureReader, and stores exposures.
type Exposures struct{ ExposureReader }

// Exposures returns the ExposureReader of the scope.
func (s *Scope) Exposures(ctx context.Context) ExposureReader { return ExposureReader{s.access(ctx)} }

// Exposures returns the Exposures of the transaction.
func (tx *Tx) Exposures() Exposures { return Exposures{ExposureReader{tx.access()}} }

// Open returns the exposures of a person that are not closed, in the order of their ids.
func (ex ExposureReader) Open(applicantRef string) ([]Exposure, error) {
	return read(ex.access, func(tx *Tx) ([]Exposure, error) {
		return eachRow(tx, (*Exposure).fields, selectOpenExposures, applicantRef)
	})
}

// OfDecision returns the exposure that names a decision. found is false if there is none.
func (ex ExposureReader) OfDecision(decisionID string) (e Exposure, found bool, err error) {
	return readTwo(ex.access, func(tx *Tx) (Exposure, bool, error) {
		rows, err := eachRow(tx, (*Exposure).fields, "SELECT "+exposureColumns+` FROM exposures
			WHERE tenant_id = $1 AND environment = $2 AND decision_id <> '' AND decision_id = $3`, decisionID)
		if err != nil || len(rows) == 0 {
			return Exposure{}, false, err
		}
		return rows[0], true, nil
	})
}

// List returns a page of the exposures of a person, or of all people if applicantRef is "", and whether there are
// more.
func (ex ExposureReader) List(applicantRef string, p Page) ([]Exposure, bool, error) {
	return readTwo(ex.access, func(tx *Tx) ([]Exposure, bool, error) {
		q := listOf("SELECT " + exposureColumns + " FROM exposures WHERE tenant_id = $1 AND environment = $2")
		q.equals("applicant_ref", applicantRef)
		q.page(p)
		return list(tx, q, p, func(scan func(...any) error) (e Exposure, err error) {
			err = scan(e.fields()...)
			return e, err
		})
	})
}

// Put stores an exposure, or replaces the state of the exposure with the same id, and adds an entry to the journal.
// keyChanges is the value that KeyState.Changes had when the keys of the document were read; Put returns
// ErrKeysChanged if the keys were changed since. If the exposure is closed, a deferred erasure of the person is
// checked again soon.
func (ex Exposures) Put(e *Exposure, keyChanges int64) error {
	if err := ex.tx.KeyTrees().Check(keyChanges); err != nil {
		return err
	}
	ex.tx.noteWritten(e.ID)
	before, err := ex.byID(e.ID)
	if err != nil {
		return err
	}
	logged := LoggedExposure{Exposure: *e, Salt: newSalt()}
	if len(before) > 0 { // these columns never change
		logged.ApplicantRef, logged.DecisionID = before[0].ApplicantRef, before[0].DecisionID
		logged.CreatedMicros, logged.CreatedBy = before[0].CreatedMicros, before[0].CreatedBy
	}
	if logged.Leaf, err = ex.tx.record(logged.change()); err != nil {
		return err
	}
	if len(before) == 0 {
		err = ex.insert(&logged)
	} else {
		_, err = ex.tx.exec(
			`UPDATE exposures SET document = $4, updated_micros = $5, updated_by = $6, closed_micros = $7,
			leaf = $8, salt = $9 WHERE tenant_id = $1 AND environment = $2 AND id = $3`,
			e.ID, notNil(e.Document), e.UpdatedMicros, e.UpdatedBy, e.ClosedMicros, logged.Leaf, logged.Salt)
	}
	if err != nil || e.ClosedMicros == 0 {
		return err
	}
	_, err = ex.tx.exec(`UPDATE erasures SET next_micros = 0 WHERE tenant_id = $1 AND environment = $2
		AND applicant_ref = $3 AND decision_id = '' AND state = 'deferred'`, e.ApplicantRef)
	if err != nil || e.DecisionID == "" {
		return err
	}
	return ex.tx.Erasures().wakeOthers(e.DecisionID)
}

// byID returns a slice with the exposure that has the id, and an empty slice if there is none.
func (ex Exposures) byID(id string) ([]LoggedExposure, error) {
	return eachRow(ex.tx, (*LoggedExposure).fields, "SELECT "+loggedExposureColumns+` FROM exposures
		WHERE tenant_id = $1 AND environment = $2 AND id = $3`, id)
}

func (ex Exposures) insert(e *LoggedExposure) error {
	_, err := ex.tx.exec(`INSERT INTO exposures (tenant_id, environment, `+loggedExposureColumns+`)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
		e.ID, e.ApplicantRef, e.DecisionID, notNil(e.Document), e.CreatedMicros, e.CreatedBy, e.UpdatedMicros,
		e.UpdatedBy, e.ClosedMicros, e.Leaf, e.Salt)
	if err != nil {
		return err
	}
	return ex.tx.StoredBytes().add(exposureBytes)
}

// SealDocuments replaces the unencrypted documents of exposures by the ciphertexts, with new entries in the journal. It
// skips an exposure whose document is sealed already. keyChanges is the value that KeyState.Changes had when the keys
// were read; SealDocuments returns ErrKeysChanged if the keys were changed since.
func (ex Exposures) SealDocuments(rows []Exposure, keyChanges, nowMicros int64) error {
	if err := ex.tx.KeyTrees().Check(keyChanges); err != nil {
		return err
	}
	for i := range rows {
		stored, err := ex.byID(rows[i].ID)
		if err != nil {
			return err
		}
		if len(stored) == 0 || bytes.HasPrefix(stored[0].Document, sealedForm) {
			continue
		}
		stored[0].Document = rows[i].Document
		if err := ex.backfill(&stored[0], nowMicros); err != nil {
			return err
		}
	}
	return nil
}
