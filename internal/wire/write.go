package wire

import "strconv"

// escaped marks the bytes that must be escaped in a string.
var escaped = func() (table [256]bool) {
	for c := range byte(0x20) {
		table[c] = true
	}
	table['"'], table['\\'] = true, true
	return table
}()

// AppendString appends s as a JSON string in the form that RFC 8785 prescribes:
// two-character escapes if JSON has them, \u00xx for other control characters,
// and all other characters unchanged.
func AppendString(dst []byte, s string) []byte {
	const hexDigits = "0123456789abcdef"
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if !escaped[c] {
			continue
		}
		dst = append(dst, s[from:i]...)
		from = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\b':
			dst = append(dst, '\\', 'b')
		case '\f':
			dst = append(dst, '\\', 'f')
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	dst = append(dst, s[from:]...)
	return append(dst, '"')
}

// AppendDecimal appends coef·10^-places in its shortest decimal form, for at
// most 19 places. Up to fifteen significant digits and six places this is also
// the RFC 8785 form of the number.
func AppendDecimal(dst []byte, coef int64, places int) []byte {
	magnitude := uint64(coef)
	if coef < 0 {
		dst = append(dst, '-')
		magnitude = -magnitude // also correct for the smallest int64, whose negation is not an int64
	}
	unit := powers[places]
	dst = strconv.AppendUint(dst, magnitude/unit, 10)
	frac := magnitude % unit
	if frac == 0 {
		return dst
	}
	var digits [20]byte
	n := 0 // number of digits without trailing zeros
	for i := places - 1; i >= 0; i-- {
		digits[i] = byte('0' + frac%10)
		frac /= 10
		if n == 0 && digits[i] != '0' {
			n = i + 1
		}
	}
	dst = append(dst, '.')
	return append(dst, digits[:n]...)
}

// powers are the powers of ten.
var powers = func() (p [20]uint64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = 10 * p[i-1]
	}
	return p
}()

// Writer builds one JSON document by appending. Members are written in the
// order of the calls; for a canonical document the caller must write them in
// name order. The zero value is ready to use; Buf may be set to reuse a buffer.
type Writer struct {
	Buf   []byte
	comma bool
}

func (w *Writer) lead() {
	if w.comma {
		w.Buf = append(w.Buf, ',')
	}
	w.comma = true
}

func (w *Writer) open(c byte) *Writer {
	w.lead()
	w.Buf = append(w.Buf, c)
	w.comma = false
	return w
}

func (w *Writer) close(c byte) *Writer {
	w.Buf = append(w.Buf, c)
	w.comma = true
	return w
}

// Object opens an object; EndObject closes it.
func (w *Writer) Object() *Writer { return w.open('{') }

// EndObject closes the innermost object.
func (w *Writer) EndObject() *Writer { return w.close('}') }

// Array opens an array; EndArray closes it.
func (w *Writer) Array() *Writer { return w.open('[') }

// EndArray closes the innermost array.
func (w *Writer) EndArray() *Writer { return w.close(']') }

// Key writes a member's name; the next call writes its value. The name must
// need no escaping; use Name for names that come from clients.
func (w *Writer) Key(name string) *Writer {
	w.lead()
	w.Buf = append(w.Buf, '"')
	w.Buf = append(w.Buf, name...)
	w.Buf = append(w.Buf, '"', ':')
	w.comma = false
	return w
}

// Name writes a member's name and escapes it; the next call writes its value.
func (w *Writer) Name(name string) *Writer {
	w.lead()
	w.Buf = AppendString(w.Buf, name)
	w.Buf = append(w.Buf, ':')
	w.comma = false
	return w
}

// String writes a string.
func (w *Writer) String(s string) *Writer {
	w.lead()
	w.Buf = AppendString(w.Buf, s)
	return w
}

// Strings writes an array of strings.
func (w *Writer) Strings(list []string) *Writer {
	w.Array()
	for _, s := range list {
		w.String(s)
	}
	return w.EndArray()
}

// Optional writes a member with a string, unless the string is empty.
func (w *Writer) Optional(key, s string) *Writer {
	if s == "" {
		return w
	}
	return w.Key(key).String(s)
}

// Plain writes a string that is known to need no escaping, such as a constant
// or a checked name.
func (w *Writer) Plain(s string) *Writer {
	w.lead()
	w.Buf = append(w.Buf, '"')
	w.Buf = append(w.Buf, s...)
	w.Buf = append(w.Buf, '"')
	return w
}

// Int writes an integer.
func (w *Writer) Int(n int64) *Writer {
	w.lead()
	w.Buf = strconv.AppendInt(w.Buf, n, 10)
	return w
}

// Decimal writes coef·10^-places.
func (w *Writer) Decimal(coef int64, places int) *Writer {
	w.lead()
	w.Buf = AppendDecimal(w.Buf, coef, places)
	return w
}

// Bool writes a boolean.
func (w *Writer) Bool(b bool) *Writer {
	w.lead()
	w.Buf = strconv.AppendBool(w.Buf, b)
	return w
}

// Null writes a null.
func (w *Writer) Null() *Writer {
	w.lead()
	w.Buf = append(w.Buf, "null"...)
	return w
}
