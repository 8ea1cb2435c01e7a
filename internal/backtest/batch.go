package backtest

import (
	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// rowBatch has the rows that have been read and are not decided yet. They are
// decided together; see engine.Batch.
type rowBatch struct {
	champion, challenger *engine.Batch // champion is nil if no file is read; challenger is nil if the run has none
	rows                 [engine.BatchRows]row
	kept                 []*rule.Facts // facts of each row if there is a challenger, because attribute needs them later
	scratch              *rule.Facts   // facts of the next row if there is no challenger
	direct               bool          // numbers are read into the frame of the champion, not into facts
}

// newRowBatch returns an empty batch. It may use scratch for the facts of a row.
func (r *Run) newRowBatch(scratch *rule.Facts) rowBatch {
	b := rowBatch{champion: r.champion.plan.NewBatch(), scratch: scratch}
	if r.challenger == nil {
		b.direct = !r.looksUp() && !r.own && !r.setup.PercentFOIR // then only the champion needs the numbers
		return b
	}
	b.challenger = r.challenger.plan.NewBatch()
	for range engine.BatchRows {
		b.kept = append(b.kept, rule.NewFacts(field.Catalogue()))
	}
	return b
}

// reset removes all rows.
func (b *rowBatch) reset() {
	b.champion.Reset()
	if b.challenger != nil {
		b.challenger.Reset()
	}
}

// next returns the facts and the frame that the next row is read into. The
// frame is for numbers; it is nil if all numbers must become facts.
func (b *rowBatch) next() (*rule.Facts, *rule.Frame) {
	fr := b.champion.Next()
	if b.challenger != nil {
		b.challenger.Next()
		return b.kept[b.champion.Len()], nil
	}
	if !b.direct {
		fr = nil
	}
	return b.scratch, fr
}

// add adds a row that was read into the results of next. It reports
// whether the batch is full.
func (b *rowBatch) add(r *row, facts *rule.Facts) (full bool) {
	b.rows[b.champion.Len()] = *r
	b.champion.Add(facts)
	if b.challenger != nil {
		b.challenger.Add(facts)
	}
	return b.champion.Len() == engine.BatchRows
}

// flush decides and counts the rows of the batch in the order of the file. It
// stops early if the check fails; see Check.
func (w *Worker) flush() {
	b := &w.batch
	if b.champion == nil || b.champion.Len() == 0 { // nil for stored decisions, which are decided singly
		return
	}
	b.champion.Evaluate()
	if b.challenger != nil {
		b.challenger.Evaluate()
	}
	for i := range b.champion.Len() {
		if w.err != nil {
			break
		}
		b.champion.Decide(i, &w.champion.decision)
		var facts factsByPolicy
		if b.challenger != nil {
			b.challenger.Decide(i, &w.challenger.decision)
			facts = factsByPolicy{b.kept[i], b.kept[i]}
		}
		w.count(&b.rows[i], facts)
	}
	b.reset()
}
