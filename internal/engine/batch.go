package engine

import (
	"verdict/internal/rule"
)

// BatchRows is the largest number of applications that a Batch decides together.
const BatchRows = rule.BatchRows

// Batch decides up to BatchRows applications together. The decisions are the same as those of Decide. The conditions
// of Stage 1, the factors and the adjustments are evaluated one after the other, each for all applications, with the
// instructions that Decide uses. The rest of each decision is made by the same functions as in Decide. A batch must
// be used by only one goroutine.
type Batch struct {
	plan *Plan
	rows *rule.Batch

	others   uint64 // a bit for each application for which the co-applicant's score counts
	stage1   [BatchRows]rule.Truths
	adjusted [BatchRows]rule.Truths
	sums     [BatchRows]rule.Number
	bins     []int32 // indexes of the factors' outcomes, one application after the other
}

// NewBatch returns an empty batch.
func (p *Plan) NewBatch() *Batch {
	return &Batch{plan: p, rows: p.slots.NewBatch(), bins: make([]int32, BatchRows*len(p.scoring.factors))}
}

// Len returns the number of applications.
func (b *Batch) Len() int { return b.rows.Len() }

// Next returns an empty frame for the next application. The caller may store numbers in the frame before it calls Add;
// NumberSlot returns their slots. The batch must have fewer than BatchRows applications.
func (b *Batch) Next() *rule.Frame {
	fr := b.rows.Frame(b.rows.Len())
	b.plan.slots.Clear(fr)
	return fr
}

// Add adds the application whose frame Next returned, with further facts. The
// facts are copied.
func (b *Batch) Add(facts *rule.Facts) {
	row := b.rows.Len()
	if b.plan.load(facts, b.rows.Frame(row)) {
		b.others |= 1 << row
	}
	b.rows.Commit()
}

// NumberSlot returns the slot of a number field in the plan's frames, for rule.Frame.SetNumber. ok is false if the
// plan does not read the field, or if SetNumber cannot store it.
func (p *Plan) NumberSlot(id rule.FieldID) (slot int32, ok bool) {
	slot, ok = p.slots.Find(rule.Ref{ID: id})
	return slot, ok && slot < 64 && p.slots.Ref(slot).Type == rule.NumberType
}

// Evaluate evaluates Stage 1 and the score of all applications. It must be called
// after the last Add and before Decide.
func (b *Batch) Evaluate() {
	p := b.plan
	b.rows.Seal()
	p.code.EvalAllBatch(p.stage1.tests, b.rows, &b.stage1)
	p.scoring.addBatch(p.code, b.rows, b.bins, &b.sums)
	p.code.EvalAllBatch(p.adjusting, b.rows, &b.adjusted)
}

// Decide completes the decision on an application and stores it in d. It overwrites all of d. d shares memory with the
// batch and is valid until Reset.
func (b *Batch) Decide(row int, d *Decision) {
	p, factors := b.plan, len(b.plan.scoring.factors)
	p.clear(d)
	d.frame = *b.rows.Frame(row)
	d.othersScore = b.others>>row&1 != 0
	p.require(d)
	d.stage1, d.adjusted = b.stage1[row], b.adjusted[row]
	p.hit(d, &p.stage1, &d.stage1)
	d.bins, d.sum = b.bins[row*factors:(row+1)*factors:(row+1)*factors], b.sums[row]
	p.adjust(d)
	p.finish(d)
}

// Reset removes all applications.
func (b *Batch) Reset() {
	b.rows.Reset()
	b.others = 0
}

// addBatch adds up the factors of all rows, as add does for one row. It stores the indexes of the outcomes in bins,
// one row after the other.
func (s *scoring) addBatch(code *rule.Code, rows *rule.Batch, bins []int32, sums *[BatchRows]rule.Number) {
	n, width := rows.Len(), len(s.factors)
	for row := range n {
		sums[row] = s.base
	}
	outcomes := s.outcomes
	for i := range s.factors {
		f := &s.factors[i]
		if f.fitsEdges && !f.hasWhen && rows.GivenInAll(f.slot) {
			low, high, first := f.edges[0], f.edges[1], f.first
			nums, step := rows.Column(f.slot)
			for row, at, to := 0, 0, i; row < n; row, at, to = row+1, at+step, to+width {
				x := nums[at]
				bin := first + low.reached(x) + high.reached(x)
				bins[to] = bin
				sums[row] += outcomes[bin].points
			}
			continue
		}
		for row := range n {
			bin := f.bin(code, rows.Frame(row))
			bins[row*width+i] = bin
			sums[row] += outcomes[bin].points
		}
	}
}
