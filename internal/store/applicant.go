package store

// PersonTotals says how much is stored about a person.
type PersonTotals struct {
	Decisions    int64
	NewestMicros int64 // of the newest decision, 0 if there is none
	Runs         int64
	NewestRun    int64 // when the newest run was made, in microseconds, 0 if there is none
}

// Totals counts the decisions and the runs of an applicant. It uses the indexes of references.
func (er ErasureReader) Totals(applicantRef string) (PersonTotals, error) {
	return read(er.access, func(tx *Tx) (t PersonTotals, err error) {
		err = tx.one([]any{&t.Decisions, &t.NewestMicros}, `SELECT count(*), coalesce(max(created_micros), 0) FROM decisions
			WHERE tenant_id = $1 AND environment = $2 AND applicant_ref <> '' AND applicant_ref = $3`, applicantRef)
		if err != nil {
			return t, err
		}
		err = tx.one([]any{&t.Runs, &t.NewestRun}, `SELECT count(*), coalesce(max(created_micros), 0) FROM agent_runs
			WHERE tenant_id = $1 AND environment = $2 AND subject_ref = $3`, applicantRef)
		return t, err
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
