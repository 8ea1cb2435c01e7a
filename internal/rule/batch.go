package rule

import "math/bits"

// BatchRows is the number of applications that are evaluated together: one for
// each bit of a word.
const BatchRows = 64

// Batch has the frames of up to BatchRows applications. Conditions are evaluated
// over all of them, one predicate after the other, with the same instructions as
// over a single frame. The processor then repeats one comparison over many rows
// instead of taking different jumps in every row, which it could not predict.
type Batch struct {
	frames [BatchRows]Frame
	rows   int

	nums  []Number // the numbers of all frames, one frame after the other
	width int      // number of slots of one frame

	// common and some have a bit for each of the first 64 slots. A bit of common is set if the slot is given in every
	// row. A bit of some is set if the slot is given in at least one row. Both are valid after Seal.
	common, some uint64
}

// NewBatch returns an empty batch for applications with these slots. Every slot
// must have been assigned.
func (s *Slots) NewBatch() *Batch {
	n := s.Len()
	words := n/64 + 1
	b := &Batch{nums: make([]Number, BatchRows*n), width: n}
	texts := make([]string, BatchRows*n)
	marks := make([]uint64, 2*BatchRows*words)
	for i := range b.frames {
		fr := &b.frames[i]
		fr.nums, fr.texts = part(b.nums, i, n), part(texts, i, n)
		fr.given, fr.mistyped = part(marks, 2*i, words), part(marks, 2*i+1, words)
	}
	return b
}

// part returns the elements from i*n to (i+1)*n-1 of a list. The result has no spare capacity.
func part[T any](list []T, i, n int) []T { return list[i*n : (i+1)*n : (i+1)*n] }

// Len returns the number of rows.
func (b *Batch) Len() int { return b.rows }

// Reset removes all rows.
func (b *Batch) Reset() { b.rows = 0 }

// Commit adds the row whose frame is Frame(Len()). The batch must not be full.
func (b *Batch) Commit() { b.rows++ }

// Frame returns the frame of a row, or of the row that Commit will add.
func (b *Batch) Frame(row int) *Frame { return &b.frames[row] }

// Seal must be called after the last row was filled and before conditions are
// evaluated.
func (b *Batch) Seal() {
	b.common, b.some = ^uint64(0), 0
	for i := range b.rows {
		given := b.frames[i].given[0]
		b.common &= given
		b.some |= given
	}
}

// all returns a word with a bit for every row.
func (b *Batch) all() uint64 { return ^uint64(0) >> (BatchRows - b.rows) }

// GivenInAll reports whether every row has a readable value in a slot.
func (b *Batch) GivenInAll(slot int32) bool { return slot < 64 && b.common>>slot&1 != 0 }

// Column returns the numbers of all rows in a slot. The number of a row is nums[row*step].
func (b *Batch) Column(slot int32) (nums []Number, step int) { return b.nums[slot:], b.width }

// EvalBatch evaluates one condition over all rows of a batch. Bit i of holds and of unknown is the result for row i;
// if neither is set, the condition fails. The results are the same as those of Eval for the single rows.
func (c *Code) EvalBatch(t Test, b *Batch) (holds, unknown uint64) {
	rows := b.all()
	if t.short && t.strict && t.reads&b.some == 0 {
		return 0, rows
	}
	holds, unsettled := c.runBatch(t.holds, b, rows)
	if unsettled &^= holds; unsettled != 0 {
		fails, _ := c.runBatch(t.fails, b, unsettled)
		unknown = unsettled &^ fails
	}
	return holds, unknown
}

// EvalAllBatch evaluates the conditions over all rows of a batch. It stores the
// results of row i in out[i].
func (c *Code) EvalAllBatch(tests []Test, b *Batch, out *[BatchRows]Truths) {
	for row := range b.rows {
		out[row].reset(len(tests))
	}
	for i := range tests {
		holds, unknown := c.EvalBatch(tests[i], b)
		word, bit := i>>6, uint64(1)<<(i&63)
		for ; holds != 0; holds &= holds - 1 {
			out[bits.TrailingZeros64(holds)].words[word].holds |= bit
		}
		for ; unknown != 0; unknown &= unknown - 1 {
			out[bits.TrailingZeros64(unknown)].words[word].unknown |= bit
		}
	}
}

// pending is the number of instructions that runBatch can handle without allocating memory.
const pending = 32

// runBatch executes instructions from pc for the rows whose bits are set in rows. holds has the rows that leave
// through exitTrue. unsettled has the rows in which a predicate could not be evaluated.
//
// Every jump goes to an instruction that was emitted earlier. So one pass over the instructions, from pc down, visits
// each instruction after all instructions that jump to it.
func (c *Code) runBatch(pc int32, b *Batch, rows uint64) (holds, unsettled uint64) {
	if pc < 0 {
		if pc == exitTrue {
			return rows, 0
		}
		return 0, 0
	}
	var few [pending]uint64
	waiting := few[:] // waiting[pc-at] has the rows that have jumped to the instruction with index at
	open := 1         // number of instructions with waiting rows
	waiting[0] = rows
	route := func(at int32, set uint64) {
		if set == 0 {
			return
		}
		switch {
		case at == exitTrue:
			holds |= set
		case at >= 0:
			for int(pc-at) >= len(waiting) {
				waiting = append(waiting, 0)
			}
			if waiting[pc-at] == 0 {
				open++
			}
			waiting[pc-at] |= set
		}
	}
	for at := pc; open > 0; at-- {
		set := waiting[pc-at]
		if set == 0 {
			continue
		}
		open--
		in := &c.ins[at]
		yes, no, neither := c.evaluateBatch(in, b, set)
		unsettled |= neither
		route(in.yes, yes)
		route(in.no, no)
		route(in.unknown, neither)
	}
	return holds, unsettled
}

// evaluateBatch evaluates one predicate in the rows whose bits are set in rows. It returns the rows in which the
// predicate holds, in which it fails and in which it is unknown.
func (c *Code) evaluateBatch(in *instruction, b *Batch, rows uint64) (holds, fails, unknown uint64) {
	switch {
	case in.op == opRange && in.slot < 64:
		given := rows & b.given(in.slot)
		holds = b.inRange(in, given) & given
		return holds, given &^ holds, rows &^ given
	case in.op == opSmallSet && in.slot < 64:
		given := rows & b.given(in.slot)
		holds = b.inSmallSet(in) & given
		return holds, given &^ holds, rows &^ given
	}
	for rest := rows; rest != 0; rest &= rest - 1 {
		row := bits.TrailingZeros64(rest)
		switch bit := rest & -rest; c.evaluate(in, &b.frames[row]) {
		case Holds:
			holds |= bit
		case Fails:
			fails |= bit
		case Unknown:
			unknown |= bit
		}
	}
	return holds, fails, unknown
}

// given returns the rows that have a readable value in one of the first 64 slots.
func (b *Batch) given(slot int32) (rows uint64) {
	switch bit := uint64(1) << (slot & 63); {
	case b.common&bit != 0:
		return b.all()
	case b.some&bit == 0:
		return 0
	}
	for row := b.rows - 1; row >= 0; row-- {
		rows = rows<<1 | b.frames[row].given[0]>>(slot&63)&1
	}
	return rows
}

// fewRows is the largest number of rows that inRange tests one by one. For more rows, it is faster to test all rows of
// the batch.
const fewRows = 12

// inRange returns a bit for each of the given rows whose value is in the range of an instruction. The bits of other
// rows have no meaning.
func (b *Batch) inRange(in *instruction, rows uint64) (holds uint64) {
	nums, num, span := b.nums[in.slot:], in.num, in.span
	if bits.OnesCount64(rows) <= fewRows {
		for rest := rows; rest != 0; rest &= rest - 1 {
			if uint64(nums[bits.TrailingZeros64(rest)*b.width]-num) <= span {
				holds |= rest & -rest
			}
		}
		return holds
	}
	for at := (b.rows - 1) * b.width; at >= 0; at -= b.width {
		holds <<= 1
		if uint64(nums[at]-num) <= span {
			holds |= 1
		}
	}
	return holds
}

// inSmallSet returns a bit for each row whose value is in the set of an instruction. The bits of rows without a value
// have no meaning.
func (b *Batch) inSmallSet(in *instruction) (holds uint64) {
	nums, set := b.nums[in.slot:], in.span
	for at := (b.rows - 1) * b.width; at >= 0; at -= b.width {
		holds <<= 1
		if n := uint64(nums[at]); n < 64 {
			holds |= set >> n & 1
		}
	}
	return holds
}
