package recovery

import (
	"fmt"
	"strings"
	"time"

	"verdict/internal/civil"
	"verdict/internal/fault"
)

// The reasons for a hold. Except for holdNothingOverdue, which is also a warning,
// they are not codes of package fault, because a hold is neither a refusal nor a
// warning.
const (
	holdFlag             = "flag_" // followed by the name of the flag in lower case
	holdNothingOverdue   = fault.CodeNothingOverdue
	holdNoPermittedHours = "no_permitted_hours"
	holdNoPermittedDay   = "no_permitted_day"
	holdWrongNumber      = "wrong_number"
	holdDoNotContact     = "do_not_contact"
	holdOpenPromise      = "open_promise"
	holdRecentPayment    = "recent_payment"
)

// hold decides whether to hold every action. A hold that only a person can end
// takes precedence. If there are several temporary holds, the one that ends last
// applies.
func (a *advisor) hold() {
	b := &a.c.Borrower
	switch {
	case len(b.Flags) > 0:
		names := make([]string, len(b.Flags))
		for i, f := range b.Flags {
			names[i] = f.String()
		}
		a.person(holdFlag+strings.ToLower(names[0]),
			"The borrower is flagged "+strings.Join(names, ", ")+"; a person decides what happens")
		return
	case a.Arrears.DPD > 0 && a.c.Loan.OverduePaise == 0:
		a.person(holdNothingOverdue, "The loan is past due and no amount is overdue; a person looks at the figures")
		return
	case a.Compliance.Window.empty():
		a.person(holdNoPermittedHours,
			"The hours that the borrower prefers leave nothing of those in which contact is allowed; a person "+
				"agrees on others")
		return
	}
	if b.SilentUntil.After(a.now) {
		a.until(holdDoNotContact, "The borrower asked not to be contacted", b.SilentUntil)
	}
	if p := &a.Promise; p.Open > 0 {
		a.until(holdOpenPromise, fmt.Sprintf("A promise to pay by %s is open", p.openUntil),
			(p.openUntil+1).At(0, b.Zone))
		if p.openUntil > a.today+civil.Day(a.s.MaxPromiseDays) {
			a.NeedsHuman = true
			a.reason(fmt.Sprintf("The promise lies more than %d days ahead", a.s.MaxPromiseDays))
		}
	}
	if !a.paid.At.IsZero() {
		on := civil.LocalDay(a.paid.At.In(b.Zone))
		if end := on + civil.Day(a.s.PaymentHoldDays) + 1; end > a.today {
			a.until(holdRecentPayment, fmt.Sprintf("A payment came in on %s", on), end.At(0, b.Zone))
		}
	}
}

// person puts every action on hold until a person has reviewed the case.
func (a *advisor) person(reason, detail string) {
	a.Held = Held{Reason: reason, Detail: detail, Person: true}
	a.NeedsHuman = true
	a.resume = time.Time{}
	a.reason(detail)
}

// until puts every action on hold up to the given end. If another temporary hold lasts as long or longer, until
// keeps that hold instead.
func (a *advisor) until(reason, detail string, end time.Time) {
	a.reason(detail)
	if end.After(a.resume) {
		a.resume = end
		a.Held = Held{Reason: reason, Detail: detail, Until: end.In(a.c.Borrower.Zone)}
	}
}
