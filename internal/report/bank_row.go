package report

import (
	"strings"

	"verdict/internal/fault"
	"verdict/internal/wire"
)

// bankReader reads the rows of one list. Faults are told row by row; what is
// merely sloppy is counted and told once for the whole list.
type bankReader struct {
	asOf   Day
	faults *fault.List
	rows   []bankRow

	later, directionless, modeless, asText, zoneless int
}

// bankFields are a row's members under their proper names.
type bankFields struct {
	date, kind, mode, amount, balance, narration wire.Value
}

// members finds a row's members by name and alias. The proper name counts
// when both are there. Of its two dates the timestamp comes first, because
// balances follow the order of booking and not of value dates.
func members(v wire.Value) (f bankFields) {
	var stamp, valued, current wire.Value
	for name, member := range v.Members() {
		if !member.Given() {
			continue
		}
		switch name {
		case "date":
			f.date = member
		case "transactionTimestamp":
			stamp = member
		case "valueDate":
			valued = member
		case "type":
			f.kind = member
		case "mode":
			f.mode = member
		case "amount":
			f.amount = member
		case "balance":
			f.balance = member
		case "currentBalance":
			current = member
		case "narration":
			f.narration = member
		}
	}
	for _, other := range [...]wire.Value{stamp, valued} {
		if !f.date.Given() {
			f.date = other
		}
	}
	if !f.balance.Given() {
		f.balance = current
	}
	return f
}

func (r *bankReader) row(v wire.Value, at int32) {
	if v.Kind() != wire.Object {
		r.faults.Add(v.Pointer(), fault.CodeWrongType, "must be an object, but is %s", v.Kind())
		return
	}
	before := r.faults.Len()
	f := members(v)
	row := bankRow{Transaction: Transaction{At: at, BalancePaise: NoAmount}}
	keep := r.direction(v, f.kind, &row)
	if !keep && r.faults.Len() == before {
		return // an opening or closing line, whose other members are its own
	}
	r.date(v, f.date, &row)
	row.AmountPaise = r.amount(v, f.amount)
	r.balance(f.balance, &row)
	if f.narration.Given() && f.narration.Kind() != wire.String {
		r.faults.Add(f.narration.Pointer(), fault.CodeWrongType, "must be a string, but is %s", f.narration.Kind())
	}
	row.clue = readNarration(f.narration.Text())
	r.channel(f.mode, &row)
	switch {
	case r.faults.Len() > before:
	case row.Day > r.asOf+1:
		r.later++
	default:
		r.rows = append(r.rows, row)
	}
}

// direction reads the type. An opening or closing line moves no money, and of
// OTHERS nobody knows which way it went: they are left out.
func (r *bankReader) direction(v, kind wire.Value, row *bankRow) bool {
	if !r.text(v, kind, "type", "CREDIT or DEBIT") {
		return false
	}
	switch word := kind.Text(); {
	case strings.EqualFold(word, "CREDIT"):
		row.Credit = true
	case strings.EqualFold(word, "DEBIT"), strings.EqualFold(word, "TDS"), strings.EqualFold(word, "INSTALLMENT"):
	case strings.EqualFold(word, "INTEREST"):
		row.Credit, row.interest = true, true
	case strings.EqualFold(word, "OPENING"), strings.EqualFold(word, "CLOSING"), strings.EqualFold(word, "OTHERS"):
		r.directionless++
		return false
	default:
		r.faults.Add(kind.Pointer(), fault.CodeOutOfRange, "must be CREDIT or DEBIT")
		return false
	}
	return true
}

// text reports whether a required member is there and is a string.
func (r *bankReader) text(v, member wire.Value, name, what string) bool {
	switch {
	case !member.Given():
		r.faults.Add(v.Pointer()+"/"+name, fault.CodeRequired, "is required: %s", what)
	case member.Kind() != wire.String:
		r.faults.Add(member.Pointer(), fault.CodeWrongType, "must be a string, but is %s", member.Kind())
	default:
		return true
	}
	return false
}

func (r *bankReader) date(v, date wire.Value, row *bankRow) {
	if !r.text(v, date, "date", "a date such as 2026-10-01, or an RFC 3339 time") {
		return
	}
	stamp, ok := readStamp(date.Text())
	switch {
	case !ok:
		r.faults.Add(date.Pointer(), fault.CodeOutOfRange, "must be a date such as 2026-10-01, or an RFC 3339 time")
	case stamp.day < oldestStamp:
		r.faults.Add(date.Pointer(), fault.CodeOutOfRange, "must not lie before %s", oldestStamp)
	case stamp.zoneless:
		r.zoneless++
	}
	row.Day, row.second = stamp.day, stamp.second
}

func (r *bankReader) amount(v, amount wire.Value) int64 {
	const must = "must be a number above 0 and at most 10000000000"
	switch amount.Kind() {
	case wire.Number:
	case wire.String:
		if !plainDecimal(amount.Text()) {
			r.faults.Add(amount.Pointer(), fault.CodeWrongType, must)
			return 0
		}
		r.asText++
	case wire.Missing:
		r.faults.Add(v.Pointer()+"/amount", fault.CodeRequired, "is required: "+must)
		return 0
	default:
		r.faults.Add(amount.Pointer(), fault.CodeWrongType, must+", but is %s", amount.Kind())
		return 0
	}
	paise, _, ok := wire.ParseDecimal(amount.Text(), 2)
	if !ok || paise <= 0 || paise > maxBankPaise {
		r.faults.Add(amount.Pointer(), fault.CodeOutOfRange, must)
	}
	return paise
}

// balance reads what was on the account afterwards. The account aggregators'
// own format writes it as text, so text is as good as a number here.
func (r *bankReader) balance(v wire.Value, row *bankRow) {
	const must = "must be a number between -10000000000 and 10000000000"
	switch {
	case !v.Given() || v.Kind() == wire.String && v.Text() == "":
		return
	case v.Kind() != wire.Number && !(v.Kind() == wire.String && plainDecimal(v.Text())):
		r.faults.Add(v.Pointer(), fault.CodeWrongType, must)
		return
	}
	paise, _, ok := wire.ParseDecimal(v.Text(), 2)
	if !ok || paise < -maxBankPaise || paise > maxBankPaise {
		r.faults.Add(v.Pointer(), fault.CodeOutOfRange, must)
		return
	}
	row.BalancePaise = paise
}

// channel settles the way the money took. The mode counts where it says
// something; OTHERS and a bare transfer leave it to the narration.
func (r *bankReader) channel(mode wire.Value, row *bankRow) {
	if mode.Given() && mode.Kind() != wire.String {
		r.faults.Add(mode.Pointer(), fault.CodeWrongType, "must be a string, but is %s", mode.Kind())
		return
	}
	switch word := mode.Text(); {
	case word == "", strings.EqualFold(word, "OTHERS"), strings.EqualFold(word, "OTHER"):
		row.Channel = row.clue.channel()
	case strings.EqualFold(word, "UPI"):
		row.Channel = UPI
	case strings.EqualFold(word, "FT"):
		row.Channel = Transfer
		if row.clue.has(wordUPI) {
			row.Channel = UPI
		}
	case strings.EqualFold(word, "CASH"), strings.EqualFold(word, "ATM"):
		row.Channel = Cash
	case strings.EqualFold(word, "CARD"):
		row.Channel = OtherChannel
	default:
		r.modeless++
		row.Channel = row.clue.channel()
	}
}

// warn tells each kind of sloppiness once, with how often it was met.
func (r *bankReader) warn(pointer string, warnings *fault.List) {
	for _, w := range [...]struct {
		n          int
		code, text string
	}{
		{r.later, CodeLaterEvent, "%d entries: later event ignored, dated after the day of the decision"},
		{r.directionless, CodeNoDirection, "%d entries of type OPENING, CLOSING or OTHERS were left out: they do not say which way money went"},
		{r.modeless, CodeUnknownMode, "%d entries have an unknown mode, which was read as OTHERS"},
		{r.asText, CodeTextAmount, "%d amounts were sent as text and were read as numbers"},
		{r.zoneless, CodeNoTimeZone, "%d times without a zone were read as India's"},
	} {
		if w.n > 0 {
			warnings.Add(pointer, w.code, w.text, w.n)
		}
	}
}
