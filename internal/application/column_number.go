package application

import (
	"encoding/binary"
	"math/bits"
	"strings"

	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/sheet"
)

// number reads a number. It parses plain decimals itself, because most cells are
// plain decimals. All other numbers are parsed like a number in a request.
func (c *column) number(cell []byte, facts *rule.Facts) (code string) {
	digits := cell
	if cell[0] == '-' {
		digits = cell[1:]
	}
	coef, places, plain := plainNumber(digits)
	if !plain || places > int(c.places) {
		return c.unusual(cell, facts)
	}
	num := rule.Number(coef * millionths[places])
	if cell[0] == '-' {
		num = -num
	}
	if num < c.least || num > c.greatest {
		return fault.CodeOutOfRange
	}
	switch c.how {
	case percent:
		return c.percentage(num, facts)
	case score:
		return c.standing(num, facts)
	case asIs, money, employment:
	}
	if c.canonical != rule.Undeclared {
		facts.Add(c.canonical, rule.Num(num))
	}
	if c.fallback != rule.Undeclared {
		facts.Add(c.fallback, rule.Num(num))
	}
	if c.raw != rule.Undeclared {
		facts.Add(c.raw, rule.Num(num))
	}
	if c.input != "" {
		facts.Set(c.input, rule.Num(num))
	}
	return ""
}

// unusual parses a number by the same rules as a number in a request. If the cell is not such a number, it calls
// forPeople.
func (c *column) unusual(cell []byte, facts *rule.Facts) (code string) {
	literal, ok := numberLiteral(cell)
	if !ok {
		return c.forPeople(cell, facts)
	}
	num, inside := c.literal(literal)
	if !inside {
		return fault.CodeOutOfRange
	}
	canonical := num
	switch c.how {
	case percent:
		return c.percentage(num, facts)
	case score:
		return c.standing(num, facts)
	case money:
		canonical = rupees(literal)
	case asIs, employment:
	}
	c.keep(facts, rule.Num(num), rule.Num(canonical))
	return ""
}

// Codes that forPeople returns for a cell that it could read.
const (
	readFormatted = fault.CodeNumberFormat
	readMissing   = fault.CodeReadAsMissing
)

// forPeople reads a cell that is formatted for people: with thousands separators,
// with a currency or a percent sign, or with a usual spelling of a missing value. A
// FOIR with a percent sign is a percentage even in a file of ratios.
func (c *column) forPeople(cell []byte, facts *rule.Facts) (code string) {
	plain, how := sheet.ReadFormatted(cell)
	if how == sheet.Missing {
		return readMissing
	}
	literal, ok := numberLiteral(plain)
	if how == sheet.NoNumber || !ok {
		return fault.CodeWrongType
	}
	if how == sheet.Percent && c.field == field.FOIR && c.how != percent {
		num, _, ok := rule.ParseNumber(literal)
		if num /= 100; !ok || num < c.least || num > c.greatest {
			return fault.CodeOutOfRange
		}
		c.keep(facts, rule.Num(num), rule.Num(num))
		return readFormatted
	}
	if code := c.unusual([]byte(literal), facts); code != "" {
		return code
	}
	return readFormatted
}

// percentage adds the facts of a percentage. The canonical fact is the ratio.
func (c *column) percentage(num rule.Number, facts *rule.Facts) (code string) {
	raw, ratio := num, num/100
	if c.ratio {
		raw = ratio
	}
	c.keep(facts, rule.Num(raw), rule.Num(ratio))
	return ""
}

// literal parses a number as in a request, and reports whether it is in the
// domain of the field.
func (c *column) literal(literal string) (num rule.Number, inside bool) {
	if c.def == nil {
		num, _, inside = rule.ParseNumber(literal)
		return num, inside
	}
	return number(c.how, c.def, literal)
}

// standing adds the facts that are derived from the raw score.
func (c *column) standing(num rule.Number, facts *rule.Facts) (code string) {
	at := standingOf(num)
	if at == noStanding {
		return fault.CodeOutOfRange
	}
	c.keep(facts, rule.Num(num), rule.Value{})
	if c.ntc != rule.Undeclared {
		facts.Add(c.ntc, rule.Bool(at != rated))
	}
	if c.score != rule.Undeclared && at == rated {
		facts.Add(c.score, rule.Num(num))
	}
	if c.index != rule.Undeclared && at == indexed {
		facts.Add(c.index, rule.Num(num))
	}
	return ""
}

const (
	ones   = 0x0101010101010101
	highs  = 0x80 * ones
	zeros  = '0' * ones
	points = ('.' ^ '0') * ones
)

// plainNumber parses a number without sign and exponent exactly: the number is
// coef divided by ten to the power of places. places is at most six.
//
// Most numbers of a file have at most eight characters, but their lengths vary
// from cell to cell. plainNumber therefore processes eight bytes together instead
// of looping, because the branch at the loop's end would be mispredicted.
func plainNumber(cell []byte) (coef int64, places int, ok bool) {
	if uint(len(cell)-1) > 7 || cap(cell) < 8 { // no character, more than eight, or too little capacity
		return longNumber(cell)
	}
	// Turn each character into its digit's value and shift the digits to the
	// high end, which puts zeros before them.
	digits := (binary.LittleEndian.Uint64(cell[:8]) ^ zeros) << (8 * (8 - len(cell)) & 63)
	// Find the decimal point: the lowest zero byte of x is the lowest byte whose
	// high bit is set in point.
	x := digits ^ points
	if point := (x - ones) &^ x & highs; point != 0 {
		at := bits.TrailingZeros64(point) &^ 7 // the first point; a second one fails the digit check
		if places = 7 - at/8; places == 0 || places > rule.Places || places == len(cell)-1 {
			return 0, 0, false
		}
		before := uint64(1)<<(at&63) - 1
		digits = digits&^(before<<8|0xff) | digits&before<<8
	}
	if (digits|(digits+0x76*ones))&highs != 0 { // a byte is above 9
		return 0, 0, false
	}
	// Combine neighbours in three steps: digits, then pairs, then fours.
	digits = (digits*10 + digits>>8) & 0x00ff00ff00ff00ff
	digits = (digits*100 + digits>>16) & 0x0000ffff0000ffff
	digits = (digits*10_000 + digits>>32) & 0xffffffff
	return int64(digits), places, true
}

// longNumber parses like plainNumber, but accepts any length, with up to twelve
// digits before the point.
func longNumber(cell []byte) (coef int64, places int, ok bool) {
	whole := len(cell)
	for i, b := range cell {
		if digit := b - '0'; digit <= 9 {
			coef = coef*10 + int64(digit)
			continue
		}
		if b != '.' || whole < len(cell) {
			return 0, 0, false
		}
		whole, places = i, len(cell)-1-i
	}
	return coef, places, whole > 0 && whole <= 12 && places <= rule.Places && (places > 0 || whole == len(cell))
}

// millionths[n] is the factor that turns a coefficient with n decimals into
// millionths.
var millionths = [rule.Places + 1]int64{1_000_000, 100_000, 10_000, 1_000, 100, 10, 1}

// numberLiteral returns the cell as a literal that the JSON number parser accepts.
// Leading zeros, a plus sign and a point at either end are allowed, because other
// programs write them. forPeople reads the further formats that people write.
func numberLiteral(cell []byte) (literal string, ok bool) {
	literal = strings.TrimPrefix(string(cell), "+")
	rest := strings.TrimPrefix(literal, "-")
	if len(cell) > len(literal) && len(literal) > len(rest) {
		return "", false // two signs
	}
	whole := digits(rest)
	rest = rest[whole:]
	places := 0
	if strings.HasPrefix(rest, ".") {
		places = digits(rest[1:])
		rest = rest[1+places:]
	}
	if whole+places == 0 {
		return "", false
	}
	if rest != "" && rest[0]|0x20 == 'e' {
		rest = rest[1:]
		if rest != "" && (rest[0] == '+' || rest[0] == '-') {
			rest = rest[1:]
		}
		exponent := digits(rest)
		if exponent == 0 {
			return "", false
		}
		rest = rest[exponent:]
	}
	return literal, rest == ""
}

// digits returns the number of digits that s begins with.
func digits(s string) int {
	n := 0
	for n < len(s) && s[n]-'0' <= 9 {
		n++
	}
	return n
}
