package rule

import (
	"slices"
)

// Code is the compiled form of all the conditions of one plan: one flat array
// of predicates, each with the place to go on when it holds and when not.
//
// Three-valued logic needs no third target. With negations pushed down to the
// predicates, a formula is true exactly when it is true reading every unknown
// predicate as false; and it is false exactly when its negation is true in
// the same reading. So each condition is compiled twice, as itself and as its
// negation; when neither holds, it is unknown.
type Code struct {
	slots    *Slots
	ins      []instruction
	sets     [][]Number
	texts    []string
	operands []operand
}

// Test is one compiled condition within a Code.
type Test struct {
	holds int32 // where to start asking whether it is true
	fails int32 // where to start asking whether it is false

	// reads has a bit for every slot whose value the condition compares.
	// When all of them are given nothing can be unknown, and when none is and
	// no predicate sees absence nothing can be known; either way half of the
	// work is spared. short says that reads tells the whole story: all slots
	// are below 64 and no arithmetic can fail on given values.
	reads  uint64
	short  bool
	strict bool // no predicate sees absence, and none is a constant
}

// instruction is one predicate. A predicate that cannot be evaluated goes to
// no, whichever polarity it was compiled in.
type instruction struct {
	num     Number // the constant of a comparison
	slot    int32
	aux     int32 // a second slot, or an index into sets, texts or operands
	yes, no int32 // the next instruction, or one of the exits
	op      opcode
}

const (
	exitTrue  int32 = -1
	exitFalse int32 = -2
)

type opcode uint8

const (
	opNever opcode = iota
	opAlways
	opLt // the six comparisons of a slot with a constant
	opLte
	opGt
	opGte
	opEq
	opNe
	opIn
	opNotIn
	opPrefix
	opSuffix
	opContains
	opNotPrefix
	opNotSuffix
	opNotContains
	opExists
	opAbsent
	opSame // two strings or two booleans
	opNotSame
	opCompareLt // two numeric operands, at aux and aux+1
	opCompareLte
	opCompareGt
	opCompareGte
	opCompareEq
	opCompareNe
)

// NewCode starts the code of a plan.
func NewCode(slots *Slots) *Code { return &Code{slots: slots, ins: make([]instruction, 0, 128)} }

// Add compiles a condition.
func (c *Code) Add(cond *Condition) Test {
	t := Test{
		holds: c.emit(cond, true, exitTrue, exitFalse),
		fails: c.emit(cond, false, exitTrue, exitFalse),
		short: true, strict: true,
	}
	c.survey(cond, &t)
	return t
}

// survey finds out what a condition reads.
func (c *Code) survey(cond *Condition, t *Test) {
	for i := range cond.Args {
		c.survey(&cond.Args[i], t)
	}
	switch cond.Op {
	case And, Or, Not:
	case Exists, IsAbsent, True, False:
		t.strict = false
	default:
		c.surveyOperand(&cond.Left, t)
		c.surveyOperand(&cond.Right, t)
		if cond.Left.Kind != FieldOperand && cond.Right.Kind != FieldOperand {
			t.strict = false // may be two constants
		}
	}
}

func (c *Code) surveyOperand(o *Operand, t *Test) {
	switch o.Kind {
	case FieldOperand:
		slot := c.slots.Slot(o.Field)
		if slot >= 64 {
			t.short = false
			return
		}
		t.reads |= 1 << slot
	case ArithOperand:
		t.short = false
	}
}

// emit compiles a condition, or its negation when positive is false, so that
// it goes on at yes or at no, and returns where it starts. Later arguments
// are emitted first, because earlier ones jump to them.
func (c *Code) emit(cond *Condition, positive bool, yes, no int32) int32 {
	switch cond.Op {
	case Not:
		return c.emit(&cond.Args[0], !positive, yes, no)
	case And, Or:
		// The negation of an and is the or of the negations.
		if (cond.Op == And) == positive {
			for i := len(cond.Args) - 1; i >= 0; i-- {
				yes = c.emit(&cond.Args[i], positive, yes, no)
			}
			return yes
		}
		for i := len(cond.Args) - 1; i >= 0; i-- {
			no = c.emit(&cond.Args[i], positive, yes, no)
		}
		return no
	case Between:
		slot := c.slots.Slot(cond.Left.Field)
		least, greatest := cond.Values[0].num, cond.Values[1].num
		if positive {
			upper := c.push(instruction{op: opLte, slot: slot, num: greatest, yes: yes, no: no})
			return c.push(instruction{op: opGte, slot: slot, num: least, yes: upper, no: no})
		}
		above := c.push(instruction{op: opGt, slot: slot, num: greatest, yes: yes, no: no})
		return c.push(instruction{op: opLt, slot: slot, num: least, yes: yes, no: above})
	}
	in := c.predicate(cond, positive)
	in.yes, in.no = yes, no
	return c.push(in)
}

func (c *Code) push(in instruction) int32 {
	c.ins = append(c.ins, in)
	return int32(len(c.ins)) - 1
}

// predicate compiles a leaf or its negation.
func (c *Code) predicate(cond *Condition, positive bool) instruction {
	op := cond.Op
	if !positive && int(op) < len(negated) && negated[op] != 0 {
		op = negated[op]
	}
	switch op {
	case Eq, Ne, Lt, Lte, Gt, Gte:
		return c.comparison(op, &cond.Left, &cond.Right)
	case In, NotIn:
		return c.set(op, cond)
	case StartsWith, EndsWith, Contains:
		code := map[Op]opcode{StartsWith: opPrefix, EndsWith: opSuffix, Contains: opContains}[op]
		if !positive {
			code += opNotPrefix - opPrefix
		}
		c.texts = append(c.texts, cond.Right.Value.str)
		return instruction{op: code, slot: c.slots.Slot(cond.Left.Field), aux: int32(len(c.texts)) - 1}
	case Exists:
		return instruction{op: opExists, slot: c.slots.Slot(cond.Left.Field)}
	case IsAbsent:
		return instruction{op: opAbsent, slot: c.slots.Slot(cond.Left.Field)}
	case True:
		return instruction{op: opAlways}
	default:
		return instruction{op: opNever}
	}
}

var (
	comparisonCodes = [...]opcode{Lt: opLt, Lte: opLte, Gt: opGt, Gte: opGte, Eq: opEq, Ne: opNe}
	mirrored        = [...]Op{Eq: Eq, Ne: Ne, Lt: Gt, Lte: Gte, Gt: Lt, Gte: Lte}
)

func (c *Code) comparison(op Op, left, right *Operand) instruction {
	switch {
	case left.Kind == FieldOperand && right.Kind == ConstantOperand:
		return instruction{op: comparisonCodes[op], slot: c.slots.Slot(left.Field), num: c.slots.Number(right.Value)}
	case left.Kind == ConstantOperand && right.Kind == FieldOperand:
		return c.comparison(mirrored[op], right, left)
	case left.typ() != NumberType && left.Kind == FieldOperand: // two string or boolean fields
		code := opSame
		if op == Ne {
			code = opNotSame
		}
		return instruction{op: code, slot: c.slots.Slot(left.Field), aux: c.slots.Slot(right.Field)}
	case left.typ() != NumberType: // two constants
		if (left.Value == right.Value) == (op == Eq) {
			return instruction{op: opAlways}
		}
		return instruction{op: opNever}
	}
	at := int32(len(c.operands))
	c.operands = append(c.operands, c.operand(left), c.operand(right))
	return instruction{op: comparisonCodes[op] + opCompareLt - opLt, aux: at}
}

func (c *Code) set(op Op, cond *Condition) instruction {
	set := make([]Number, 0, len(cond.Values))
	for _, v := range cond.Values {
		set = append(set, c.slots.Number(v))
	}
	slices.Sort(set)
	c.sets = append(c.sets, slices.Compact(set))
	in := instruction{op: opIn, slot: c.slots.Slot(cond.Left.Field), aux: int32(len(c.sets)) - 1}
	if op == NotIn {
		in.op = opNotIn
	}
	return in
}

// operand is an Operand over slots.
type operand struct {
	kind  OperandKind
	arith Arith
	slot  int32
	num   Number
	args  []operand
}

func (c *Code) operand(o *Operand) operand {
	out := operand{kind: o.Kind, arith: o.Arith, num: o.Value.num}
	if o.Kind == FieldOperand {
		out.slot = c.slots.Slot(o.Field)
	}
	for i := range o.Args {
		out.args = append(out.args, c.operand(&o.Args[i]))
	}
	return out
}
