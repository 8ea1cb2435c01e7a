package wire

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"verdict/internal/fault"
)

// plain tells the bytes that stand for themselves inside a string.
var plain = func() (t [256]bool) {
	for c := range t {
		t[c] = c >= 0x20 && c != '"' && c != '\\'
	}
	return t
}()

// str reads a string at the opening quote. A string without escapes is a
// slice of the source and costs nothing.
func (p *parser) str() (span, error) {
	p.pos++
	start := p.pos
	for i := start; i < len(p.src); i++ {
		c := p.src[i]
		if plain[c] {
			continue
		}
		p.pos = i
		switch c {
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
	p.pos = len(p.src)
	return span{}, p.fail("the document ends inside a string")
}

// escaped goes on reading a string at its first backslash.
func (p *parser) escaped(start int) (string, error) {
	var b strings.Builder
	b.WriteString(p.src[start:p.pos])
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
				// No text has it, and not every database can keep it.
				return "", p.fail("a string holds a zero character")
			}
			b.WriteRune(r)
		default:
			return "", p.fail("an unknown escape")
		}
	}
	return "", p.fail("the document ends inside a string")
}

// unicode reads the four digits after \u, and the second half of a surrogate
// pair; a lone half is not a character and is refused.
func (p *parser) unicode() (rune, bool) {
	hex := func() (rune, bool) {
		if p.pos+4 > len(p.src) {
			return 0, false
		}
		v, err := strconv.ParseUint(p.src[p.pos:p.pos+4], 16, 16)
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

// number reads a literal and refuses a magnitude beyond 1e15.
func (p *parser) number(at int32) (span, error) {
	start := p.pos
	if p.src[p.pos] == '-' {
		p.pos++
	}
	digits := func() int {
		from := p.pos
		for p.pos < len(p.src) && '0' <= p.src[p.pos] && p.src[p.pos] <= '9' {
			p.pos++
		}
		return p.pos - from
	}
	first := p.pos
	whole := digits()
	if whole == 0 || whole > 1 && p.src[first] == '0' {
		return span{}, p.fail("a number has digits, and no leading zero")
	}
	if p.pos < len(p.src) && p.src[p.pos] == '.' {
		p.pos++
		if digits() == 0 {
			return span{}, p.fail("a digit was expected after the decimal point")
		}
	}
	exponent := false
	if p.pos < len(p.src) && (p.src[p.pos] == 'e' || p.src[p.pos] == 'E') {
		exponent = true
		p.pos++
		if p.pos < len(p.src) && (p.src[p.pos] == '+' || p.src[p.pos] == '-') {
			p.pos++
		}
		if digits() == 0 {
			return span{}, p.fail("a digit was expected in the exponent")
		}
	}
	if !exponent && whole <= 15 {
		return p.since(start), nil
	}
	text := p.src[start:p.pos]
	if coef, _, exact, ok := truncate(strings.TrimPrefix(text, "-"), 0); !ok || coef > 1e15 || coef == 1e15 && !exact {
		return span{}, &fault.Error{
			Kind: fault.Malformed, Code: fault.CodeNumberOutOfRange, Detail: "a number is beyond 1e15",
			Items: []fault.Item{{
				Pointer: Value{doc: p.doc, at: at}.Pointer(),
				Code:    fault.CodeNumberOutOfRange, Detail: "must lie between -1e15 and 1e15",
			}},
		}
	}
	return p.since(start), nil
}

// ParseDecimal reads a JSON number literal as an integer count of 10^-places,
// rounded half away from zero where the literal is finer. exact tells whether
// nothing was rounded; ok is false when the magnitude is beyond 2^62.
//
// It works on the text and never goes through binary floating point: 0.1 is
// one tenth. The literal must be well-formed, as one from Parse is.
func ParseDecimal(literal string, places int) (coef int64, exact, ok bool) {
	magnitude, negative := strings.CutPrefix(literal, "-")
	coef, up, exact, ok := truncate(magnitude, places)
	if up {
		coef++
	}
	if negative {
		coef = -coef
	}
	return coef, exact, ok
}

// truncate reads a literal without a sign and drops what is finer than
// 10^-places. exact tells that nothing was dropped, up that it was half a unit
// or more.
func truncate(s string, places int) (coef int64, up, exact, ok bool) {
	if coef, ok := short(s, places); ok {
		return coef, false, true, true
	}
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
	// keep is how many digits of whole·frac stand before the cut.
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

// short reads a literal that has no exponent, fits 18 digits and is no finer
// than 10^-places, which nearly all are.
func short(s string, places int) (coef int64, ok bool) {
	if len(s)+places > 18 {
		return 0, false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case c != '.':
			if c > '9' { // an exponent
				return 0, false
			}
			coef = coef*10 + int64(c-'0')
		case len(s)-1-i > places:
			return 0, false
		default:
			places -= len(s) - 1 - i
		}
	}
	for range places {
		coef *= 10
	}
	return coef, true
}

// clampedInt reads an exponent; anything beyond ±2^30 is as good as that,
// because no literal has the digits to bring it back into range. A literal of
// a few hundred thousand digits does fit into a request, so the clamp must lie
// well above that.
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
