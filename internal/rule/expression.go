package rule

import (
	"slices"
	"strings"

	"verdict/internal/fault"
	"verdict/internal/wire"
)

// ReadOperand reads and checks an operand that stands alone: an amount that a policy computes. It adds every fault
// with its pointer to faults. If it adds any, the result must not be used.
func ReadOperand(v wire.Value, scope *Scope, faults *fault.List) Operand {
	r := reader{scope: scope, faults: faults}
	o := r.operand(v, v, "of", 1)
	if o.Kind != NoOperand && o.typ() != NumberType {
		r.fail(v, "is %s; an amount is a number", article(o.typ()))
	}
	return o
}

// Constant returns the value of an operand that names no field. constant is false if it names one. ok is false if the
// arithmetic has no result.
func (o *Operand) Constant() (n Number, constant, ok bool) {
	constant = true
	o.fields(func(Ref) { constant = false })
	if !constant {
		return 0, false, false
	}
	code := Code{}
	compiled := code.operand(o)
	n, ok = compiled.eval(&Frame{})
	return n, true, ok
}

// Fields calls visit for every field that the operand names, in reading order.
func (o *Operand) Fields(visit func(Ref)) { o.fields(visit) }

// Text returns the operand in readable form: "0.85 * applicant.vehicle_price".
func (o *Operand) Text() string {
	var b strings.Builder
	o.text(&b, 0)
	return b.String()
}

// Write writes the operand with its members in name order.
func (o *Operand) Write(w *wire.Writer) { o.write(w) }

// Expression is one compiled operand within a Code.
type Expression struct{ at int32 }

// AddOperand compiles an operand and returns the expression that computes it.
func (c *Code) AddOperand(o *Operand) Expression {
	c.operands = append(c.operands, c.operand(o))
	return Expression{at: int32(len(c.operands)) - 1}
}

// Value returns the number that an expression gives for a frame. It returns false if one of its fields is not given,
// a divisor is zero or a result is out of range.
func (c *Code) Value(e Expression, fr *Frame) (Number, bool) { return c.operands[e.at].eval(fr) }

// Missing lists the fields of an operand that are not given, in reading order, each once.
func (c *Code) Missing(o *Operand, fr *Frame) (names []string) {
	o.fields(func(r Ref) {
		slot, ok := c.slots.Find(r)
		if (!ok || !fr.Given(slot)) && !slices.Contains(names, r.Name) {
			names = append(names, r.Name)
		}
	})
	return names
}
