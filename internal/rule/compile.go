package rule

import (
	"slices"
)

// Code is the compiled form of all conditions of one plan: a flat array of
// instructions, one for each predicate. Each instruction has three jump
// targets: one if the predicate holds, one if it fails, and one if it cannot be
// evaluated.
//
// A run of the instructions gives only true or false, never unknown. If all
// negations are moved down to the predicates, a condition is true exactly if it
// is true with every unknown predicate taken as false. It is false exactly if
// its negation is true in the same sense. So each condition is compiled twice,
// as itself and as its negation. If neither is true, the condition is unknown.
type Code struct {
	slots    *Slots
	ins      []instruction
	sets     [][]Number
	texts    []string
	operands []operand
}

// Test is one compiled condition within a Code.
type Test struct {
	holds int32 // first instruction of the condition itself
	fails int32 // first instruction of its negation

	// reads has a bit for every slot whose value the condition compares. If all of these slots are given, the
	// result cannot be unknown, so Eval does not run the negation. If none is given and strict is set, the result
	// must be unknown, so Eval runs nothing. Both shortcuts apply only if short is set. It is set if all slots are
	// below 64, and if the condition has no arithmetic, which could fail on given values.
	reads  uint64
	short  bool
	strict bool // no predicate tests presence, and none is a constant
}

// instruction is one compiled predicate.
type instruction struct {
	num     Number // the lower bound of a range
	span    uint64 // the width of the range; for opSmallSet a bit set of numbers below 64
	slot    int32
	aux     int32 // a second slot, or an index into sets, texts or operands
	yes, no int32 // the next instruction if the predicate holds or fails, or an exit
	unknown int32 // the next instruction if the predicate cannot be evaluated, or an exit
	op      opcode
}

const (
	exitTrue  int32 = -1
	exitFalse int32 = -2
)

type opcode uint8

const (
	opRange    opcode = iota // a slot is in a range; used for every comparison of a field with constants
	opSmallSet               // a slot is in a set of numbers below 64, such as the numbers of texts
	opSet
	opPrefix
	opSuffix
	opContains
	opExists
	opAlways
	opSame      // two strings or two booleans are equal
	opCompareLt // compares two numeric operands, at aux and aux+1
	opCompareLte
	opCompareEq
)

// NewCode returns code without conditions for a plan with these slots.
func NewCode(slots *Slots) *Code { return &Code{slots: slots, ins: make([]instruction, 0, 128)} }

// Len returns the number of compiled predicates and operands, which is the
// maximum cost of evaluating all conditions.
func (c *Code) Len() int {
	n := len(c.ins)
	for i := range c.operands {
		n += c.operands[i].len()
	}
	return n
}

func (o *operand) len() int {
	n := 1
	for i := range o.args {
		n += o.args[i].len()
	}
	return n
}

// Add compiles a condition and returns the test that evaluates it.
func (c *Code) Add(cond *Condition) Test {
	t := Test{
		holds: c.emit(cond, true, exitTrue, exitFalse),
		fails: c.emit(cond, false, exitTrue, exitFalse),
		short: true, strict: true,
	}
	c.survey(cond, &t)
	return t
}

// survey records in t which slots a condition compares, and whether the
// shortcuts of Eval apply.
func (c *Code) survey(cond *Condition, t *Test) {
	for i := range cond.Args {
		c.survey(&cond.Args[i], t)
	}
	switch cond.Op {
	case And, Or, Not:
	case Exists, IsAbsent, True, False:
		t.strict = false
	case InList, NotInList:
		c.surveyField(cond.Lookup().Fact(), t)
	default:
		c.surveyOperand(&cond.Left, t)
		c.surveyOperand(&cond.Right, t)
		if cond.Left.Kind != FieldOperand && cond.Right.Kind != FieldOperand {
			t.strict = false // both operands may be constants
		}
	}
}

func (c *Code) surveyOperand(o *Operand, t *Test) {
	switch o.Kind {
	case FieldOperand:
		c.surveyField(o.Field, t)
	case ArithOperand:
		t.short = false
	case ConstantOperand, NoOperand:
	}
}

func (c *Code) surveyField(ref Ref, t *Test) {
	slot := c.slots.Slot(ref)
	if slot >= 64 {
		t.short = false
		return
	}
	t.reads |= 1 << slot
}

// emit compiles a condition, or its negation if positive is false, with the
// jump targets yes and no. It returns the index of the first instruction. It
// emits later arguments first because earlier ones jump to later ones.
func (c *Code) emit(cond *Condition, positive bool, yes, no int32) int32 {
	switch cond.Op {
	case Not:
		return c.emit(&cond.Args[0], !positive, yes, no)
	case And, Or:
		// The negation of an "and" is the "or" of the negations.
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
	default:
		in, holds := c.predicate(cond)
		in.yes, in.no, in.unknown = yes, no, no
		if holds != positive {
			in.yes, in.no = no, yes
		}
		c.ins = append(c.ins, in)
		return int32(len(c.ins)) - 1
	}
}

// predicate compiles a predicate. holds is the result of the instruction for
// which the predicate is true. For example, not_in compiles to a set test with
// holds false.
func (c *Code) predicate(cond *Condition) (in instruction, holds bool) {
	switch op := cond.Op; op {
	case Eq, Ne, Lt, Lte, Gt, Gte:
		return c.comparison(op, &cond.Left, &cond.Right)
	case In, NotIn:
		return c.set(cond), op == In
	case InList, NotInList:
		c.slots.Slot(cond.Left.Field) // assigns a slot, so that the plan knows whether the field itself is given
		return within(c.slots.Slot(cond.Lookup().Fact()), 1, 1), op == InList
	case Between:
		return within(c.slots.Slot(cond.Left.Field), cond.Values[0].num, cond.Values[1].num), true
	case StartsWith, EndsWith, Contains:
		c.texts = append(c.texts, cond.Right.Value.str)
		code := opPrefix + opcode(op-StartsWith)
		return instruction{op: code, slot: c.slots.Slot(cond.Left.Field), aux: int32(len(c.texts)) - 1}, true
	case Exists, IsAbsent:
		return instruction{op: opExists, slot: c.slots.Slot(cond.Left.Field)}, op == Exists
	default:
		return instruction{op: opAlways}, op == True
	}
}

// within returns an instruction that tests whether the value of a slot is in the range from least to greatest.
// Numbers are far smaller than 64 bits allow, so subtracting least cannot overflow, and one unsigned comparison
// tests both ends.
func within(slot int32, least, greatest Number) instruction {
	return instruction{op: opRange, slot: slot, num: least, span: uint64(greatest - least)}
}

func (c *Code) comparison(op Op, left, right *Operand) (in instruction, holds bool) {
	switch {
	case left.Kind == FieldOperand && right.Kind == ConstantOperand:
		const beyond = 2 * MaxNumber
		slot := c.slots.Slot(left.Field)
		k := c.slots.Number(slot, right.Value)
		switch op {
		case Lt:
			return within(slot, -beyond, k-1), true
		case Lte:
			return within(slot, -beyond, k), true
		case Gt:
			return within(slot, -beyond, k), false
		case Gte:
			return within(slot, -beyond, k-1), false
		default:
			return within(slot, k, k), op == Eq
		}
	case left.Kind == ConstantOperand && right.Kind == FieldOperand:
		return c.comparison(op.Mirrored(), right, left)
	case left.typ() != NumberType && left.Kind == FieldOperand: // two string or boolean fields
		return instruction{op: opSame, slot: c.slots.Slot(left.Field), aux: c.slots.Slot(right.Field)}, op == Eq
	case left.typ() != NumberType: // two constants
		return instruction{op: opAlways}, (left.Value == right.Value) == (op == Eq)
	}
	at := int32(len(c.operands))
	c.operands = append(c.operands, c.operand(left), c.operand(right))
	switch op {
	case Lt, Gte:
		return instruction{op: opCompareLt, aux: at}, op == Lt
	case Lte, Gt:
		return instruction{op: opCompareLte, aux: at}, op == Lte
	default:
		return instruction{op: opCompareEq, aux: at}, op == Eq
	}
}

func (c *Code) set(cond *Condition) instruction {
	slot := c.slots.Slot(cond.Left.Field)
	set := make([]Number, 0, len(cond.Values))
	for _, v := range cond.Values {
		set = append(set, c.slots.Number(slot, v))
	}
	slices.Sort(set)
	if set[0] >= 0 && set[len(set)-1] < 64 {
		in := instruction{op: opSmallSet, slot: slot}
		for _, n := range set {
			in.span |= 1 << n
		}
		return in
	}
	c.sets = append(c.sets, slices.Compact(set))
	return instruction{op: opSet, slot: slot, aux: int32(len(c.sets)) - 1}
}

// operand is a compiled Operand, with slots instead of fields.
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
