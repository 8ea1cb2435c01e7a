package rule

import (
	"slices"
	"strings"
)

// Truth is the outcome of a condition.
type Truth uint8

// The three truth values. Unknown is the zero value.
const (
	Unknown Truth = iota
	Fails
	Holds
)

func truth(holds bool) Truth {
	if holds {
		return Holds
	}
	return Fails
}

// Eval evaluates one condition over a frame. It cannot fail: a predicate whose
// field is absent or has the wrong type, or whose arithmetic has no result, is
// Unknown.
func (c *Code) Eval(t Test, fr *Frame) Truth {
	if t.short {
		switch t.reads & fr.given[0] {
		case t.reads: // all compared slots are given
			return truth(c.runGiven(t.holds, fr) == exitTrue)
		case 0: // no compared slot is given
			if t.strict {
				return Unknown
			}
		}
	}
	holds, settled := c.run(t.holds, fr)
	if settled {
		return truth(holds)
	}
	if holds {
		return Holds
	}
	if fails, _ := c.run(t.fails, fr); fails {
		return Fails
	}
	return Unknown
}

// EvalAll evaluates the conditions over one frame, in order, and stores the results in out. It gives the same
// results as Eval, but saves the call for each condition. Such a call would take long compared with the one or two
// comparisons of which most conditions consist.
func (c *Code) EvalAll(tests []Test, fr *Frame, out *Truths) {
	ins, nums, given := c.ins, fr.nums, fr.given[0]
	words := out.reset(len(tests))
	for i := range tests {
		t := &tests[i]
		word, bit := &words[i>>6], uint64(1)<<(i&63)
		if !t.short || t.reads&^given != 0 {
			word.put(bit, c.Eval(*t, fr))
			continue
		}
		pc := t.holds
		for pc >= 0 && ins[pc].op == opRange {
			in := &ins[pc]
			if uint64(nums[in.slot]-in.num) <= in.span {
				pc = in.yes
			} else {
				pc = in.no
			}
		}
		if pc >= 0 {
			pc = c.runGiven(pc, fr)
		}
		if pc == exitTrue {
			word.holds |= bit
		}
	}
}

// Satisfied reports whether the condition holds. It is faster than Eval because
// it does not distinguish false from unknown.
func (c *Code) Satisfied(t Test, fr *Frame) bool {
	if t.short && t.reads&fr.given[0] == t.reads {
		return c.runGiven(t.holds, fr) == exitTrue
	}
	holds, _ := c.run(t.holds, fr)
	return holds
}

// run executes instructions from pc until an exit. Every jump goes to an instruction that was emitted earlier, so a
// run takes at most as many steps as the condition has predicates. settled reports whether every predicate of the run
// could be evaluated. If so, yes is the result of the condition: the skipped predicates cannot change it.
func (c *Code) run(pc int32, fr *Frame) (yes, settled bool) {
	settled = true
	for pc >= 0 {
		in := &c.ins[pc]
		switch c.evaluate(in, fr) {
		case Holds:
			pc = in.yes
		case Fails:
			pc = in.no
		case Unknown:
			pc, settled = in.unknown, false
		}
	}
	return pc == exitTrue, settled
}

// runGiven executes instructions from pc and returns the exit. Every compared
// slot must be given. So ranges and small sets are tested here, without a call
// of evaluate.
func (c *Code) runGiven(pc int32, fr *Frame) int32 {
	ins, nums := c.ins, fr.nums
	for pc >= 0 {
		in := &ins[pc]
		var yes bool
		switch in.op {
		case opRange:
			yes = uint64(nums[in.slot]-in.num) <= in.span
		case opSmallSet:
			n := uint64(nums[in.slot])
			yes = n < 64 && in.span>>n&1 != 0
		default:
			yes = c.evaluate(in, fr) == Holds
		}
		if yes {
			pc = in.yes
		} else {
			pc = in.no
		}
	}
	return pc
}

// evaluate returns the truth of one predicate.
func (c *Code) evaluate(in *instruction, fr *Frame) Truth {
	switch in.op {
	case opAlways:
		return Holds
	case opExists:
		return truth(fr.Given(in.slot) || isSet(fr.mistyped, in.slot))
	case opCompareLt, opCompareLte, opCompareEq:
		return c.compare(in, fr)
	default:
	}
	if !fr.Given(in.slot) {
		return Unknown
	}
	n := fr.nums[in.slot]
	switch in.op {
	case opRange:
		return truth(uint64(n-in.num) <= in.span)
	case opSmallSet:
		return truth(uint64(n) < 64 && in.span>>uint64(n)&1 != 0)
	case opSet:
		return truth(member(c.sets[in.aux], n))
	case opPrefix:
		return truth(strings.HasPrefix(fr.texts[in.slot], c.texts[in.aux]))
	case opSuffix:
		return truth(strings.HasSuffix(fr.texts[in.slot], c.texts[in.aux]))
	case opContains:
		return truth(strings.Contains(fr.texts[in.slot], c.texts[in.aux]))
	default: // opSame
		switch {
		case !fr.Given(in.aux):
			return Unknown
		case c.slots.types[in.slot] == StringType:
			return truth(fr.texts[in.slot] == fr.texts[in.aux])
		default:
			return truth(n == fr.nums[in.aux])
		}
	}
}

// member reports whether a sorted set contains n. Small sets, which are the
// most frequent ones, are searched linearly.
func member(set []Number, n Number) bool {
	if len(set) <= 8 {
		return slices.Contains(set, n)
	}
	_, found := slices.BinarySearch(set, n)
	return found
}

func (c *Code) compare(in *instruction, fr *Frame) Truth {
	left, ok := c.operands[in.aux].eval(fr)
	if !ok {
		return Unknown
	}
	right, ok := c.operands[in.aux+1].eval(fr)
	switch {
	case !ok:
		return Unknown
	case in.op == opCompareLt:
		return truth(left < right)
	case in.op == opCompareLte:
		return truth(left <= right)
	default:
		return truth(left == right)
	}
}

// eval returns the value of an operand. ok is false if one of its fields is not
// given, a divisor is zero or a result is out of range.
func (o *operand) eval(fr *Frame) (n Number, ok bool) {
	switch o.kind {
	case FieldOperand:
		return fr.Number(o.slot)
	case ConstantOperand:
		return o.num, true
	case ArithOperand, NoOperand:
	}
	for i := range o.args {
		x, ok := o.args[i].eval(fr)
		if !ok {
			return 0, false
		}
		if i == 0 {
			n = x
			continue
		}
		if n, ok = o.arith.apply(n, x); !ok {
			return 0, false
		}
	}
	if o.arith == Abs && n < 0 {
		n = -n
	}
	return n, true
}

// apply combines n, the result of the arguments so far, with x, the next
// argument. It returns false if there is no result.
func (a Arith) apply(n, x Number) (Number, bool) {
	switch a {
	case Add:
		return n.Plus(x)
	case Sub:
		return n.Minus(x)
	case Mul:
		return n.Times(x)
	case Div:
		return n.Over(x)
	case Min:
		return min(n, x), true
	default:
		return max(n, x), true
	}
}
