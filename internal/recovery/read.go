package recovery

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"verdict/internal/civil"
	"verdict/internal/fault"
	"verdict/internal/wire"
)

// Bounds of the values in a case.
const (
	maxText    = 64
	maxName    = 256
	maxHistory = 1_000
	maxDPD     = 36_500
	maxMissed  = 1_200
	maxPaise   = 1e14
	maxRateBP  = 100_00
)

// Read reads a body of POST /v1/agents/collections. now is the time of the
// request, used if the body has no as_of. An invalid body gives a *fault.Error
// that lists every invalid field and repeats no value. Unknown members give
// warnings, which suggest the known name if there is a similar one.
func Read(v wire.Value, now time.Time) (Case, error) {
	return read(v, now, manner{units: true, hints: true, products: true})
}

// ReadStrict reads a body as Read does, but refuses unknown members.
func ReadStrict(v wire.Value, now time.Time) (Case, error) {
	return read(v, now, manner{units: true, hints: true, products: true, strict: true})
}

// ReadThird reads a body as the third edition of the agent did, to repeat runs of
// that edition. It does not recognize the other names of microfinance and does
// not warn of unknown products.
func ReadThird(v wire.Value, now time.Time) (Case, error) {
	return read(v, now, manner{units: true, hints: true})
}

// ReadSecond reads a body as the second edition did, to repeat runs of that
// edition. Unlike ReadThird, it suggests no names for unknown members.
func ReadSecond(v wire.Value, now time.Time) (Case, error) { return read(v, now, manner{units: true}) }

// ReadFirst reads a body as the first edition did, to repeat runs of that
// edition. Unlike ReadSecond, it does not check amounts and rates for plausible
// units.
func ReadFirst(v wire.Value, now time.Time) (Case, error) { return read(v, now, manner{}) }

// manner selects how a body is read.
type manner struct {
	units    bool // check amounts and rates for plausible units
	hints    bool // suggest the known name for an unknown member
	products bool // recognize the names of products
	strict   bool // refuse unknown members
}

func read(v wire.Value, now time.Time, how manner) (Case, error) {
	// Truncate the time of the request to whole seconds. An as_of in the body is used as it was sent.
	r := &reader{
		c:        Case{AsOf: now.Truncate(time.Second), Borrower: Borrower{Zone: civil.India}},
		hints:    how.hints,
		products: how.products,
	}
	if f, ok := r.object(v, caseMembers...); ok {
		if t, given := r.moment(&f, "as_of"); given {
			r.c.AsOf = t
		}
		// Read the borrower first, because dates are days in the borrower's zone.
		if b := f.Get("borrower"); b.Given() {
			r.borrower(b)
		}
		if f.Require("loan", "the loan in arrears") {
			r.loan(v.Get("loan"))
			if how.units && r.faults.Len() == 0 {
				r.units(v.Get("loan").Pointer())
			}
		}
		for i, entry := range f.Array("history", maxHistory).Elements() {
			r.contact(i, entry)
		}
	}
	if how.strict {
		r.warnings.Move(fault.CodeUnknownField, &r.faults)
	} else if r.faults.Len() > 0 {
		r.warnings.CopyHinted(&r.faults)
	}
	if err := r.faults.Err(); err != nil {
		return Case{}, err
	}
	slices.SortStableFunc(r.c.History, func(a, b Contact) int { return a.At.Compare(b.At) })
	r.c.Warnings = r.warnings.Items()
	if more := r.warnings.Len() - len(r.c.Warnings); more > 0 {
		r.c.Warnings = append(r.c.Warnings, fault.Item{
			Code: fault.CodeMoreWarnings, Detail: fmt.Sprintf("%d more warnings are not listed", more),
		})
	}
	return r.c, nil
}

type reader struct {
	c        Case
	faults   fault.List
	warnings fault.List
	hints    bool
	products bool
}

// The members of a case. Changing them requires a new edition of the agent,
// because the warnings of stored runs contain suggestions from these names.
var (
	caseMembers = []string{"loan", "borrower", "history", "as_of"}
	loanMembers = []string{
		"id", "product", "principal_outstanding", "emi", "overdue_amount", "interest_rate", "dpd",
		"missed_emis", "due_date", "mandate_status", "asset_class", "last_payment",
	}
	borrowerMembers = []string{
		"ref", "name", "language", "preferred_channel", "preferred_hours", "do_not_contact_until", "timezone", "flags",
	}
)

// object begins to read an object with the given members. Other members cause
// warnings and not faults, because the systems of lenders send additional
// members.
func (r *reader) object(v wire.Value, names ...string) (f wire.Form, ok bool) {
	f = wire.NewForm(v, &r.faults)
	for name, member := range v.Members() {
		if member.Given() && !slices.Contains(names, name) {
			near, caseOnly := r.meant(name, names)
			r.warnings.AddItem(fault.Unknown(member.Pointer(), "is not a known field and was not read", near, caseOnly))
		}
	}
	return f, v.Kind() == wire.Object
}

// meant returns the known member that the sender of an unknown name probably meant. If the name belongs to another
// object, it returns the correct path. near is "" if there is no suggestion.
func (r *reader) meant(name string, names []string) (near string, caseOnly bool) {
	if !r.hints || r.warnings.Len() >= fault.MaxItems {
		return "", false
	}
	near, caseOnly = fault.Suggest(name, names, r.warnings.SkipHints())
	if near != "" {
		return near, caseOnly
	}
	if slices.Contains(loanMembers, name) {
		return "loan." + name, false
	}
	if slices.Contains(borrowerMembers, name) {
		return "borrower." + name, false
	}
	return "", false
}

func (r *reader) loan(v wire.Value) {
	f, ok := r.object(v, loanMembers...)
	if !ok {
		return
	}
	l := &r.c.Loan
	l.ID, _ = f.Text("id", maxText)
	r.product(&f)
	if f.Require("principal_outstanding", "what is still owed, in rupees") {
		l.PrincipalPaise, _ = r.rupees(&f, "principal_outstanding")
	}
	l.EMIPaise, _ = r.rupees(&f, "emi")
	if f.Require("overdue_amount", "what is past due, in rupees") {
		l.OverduePaise, _ = r.rupees(&f, "overdue_amount")
	}
	l.RateBP, l.HasRate = r.rounded(&f, "interest_rate", maxRateBP)
	if n, ok := f.Decimal("dpd", 0, 0, maxDPD); ok {
		l.DPD, l.HasDPD = int(n), true
	}
	if n, ok := f.Decimal("missed_emis", 0, 0, maxMissed); ok {
		l.MissedEMIs, l.HasMissed = int(n), true
	}
	l.Due, l.HasDue = r.date(&f, "due_date")
	if !f.Get("dpd").Given() && !f.Get("due_date").Given() {
		f.Fail("due_date", fault.CodeRequired,
			"is required if dpd is not sent: the days past due are counted from it")
	}
	r.mandate(&f)
	l.WasNPA = f.Choice("asset_class", 0, "STANDARD", "SMA-0", "SMA-1", "SMA-2", "NPA") == 4
	r.payment(f.Get("last_payment"))
}

// product reads the product. Only microfinance has special rules. They are
// stricter than the general rules, so a name that only resembles microfinance is
// treated as microfinance.
func (r *reader) product(f *wire.Form) {
	text, ok := f.Text("product", maxText)
	if !ok {
		return
	}
	l := &r.c.Loan
	l.Product = text
	l.Microfinance = strings.Contains(strings.ToLower(text), "micro") || r.products && isMicrofinance(text)
	switch {
	case l.Microfinance && text != "microfinance":
		r.warnings.Add(f.Pointer("product"), fault.CodeReadAsMicrofinance,
			"was read as microfinance, whose rules are the stricter ones")
	case r.products && !l.Microfinance && !isProduct(text):
		r.warnings.Add(f.Pointer("product"), fault.CodeUnknownProduct,
			"is not a product that is known, so the general hours of contact apply, "+
				"%s to %s; send microfinance if it is a microfinance loan, whose hours are narrower; known are %s",
			clockText(legalWindow.From), clockText(legalWindow.To), strings.Join(products, ", "))
	}
}

var mandateStatuses = []string{
	mandateActive, "inactive", "pending", "suspended", "cancelled", "expired", "rejected", "none",
}

func (r *reader) mandate(f *wire.Form) {
	text, ok := f.Text("mandate_status", maxText)
	if !ok {
		return
	}
	status := strings.ToLower(text)
	if !slices.Contains(mandateStatuses, status) {
		status = "unknown"
		r.warnings.Add(f.Pointer("mandate_status"), fault.CodeUnknownStatus,
			"is not a known status and was read as not active")
	}
	r.c.Loan.Mandate = status
}

func (r *reader) payment(v wire.Value) {
	if !v.Given() {
		return
	}
	f, ok := r.object(v, "at", "amount")
	if !ok {
		return
	}
	p := &r.c.Loan.Payment
	if f.Require("at", "when it came in") {
		text, _ := f.Text("at", maxText)
		if d, ok := parseDay(text); ok {
			p.At = d.At(0, r.c.Borrower.Zone)
		} else {
			p.At, _ = r.moment(&f, "at")
		}
	}
	p.AmountPaise, _ = r.rupees(&f, "amount")
}

// rupees reads an amount in rupees and rounds it half up to the paisa.
func (r *reader) rupees(f *wire.Form, name string) (paise int64, ok bool) {
	return r.rounded(f, name, maxPaise)
}

// rounded reads a number as hundredths. If the number has more than two decimals,
// rounded rounds it and adds a warning.
func (r *reader) rounded(f *wire.Form, name string, most int64) (hundredths int64, ok bool) {
	v := f.Get(name)
	if !v.Given() {
		return 0, false
	}
	if v.Kind() != wire.Number {
		f.Fail(name, fault.CodeWrongType, "must be a number, but is %s", v.Kind())
		return 0, false
	}
	hundredths, exact, fits := wire.ParseDecimal(v.Text(), 2)
	if !fits || hundredths < 0 || hundredths > most {
		f.Fail(name, fault.CodeOutOfRange, "must lie between 0 and %d", most/100)
		return 0, false
	}
	if !exact {
		r.warnings.Add(v.Pointer(), fault.CodeRounded, "has more than 2 decimals and was rounded")
	}
	return hundredths, true
}

func (r *reader) date(f *wire.Form, name string) (d civil.Day, ok bool) {
	return readText(f, name, parseDay, "must be a date such as 2026-11-15, between the years 1990 and 2100")
}

// moment reads a time with its zone.
func (r *reader) moment(f *wire.Form, name string) (t time.Time, ok bool) {
	return readText(f, name, parseMoment,
		"must be a time with its zone such as 2026-11-15T20:30:00+05:30, between the years 1990 and 2100")
}

// readText reads a text and parses it. If parse refuses the text, readText adds a fault with the given detail. ok is
// false if there is no valid text.
func readText[T any](f *wire.Form, name string, parse func(string) (T, bool), detail string) (value T, ok bool) {
	text, ok := f.Text(name, maxText)
	if !ok {
		return value, false
	}
	if value, ok = parse(text); !ok {
		f.Fail(name, fault.CodeOutOfRange, "%s", detail)
	}
	return value, ok
}

// byGravity sorts flags, the most serious first, and removes duplicates.
func byGravity(flags []Flag) []Flag {
	slices.SortFunc(flags, func(a, b Flag) int { return cmp.Compare(a, b) })
	return slices.Compact(flags)
}
