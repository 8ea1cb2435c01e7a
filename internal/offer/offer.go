package offer

import (
	"strings"
	"time"

	"verdict/internal/civil"
	"verdict/internal/engine"
	"verdict/internal/loan"
)

// Decided has the parts of a stored decision that the documents use.
type Decided struct {
	ID         string
	PolicyKey  string    // the key of the policy that decided
	Sandbox    bool      // the decision is a test, so the documents are marked
	On         civil.Day // the Indian day of the decision
	ValidUntil time.Time // as the decision states it; the zero time if there is no offer
	Answer     *engine.Answer
	// Declined and Approved say how the decision ended: by the engine, or by the person who reviewed it last. Both are
	// false while a person still has to decide.
	Declined, Approved bool
	ReviewCode         string // the reason code of the last final review; "" for none
	PolicyMessage      string // the policy's text for ReviewCode; "" for none
	// Cap is the reason of the limit cap that determined the amount. It has no code and no text if the policy states
	// none.
	Cap engine.AnswerReason
	// ReviewedOn is the Indian day of the review that changed the engine's outcome; 0 for none.
	ReviewedOn civil.Day
}

// endedOn returns the day on which the decision ended: the day of the decision, or the day of the review that changed
// its outcome.
func (d *Decided) endedOn() civil.Day { return max(d.On, d.ReviewedOn) }

// DeclinedByPerson reports whether a person declined an application that the engine did not decline.
func (d *Decided) DeclinedByPerson() bool {
	return d.Declined && d.Answer.Status != engine.Declined.String()
}

// HasOffer reports whether the decision has an offer that the lender has approved.
func (d *Decided) HasOffer() bool { return d.Approved && d.Answer.Offer.Made }

// proposal returns the number of the loan proposal: the part of the decision's id that is unique.
func (d *Decided) proposal() string {
	_, unique, found := strings.Cut(d.ID, "_")
	if !found {
		return d.ID
	}
	return unique
}

// AcceptableUntil returns the last second in which the borrower can accept the offer. calendar is that of the lender
// profile; nil if there is none.
func (d *Decided) AcceptableUntil(calendar *loan.Calendar) time.Time {
	return calendar.AcceptableUntil(d.ValidUntil, d.endedOn())
}

// validUntil returns the last second in which the borrower can accept the offer.
func (d *Decided) validUntil(p *Profile) time.Time { return d.AcceptableUntil(p.Calendar()) }

// Expired reports whether the offer has ended at the time now.
func (d *Decided) Expired(p *Profile, now time.Time) bool {
	return now.After(d.validUntil(p).Add(time.Second - 1)) // the last second belongs to the validity
}

// addMonths returns the same day of the month n months later, or the last day of that month if it is shorter.
func addMonths(d civil.Day, n int) civil.Day {
	_, _, day := d.Date()
	month := d.Month() + civil.Month(n)
	return min(month.First()+civil.Day(day-1), month.Last())
}
