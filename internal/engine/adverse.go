package engine

import (
	"slices"
	"strings"

	"verdict/internal/field"
	"verdict/internal/rule"
)

// direction says for which values of a field the field's default reason code is true.
type direction int8

const (
	neither direction = iota // true for no value: the code does not say that the field is low or high
	low
	high
	either // true for every value: the code names the field without calling its value bad
)

// opposite returns the direction of a quantity that falls when the field rises.
func (d direction) opposite() direction {
	switch d {
	case low:
		return high
	case high:
		return low
	default:
		return d
	}
}

// adverseByCode contains the reason codes that describe the value of a catalogue field. It says of each code whether
// its text is true of low values, of high values or of every value. Codes that are not listed say nothing about a
// value. adverseByField has the exceptions.
var adverseByCode = map[string]direction{
	"BUR_SCORE": low, ReasonNewToCredit: either, "BUR_DPD": high, "BUR_ENQ": high, "BUR_TRADELINES": either,
	"BUR_WRITEOFF": high, "BUR_SUIT": high, "BUR_OVERDUE": high, "BUR_THIN_FILE": low, ReasonIncomeLow: low,
	ReasonFOIRHigh: high, "AGE_RANGE": either, "EMP_TYPE": either, ReasonAmountMinimum: low,
	"BANK_BOUNCE": high, "BANK_MISMATCH": high, "BANK_ABB": low, "DEV_ROOTED": high, "FR_EMULATOR": high,
	"CO_APPLICANT": either, "GUARANTOR": either,
	"FR_MULE": high, "FR_RING": high, "LOC_PINCODE": high, "LOC_MISMATCH": high,
}

// DescribesValue reports whether a standard reason code says something about
// the value of a field. The other codes are about the application or the offer.
func DescribesValue(code string) bool { return adverseByCode[code] != neither }

// adverseByField has the exceptions to adverseByCode: the fields whose direction differs from that of most fields
// with the same code.
var adverseByField = map[string]direction{
	"bank_last_salary_age_days":   high,
	"bank_negative_days_90d":      high,
	"device.sim_age_days":         low,
	"device.app_install_age_days": low,
	"location_gps_pincode_match":  low,
	"location_ip_allowed":         low,
	"location.lat":                either,
	"location.lng":                either,
}

// adverse returns the direction in which the default reason code of a catalogue
// field is true. For a boolean, true is high and false is low.
func adverse(f *rule.Field) direction {
	if d, ok := adverseByField[f.Name]; ok {
		return d
	}
	d := adverseByCode[f.ReasonCode]
	switch {
	case f.ReasonCode == "":
		return neither
	case field.IsFeature(f.Name):
		return adverseFeature(f.Name, d)
	case f.Type == rule.StringType:
		return either
	case f.ReasonCode == ReasonNewToCredit && f.Type == rule.BoolType:
		return high
	case strings.Contains(f.Name, "months_since"):
		return d.opposite() // a recent late payment or write-off is worse than an old one
	default:
		return d
	}
}

// adverseFeature returns the direction of a feature. d is the direction of the feature's reason code. The result is
// "neither" for trends and shares, which are not levels, and for metrics that the code describes only approximately.
func adverseFeature(name string, d direction) direction {
	metric, _, _ := strings.Cut(name, "__")
	counts := strings.HasSuffix(name, "__count")
	switch {
	case strings.HasSuffix(name, "__trend"), strings.HasSuffix(name, "__ratio"):
		return neither
	}
	switch metric {
	case "debit", "bill_payment", "investment", "deposited_return", "loan_credit", "self_transfer", "charge",
		"account_closed":
		return neither
	case "enquiry": // only a count is a number of enquiries; the other figures are amounts
		if !counts {
			return neither
		}
	case "credit", "income", "salary", "outstanding", "emi", "emi_debit", "card_bill", "eod_balance":
		if counts {
			return neither
		}
	case "low_balance_day":
		return high
	}
	return d
}

// PredicateCode returns a reason code for applicants for whom the predicate c is true, or false if holds is false.
// The code is true of every such applicant. It is the code of the first field that c compares in the field's adverse
// direction. It is "MISSING_REQUIRED_INPUT" if the result means that the field is absent, and "" if no code is true.
func PredicateCode(c *rule.Condition, holds bool, catalogue *rule.Catalogue) string {
	switch c.Op {
	case rule.Exists, rule.IsAbsent:
		if holds == (c.Op == rule.IsAbsent) {
			return ReasonMissingInput
		}
		return ""
	case rule.Lt, rule.Lte, rule.Gt, rule.Gte:
		if c.Left.Kind != rule.FieldOperand || c.Right.Kind != rule.ConstantOperand {
			return comparisonCode(c, holds, catalogue)
		}
	case rule.Eq, rule.Ne:
		if c.Left.Kind != rule.FieldOperand || c.Right.Kind != rule.ConstantOperand {
			return ""
		}
	default:
	}
	if c.Left.Kind != rule.FieldOperand || c.Left.Field.ID < 0 {
		return ""
	}
	f := catalogue.Field(c.Left.Field.ID)
	switch d := adverse(f); {
	case d == either:
		return f.ReasonCode
	case c.IsLookup():
		return "" // a value in a list is neither low nor high
	case d == low && escapes(c, holds, f, true), d == high && escapes(c, holds, f, false):
		return f.ReasonCode
	default:
		return ""
	}
}

// escapes reports whether the predicate c, whose actual result is holds, would have the opposite result if its field
// f had its best value. The best value is the largest one if up is set, otherwise the smallest. If escapes returns
// true, the applicant's value was too low or too high for the predicate.
func escapes(c *rule.Condition, holds bool, f *rule.Field, up bool) bool {
	best := rule.Bool(up)
	switch {
	case f.Type == rule.BoolType:
	case f.Type != rule.NumberType:
		return false
	case up && f.BoundedAbove:
		best = rule.Num(f.Max)
	case up:
		best = rule.Num(rule.MaxNumber)
	case f.BoundedBelow:
		best = rule.Num(f.Min)
	default:
		best = rule.Num(-rule.MaxNumber)
	}
	return compares(c, best) != holds
}

// compares evaluates a predicate over a field and constants for a number or
// boolean value of the field.
func compares(c *rule.Condition, v rule.Value) bool {
	switch c.Op {
	case rule.Eq:
		return v == c.Right.Value
	case rule.Ne:
		return v != c.Right.Value
	case rule.Lt:
		return v.Number() < c.Right.Value.Number()
	case rule.Lte:
		return v.Number() <= c.Right.Value.Number()
	case rule.Gt:
		return v.Number() > c.Right.Value.Number()
	case rule.Gte:
		return v.Number() >= c.Right.Value.Number()
	case rule.In:
		return slices.Contains(c.Values, v)
	case rule.NotIn:
		return !slices.Contains(c.Values, v)
	default: // rule.Between
		return v.Number() >= c.Values[0].Number() && v.Number() <= c.Values[1].Number()
	}
}

// comparisonCode does the work of PredicateCode for all comparisons except one kind: a field on the left and a
// constant on the right. It returns "" if no code is true.
func comparisonCode(c *rule.Condition, holds bool, catalogue *rule.Catalogue) (code string) {
	left := high // high if the left operand is larger than the right one, low if it is smaller
	if smaller := c.Op == rule.Lt || c.Op == rule.Lte; smaller == holds {
		left = low
	}
	find := func(ref rule.Ref, d direction) {
		if code != "" || ref.ID < 0 {
			return
		}
		f := catalogue.Field(ref.ID)
		if a := adverse(f); a == either || a == d && d != neither {
			code = f.ReasonCode
		}
	}
	operandDirections(&c.Left, left, find)
	operandDirections(&c.Right, left.opposite(), find)
	return code
}

// operandDirections calls visit for each field of an operand, with the
// direction in which that field must change to move the operand in direction d.
func operandDirections(o *rule.Operand, d direction, visit func(rule.Ref, direction)) {
	if o.Kind == rule.FieldOperand {
		visit(o.Field, d)
	}
	for i := range o.Args {
		of := d
		switch {
		case o.Arith == rule.Abs:
			of = neither
		case i > 0 && (o.Arith == rule.Sub || o.Arith == rule.Div):
			of = d.opposite()
		case o.Arith == rule.Mul && o.Args[i].Kind == rule.FieldOperand && negativeBeside(o.Args, i):
			of = d.opposite()
		}
		operandDirections(&o.Args[i], of, visit)
	}
}

// negativeBeside reports whether the product of all constants in args, except
// the one with the index "at", is negative.
func negativeBeside(args []rule.Operand, at int) (negative bool) {
	for i := range args {
		if i != at && args[i].Kind == rule.ConstantOperand && args[i].Value.Number() < 0 {
			negative = !negative
		}
	}
	return negative
}
