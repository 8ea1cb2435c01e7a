package store

import (
	"cmp"
	"slices"
	"strings"
)

// PersonTotals says how much is stored about a person.
type PersonTotals struct {
	Decisions    int64
	NewestMicros int64 // the creation time of the newest decision, 0 if there is none
	Runs         int64
	NewestRun    int64 // when the newest run was made, in microseconds, 0 if there is none
}

// runsInRoles is the SQL condition for runs about decisions in which the person $3 has a role other than primary
// applicant. It excludes erased runs. The test of decision_id lets the database use the partial index.
var runsInRoles = `tenant_id = $1 AND environment = $2 AND decision_id <> '' AND subject_ref <> $3
	AND length(response) > 0 AND decision_id IN (` + inOtherRoles("$3") + `)`

// Totals counts the decisions and the runs of an applicant. The runs include those about decisions in which the person
// has a role other than primary applicant. The queries use the indexes on references.
func (er ErasureReader) Totals(applicantRef string) (PersonTotals, error) {
	return read(er.access, func(tx *Tx) (t PersonTotals, err error) {
		const decisions = ` FROM decisions
			WHERE tenant_id = $1 AND environment = $2 AND applicant_ref <> '' AND applicant_ref = $3`
		if err = tx.one([]any{&t.Decisions}, "SELECT count(*)"+decisions, applicantRef); err != nil {
			return t, err
		}
		tx.transaction.noteCounted(t.Decisions)
		// Ids are in the order of creation, so the last one is of the newest decision.
		err = tx.each(func(scan func(...any) error) error { return scan(&t.NewestMicros) },
			"SELECT created_micros"+decisions+" ORDER BY id DESC LIMIT 1", applicantRef)
		if err != nil {
			return t, err
		}
		err = tx.one([]any{&t.Runs, &t.NewestRun}, `SELECT count(*), coalesce(max(created_micros), 0) FROM agent_runs
			WHERE tenant_id = $1 AND environment = $2 AND subject_ref = $3`, applicantRef)
		if err != nil {
			return t, err
		}
		var runs, newest int64
		err = tx.one([]any{&runs, &newest}, "SELECT count(*), coalesce(max(created_micros), 0) FROM agent_runs WHERE "+
			runsInRoles, applicantRef)
		t.Runs, t.NewestRun = t.Runs+runs, max(t.NewestRun, newest)
		tx.transaction.noteCounted(t.Runs)
		return t, err
	})
}

// Runs returns the newest runs that Totals counts, at most limit, oldest first, without request and response.
func (er ErasureReader) Runs(applicantRef string, limit int) ([]Run, error) {
	return read(er.access, func(tx *Tx) ([]Run, error) {
		runs, err := eachRow(tx, (*Run).fields, "SELECT "+runColumns+` FROM agent_runs WHERE tenant_id = $1
			AND environment = $2 AND subject_ref = $3 ORDER BY created_micros DESC, id DESC LIMIT $4`,
			applicantRef, int64(limit))
		if err != nil {
			return nil, err
		}
		others, err := eachRow(tx, (*Run).fields, "SELECT "+runColumns+" FROM agent_runs WHERE "+runsInRoles+
			" ORDER BY created_micros DESC, id DESC LIMIT $4", applicantRef, int64(limit))
		if err != nil {
			return nil, err
		}
		runs = append(runs, others...)
		slices.SortFunc(runs, func(a, b Run) int {
			return cmp.Or(cmp.Compare(a.CreatedMicros, b.CreatedMicros), strings.Compare(a.ID, b.ID))
		})
		return runs[max(0, len(runs)-limit):], nil
	})
}

// Naming returns the alerts whose evidence names one of two references, oldest first, at most limit, without their
// evidence.
func (al AlertReader) Naming(ref, alias string, limit int) ([]Alert, error) {
	return read(al.access, func(tx *Tx) (alerts []Alert, err error) {
		err = tx.each(func(scan func(...any) error) error {
			a, err := scanAlert(scan)
			alerts = append(alerts, a)
			return err
		}, "SELECT "+alertColumns+` FROM fraud_alerts WHERE tenant_id = $1 AND environment = $2 AND id IN
			(SELECT alert_id FROM fraud_alert_evidence WHERE tenant_id = $1 AND environment = $2 AND part = 'applicant'
				AND ref IN ($3, $4)) ORDER BY created_micros, id LIMIT $5`, ref, alias, int64(limit))
		return alerts, err
	})
}
