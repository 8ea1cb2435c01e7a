package store

// Cut is the beginning of a list of decisions.
type Cut struct {
	Rows int64
	Last string // the last of them; "" when there is none
	Next string // the list goes on after this decision; "" when it is over
}

// Cut takes the first decisions that the filter and the page's bounds
// admit, oldest first and beginning after its last row, at most so many. It
// looks at ids alone: it is for cutting a long list into stretches. As with
// pages, there may be more after a cut that found fewer, or none.
func (ds DecisionReader) Cut(f DecisionFilter, p Page, most int64) (Cut, error) {
	return read(ds.access, func(tx *Tx) (cut Cut, err error) {
		p := p // a read may be repeated
		if p.end, err = tx.Decisions().endOf(f, p); err != nil {
			return Cut{}, err
		}
		q := cutOf(f, p, most)
		err = tx.one([]any{&cut.Last, &cut.Rows}, q.text.String(), q.args...)
		if cut.Next = p.end.ID; cut.Rows == most {
			cut.Next = cut.Last
		}
		return cut, err
	})
}

func cutOf(f DecisionFilter, p Page, most int64) *query {
	q := listOf("SELECT coalesce(max(id), ''), count(*) FROM (SELECT id FROM decisions WHERE tenant_id = $1 AND environment = $2")
	q.filtered(f)
	q.byID(p)
	q.add(" LIMIT ?) AS stretch", most)
	return q
}
