package recovery

import (
	"fmt"
	"strconv"

	"verdict/internal/civil"
	"verdict/internal/fault"
	"verdict/internal/loan"
)

// arrears counts the days past due and classifies the loan. A day counts once
// it has ended in India, even if the borrower is in another time zone.
func (a *advisor) arrears() {
	l, r := &a.c.Loan, &a.Arrears
	r.DayEnd = civil.DayAt(a.now) - 1
	counted := 0
	if l.HasDue {
		counted = loan.DaysPastDue(l.Due.Midnight(), r.DayEnd.Midnight())
	}
	r.DPD, r.Counted = counted, true
	if l.HasDPD {
		r.DPD, r.Counted = l.DPD, false
		if l.HasDue && (counted-l.DPD > 1 || l.DPD-counted > 1) {
			a.warn("/loan/dpd", fault.CodeDPDMismatch,
				"differs by more than a day from the days counted from due_date; dpd was used")
		}
	}
	switch {
	case r.DPD > 0:
		r.First, r.HasFirst = r.DayEnd-civil.Day(r.DPD)+1, true
	case l.HasDue && l.Due > r.DayEnd:
		r.First, r.HasFirst = l.Due, true
	}
	r.Bucket, r.Class = BucketOf(r.DPD), loan.ClassOf(r.DPD)
	text := "DPD " + strconv.Itoa(r.DPD) + " is " + r.Class.String()
	// An NPA is upgraded only when all arrears are paid.
	if l.WasNPA && r.Class != loan.NPA && (r.DPD > 0 || l.OverduePaise > 0) {
		r.Class = loan.NPA
		text = "An NPA stays one until all arrears are paid"
	}
	a.reason(text)
	if r.DPD > 0 && l.OverduePaise == 0 {
		a.warn("/loan/overdue_amount", fault.CodeNothingOverdue, "is 0, and the loan is past due")
	}
}

// history selects the contacts and the payment up to the time of the request. It
// warns of later contacts and payments.
func (a *advisor) history() {
	for _, c := range a.c.History {
		if c.At.After(a.now) {
			a.warn("/history/"+strconv.Itoa(c.index)+"/at", fault.CodeLaterThanAsOf,
				"is later than as_of and was not counted")
			continue
		}
		a.past = append(a.past, c)
		switch {
		case c.Channel.phone() && c.End == WrongNumber:
			a.phoneLost = true
		case c.Channel.phone() && c.End.spoken():
			a.phoneLost = false
		}
	}
	if p := a.c.Loan.Payment; !p.At.IsZero() {
		if p.At.After(a.now) {
			a.warn("/loan/last_payment/at", fault.CodeLaterThanAsOf, "is later than as_of and was not counted")
		} else {
			a.paid = p
		}
	}
}

// promises counts kept, broken and open promises. A promise is open until its date has passed, unless it was
// already kept. If the date has passed and the request does not state the outcome, the last payment decides: the
// promise counts as kept if the payment fulfils it, and as broken otherwise.
func (a *advisor) promises() {
	r := &a.Promise
	for _, c := range a.past {
		p := c.Promise
		switch {
		case c.End != PromiseToPay:
			continue
		case p.Told && p.Kept, p.Date < a.today && !p.Told && a.fulfils(c):
			r.Kept++
			r.LastBroken, r.last = false, p
			continue
		case p.Date >= a.today:
			r.Open++
			r.openUntil = max(r.openUntil, p.Date)
			continue
		case !p.Told:
			a.warn("/history/"+strconv.Itoa(c.index)+"/kept", fault.CodePromiseAssumedBroken,
				"was not sent for a promise whose date has passed; it counts as broken")
		}
		r.Broken++
		r.LastBroken, r.last = true, p
	}
	if r.LastBroken {
		a.reason("Last promise was broken")
	} else if r.Kept > 0 && r.Broken == 0 {
		a.reason(fmt.Sprintf("All promises so far were kept: %d", r.Kept))
	}
}

// fulfils reports whether the last payment fulfils the promise of a contact.
// The payment must cover the amount, and must be made after the contact and by
// the promised date.
func (a *advisor) fulfils(c Contact) bool {
	return a.paid.AmountPaise > 0 && a.paid.AmountPaise >= c.Promise.AmountPaise && !a.paid.At.Before(c.At) &&
		civil.LocalDay(a.paid.At.In(a.c.Borrower.Zone)) <= c.Promise.Date
}
