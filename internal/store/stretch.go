package store

// Place is where a page of a list ended, and the next one begins after it. The
// zero Place is the end of the list.
type Place struct {
	Micros int64
	ID     string
}

// stretchRows is how many rows are walked through for one page when there is no
// index for all that is looked for. A page then ends with them, whatever it has
// found, and the list goes on from there: nothing that is asked for, and be it
// something that there is none of, takes a walk through everything.
const stretchRows = 2_000

// stretch is the last row that a page may walk to: of those that the condition
// lead admits, one for which there is an index. It is the zero Place when the
// walk ends before. It looks at ids alone.
func (ds Decisions) stretch(p Page, lead string, values ...any) (end Place, err error) {
	q := stretchOf(p, lead, values...)
	err = ds.tx.each(func(scan func(...any) error) error { return scan(&end.ID, &end.Micros) }, q.text.String(), q.args...)
	return end, err
}

func stretchOf(p Page, lead string, values ...any) *query {
	last := "max"
	if p.Descending {
		last = "min"
	}
	q := listOf(`SELECT id, created_micros FROM decisions WHERE tenant_id = $1 AND environment = $2 AND id = (SELECT ` + last + `(id)
		FROM (SELECT id FROM decisions WHERE tenant_id = $1 AND environment = $2`)
	if lead != "" {
		q.where(lead, values...)
	}
	q.fromHere(p)
	q.add(" LIMIT ?) AS stretch HAVING count(*) = ?)", int64(stretchRows), int64(stretchRows))
	return q
}

// endOf is the last row that a list of decisions may walk to with a filter. A
// page that has its end keeps it.
func (ds Decisions) endOf(f DecisionFilter, p Page) (Place, error) {
	lead, value, rest := f.lead()
	if len(rest) == 0 || p.end.ID != "" {
		return p.end, nil
	}
	return ds.stretch(p, lead, value)
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

// lead is the condition of the filter that a list is walked along by, and what
// is left: conditions that are looked at in each row on the way. They are
// written so that no planner takes another index for them, which could admit
// many more rows between two ids than the one that was chosen.
func (f DecisionFilter) lead() (lead string, value any, rest []condition) {
	for _, c := range []struct {
		column, value, along string
	}{
		{"applicant_ref", f.ApplicantRef, "applicant_ref <> '' AND applicant_ref = ?"}, // so that the partial index applies
		{"status", f.rare(), "status = ?"},
		{"grade", f.Grade, "grade = ?"},
		{"policy_id", f.PolicyID, "policy_id = ?"},
		{"status", f.often(), "status = ?"},
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

// condition is one that a row must meet.
type condition struct {
	text  string
	value any
}

// rare is the status if there are few of it, as of those that wait for people.
func (f DecisionFilter) rare() string {
	if f.Status == statusReferred {
		return f.Status
	}
	return ""
}

// often is the status if there may be many of it.
func (f DecisionFilter) often() string {
	if f.Status == statusReferred {
		return ""
	}
	return f.Status
}

// next is where the page after one of these rows begins.
func next(more bool, last func() Place, end Place) Place {
	if more {
		return last()
	}
	return end
}
