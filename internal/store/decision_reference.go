package store

// ReferencePosition is the last row of a page of decisions by reference. The zero position is the beginning or the end
// of the list.
type ReferencePosition struct{ Ref, ID string }

// afterEveryRune is greater than every other character. So the references with a given prefix are those from prefix
// up to, and not including, prefix + afterEveryRune.
const afterEveryRune = "\U0010FFFF"

// ByReference returns a page of the decisions whose applicant's reference begins with prefix, with the column plain,
// and the position at which the page ended. The greatest reference comes first, and within a reference the newest
// decision. That is the order of the index. ByReference uses only Limit, FromMicros and ToMicros of p. With a filter
// or a time range it reads at most scanRows rows, so a page may be short or even empty although more pages follow.
func (ds DecisionReader) ByReference(
	prefix string, f DecisionFilter, p Page, after ReferencePosition,
) (rows []Decision, next ReferencePosition, err error) {
	return readTwo(ds.access, func(tx *Tx) (rows []Decision, next ReferencePosition, err error) {
		var end ReferencePosition
		f.ApplicantRef = ""
		if f != (DecisionFilter{}) || p.FromMicros != 0 || p.ToMicros != 0 {
			q := referenceEnd(prefix, after)
			err = tx.each(func(scan func(...any) error) error { return scan(&end.Ref, &end.ID) }, q.text.String(),
				q.args...)
			if err != nil {
				return nil, end, err
			}
		}
		rows, more, err := list(tx, byReference(prefix, f, p, after, end), p,
			func(scan func(...any) error) (d Decision, err error) {
				err = scan(d.plainFields()...)
				return d, err
			})
		if more {
			last := &rows[len(rows)-1]
			end = ReferencePosition{last.ApplicantRef, last.ID}
		}
		return rows, end, err
	})
}

// byReference returns the query of a page. If end is not zero, the query reads no row after end.
func byReference(prefix string, f DecisionFilter, p Page, after, end ReferencePosition) *query {
	q := listOf("SELECT " + plainColumns + " FROM decisions WHERE tenant_id = $1 AND environment = $2")
	q.beginsWith(prefix, after)
	if end.ID != "" {
		q.where("(applicant_ref, id) >= (?, ?)", end.Ref, end.ID)
	}
	for _, c := range []struct{ column, value string }{
		{"status", f.Status}, {"grade", f.Grade}, {"policy_id", f.PolicyID}, {"policy_key", f.PolicyKey},
		{"endpoint", f.Endpoint},
	} {
		if c.value != "" { // coalesce keeps planners from using the index of the column
			q.where("coalesce("+c.column+", '') = ?", c.value)
		}
	}
	q.between(p)
	q.add(" ORDER BY applicant_ref DESC, id DESC")
	q.limit(p)
	return q
}

// referenceEnd returns the query for the last row that a page may read.
func referenceEnd(prefix string, after ReferencePosition) *query {
	q := listOf("SELECT applicant_ref, id FROM decisions WHERE tenant_id = $1 AND environment = $2")
	q.beginsWith(prefix, after)
	q.add(" ORDER BY applicant_ref DESC, id DESC LIMIT 1 OFFSET ?", int64(scanRows-1))
	return q
}

// beginsWith adds the conditions that a reference begins with prefix, and that the row comes after a position.
func (q *query) beginsWith(prefix string, after ReferencePosition) {
	// The condition applicant_ref <> '' lets the database use the partial index.
	q.where("applicant_ref <> '' AND applicant_ref >= ? AND applicant_ref < ?", prefix, prefix+afterEveryRune)
	if after.ID != "" {
		q.where("(applicant_ref, id) < (?, ?)", after.Ref, after.ID)
	}
}
