package rule

import (
	"slices"
	"strings"
)

// Truth is the outcome of a condition.
type Truth uint8

// The three truth values. Unknown is the zero value: what was never shown to
// hold or to fail.
const (
	Unknown Truth = iota
	Fails
	Holds
)

// Eval evaluates one condition over a frame. It cannot fail: whatever is
// absent, mistyped or without a result is Unknown.
func (c *Code) Eval(t Test, fr *Frame) Truth {
	if t.short {
		switch t.reads & fr.given {
		case t.reads: // all there
			if c.run(t.holds, fr) {
				return Holds
			}
			return Fails
		case 0: // none there
			if t.strict {
				return Unknown
			}
		}
	}
	if c.run(t.holds, fr) {
		return Holds
	}
	if c.run(t.fails, fr) {
		return Fails
	}
	return Unknown
}

// Satisfied reports whether the condition holds, for those who need not tell
// false from unknown.
func (c *Code) Satisfied(t Test, fr *Frame) bool { return c.run(t.holds, fr) }

// run follows the predicates from pc to an exit. Every jump goes to an
// instruction emitted earlier, so a run ends after at most as many steps as
// the condition has predicates.
func (c *Code) run(pc int32, fr *Frame) bool {
	ins, cells := c.ins, fr.cells
	for pc >= 0 {
		in := &ins[pc]
		var yes bool
		if in.op >= opLt && in.op <= opNe {
			x := &cells[in.slot]
			if x.state == given {
				switch in.op {
				case opLt:
					yes = x.num < in.num
				case opLte:
					yes = x.num <= in.num
				case opGt:
					yes = x.num > in.num
				case opGte:
					yes = x.num >= in.num
				case opEq:
					yes = x.num == in.num
				default:
					yes = x.num != in.num
				}
			}
		} else {
			yes = c.rare(in, fr)
		}
		if yes {
			pc = in.yes
		} else {
			pc = in.no
		}
	}
	return pc == exitTrue
}

// rare evaluates the predicates that are not plain comparisons.
func (c *Code) rare(in *instruction, fr *Frame) bool {
	switch in.op {
	case opNever:
		return false
	case opAlways:
		return true
	case opExists:
		return fr.cells[in.slot].state != absent
	case opAbsent:
		return fr.cells[in.slot].state == absent
	}
	if in.op >= opCompareLt {
		return c.compare(in, fr)
	}
	x := &fr.cells[in.slot]
	if x.state != given {
		return false
	}
	switch in.op {
	case opIn:
		return member(c.sets[in.aux], x.num)
	case opNotIn:
		return !member(c.sets[in.aux], x.num)
	case opPrefix:
		return strings.HasPrefix(fr.texts[in.slot], c.texts[in.aux])
	case opNotPrefix:
		return !strings.HasPrefix(fr.texts[in.slot], c.texts[in.aux])
	case opSuffix:
		return strings.HasSuffix(fr.texts[in.slot], c.texts[in.aux])
	case opNotSuffix:
		return !strings.HasSuffix(fr.texts[in.slot], c.texts[in.aux])
	case opContains:
		return strings.Contains(fr.texts[in.slot], c.texts[in.aux])
	case opNotContains:
		return !strings.Contains(fr.texts[in.slot], c.texts[in.aux])
	}
	// opSame and opNotSame: two fields of one type, string or boolean.
	y := &fr.cells[in.aux]
	if y.state != given {
		return false
	}
	same := x.num == y.num
	if c.slots.refs[in.slot].Type == StringType {
		// Strings that no condition names share a number; compare the texts.
		same = fr.texts[in.slot] == fr.texts[in.aux]
	}
	return same == (in.op == opSame)
}

// member looks a number up in a sorted set. Most sets are a handful.
func member(set []Number, n Number) bool {
	if len(set) <= 8 {
		return slices.Contains(set, n)
	}
	_, found := slices.BinarySearch(set, n)
	return found
}

func (c *Code) compare(in *instruction, fr *Frame) bool {
	left, ok := c.operands[in.aux].eval(fr)
	if !ok {
		return false
	}
	right, ok := c.operands[in.aux+1].eval(fr)
	if !ok {
		return false
	}
	return compareNumbers(in.op-opCompareLt+opLt, left, right)
}

func compareNumbers(op opcode, left, right Number) bool {
	switch op {
	case opLt:
		return left < right
	case opLte:
		return left <= right
	case opGt:
		return left > right
	case opGte:
		return left >= right
	case opEq:
		return left == right
	default:
		return left != right
	}
}

// eval computes an operand; ok is false when a field in it is not given, a
// divisor is zero or a result is out of range.
func (o *operand) eval(fr *Frame) (n Number, ok bool) {
	switch o.kind {
	case FieldOperand:
		return fr.Number(o.slot)
	case ConstantOperand:
		return o.num, true
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

// apply folds one more argument into a result.
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
