package store

// Position is the position in a list at which a page ended; the next page begins
// after it. The zero Position is the end of the list.
type Position struct {
	Micros int64
	ID     string
}

// scanRows limits the rows that are scanned for one page if no index covers all
// conditions. The page ends after scanRows rows, whatever it has found, and the
// next page continues from there. So no filter, not even one that matches
// nothing, scans the whole table.
const scanRows = 2_000

// scanEnd returns the last row that a page may scan. It counts only rows that satisfy the condition lead, for which
// there must be an index. It returns the zero Position if the list ends earlier. It reads only ids and times.
func (ds Decisions) scanEnd(p Page, lead string, values ...any) (end Position, err error) {
	q := scanEndQuery(p, lead, values...)
	err = ds.tx.each(func(scan func(...any) error) error { return scan(&end.ID, &end.Micros) }, q.text.String(),
		q.args...)
	return end, err
}

func scanEndQuery(p Page, lead string, values ...any) *query {
	last := "max"
	if p.Descending {
		last = "min"
	}
	q := listOf(`SELECT id, created_micros FROM decisions WHERE tenant_id = $1 AND environment = $2 AND id = (SELECT ` +
		last + `(id)
		FROM (SELECT id FROM decisions WHERE tenant_id = $1 AND environment = $2`)
	if lead != "" {
		q.where(lead, values...)
	}
	q.idBounds(p)
	q.add(" LIMIT ?) AS stretch HAVING count(*) = ?)", int64(scanRows), int64(scanRows))
	return q
}

// endOf returns the last row that a page of decisions may scan with a filter. If the page has an end already, endOf
// returns that end.
func (ds Decisions) endOf(f DecisionFilter, p Page) (Position, error) {
	lead, value, rest := f.lead()
	if len(rest) == 0 || p.end.ID != "" {
		return p.end, nil
	}
	return ds.scanEnd(p, lead, value)
}

// filtered adds the conditions of a filter.
func (q *query) filtered(f DecisionFilter) {
	lead, value, rest := f.lead()
	if lead != "" {
		q.where(lead, value)
	}
	for _, c := range rest {
		q.where(c.text, c.value)
	}
}

// lead returns the condition whose index the list uses, and the remaining conditions, which are checked in each
// scanned row. The remaining conditions are written so that no planner uses another index for them. The other index
// could have many more rows between two ids than the chosen index.
func (f DecisionFilter) lead() (lead string, value any, rest []condition) {
	for _, c := range []struct {
		column, value, along string
	}{
		// The condition applicant_ref <> '' lets the database use the partial index.
		{"applicant_ref", f.ApplicantRef, "applicant_ref <> '' AND applicant_ref = ?"},
		{"status", f.rareStatus(), "status = ?"},
		{"grade", f.Grade, "grade = ?"},
		{"policy_id", f.PolicyID, "policy_id = ?"},
		{"status", f.commonStatus(), "status = ?"},
		{"policy_key", f.PolicyKey, ""},
		{"endpoint", f.Endpoint, ""},
	} {
		switch {
		case c.value == "":
		case lead == "" && c.along != "":
			lead, value = c.along, c.value
		default:
			rest = append(rest, condition{"coalesce(" + c.column + ", '') = ?", c.value})
		}
	}
	return lead, value, rest
}

// condition is an SQL condition with its parameter.
type condition struct {
	text  string
	value any
}

// rareStatus returns the filter's status if few decisions have it, and ""
// otherwise. Only the status of decisions that wait for a person is rare.
func (f DecisionFilter) rareStatus() string {
	if f.Status == statusReferred {
		return f.Status
	}
	return ""
}

// commonStatus returns the filter's status if many decisions may have it, and
// "" otherwise.
func (f DecisionFilter) commonStatus() string {
	if f.Status == statusReferred {
		return ""
	}
	return f.Status
}

// nextPosition returns the position after which the next page begins: the last row
// if there are more rows, otherwise the end of the scan.
func nextPosition(more bool, last func() Position, end Position) Position {
	if more {
		return last()
	}
	return end
}
