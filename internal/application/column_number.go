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

// number reads a number. One that is as plain as most are is understood from
// its digits; the others go the way of a request's.
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

// unusual reads a number as a request's is read.
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

// What forPeople returns of a cell that it understood.
const (
	readFormatted = fault.CodeNumberFormat
	readMissing   = fault.CodeReadAsMissing
)

// forPeople reads a cell as sheets have them that are made for people: with
// thousands apart, a currency or a percent sign, or with a usual spelling of
// nothing. A FOIR with a percent sign is a percentage whatever the file's unit.
func (c *column) forPeople(cell []byte, facts *rule.Facts) (code string) {
	plain, how := sheet.Understood(cell)
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

// percentage keeps the ratio that a percentage stands for.
func (c *column) percentage(num rule.Number, facts *rule.Facts) (code string) {
	raw, ratio := num, num/100
	if c.ratio {
		raw = ratio
	}
	c.keep(facts, rule.Num(raw), rule.Num(ratio))
	return ""
}

// literal reads a number as a request's is read.
func (c *column) literal(literal string) (num rule.Number, inside bool) {
	if c.def == nil {
		num, _, inside = rule.ParseNumber(literal)
		return num, inside
	}
	return number(c.how, c.def, literal)
}

// standing keeps what follows from the raw score.
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

// plainNumber reads a number without sign and exponent, exactly: it is coef
// divided by ten to the power of places, of which there are at most six.
//
// Most numbers of a file have at most eight characters, and no two in a row
// have as many. They are read eight bytes at once, without a loop whose end the
// processor would have to guess.
func plainNumber(cell []byte) (coef int64, places int, ok bool) {
	if uint(len(cell)-1) > 7 || cap(cell) < 8 { // none, or more than eight
		return longNumber(cell)
	}
	// The digits become what they count, and are moved to the high end: there
	// are zeros before them then.
	digits := (binary.LittleEndian.Uint64(cell[:8]) ^ zeros) << (8 * (8 - len(cell)) & 63)
	// The lowest byte that is zero is the lowest whose high bit is set here.
	x := digits ^ points
	if point := (x - ones) &^ x & highs; point != 0 {
		at := bits.TrailingZeros64(point) &^ 7 // of the first point; another is no digit
		if places = 7 - at/8; places == 0 || places > rule.Places || places == len(cell)-1 {
			return 0, 0, false
		}
		before := uint64(1)<<(at&63) - 1
		digits = digits&^(before<<8|0xff) | digits&before<<8
	}
	if (digits|(digits+0x76*ones))&highs != 0 { // one of them is above 9
		return 0, 0, false
	}
	// Neighbours are put together: ten times the one before plus the other.
	digits = (digits*10 + digits>>8) & 0x00ff00ff00ff00ff
	digits = (digits*100 + digits>>16) & 0x0000ffff0000ffff
	digits = (digits*10_000 + digits>>32) & 0xffffffff
	return int64(digits), places, true
}

// longNumber is plainNumber for up to twelve digits before the point.
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

// millionths are what a number without its point is multiplied by, by the
// number of its decimals.
var millionths = [rule.Places + 1]int64{1_000_000, 100_000, 10_000, 1_000, 100, 10, 1}

// numberLiteral is a number as JSON would write it, or as near to that as its
// reader needs: leading zeros, a plus, and a point at either end are what other
// programs write. What people write besides is for forPeople.
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

// digits is how many digits a text begins with.
func digits(s string) int {
	n := 0
	for n < len(s) && s[n]-'0' <= 9 {
		n++
	}
	return n
}
