package report

import (
	"strings"

	"verdict/internal/civil"
	"verdict/internal/fault"
	"verdict/internal/wire"
)

// scalarReader reads single members of a report: amounts, counts, dates and codes.
// If it cannot read a value, it adds a fault or a notice, and the value counts as
// not given.
type scalarReader struct {
	faults   *fault.List
	notes    *noted
	asOf     civil.Day
	native   bool // the current object is in the bureau's own layout, where numbers are texts
	minusOne bool // in that layout an amount of -1 means that no amount was given
}

// maxAmountPaise is the largest absolute amount: a million million rupees.
const maxAmountPaise = 100 * 1_000_000_000_000

// saysNothing reports whether a member is missing, null or an empty text. In a
// bureau's own layout it also returns true for an empty list or object and for a
// placeholder such as "NA".
func (r *scalarReader) saysNothing(v wire.Value) bool {
	switch v.Kind() {
	case wire.Missing, wire.Null:
		return true
	case wire.Array, wire.Object:
		return r.native && v.Len() == 0
	case wire.String:
		text := strings.TrimSpace(v.Text())
		if text == "" || len(text) > len("NULL") || '0' <= text[0] && text[0] <= '9' {
			return text == ""
		}
		switch strings.ToUpper(text) {
		case "-", "--", "NA", "N/A", "NULL", "NONE":
			return r.native
		}
	case wire.Bool, wire.Number:
	}
	return false
}

// amount reads rupees into paise, rounded half away from zero. It returns
// NoAmount if no amount is given or the amount is invalid. mayBeNegative allows
// negative amounts.
func (r *scalarReader) amount(v wire.Value, mayBeNegative bool) int64 {
	if r.saysNothing(v) {
		return NoAmount
	}
	literal := v.Text()
	if v.Kind() == wire.String {
		if r.native {
			literal, _, _ = strings.Cut(literal, "/") // CRIF: 4,100/Monthly
		}
		var ok bool
		if literal, ok = cleanNumber(literal, r.native); !ok {
			r.faults.Add(v.Pointer(), fault.CodeWrongType, "must be a number of rupees")
			return NoAmount
		}
		if !r.native {
			r.notes.add(textAmount, v)
		}
	} else if v.Kind() != wire.Number {
		r.faults.Add(v.Pointer(), fault.CodeWrongType, "must be a number of rupees, but is %s", v.Kind())
		return NoAmount
	}
	paise, _, ok := wire.ParseDecimal(literal, 2)
	switch {
	case ok && paise == -100 && r.native && r.minusOne:
		return NoAmount
	case !ok || paise > maxAmountPaise || paise < -maxAmountPaise:
		r.faults.Add(v.Pointer(), fault.CodeOutOfRange, "must be at most 1,000,000,000,000 rupees")
	case paise < 0 && !mayBeNegative:
		r.faults.Add(v.Pointer(), fault.CodeOutOfRange, "cannot be negative")
	default:
		return paise
	}
	return NoAmount
}

// cleanNumber returns a decimal as a JSON literal: without leading zeros and,
// if commas is set, without the commas between groups of digits.
func cleanNumber(text string, commas bool) (literal string, ok bool) {
	text = strings.TrimSpace(text)
	if len(text) > 32 {
		return "", false
	}
	sign := ""
	if rest, found := strings.CutPrefix(text, "-"); found {
		sign, text = "-", rest
	}
	whole, fraction, pointed := strings.Cut(text, ".")
	if commas && strings.Contains(whole, ",") {
		groups := strings.Split(whole, ",")
		for i, g := range groups {
			last := i == len(groups)-1
			if !isDigits(g) || len(g) > 3 || last && len(g) != 3 || i > 0 && !last && len(g) < 2 {
				return "", false
			}
		}
		whole = strings.Join(groups, "")
	}
	if !isDigits(whole) || pointed && !isDigits(fraction) {
		return "", false
	}
	if whole = strings.TrimLeft(whole, "0"); whole == "" {
		whole = "0"
	}
	if pointed {
		whole += "." + fraction
	}
	return sign + whole, true
}

// shortNumber parses a run of at most six digits, in a number or in a text.
func shortNumber(v wire.Value) (n int, ok bool) {
	text := v.Text()
	if len(text) > 6 || !isDigits(text) {
		return 0, false
	}
	return atoi(text), true
}

const maxCount = 1_000_000

// count reads a whole number from 0 to maxCount. ok is false if no number is given or it is invalid.
func (r *scalarReader) count(v wire.Value) (n int32, ok bool) {
	if r.saysNothing(v) {
		return 0, false
	}
	text := strings.TrimSpace(v.Text())
	if v.Kind() == wire.String && isDigits(text) && len(text) <= 12 {
		if !r.native {
			r.notes.add(textAmount, v)
		}
	} else if v.Kind() != wire.Number {
		r.faults.Add(v.Pointer(), fault.CodeWrongType, "must be a whole number")
		return 0, false
	}
	value, exact, fits := wire.ParseDecimal(text, 0)
	if !exact || !fits || value < 0 || value > maxCount {
		r.faults.Add(v.Pointer(), fault.CodeOutOfRange, "must be a whole number from 0 to %d", maxCount)
		return 0, false
	}
	return int32(value), true
}

// date reads a date. It returns NoDay if no date is given or the date is invalid.
func (r *scalarReader) date(v wire.Value) civil.Day {
	if r.saysNothing(v) {
		return civil.NoDay
	}
	if v.Kind() != wire.String && !(v.Kind() == wire.Number && r.native) {
		r.faults.Add(v.Pointer(), fault.CodeWrongType, "must be a date such as 2026-11-15, but is %s", v.Kind())
		return civil.NoDay
	}
	text := v.Text()
	if v.Kind() == wire.Number && len(text) == 7 {
		text = "0" + text // a number has no leading zero
	}
	d, form := parseDate(text)
	switch {
	case form == zeroDate && r.native:
	case form == isoDate, r.native && form != noDate:
	case form == joinedDate:
		r.notes.add(looseDate, v)
	default: // 02-11-2026 is ambiguous: some countries write the month first
		r.faults.Add(v.Pointer(), fault.CodeInvalidField, "must be a date such as 2026-11-15")
		return civil.NoDay
	}
	return d
}

// isFuture reports whether a date is in the future. One day of tolerance is
// allowed, because the sender's clock may be ahead.
func (r *scalarReader) isFuture(d civil.Day) bool { return d.Known() && d > r.asOf+1 }

// pastDate reads a date. A date in the future is a fault and counts as not given.
func (r *scalarReader) pastDate(v wire.Value) civil.Day {
	d := r.date(v)
	if r.isFuture(d) {
		r.faults.Add(v.Pointer(), fault.CodeOutOfRange, "is in the future")
		return civil.NoDay
	}
	return d
}

// closed reads the day an account was closed. A future day is ignored with a
// notice.
func (r *scalarReader) closed(v wire.Value) civil.Day {
	d := r.date(v)
	if r.isFuture(d) {
		r.notes.add(laterIgnored, v)
		return civil.NoDay
	}
	return d
}

// noteDate reads an optional date of an adverse note. A date that is invalid or
// in the future is ignored with a notice.
func (r *scalarReader) noteDate(v wire.Value) civil.Day {
	if r.saysNothing(v) {
		return civil.NoDay
	}
	text := v.Text()
	if v.Kind() == wire.Number && len(text) == 7 {
		text = "0" + text // a number has no leading zero
	}
	d, form := parseDate(text)
	switch {
	case form == zeroDate && r.native:
		return civil.NoDay
	case form == joinedDate && !r.native:
		r.notes.add(looseDate, v)
	case form == noDate, form != isoDate && !r.native:
		r.notes.add(unreadDate, v)
		return civil.NoDay
	}
	if d > r.asOf+1 {
		r.notes.add(laterIgnored, v)
		return civil.NoDay
	}
	return d
}

// code returns the trimmed text of a code or a name, or "" if there is none.
func (r *scalarReader) code(v wire.Value) string {
	if r.saysNothing(v) {
		return ""
	}
	switch v.Kind() {
	case wire.String, wire.Number:
		return strings.TrimSpace(v.Text())
	default:
		r.faults.Add(v.Pointer(), fault.CodeWrongType, "must be a text, but is %s", v.Kind())
		return ""
	}
}
