package offer

import (
	"strings"
	"time"

	"verdict/internal/civil"
	"verdict/internal/engine"
)

// Decided is a stored decision, as far as the documents state it.
type Decided struct {
	ID         string
	On         civil.Day // the Indian day of the decision
	ValidUntil time.Time // of the offer; the zero time if there is none
	Answer     *engine.Answer
	// Declined and Approved say how the decision ended: by the engine, or by the person who reviewed it last. Both are
	// false while a person still has to decide.
	Declined, Approved bool
	ReviewCode         string // the reason code of the last final review; "" for none
	// ReviewedOn is the Indian day of the review that ended the decision otherwise than the engine; 0 for none.
	ReviewedOn civil.Day
}

// endedOn returns the day on which the decision ended: that of the engine, or that of the person who decided.
func (d *Decided) endedOn() civil.Day { return max(d.On, d.ReviewedOn) }

// declinedByPerson reports whether a person declined what the engine did not.
func (d *Decided) declinedByPerson() bool {
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

// minWorkdays is the least number of working days in which a borrower can agree to the terms of a key facts statement.
const minWorkdays = 3

// validUntil returns the last second in which the borrower can agree to the offer: that of the offer, but not before
// the end of the third working day after the decision or the review that approved it, by the lender's holidays.
func (d *Decided) validUntil(p *Profile) time.Time {
	least := p.AddWorkdays(d.endedOn(), minWorkdays).LastSecond()
	if d.ValidUntil.After(least) {
		return d.ValidUntil
	}
	return least
}

// Expired reports whether the offer has ended at a time.
func (d *Decided) Expired(p *Profile, now time.Time) bool {
	return now.After(d.validUntil(p).Add(time.Second - 1)) // the last second belongs to the validity
}

// addMonths returns the same day of the month n months later, or the last day of that month if it is shorter.
func addMonths(d civil.Day, n int) civil.Day {
	_, _, day := d.Date()
	month := d.Month() + civil.Month(n)
	return min(month.First()+civil.Day(day-1), month.Last())
}
