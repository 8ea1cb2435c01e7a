package chart

import (
	"math"
	"strconv"
	"strings"
)

// Unit says how the numbers of an axis or a bar are formatted.
type Unit int

// The units. Large counts and amounts are grouped as in India: 12,34,567.
const (
	Count   Unit = iota // a whole number: 12,34,567
	Percent             // a share of one: 0.614 is 61.4 %
	Rupees              // an amount: ₹12,34,567, on axes ₹12.35 L or ₹4.5 Cr
	Score               // points, not grouped: 712
	Ratio               // a decimal without a unit: 0.742
	Millis              // a duration, given in milliseconds: 20 ms, or 1.5 s for a second or more
)

// hugest is the largest absolute value that is drawn; larger values are clamped.
// So the sum or difference of two numbers is always finite.
const hugest = 1e15

// finite returns v, bounded by hugest, and whether v is finite.
func finite(v float64) (float64, bool) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, false
	}
	return math.Max(-hugest, math.Min(hugest, v)), true
}

// Format returns v in full, as in tables and tooltips, or a dash if v is not
// finite.
func (u Unit) Format(v float64) string {
	v, ok := finite(v)
	if !ok {
		return "–"
	}
	switch u {
	case Percent:
		return decimals(v*100, 1) + " %"
	case Rupees:
		return rupees(grouped(v, 0))
	case Score:
		return trimmed(v, 1)
	case Ratio:
		return decimals(v, 3)
	case Millis:
		return millis(v)
	case Count:
	}
	return groupedTrimmed(v, 2)
}

// Short returns v as on an axis: amounts and counts from a lakh on are in lakh (L)
// or crore (Cr).
func (u Unit) Short(v float64) string {
	v, ok := finite(v)
	if !ok {
		return "–"
	}
	switch u {
	case Percent:
		return trimmed(v*100, 2) + " %"
	case Rupees:
		return rupees(lakhs(v, trimmed))
	case Score:
		return trimmed(v, 2)
	case Ratio:
		return trimmed(v, 4)
	case Millis:
		return millis(v)
	case Count:
	}
	return lakhs(v, trimmed)
}

// Headline returns v like Short, but always writes two decimals of an amount or a
// count in lakh or crore, so that figures above each other have the same length.
func (u Unit) Headline(v float64) string {
	v, ok := finite(v)
	switch {
	case !ok:
		return "–"
	case u == Rupees:
		return rupees(lakhs(v, decimals))
	case u == Count:
		return lakhs(v, decimals)
	}
	return u.Short(v)
}

// lakhs shortens numbers of a lakh or more. Smaller numbers are written in full.
func lakhs(v float64, write func(float64, int) string) string {
	switch a := math.Abs(v); {
	case a >= 1e7:
		return group(write(v/1e7, 2)) + " Cr"
	case a >= 1e5:
		return write(v/1e5, 2) + " L"
	}
	return groupedTrimmed(v, 2)
}

// millis formats a duration in milliseconds.
func millis(v float64) string {
	if math.Abs(v) >= 1000 {
		return trimmed(v/1000, 2) + " s"
	}
	return trimmed(v, 1) + " ms"
}

// rupees adds the currency sign, after the minus sign if there is one.
func rupees(digits string) string {
	if rest, negative := strings.CutPrefix(digits, "−"); negative {
		return "−₹" + rest
	}
	return "₹" + digits
}

// decimals formats v with exactly n decimals and a typographic minus sign.
func decimals(v float64, n int) string {
	s := strconv.FormatFloat(v, 'f', n, 64)
	rest, negative := strings.CutPrefix(s, "-")
	if !negative {
		return s
	}
	if strings.Trim(rest, "0.") == "" {
		return rest
	}
	return "−" + rest
}

// trimmed formats v with at most n decimals.
func trimmed(v float64, n int) string {
	s := decimals(v, n)
	if !strings.Contains(s, ".") {
		return s
	}
	return strings.TrimRight(strings.TrimRight(s, "0"), ".")
}

func grouped(v float64, n int) string        { return group(decimals(v, n)) }
func groupedTrimmed(v float64, n int) string { return group(trimmed(v, n)) }

// group adds commas in the Indian style: before the last three digits, and then
// before every two digits.
func group(s string) string {
	rest, negative := strings.CutPrefix(s, "−")
	whole, fraction, has := strings.Cut(rest, ".")
	var b strings.Builder
	if negative {
		b.WriteString("−")
	}
	for i, r := range whole {
		left := len(whole) - i
		if i > 0 && left >= 3 && (left-3)%2 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(r)
	}
	if has {
		b.WriteString("." + fraction)
	}
	return b.String()
}
