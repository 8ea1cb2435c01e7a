package wire

import (
	"encoding/binary"
	"math/bits"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"verdict/internal/fault"
)

// specials marks the bytes that cannot occur unescaped in a string: a quote, a
// backslash or a control character. It sets the top bit of each such byte in the
// result. Bytes above the lowest marked byte may be marked wrongly, because the
// subtraction borrows from them.
func specials(eight uint64) uint64 {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	quote, slash := eight^ones*'"', eight^ones*'\\'
	return ((quote-ones)&^quote | (slash-ones)&^slash | (eight-ones*' ')&^eight) & tops
}

// special searches src from the position "at" on, and returns the position of the first quote, backslash or
// control character. It returns len(src) if there is none. It checks eight bytes at a time, because most of a
// document consists of strings.
func special(src []byte, at int) int {
	for ; at+8 <= len(src); at += 8 {
		if found := specials(binary.LittleEndian.Uint64(src[at:])); found != 0 {
			return at + bits.TrailingZeros64(found)/8
		}
	}
	for at < len(src) && src[at] >= ' ' && src[at] != '"' && src[at] != '\\' {
		at++
	}
	return at
}

// str parses a string at its opening quote. A string without escapes is a slice
// of the source and needs no allocation.
func (p *parser) str() (span, error) {
	start := p.pos + 1
	p.pos = special(p.src, start)
	if p.pos == len(p.src) {
		return span{}, p.fail("the document ends inside a string")
	}
	switch p.src[p.pos] {
	case '"':
		s := p.since(start)
		p.pos++
		return s, nil
	case '\\':
		text, err := p.escaped(start)
		p.doc.unescaped = append(p.doc.unescaped, text)
		return span{at: uint32(len(p.doc.unescaped) - 1), length: unescaped}, err
	default:
		return span{}, p.fail("a control character inside a string must be escaped")
	}
}

// escaped continues parsing a string at its first backslash and returns the unescaped
// string.
func (p *parser) escaped(start int) (string, error) {
	var b strings.Builder
	b.Write(p.src[start:p.pos])
	for p.pos < len(p.src) {
		c := p.src[p.pos]
		switch {
		case c == '"':
			p.pos++
			return b.String(), nil
		case c < 0x20:
			return "", p.fail("a control character inside a string must be escaped")
		case c != '\\':
			b.WriteByte(c)
			p.pos++
			continue
		}
		if p.pos+1 >= len(p.src) {
			return "", p.fail("the document ends inside a string")
		}
		p.pos += 2
		switch p.src[p.pos-1] {
		case '"', '\\', '/':
			b.WriteByte(p.src[p.pos-1])
		case 'b':
			b.WriteByte('\b')
		case 'f':
			b.WriteByte('\f')
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		case 't':
			b.WriteByte('\t')
		case 'u':
			r, ok := p.unicode()
			if !ok {
				return "", p.fail("an invalid \\u escape")
			}
			if r == 0 {
				// No real text contains a zero character, and some databases cannot
				// store one.
				return "", p.fail("a string contains a zero character")
			}
			b.WriteRune(r)
		default:
			return "", p.fail("an unknown escape")
		}
	}
	return "", p.fail("the document ends inside a string")
}

// unicode parses the four digits after \u and, for a surrogate, the second half of the
// pair. It returns false for a lone surrogate or invalid digits.
func (p *parser) unicode() (rune, bool) {
	hex := func() (rune, bool) {
		if p.pos+4 > len(p.src) {
			return 0, false
		}
		v, err := strconv.ParseUint(string(p.src[p.pos:p.pos+4]), 16, 16)
		p.pos += 4
		return rune(v), err == nil
	}
	r, ok := hex()
	if !ok || !utf16.IsSurrogate(r) {
		return r, ok
	}
	if p.pos+2 > len(p.src) || p.src[p.pos] != '\\' || p.src[p.pos+1] != 'u' {
		return 0, false
	}
	p.pos += 2
	low, ok := hex()
	if !ok {
		return 0, false
	}
	r = utf16.DecodeRune(r, low)
	return r, r != utf8.RuneError
}

// digits returns the position after the digits that start at the position "at".
func digits(src []byte, at int) int {
	for at < len(src) && src[at]-'0' <= 9 {
		at++
	}
	return at
}

// number parses a number literal. far reports that its absolute value is greater than
// 1e15; the caller rejects such a number.
func (p *parser) number() (text span, far bool, err error) {
	src, start := p.src, p.pos
	first := start
	if src[first] == '-' {
		first++
	}
	at := digits(src, first)
	whole := at - first
	if whole == 0 || whole > 1 && src[first] == '0' {
		p.pos = at
		return span{}, false, p.fail("a number must have digits, and no leading zero")
	}
	if at < len(src) && src[at] == '.' {
		from := at + 1
		if at = digits(src, from); at == from {
			p.pos = at
			return span{}, false, p.fail("a digit was expected after the decimal point")
		}
	}
	exponent := at < len(src) && src[at]|0x20 == 'e'
	if exponent {
		from := at + 1
		if from < len(src) && (src[from] == '+' || src[from] == '-') {
			from++
		}
		if at = digits(src, from); at == from {
			p.pos = at
			return span{}, false, p.fail("a digit was expected in the exponent")
		}
	}
	p.pos = at
	text = p.since(start)
	if exponent || whole > 15 {
		coef, _, exact, ok := truncate(strings.TrimPrefix(p.doc.text(text), "-"), 0)
		far = !ok || coef > 1e15 || coef == 1e15 && !exact
	}
	return text, far, nil
}

// tooFar returns the error for a number beyond ±1e15. No credit file contains such a
// number.
func (p *parser) tooFar(n node) error {
	at := int32(len(p.nodes))
	p.nodes = append(p.nodes, n) // the pointer of the number is computed from its node
	p.doc.nodes = p.nodes
	return &fault.Error{
		Kind: fault.Malformed, Code: fault.CodeNumberOutOfRange, Detail: "a number is beyond ±1e15",
		Items: []fault.Item{{
			Pointer: Value{doc: p.doc, at: at}.Pointer(),
			Code:    fault.CodeNumberOutOfRange, Detail: "must lie between -1e15 and 1e15",
		}},
	}
}

// ParseDecimal parses a JSON number literal as an integer multiple of 10^-places. It
// rounds half away from zero if the literal has more decimals; exact is false if the
// result was rounded. ok is false if the absolute value before rounding up is greater
// than 2^62.
//
// It works on the text and uses no binary floating point, so 0.1 is exactly one tenth.
// The literal must be well-formed, as those from Parse are.
func ParseDecimal(literal string, places int) (coef int64, exact, ok bool) {
	negative := literal != "" && literal[0] == '-'
	if negative {
		literal = literal[1:]
	}
	if coef, ok = short(literal, places); ok {
		exact = true
	} else {
		var up bool
		if coef, up, exact, ok = truncate(literal, places); up {
			coef++
		}
	}
	if negative {
		coef = -coef
	}
	return coef, exact, ok
}

// truncate parses a literal without a sign and drops the digits below 10^-places.
// exact is true if all dropped digits are zero; up is true if the dropped part is half
// a unit or more. ok is false if the result is greater than 2^62.
func truncate(s string, places int) (coef int64, up, exact, ok bool) {
	mantissa, exponent := s, 0
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		mantissa = s[:i]
		exponent = clampedInt(s[i+1:])
	}
	whole, frac, _ := strings.Cut(mantissa, ".")
	at := func(i int) byte {
		if i < len(whole) {
			return whole[i]
		}
		return frac[i-len(whole)]
	}
	total := len(whole) + len(frac)
	// keep is the number of digits of whole and frac together that are kept.
	keep := len(whole) + exponent + places
	const limit = 1 << 62
	for i := range min(keep, total) {
		d := int64(at(i) - '0')
		if coef > (limit-d)/10 {
			return 0, false, false, false
		}
		coef = coef*10 + d
	}
	for i := total; i < keep && coef != 0; i++ {
		if coef > limit/10 {
			return 0, false, false, false
		}
		coef *= 10
	}
	exact = true
	for i := max(keep, 0); i < total && exact; i++ {
		exact = at(i) == '0'
	}
	up = keep >= 0 && keep < total && at(keep) >= '5'
	return coef, up, exact, true
}

// short is the fast path for most literals. It parses a literal without an exponent. The number of its decimals
// must not exceed places, and its length plus places must be at most 18. ok is false for any other literal.
func short(s string, places int) (coef int64, ok bool) {
	if len(s)+places > 18 {
		return 0, false
	}
	for i := range len(s) {
		digit := s[i] - '0'
		if digit <= 9 {
			coef = coef*10 + int64(digit)
			continue
		}
		after := len(s) - 1 - i
		if s[i] != '.' || after > places { // an exponent, or too many decimals
			return 0, false
		}
		places -= after
	}
	return coef * tens[places], true
}

// tens are the powers of ten by which a short literal may be multiplied.
var tens = func() (t [19]int64) {
	t[0] = 1
	for i := 1; i < len(t); i++ {
		t[i] = 10 * t[i-1]
	}
	return t
}()

// clampedInt parses an exponent and clamps it to ±2^30. Beyond ±2^30 no literal has
// enough digits to bring the number back into range, because requests are much
// smaller than 2^30 bytes.
func clampedInt(s string) int {
	n, err := strconv.Atoi(s)
	const most = 1 << 30
	switch {
	case err != nil && strings.HasPrefix(s, "-"), n < -most:
		return -most
	case err != nil, n > most:
		return most
	}
	return n
}
