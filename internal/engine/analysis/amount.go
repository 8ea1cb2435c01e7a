package analysis

import (
	"verdict/internal/rule"
)

// amounts is a range of numbers, both ends included.
type amounts struct{ least, greatest rule.Number }

// anyAmount is the range of all numbers that an operand can have.
var anyAmount = amounts{-rule.MaxNumber, rule.MaxNumber}

func exactly(n rule.Number) amounts { return amounts{n, n} }

// amountsOf returns the range of the possible results of an operand. The function "of" returns the range of a field.
// The arithmetic is the same as in a decision. Its rounding never changes the order of two results, so it is enough to
// compute with the ends of the ranges. Results beyond rule.MaxNumber count as rule.MaxNumber, and a division is
// anyAmount if the divisor can be 0. Apart from that, the range is exact if each field is a single number.
func amountsOf(o *rule.Operand, of func(rule.Ref) amounts) amounts {
	switch o.Kind {
	case rule.FieldOperand:
		return of(o.Field)
	case rule.ConstantOperand:
		return exactly(o.Value.Number())
	default:
	}
	result := amountsOf(&o.Args[0], of)
	if o.Arith == rule.Abs {
		return result.magnitude()
	}
	for i := range o.Args[1:] {
		result = result.with(o.Arith, amountsOf(&o.Args[1+i], of))
	}
	return result
}

// with returns the range of the results of an operation on a number in r and a number in other.
func (r amounts) with(op rule.Arith, other amounts) amounts {
	switch op {
	case rule.Add:
		return amounts{bounded(r.least + other.least), bounded(r.greatest + other.greatest)}
	case rule.Sub:
		return amounts{bounded(r.least - other.greatest), bounded(r.greatest - other.least)}
	case rule.Mul:
		return r.corners(other, rule.Number.Times)
	case rule.Div:
		if other.least <= 0 && other.greatest >= 0 {
			return anyAmount // a divisor near 0 gives any result
		}
		return r.corners(other, rule.Number.Over)
	case rule.Min:
		return amounts{min(r.least, other.least), min(r.greatest, other.greatest)}
	case rule.Max:
		return amounts{max(r.least, other.least), max(r.greatest, other.greatest)}
	default:
		return anyAmount
	}
}

// corners returns the range of op, a product or a quotient, over all values of r and other. The least and the greatest
// result always occur at ends of the two ranges.
func (r amounts) corners(other amounts, op func(n, m rule.Number) (rule.Number, bool)) amounts {
	result := amounts{rule.MaxNumber, -rule.MaxNumber}
	for _, x := range [...]rule.Number{r.least, r.greatest} {
		for _, y := range [...]rule.Number{other.least, other.greatest} {
			n, ok := op(x, y)
			if !ok { // out of range
				n = rule.MaxNumber
				if (x < 0) != (y < 0) {
					n = -n
				}
			}
			result = amounts{min(result.least, n), max(result.greatest, n)}
		}
	}
	return result
}

// magnitude returns the range of the absolute values.
func (r amounts) magnitude() amounts {
	switch {
	case r.least >= 0:
		return r
	case r.greatest <= 0:
		return amounts{-r.greatest, -r.least}
	default:
		return amounts{0, max(-r.least, r.greatest)}
	}
}

func bounded(n rule.Number) rule.Number { return min(max(n, -rule.MaxNumber), rule.MaxNumber) }
