package report

import (
	"slices"
	"strings"

	"verdict/internal/civil"
	"verdict/internal/fault"
	"verdict/internal/wire"
)

// months collects the payment history of one account.
type months struct {
	r    *bureauReader
	list []Payment
	note standing
	// suit is the suit status of the newest month that has one.
	suit      standing
	suitMonth civil.Month
}

// historyForms are the formats of a payment history. Formats with exact days
// come before those with buckets, because the first value of a month counts.
var historyForms = [...]struct {
	slot slot
	read func(*months, *Account, *slotted)
}{
	{slotHistory, (*months).common},
	{slotMonths, (*months).experianMonths},
	{slotGrid, (*months).equifaxGrid},
	{slotCombined, (*months).crifCombined},
	{slotHistories, (*months).crifHistories},
	{slotProfile, (*months).experianProfile},
}

// history reads an account's payment history in all formats that are present. The list
// is sorted newest first and has each month at most once. noted has the adverse notes
// that the months state about the account itself.
func (r *bureauReader) history(a *Account, m *slotted) (list []Payment, noted standing) {
	from := len(r.payments)
	to := &r.months
	*to = months{r: r, list: r.payments[from:], suitMonth: civil.NoMonth}
	for _, form := range historyForms {
		if m[form.slot].Given() {
			before := len(to.list)
			form.read(to, a, m)
			to.settle(before, m[form.slot])
			if to.tooMany(len(to.list), m[form.slot]) {
				to.list = to.list[:MaxMonths]
			}
		}
	}
	if len(to.list) == 0 {
		return nil, to.note.and(to.suit)
	}
	r.payments = append(r.payments[:from], to.list...)
	return r.payments[from:len(r.payments):len(r.payments)], to.note.and(to.suit)
}

// add appends one month, unless the cell states nothing or the month is in the
// future.
func (to *months) add(at civil.Month, c cell, v wire.Value) {
	to.note = to.note.and(c.note)
	switch {
	case !c.said:
	case at > to.r.newest:
		to.r.notes.add(laterIgnored, v)
	default:
		to.list = append(to.list, Payment{Month: at, DaysPastDue: c.days})
	}
}

// settle sorts the months that one format has added and merges them with the
// months of earlier formats. If the format itself has a month twice, the worse
// value counts. If an earlier format has the month, the value of the earlier
// format counts.
func (to *months) settle(before int, v wire.Value) {
	newest := func(a, b Payment) int { return int(b.Month - a.Month) }
	added := to.list[before:]
	if !slices.IsSortedFunc(added, newest) {
		slices.SortStableFunc(added, newest)
	}
	kept := added[:0]
	for _, p := range added {
		if n := len(kept); n > 0 && kept[n-1].Month == p.Month {
			if kept[n-1].DaysPastDue != p.DaysPastDue {
				to.r.notes.add(sentTwice, v)
			}
			kept[n-1].DaysPastDue = max(kept[n-1].DaysPastDue, p.DaysPastDue)
			continue
		}
		kept = append(kept, p)
	}
	to.list = to.list[:before+len(kept)]
	if before == 0 {
		return
	}
	all := slices.Clone(to.list)
	slices.SortStableFunc(all, newest)
	all = slices.CompactFunc(all, func(a, b Payment) bool { return a.Month == b.Month })
	to.list = append(to.list[:0], all...)
}

// tooMany reports whether a history has more than MaxMonths months, and adds a
// fault if so.
func (to *months) tooMany(n int, v wire.Value) bool {
	if n > MaxMonths {
		to.r.faults.Add(v.Pointer(), fault.CodeTooMany, "has more than %d months", MaxMonths)
	}
	return n > MaxMonths
}

// common reads a list such as [{"month":"2026-10","dpd":0}], or CIBIL's cells if
// the member is a text.
func (to *months) common(a *Account, m *slotted) {
	v := m[slotHistory]
	if v.Kind() == wire.String && to.r.layout == &cibil {
		to.cibilCells(a, m)
		return
	}
	if v.Kind() != wire.Array {
		to.r.faults.Add(v.Pointer(), fault.CodeWrongType, "must be an array of months, but is %s", v.Kind())
		return
	}
	if to.tooMany(v.Len(), v) {
		return
	}
	for _, entry := range v.Elements() {
		if entry.Kind() != wire.Object {
			to.r.faults.Add(entry.Pointer(), fault.CodeWrongType, "must be an object, but is %s", entry.Kind())
			continue
		}
		month, dpd := entry.Get("month"), entry.Get("dpd")
		at, ok := to.month(month, entry)
		days, said := to.days(dpd)
		switch {
		case ok && said:
			to.add(at, late(days), entry)
		case ok && to.r.scalar.saysNothing(dpd):
			to.r.notes.add(noDays, entry)
		}
		if entry.Len() != 2 || !month.Given() || !dpd.Given() {
			to.unknownMembers(entry)
		}
	}
}

// unknownMembers records the unknown members of a month. Otherwise a misspelt dpd would make
// a late month look like a month that was not reported.
func (to *months) unknownMembers(entry wire.Value) {
	for name, v := range entry.Members() {
		if name != "month" && name != "dpd" {
			to.r.unknownMembers.add(name, v, "")
		}
	}
}

// month reads a month of the common shape.
func (to *months) month(v, entry wire.Value) (civil.Month, bool) {
	text := v.Text()
	if v.Kind() == wire.String && len(text) == 7 && text[4] == '-' {
		if at := digitMonth(text[:4], text[5:]); at != civil.NoMonth {
			return at, true // the usual case
		}
	}
	if to.r.scalar.saysNothing(v) {
		to.r.faults.Add(entry.Pointer()+"/month", fault.CodeRequired, "is required: a month such as 2026-10")
		return civil.NoMonth, false
	}
	if d, form := parseDate(text); v.Kind() == wire.String && form == isoDate {
		to.r.notes.add(looseDate, v)
		return d.Month(), true
	}
	to.r.faults.Add(v.Pointer(), fault.CodeInvalidField, "must be a month such as 2026-10")
	return civil.NoMonth, false
}

// days reads a number of days past due. said is false if the number is not given
// or is invalid.
func (to *months) days(v wire.Value) (days int16, said bool) {
	if n, short := shortNumber(v); short && n <= maxDays && v.Kind() == wire.Number {
		return int16(n), true // the usual case
	}
	n, ok := to.r.scalar.count(v)
	if ok && n > maxDays {
		to.r.faults.Add(v.Pointer(), fault.CodeOutOfRange, "must be at most %d days", maxDays)
		return 0, false
	}
	return int16(n), ok
}

// start returns the month of the first cell of a history that states no months. This is the month of d. If d is
// unknown, it is the month of the report or, if the report has no date, the month of the request.
func (to *months) start(d civil.Day, v wire.Value) civil.Month {
	if d.Known() {
		return d.Month()
	}
	to.r.notes.add(undatedHistory, v)
	if to.r.reported.Known() {
		return to.r.reported.Month()
	}
	return to.r.asOf.Month()
}

// code adds the month of a cell. If the payment code is not known, it adds a
// notice instead.
func (to *months) code(at civil.Month, c cell, known bool, v wire.Value) {
	if !known {
		to.r.notes.add(unknownPayment, v)
		return
	}
	to.add(at, c, v)
}

// text returns the text of a string or number, and adds a fault for other
// kinds.
func (to *months) text(v wire.Value) string {
	if v.Kind() == wire.Number {
		return v.Text()
	}
	if v.Kind() != wire.String {
		to.r.faults.Add(v.Pointer(), fault.CodeWrongType, "must be a text, but is %s", v.Kind())
		return ""
	}
	return strings.TrimSpace(v.Text())
}
