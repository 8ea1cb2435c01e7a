package prover

import (
	"slices"

	"verdict/internal/rule"
)

// amountRange contains all values that an amount can have within a box.
type amountRange struct {
	lo, hi  rule.Number
	defined bool // the amount may have a value at some point of the box
	always  bool // the amount has a value at every point of the box
}

// amount returns the range of the values of an operand within a box.
func (p *pricing) amount(o *rule.Operand, b *box) amountRange {
	return rangeOf(o, func(name string) amountRange {
		k := slices.Index(p.lending.vars, p.model.vars[p.model.byKey[name]])
		if k < 0 || !b.given[k] {
			return amountRange{}
		}
		return amountRange{b.lo[k], b.hi[k], true, true}
	})
}

// rangeOf returns the range of the values of an operand whose fields have the given ranges. Each step of the
// arithmetic is monotone in each of its arguments. So the ends of the arguments' ranges bound the result, unless a
// divisor can be 0.
func rangeOf(o *rule.Operand, given func(name string) amountRange) amountRange {
	switch o.Kind {
	case rule.FieldOperand:
		return given(o.Field.Name)
	case rule.ConstantOperand:
		n := o.Value.Number()
		return amountRange{n, n, true, true}
	}
	out := rangeOf(&o.Args[0], given)
	for i := range o.Args[1:] {
		out = combine(o.Arith, out, rangeOf(&o.Args[i+1], given))
	}
	if o.Arith == rule.Abs && out.defined && out.lo < 0 {
		out.lo, out.hi = max(0, -out.hi), max(-out.lo, out.hi)
	}
	return out
}

// valueEnd marks where an amount begins or ceases to have a value as a field grows. The change is between two
// neighbouring values of the field: the member last, and the next larger value.
type valueEnd struct {
	v    int         // the variable of the field
	last rule.Number // the last value before the change
}

// valueEnds returns the points at which an amount begins or ceases to have a value, because a result is too large or a
// divisor is 0. A cap without a value leaves a limit of 0, so applicants on the two sides of such a point are decided
// differently. The point can be far from every value that the policies name. If an amount has several fields,
// valueEnds returns the points of those parts of the amount that have a single field.
func (m *model) valueEnds(o *rule.Operand) (ends []valueEnd) {
	if o.Kind != rule.ArithOperand {
		return nil
	}
	v, one := -1, true
	o.Fields(func(ref rule.Ref) {
		at := m.byKey[ref.Name]
		one = one && (v < 0 || v == at)
		v = at
	})
	if !one {
		for i := range o.Args {
			ends = append(ends, m.valueEnds(&o.Args[i])...)
		}
		return ends
	}
	if v < 0 {
		return nil
	}
	d := m.space.Domain(m.vars[v].field)
	has := func(code int64) bool { // the range of an amount at a single point is exact
		n := rule.Number(code) * d.Unit
		return rangeOf(o, func(string) amountRange { return amountRange{n, n, true, true} }).defined
	}
	last, most := d.Given[0].Lo, d.Given[len(d.Given)-1].Hi
	for _, next := range []int64{-1, 0, 1, most} {
		if next <= last || next > most {
			continue
		}
		if has(last) != has(next) {
			low, high := last, next
			for high-low > 1 {
				if mid := low + (high-low)/2; has(mid) == has(last) {
					low = mid
				} else {
					high = mid
				}
			}
			ends = append(ends, valueEnd{v, rule.Number(low) * d.Unit})
		}
		last = next
	}
	return ends
}

// combine returns the range of the results of an arithmetic operation.
func combine(op rule.Arith, x, y amountRange) amountRange {
	if !x.defined || !y.defined {
		return amountRange{}
	}
	out := amountRange{lo: rule.MaxNumber, hi: -rule.MaxNumber, always: x.always && y.always}
	if op == rule.Div && y.lo <= 0 && y.hi >= 0 {
		if y.lo == 0 && y.hi == 0 {
			return amountRange{}
		}
		return amountRange{lo: -rule.MaxNumber, hi: rule.MaxNumber, defined: true}
	}
	above, below := 0, 0 // how many results are above or below the range of numbers
	for _, a := range [...]rule.Number{x.lo, x.hi} {
		for _, b := range [...]rule.Number{y.lo, y.hi} {
			n, positive, ok := arithmetic(op, a, b)
			switch {
			case ok:
				out.lo, out.hi = min(out.lo, n), max(out.hi, n)
			case positive:
				above++
			default:
				below++
			}
		}
	}
	if above == 4 || below == 4 {
		return amountRange{} // all results in between are too large as well
	}
	if above > 0 {
		out.hi, out.always = rule.MaxNumber, false
	}
	if below > 0 {
		out.lo, out.always = -rule.MaxNumber, false
	}
	if above > 0 && below > 0 || out.lo > out.hi {
		out.lo, out.hi = -rule.MaxNumber, rule.MaxNumber
	}
	out.defined = true
	return out
}

// arithmetic returns the result of an operation. If the result is out of range, ok is false, and positive says whether
// it is too large or too small.
func arithmetic(op rule.Arith, a, b rule.Number) (n rule.Number, positive, ok bool) {
	switch op {
	case rule.Add:
		n, ok = a.Plus(b)
		return n, a+b > 0, ok
	case rule.Sub:
		n, ok = a.Minus(b)
		return n, a-b > 0, ok
	case rule.Mul:
		n, ok = a.Times(b)
		return n, (a > 0) == (b > 0), ok
	case rule.Div:
		n, ok = a.Over(b)
		return n, (a > 0) == (b > 0), ok
	case rule.Min:
		return min(a, b), true, true
	default:
		return max(a, b), true, true
	}
}
