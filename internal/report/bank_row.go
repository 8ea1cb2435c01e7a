package report

import (
	"strings"

	"verdict/internal/civil"
	"verdict/internal/fault"
	"verdict/internal/wire"
)

// bankReader reads the rows of one list. It reports the faults of each invalid row. Irregularities that can still be
// read are counted and reported once for the whole list.
type bankReader struct {
	asOf   civil.Day
	faults *fault.List
	rows   []bankRow
	last   dated
	fields bankFields // members of the current row

	unknownMembers unknownMembers

	later, directionless, modeless, asText, zoneless int
}

// bankField is a member of a row, with its kind and text, because both are needed
// repeatedly.
type bankField struct {
	wire.Value
	kind wire.Kind
	text string
}

func (f *bankField) given() bool { return f.kind > wire.Null }

// bankFields holds a row's members under their canonical names.
type bankFields struct {
	date, way, mode, amount, balance, narration bankField
}

// read finds a row's members by name and by alias. If both are present, the name
// counts and not the alias. If date is missing, transactionTimestamp takes
// precedence over valueDate, because balances follow the order of booking.
func (f *bankFields) read(v wire.Value, others *unknownMembers) {
	*f = bankFields{}
	var stamp, valued, current bankField
	for name, value := range v.Members() {
		member := bankField{Value: value}
		if member.kind, member.text = value.Scalar(); !member.given() {
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
			f.way = member
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
		default:
			others.add(name, value, "")
		}
	}
	if !f.date.given() {
		if f.date = stamp; !f.date.given() {
			f.date = valued
		}
	}
	if !f.balance.given() {
		f.balance = current
	}
}

// row appends the row v to the rows, and removes it again if it is invalid or
// must be left out.
func (r *bankReader) row(v wire.Value, at int32) {
	if v.Kind() != wire.Object {
		r.faults.Add(v.Pointer(), fault.CodeWrongType, "must be an object, but is %s", v.Kind())
		return
	}
	r.rows = append(r.rows, bankRow{Transaction: Transaction{At: at, BalancePaise: NoAmount}})
	last := len(r.rows) - 1
	if !r.fill(v, &r.rows[last]) {
		r.rows = r.rows[:last]
	}
}

func (r *bankReader) fill(v wire.Value, row *bankRow) (keep bool) {
	before := r.faults.Len()
	f := &r.fields
	f.read(v, &r.unknownMembers)
	if !r.direction(v, &f.way, row) && r.faults.Len() == before {
		return false // a row of type OPENING, CLOSING or OTHERS; its other members are not checked
	}
	r.date(v, &f.date, row)
	row.AmountPaise = r.amount(v, &f.amount)
	r.balance(&f.balance, row)
	if f.narration.given() && f.narration.kind != wire.String {
		r.faults.Add(f.narration.Pointer(), fault.CodeWrongType, "must be a string, but is %s", f.narration.kind)
	}
	row.clue = readNarration(f.narration.text)
	r.channel(&f.mode, row)
	if r.faults.Len() > before {
		return false
	}
	if row.Day > r.asOf+1 {
		r.later++
		return false
	}
	return true
}

// direction reads the type and reports whether the row is used. Opening and closing lines move no money, and the type
// OTHERS does not say in which direction money moved, so these rows are left out. An unknown type is a fault.
func (r *bankReader) direction(v wire.Value, way *bankField, row *bankRow) bool {
	if !r.text(v, way, "type", "CREDIT or DEBIT") {
		return false
	}
	switch word := way.text; {
	case word == "CREDIT" || strings.EqualFold(word, "CREDIT"):
		row.Credit = true
	case word == "DEBIT" || strings.EqualFold(word, "DEBIT"),
		strings.EqualFold(word, "TDS"), strings.EqualFold(word, "INSTALLMENT"):
	case strings.EqualFold(word, "INTEREST"):
		row.Credit, row.interest = true, true
	case strings.EqualFold(word, "OPENING"), strings.EqualFold(word, "CLOSING"), strings.EqualFold(word, "OTHERS"):
		r.directionless++
		return false
	default:
		r.faults.Add(way.Pointer(), fault.CodeOutOfRange, "must be CREDIT or DEBIT")
		return false
	}
	return true
}

// text reports whether a required member is present and is a string; otherwise
// it adds a fault.
func (r *bankReader) text(v wire.Value, member *bankField, name, what string) bool {
	switch {
	case member.kind == wire.String:
		return true
	case !member.given():
		r.faults.Add(v.Pointer()+"/"+name, fault.CodeRequired, "is required: %s", what)
	default:
		r.faults.Add(member.Pointer(), fault.CodeWrongType, "must be a string, but is %s", member.kind)
	}
	return false
}

func (r *bankReader) date(v wire.Value, date *bankField, row *bankRow) {
	if !r.text(v, date, "date", "a date such as 2026-10-01, or an RFC 3339 time") {
		return
	}
	stamp, ok := readStamp(date.text, &r.last)
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

func (r *bankReader) amount(v wire.Value, amount *bankField) int64 {
	const must = "must be a number above 0 and at most 10000000000"
	switch amount.kind {
	case wire.Number:
	case wire.String:
		if !plainDecimal(amount.text) {
			r.faults.Add(amount.Pointer(), fault.CodeWrongType, must)
			return 0
		}
		r.asText++
	case wire.Missing:
		r.faults.Add(v.Pointer()+"/amount", fault.CodeRequired, "is required: "+must)
		return 0
	default:
		r.faults.Add(amount.Pointer(), fault.CodeWrongType, must+", but is %s", amount.kind)
		return 0
	}
	paise, _, ok := wire.ParseDecimal(amount.text, 2)
	if !ok || paise <= 0 || paise > maxBankPaise {
		r.faults.Add(amount.Pointer(), fault.CodeOutOfRange, must)
	}
	return paise
}

// balance reads the balance after the transaction. Text is accepted without a
// warning, because the account aggregators' own format writes the balance as
// text.
func (r *bankReader) balance(v *bankField, row *bankRow) {
	const must = "must be a number between -10000000000 and 10000000000"
	switch {
	case v.kind == wire.Number: // the usual case
	case !v.given() || v.kind == wire.String && v.text == "":
		return
	case v.kind != wire.String || !plainDecimal(v.text):
		r.faults.Add(v.Pointer(), fault.CodeWrongType, must)
		return
	}
	paise, _, ok := wire.ParseDecimal(v.text, 2)
	if !ok || paise < -maxBankPaise || paise > maxBankPaise {
		r.faults.Add(v.Pointer(), fault.CodeOutOfRange, must)
		return
	}
	row.BalancePaise = paise
}

// channel sets the channel of the row from its mode. If the mode is OTHERS,
// missing or unknown, the narration determines the channel. A transfer becomes
// UPI if the narration says so.
func (r *bankReader) channel(mode *bankField, row *bankRow) {
	if mode.given() && mode.kind != wire.String {
		r.faults.Add(mode.Pointer(), fault.CodeWrongType, "must be a string, but is %s", mode.kind)
		return
	}
	word := mode.text
	if row.by(word) {
		return
	}
	for _, known := range modes {
		if strings.EqualFold(word, known) {
			row.by(known)
			return
		}
	}
	r.modeless++
	row.Channel = row.clue.channel()
}

// modes lists the modes that channel recognises in any letter case.
var modes = [...]string{"OTHERS", "OTHER", "UPI", "FT", "CASH", "ATM", "CARD"}

// by takes a mode in capital letters, sets the channel of the row accordingly, and reports whether the mode is
// known.
func (r *bankRow) by(mode string) (known bool) {
	switch mode {
	case "", "OTHERS", "OTHER":
		r.Channel = r.clue.channel()
	case "UPI":
		r.Channel = UPI
	case "FT":
		r.Channel = Transfer
		if r.clue.has(wordUPI) {
			r.Channel = UPI
		}
	case "CASH", "ATM":
		r.Channel = Cash
	case "CARD":
		r.Channel = OtherChannel
	default:
		return false
	}
	return true
}

// warn adds one warning for each kind of irregularity, with the number of rows
// that have it.
func (r *bankReader) warn(pointer string, warnings *fault.List) {
	for _, w := range [...]struct {
		n          int
		code, text string
	}{
		{r.later, fault.CodeLaterEvent, "%d entries dated after the day of the decision were ignored"},
		{r.directionless, fault.CodeNoDirection, "%d entries of type OPENING, CLOSING or OTHERS were left out: " +
			"they do not say which way money went"},
		{r.modeless, fault.CodeUnknownMode, "%d entries have an unknown mode, which was read as OTHERS"},
		{r.asText, fault.CodeAmountAsText, "%d amounts were sent as text and were read as numbers"},
		{r.zoneless, fault.CodeNoTimeZone, "%d entries have a time without a time zone, which was read as Indian time"},
	} {
		if w.n > 0 {
			warnings.Add(pointer, w.code, w.text, w.n)
		}
	}
}
