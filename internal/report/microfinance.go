package report

import (
	"maps"

	"verdict/internal/wire"
)

// microfinanceMembers are the names that the members of a microfinance account
// have: those of an account, and how often an instalment is due.
var microfinanceMembers = func() *memberNames {
	m := &memberNames{
		exact:    maps.Clone(accountMembers.exact),
		squashed: maps.Clone(accountMembers.squashed),
		spelling: maps.Clone(accountMembers.spelling),
	}
	m.add("repaymentTenure", slotRhythm)
	m.add("repaymentFrequency", slotRhythm)
	return m
}()

// microfinance reads the list of microfinance accounts that a bureau keeps
// beside its accounts. A report that lists its accounts in the common shape has
// them there.
func (r *bureauReader) microfinance(v wire.Value, h *History) {
	if r.layout == nil || v.Get("accounts").Given() {
		return
	}
	var list wire.Value
	for _, path := range r.layout.microfinance {
		if list = at(v, path); list.Given() {
			break
		}
	}
	if !isList(list) || list.Len() == 0 {
		return
	}
	r.native = true
	r.elements(list, MaxAccounts, func(i int, v wire.Value) {
		r.collect(v, microfinanceMembers)
		a := Account{At: int32(i)}
		r.account(&r.slots, &a)
		a.Microfinance = true
		a.InstalmentPaise = r.monthly(a.InstalmentPaise, r.slots[slotRhythm])
		r.gaps.account(&a, &r.slots, v, r)
		h.Microfinance = append(h.Microfinance, a)
	})
}

// rhythms are how many instalments fall due in a year, by the words for it,
// squashed.
var rhythms = map[string]int64{
	"weekly": 52, "biweekly": 26, "fortnightly": 26, "fourweekly": 13, "everyfourweeks": 13, "monthly": 12,
	"quarterly": 4, "halfyearly": 2, "semiannually": 2, "yearly": 1, "annually": 1, "annual": 1,
}

// monthly converts an instalment to a monthly amount, because most microfinance
// is paid back by the week. An instalment without a rhythm is a monthly one.
func (r *bureauReader) monthly(paise int64, rhythm wire.Value) int64 {
	if paise == NoAmount || r.saysNothing(rhythm) {
		return paise
	}
	converted, ok := byMonth(paise, rhythm.Text())
	if !ok {
		r.notes.add(unknownRhythm, rhythm)
		return NoAmount
	}
	return converted
}

// byMonth converts an instalment to a monthly amount, half a paisa up. ok is
// false when the rhythm is not known.
func byMonth(paise int64, rhythm string) (monthly int64, ok bool) {
	var buf [maxName]byte
	perYear, ok := rhythms[string(squash(buf[:0], rhythm))]
	return (paise*perYear + 6) / 12, ok
}
