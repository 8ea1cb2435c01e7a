// Package rule implements the condition language of knockouts, score adjustments, offer conditions and guarantees, and
// of the "when" of factors, bands and limit caps.
//
// Conditions use Kleene's three-valued logic: a predicate over an absent field
// is unknown, and so is its negation. A condition whose result is unknown is
// not satisfied. Only "exists" and "absent" can test absence. So a block that a
// request leaves out has no effect on a decision unless a condition tests its
// absence.
//
// The package contains the values and facts that conditions read, the catalogue
// of field names and types, the checks of a condition when a policy is saved,
// and the compiled form and its evaluation. It does not depend on policies,
// scores or prices.
package rule

// Op is an operator of the condition language.
type Op uint8

// The operators.
const (
	And Op = iota + 1
	Or
	Not
	Eq
	Ne
	Lt
	Lte
	Gt
	Gte
	In
	NotIn
	InList
	NotInList
	Between
	StartsWith
	EndsWith
	Contains
	Exists
	IsAbsent
	True
	False
)

var opNames = [...]string{
	And: "and", Or: "or", Not: "not",
	Eq: "eq", Ne: "ne", Lt: "lt", Lte: "lte", Gt: "gt", Gte: "gte",
	In: "in", NotIn: "not_in", InList: "in_list", NotInList: "not_in_list", Between: "between",
	StartsWith: "starts_with", EndsWith: "ends_with", Contains: "contains",
	Exists: "exists", IsAbsent: "absent", True: "true", False: "false",
}

// String returns the operator's name in a condition_ast.
func (o Op) String() string { return opNames[o] }

// Mirrored returns the operator of the same comparison with its operands
// exchanged.
func (o Op) Mirrored() Op {
	switch o {
	case Lt:
		return Gt
	case Lte:
		return Gte
	case Gt:
		return Lt
	case Gte:
		return Lte
	default:
		return o
	}
}

func parseOp(name string) (Op, bool) {
	for o := And; o <= False; o++ {
		if opNames[o] == name {
			return o, true
		}
	}
	return 0, false
}

// Condition is one checked node of a condition tree. It is immutable once
// read; many plans and goroutines may share it.
type Condition struct {
	Op     Op
	Args   []Condition // "and", "or": one or more; "not": one
	Left   Operand     // set in every predicate except "true" and "false"; a field, or in comparisons any operand
	Right  Operand     // set in comparisons and string tests
	Values []Value     // "in", "not_in": the set; "between": least and greatest
	List   string      // "in_list", "not_in_list": the name of the list in which the value of Left was looked up
}

// Arith is an arithmetic operator.
type Arith uint8

// The arithmetic operators of an operand.
const (
	Add Arith = iota + 1
	Sub
	Mul
	Div
	Min
	Max
	Abs
)

var arithNames = [...]string{Add: "add", Sub: "sub", Mul: "mul", Div: "div", Min: "min", Max: "max", Abs: "abs"}

// String returns the operator's name in an operand.
func (a Arith) String() string { return arithNames[a] }

// OperandKind is the kind of an Operand.
type OperandKind uint8

// The kinds of operand.
const (
	NoOperand OperandKind = iota
	FieldOperand
	ConstantOperand
	ArithOperand
)

// Operand is one operand of a comparison: a field, a constant or arithmetic
// over numbers. The zero Operand means that there is none.
type Operand struct {
	Kind  OperandKind
	Field Ref
	Value Value
	Arith Arith
	Args  []Operand
}

// Ref is a reference to a field by name, resolved against the catalogue when
// the condition was read.
type Ref struct {
	Name string
	ID   FieldID
	Type Type
}

// typ returns the type that the operand has according to the catalogue or the
// policy's inputs.
func (o *Operand) typ() Type {
	switch o.Kind {
	case FieldOperand:
		return o.Field.Type
	case ConstantOperand:
		return o.Value.typ
	default:
		return NumberType
	}
}

// Walk calls visit for every node, parents before children.
func (c *Condition) Walk(visit func(*Condition)) {
	visit(c)
	for i := range c.Args {
		c.Args[i].Walk(visit)
	}
}

// Fields calls visit for every field that the condition names, in reading
// order. A field named twice is visited twice.
func (c *Condition) Fields(visit func(Ref)) {
	c.Walk(func(n *Condition) { n.Operands(visit) })
}

// Operands calls visit for every field that this node itself names. It does not
// visit the fields of its argument conditions.
func (c *Condition) Operands(visit func(Ref)) {
	c.Left.fields(visit)
	c.Right.fields(visit)
}

func (o *Operand) fields(visit func(Ref)) {
	if o.Kind == FieldOperand {
		visit(o.Field)
	}
	for i := range o.Args {
		o.Args[i].fields(visit)
	}
}
