package store

// DecisionChunk describes the first decisions of a list, for splitting the list
// into chunks.
type DecisionChunk struct {
	Rows int64
	Last string // the id of the last of these decisions; "" if there are none
	Next string // the list continues after this decision; "" at its end
}

// NextChunk describes the first decisions that satisfy the filter and the page's limits, oldest first, beginning
// after the page's AfterID. Parameter "most" limits the number of decisions. NextChunk reads only their ids. Like a
// page, a chunk may be short or even empty although more decisions follow.
func (ds DecisionReader) NextChunk(f DecisionFilter, p Page, most int64) (DecisionChunk, error) {
	return read(ds.access, func(tx *Tx) (chunk DecisionChunk, err error) {
		p := p // a copy, because the read may be repeated
		if p.end, err = tx.Decisions().endOf(f, p); err != nil {
			return DecisionChunk{}, err
		}
		q := nextChunkQuery(f, p, most)
		err = tx.one([]any{&chunk.Last, &chunk.Rows}, q.text.String(), q.args...)
		if chunk.Next = p.end.ID; chunk.Rows == most {
			chunk.Next = chunk.Last
		}
		return chunk, err
	})
}

func nextChunkQuery(f DecisionFilter, p Page, most int64) *query {
	q := listOf("SELECT coalesce(max(id), ''), count(*) FROM (SELECT id FROM decisions WHERE tenant_id = $1 AND " +
		"environment = $2")
	q.filtered(f)
	q.byID(p)
	q.add(" LIMIT ?) AS stretch", most)
	return q
}
