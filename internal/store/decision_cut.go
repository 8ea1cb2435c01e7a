package store

import "context"

// CutDecisions takes the first decisions that the filter and the page's bounds
// admit, oldest first and beginning after its last row, at most so many, and
// tells how many they are and the last of them; "" and 0 when there is none. It
// looks at ids alone: it is for cutting a long list into stretches.
func (tx *Tx) CutDecisions(f DecisionFilter, p Page, most int64) (last string, n int64, err error) {
	q := listOf("SELECT coalesce(max(id), ''), count(*) FROM (SELECT id FROM decisions WHERE tenant_id = $1 AND environment = $2")
	q.is("status", f.Status)
	q.is("policy_key", f.PolicyKey)
	q.between(p)
	for _, bound := range []struct{ condition, id string }{{"id >= ?", p.FromID}, {"id < ?", p.ToID}, {"id > ?", p.AfterID}} {
		if bound.id != "" {
			q.where(bound.condition, bound.id)
		}
	}
	q.add(" ORDER BY id LIMIT ?) AS stretch", most)
	err = tx.one([]any{&last, &n}, q.text.String(), q.args...)
	return last, n, err
}

// CutDecisions is Tx.CutDecisions in a transaction of its own.
func (s *Scope) CutDecisions(ctx context.Context, f DecisionFilter, p Page, most int64) (last string, n int64, err error) {
	n, err = inRead(ctx, s, func(tx *Tx) (n int64, err error) {
		last, n, err = tx.CutDecisions(f, p, most)
		return n, err
	})
	return last, n, err
}
