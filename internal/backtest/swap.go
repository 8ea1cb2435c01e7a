package backtest

import (
	"cmp"

	"verdict/internal/engine"
)

// compare counts the decisions of both policies on the same row. It reports
// whether exactly one of them approves the row.
func (w *Worker) compare(r *row) (swapped bool) {
	s, a, b := &w.partial.swap, &w.champion.decision, &w.challenger.decision
	s.matrix[3*int(a.Status)+int(b.Status)][r.label].add(r.weight)
	if a.Status == engine.Approved && b.Status == engine.Approved {
		limit, rate := b.Offer.LimitPaise-a.Offer.LimitPaise, b.Offer.RateBP-a.Offer.RateBP
		s.limit[1+cmp.Compare(limit, 0)]++
		s.price[1+cmp.Compare(rate, 0)]++
		s.limitChange.add(limit, r.weight)
		s.rateChange.add(rate, r.weight)
		s.aprChange.add(b.Offer.APR-a.Offer.APR, r.weight)
	}
	return (a.Status == engine.Approved) != (b.Status == engine.Approved)
}

// attribute determines which changes between the policies swapped a row. For
// each change it decides the row twice: with the champion plus only this
// change, and with the challenger without this change.
func (w *Worker) attribute(r *row, facts factsByPolicy) {
	s, swappedIn := &w.partial.swap, w.challenger.decision.Status == engine.Approved
	way, sums := 0, s.changeIn
	if !swappedIn {
		way, sums = 1, s.changeOut
	}
	explained, champion := false, w.champion.side.plan
	for i := range w.run.changes {
		c := &w.run.changes[i]
		if w.over(w.steps) {
			return
		}
		alone, without := c.alone(), c.without()
		alone.Decide(facts.of(alone, champion), &w.hybrid)
		if (w.hybrid.Status == engine.Approved) == swappedIn {
			sums[i].alone[r.label].add(r.weight)
			explained = true
		}
		without.Decide(facts.of(without, champion), &w.hybrid)
		if (w.hybrid.Status == engine.Approved) != swappedIn {
			sums[i].needed++
		}
	}
	if explained {
		s.explained[way]++
	} else {
		s.together[way]++
	}
}
