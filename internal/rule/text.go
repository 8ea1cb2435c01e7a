package rule

import (
	"strings"

	"verdict/internal/wire"
)

// Text returns the condition in readable form: "monthly_income < 25000 and foir
// >= 0.4".
func (c *Condition) Text() string {
	var b strings.Builder
	c.text(&b, 0)
	return b.String()
}

// The precedence levels, lowest first. A node is put in brackets if its
// precedence is lower than its context requires.
const (
	bindsOr = iota + 1
	bindsAnd
	bindsNot
	bindsSum
	bindsProduct
)

var comparisonSigns = [...]string{
	Eq: " = ", Ne: " != ", Lt: " < ", Lte: " <= ", Gt: " > ", Gte: " >= ",
	StartsWith: " starts with ", EndsWith: " ends with ", Contains: " contains ",
}

func (c *Condition) text(b *strings.Builder, place int) {
	switch c.Op {
	case And, Or:
		binds, word := bindsAnd, " and "
		if c.Op == Or {
			binds, word = bindsOr, " or "
		}
		bracket(b, binds < place, func() {
			for i := range c.Args {
				if i > 0 {
					b.WriteString(word)
				}
				c.Args[i].text(b, binds+1)
			}
		})
	case Not:
		b.WriteString("not (")
		c.Args[0].text(b, 0)
		b.WriteByte(')')
	case Eq, Ne, Lt, Lte, Gt, Gte, StartsWith, EndsWith, Contains:
		c.Left.text(b, 0)
		b.WriteString(comparisonSigns[c.Op])
		c.Right.text(b, 0)
	case In, NotIn:
		c.Left.text(b, 0)
		if c.Op == NotIn {
			b.WriteString(" not")
		}
		b.WriteString(" in (")
		for i, v := range c.Values {
			if i > 0 {
				b.WriteString(", ")
			}
			writeConstant(b, v)
		}
		b.WriteByte(')')
	case InList, NotInList:
		c.Left.text(b, 0)
		if c.Op == NotInList {
			b.WriteString(" not")
		}
		b.WriteString(" in the list " + c.List)
	case Between:
		c.Left.text(b, 0)
		b.WriteString(" between ")
		writeConstant(b, c.Values[0])
		b.WriteString(" and ")
		writeConstant(b, c.Values[1])
	case Exists, IsAbsent:
		c.Left.text(b, 0)
		b.WriteString(map[Op]string{Exists: " is given", IsAbsent: " is absent"}[c.Op])
	case True:
		b.WriteString("always")
	case False:
		b.WriteString("never")
	}
}

func bracket(b *strings.Builder, needed bool, inner func()) {
	if needed {
		b.WriteByte('(')
	}
	inner()
	if needed {
		b.WriteByte(')')
	}
}

func writeConstant(b *strings.Builder, v Value) {
	if v.typ == StringType {
		b.Write(wire.AppendString(nil, v.str))
		return
	}
	b.WriteString(v.String())
}

var arithSigns = [...]string{Add: " + ", Sub: " - ", Mul: " * ", Div: " / "}

func (o *Operand) text(b *strings.Builder, place int) {
	switch o.Kind {
	case FieldOperand:
		b.WriteString(o.Field.Name)
	case ConstantOperand:
		writeConstant(b, o.Value)
	case ArithOperand:
		switch o.Arith {
		case Min, Max, Abs:
			b.WriteString(o.Arith.String())
			bracket(b, true, func() { o.list(b, ", ", 0) })
		case Add, Sub:
			bracket(b, place > bindsSum, func() { o.list(b, arithSigns[o.Arith], bindsSum+1) })
		case Mul, Div:
			bracket(b, place > bindsProduct, func() { o.list(b, arithSigns[o.Arith], bindsProduct+1) })
		}
	default:
	}
}

func (o *Operand) list(b *strings.Builder, between string, place int) {
	for i := range o.Args {
		if i > 0 {
			b.WriteString(between)
		}
		o.Args[i].text(b, place)
	}
}

// Write writes the condition as a condition_ast with its members in name order,
// so that equal conditions have equal bytes.
func (c *Condition) Write(w *wire.Writer) {
	w.Object()
	switch c.Op {
	case And, Or:
		w.Key("args").Array()
		for i := range c.Args {
			c.Args[i].Write(w)
		}
		w.EndArray().Key("op").String(c.Op.String())
	case Not:
		w.Key("arg")
		c.Args[0].Write(w)
		w.Key("op").String(c.Op.String())
	case Eq, Ne, Lt, Lte, Gt, Gte, StartsWith, EndsWith, Contains:
		if c.Left.Kind == FieldOperand && c.Right.Kind == ConstantOperand {
			w.Key("field").String(c.Left.Field.Name).Key("op").String(c.Op.String()).Key("value")
			c.Right.Value.Write(w)
			break
		}
		w.Key("left")
		c.Left.write(w)
		w.Key("op").String(c.Op.String()).Key("right")
		c.Right.write(w)
	case In, NotIn:
		w.Key("field").String(c.Left.Field.Name).Key("op").String(c.Op.String()).Key("values").Array()
		for _, v := range c.Values {
			v.Write(w)
		}
		w.EndArray()
	case InList, NotInList:
		w.Key("field").String(c.Left.Field.Name).Key("list").String(c.List).Key("op").String(c.Op.String())
	case Between:
		w.Key("field").String(c.Left.Field.Name).Key("max")
		c.Values[1].Write(w)
		w.Key("min")
		c.Values[0].Write(w)
		w.Key("op").String(c.Op.String())
	case Exists, IsAbsent:
		w.Key("field").String(c.Left.Field.Name).Key("op").String(c.Op.String())
	case True, False:
		w.Key("op").String(c.Op.String())
	}
	w.EndObject()
}

func (o *Operand) write(w *wire.Writer) {
	w.Object()
	switch o.Kind {
	case FieldOperand:
		w.Key("field").String(o.Field.Name)
	case ConstantOperand:
		w.Key("value")
		o.Value.Write(w)
	case ArithOperand:
		w.Key("args").Array()
		for i := range o.Args {
			o.Args[i].write(w)
		}
		w.EndArray().Key("op").String(o.Arith.String())
	default:
	}
	w.EndObject()
}
