package report

import (
	"strings"

	"verdict/internal/exact"
	"verdict/internal/wire"
)

// rhythms maps squashed words, and the letters of Experian's Terms_Frequency,
// to the number of instalments in a year. D is left out because it means daily
// to some lenders and deferred to others.
var rhythms = map[string]int64{
	"daily": 365, "weekly": 52, "biweekly": 26, "fortnightly": 26, "semimonthly": 24, "fourweekly": 13,
	"everyfourweeks": 13, "monthly": 12, "quarterly": 4, "halfyearly": 2, "semiannually": 2, "semiannual": 2,
	"yearly": 1, "annually": 1, "annual": 1,
	"w": 52, "b": 26, "f": 26, "e": 24, "m": 12, "q": 4, "h": 2, "s": 2, "y": 1, "a": 1,
}

// rhythmCodes maps the codes of CIBIL's paymentFrequency to instalments in a
// year.
var rhythmCodes = map[int]int64{1: 52, 2: 26, 3: 12, 4: 4}

// instalments sets the monthly instalment of an account, converted if another
// rhythm is stated.
func (r *bureauReader) instalments(a *Account, m *slotted) {
	v, rhythm := m[slotInstalment], r.rhythm(m)
	a.InstalmentPaise, a.ConvertedPaise = r.scalar.instalment(v)
	if a.InstalmentPaise == NoAmount || r.scalar.saysNothing(rhythm) || a.Product == CreditCard ||
		r.scalar.native && strings.Contains(v.Text(), "/") {
		return
	}
	perYear, known := yearly(rhythm.Text())
	switch {
	case !known:
		r.notes.add(unknownRhythm, rhythm)
	case perYear != monthsOfYear:
		if !r.small { // most microfinance is repaid weekly
			r.notes.add(convertedRhythm, rhythm)
		}
		a.InstalmentPaise = byMonth(a.InstalmentPaise, perYear)
	}
}

const monthsOfYear = 12

// rhythm returns the member that says how often an instalment is due. Equifax writes the rhythm in the member for
// the number of instalments. So if no rhythm is given, rhythm returns the member for the number of instalments,
// provided that it is not a number.
func (r *bureauReader) rhythm(m *slotted) wire.Value {
	if tenure := m[slotTenure]; r.scalar.saysNothing(m[slotRhythm]) && !isDigits(strings.TrimSpace(tenure.Text())) {
		return tenure
	}
	return m[slotRhythm]
}

// instalment reads an instalment. If the instalment is monthly, the result "monthly" has the amount. If it has
// another rhythm, such as CRIF's "900/Weekly", the result "converted" has the equivalent monthly amount. If the
// rhythm is unknown, "converted" has the stated amount, and a notice is added. At least one of the two results is
// NoAmount.
func (r *scalarReader) instalment(v wire.Value) (monthly, converted int64) {
	text, every, found := strings.Cut(v.Text(), "/")
	if r.isFiller(v) {
		return NoAmount, NoAmount
	}
	if !r.native || !found || strings.EqualFold(strings.TrimSpace(every), "monthly") {
		return r.amount(v, false), NoAmount
	}
	literal, ok := cleanNumber(text, true)
	paise, _, fits := wire.ParseDecimal(literal, 2)
	if !ok || !fits || paise < 0 || paise > maxAmountPaise {
		r.notes.add(unknownRhythm, v)
		return NoAmount, NoAmount
	}
	perYear, known := yearly(every)
	if !known {
		r.notes.add(unknownRhythm, v)
		return NoAmount, paise
	}
	r.notes.add(notMonthly, v)
	return NoAmount, byMonth(paise, perYear)
}

// isFiller reports whether an instalment is -1, which bureaus write if no
// instalment was given.
func (r *scalarReader) isFiller(v wire.Value) bool {
	amount, _, _ := strings.Cut(v.Text(), "/")
	return r.native && strings.TrimSpace(amount) == "-1"
}

// cardInstalment adds a notice if a card states an instalment larger than the
// instalment that is counted for a card, which is 5 percent of its balance.
func (r *bureauReader) cardInstalment(a *Account, v wire.Value) {
	stated := a.InstalmentPaise
	if stated == NoAmount {
		stated = a.ConvertedPaise
	}
	if a.Live && a.Product == CreditCard && stated > exact.DivHalfAway(max(0, a.BalancePaise)*5, 100) {
		r.notes.add(cardPayment, v)
	}
}

// yearly returns the number of instalments in a year. known is false for an
// unknown rhythm.
func yearly(rhythm string) (n int64, known bool) {
	if code, ok := codeOf(strings.TrimSpace(rhythm)); ok {
		n, known = rhythmCodes[code]
		return n, known
	}
	var buf [maxName]byte
	n, known = rhythms[string(squash(buf[:0], rhythm))]
	return n, known
}

// byMonth converts an instalment to a monthly amount, rounded half up to the
// paisa.
func byMonth(paise, perYear int64) int64 { return exact.DivHalfAway(paise*perYear, monthsOfYear) }
