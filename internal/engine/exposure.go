package engine

import (
	"fmt"

	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// Exposure limits the total amount that the lender risks with one person.
type Exposure struct {
	// MaxTotalPaise limits the sum of the person's outstanding loans, the open offers and the new limit.
	MaxTotalPaise int64
}

const sectionExposure = "exposure"

// String describes the limit. A nil Exposure means that there is no limit.
func (e *Exposure) String() string {
	if e == nil {
		return "not limited"
	}
	return fmt.Sprintf("at most %s in all", rule.Rupees(e.MaxTotalPaise))
}

func (e *Exposure) write(w *wire.Writer) {
	w.Object().Key("max_total").Decimal(e.MaxTotalPaise, 2).EndObject()
}

// exposure reads the section "exposure". If the section is left out, the exposure is not limited.
func (r *policyReader) exposure(f *wire.Form) {
	v := f.Get(sectionExposure)
	if !v.Given() {
		return
	}
	form := wire.NewForm(v, &r.faults)
	form.Require("max_total", "the most that may be lent to one person, in rupees")
	if most, ok := form.Decimal("max_total", 2, 1_00, maxAmountPaise); ok {
		r.policy.Exposure = &Exposure{MaxTotalPaise: most}
	}
	form.Done()
}

// UsesOwn reports whether the policy limits the exposure or reads facts about the lender's own decisions and loans.
// Such a policy requires a request that names the applicant.
func (p *Policy) UsesOwn() bool {
	if p.Exposure != nil {
		return true
	}
	for _, name := range p.namedWithSources() {
		if field.IsOwnOfAnybody(name) {
			return true
		}
	}
	return false
}

// ownSlots has the slots of the fields that the exposure limit reads. Each is -1 if the policy has no such limit.
type ownSlots struct {
	outstanding, offers int32
	// partnerOutstanding and partnerOffers are the slots for the co-applicant.
	partnerOutstanding, partnerOffers int32
}

// exposure assigns the slots that the exposure limit reads, and the slot that says whether the request names the
// applicant.
func (c *compiler) exposure() {
	p := c.plan
	p.exposure = ownSlots{-1, -1, -1, -1}
	slot := func(name string) int32 {
		ref, ok := p.ref(name)
		if !ok {
			return -1 // a test uses its own catalogue; the field is always absent
		}
		return p.slots.Slot(ref)
	}
	if p.policy.Exposure != nil {
		p.exposure = ownSlots{
			outstanding:        slot(field.OwnOutstanding),
			offers:             slot(field.OwnOtherOpenOffer),
			partnerOutstanding: slot(field.OfRole(field.CoApplicant, field.OwnOutstanding)),
			partnerOffers:      slot(field.OfRole(field.CoApplicant, field.OwnOtherOpenOffer)),
		}
	}
	for i := range int32(p.slots.Len()) {
		p.usesOwn = p.usesOwn || field.IsOwnOfAnybody(p.slots.Ref(i).Name)
	}
	if p.usesOwn {
		p.reference = slot(field.OwnReference)
	}
}

// lacksReference reports whether the policy requires that the request names the applicant, but the request does not.
func (p *Plan) lacksReference(fr *rule.Frame) bool {
	if !p.usesOwn {
		return false
	}
	named, known := fr.Number(p.reference)
	return !known || named != 1
}

// UsesOwn reports whether a decision needs the facts about the lender's own decisions and loans.
func (p *Plan) UsesOwn() bool { return p.usesOwn }

// headroom returns the amount that the exposure limit leaves for the new limit. A joint loan counts in full for each of
// its applicants, so headroom returns the smaller of the amounts that the two applicants have left. It returns false if
// the exposure is not limited, or if it is not known what the applicant owes, as in a backtest whose rows do not say
// it.
func (x pricer) headroom() (int64, bool) {
	slots := &x.plan.exposure
	own, known := x.headroomOf(slots.outstanding, slots.offers)
	if !known {
		return 0, false
	}
	if partner, known := x.headroomOf(slots.partnerOutstanding, slots.partnerOffers); known {
		return min(own, partner), true
	}
	return own, true
}

// headroomOf returns the amount that the exposure limit leaves for one person. owed and offered are the slots of the
// person's debts and offers.
func (x pricer) headroomOf(owed, offered int32) (int64, bool) {
	if owed < 0 || offered < 0 {
		return 0, false
	}
	outstanding, known := paiseIn(&x.decision.frame, owed)
	offers, knownOffers := paiseIn(&x.decision.frame, offered)
	if !known || !knownOffers {
		return 0, false
	}
	left := x.plan.policy.Exposure.MaxTotalPaise
	if outstanding >= left || offers >= left-outstanding {
		return 0, true
	}
	return left - outstanding - offers, true
}

// exposure explains a limit that the exposure limit determined.
func (x detailer) exposure() Detail {
	d := x.decision
	owes, offered := field.OwnOutstanding, field.OwnOtherOpenOffer
	slots := &d.plan.exposure
	priced := pricer{d.plan, d}
	own, _ := priced.headroomOf(slots.outstanding, slots.offers)
	if partner, known := priced.headroomOf(slots.partnerOutstanding, slots.partnerOffers); known && partner < own {
		owes, offered = field.OfRole(field.CoApplicant, owes), field.OfRole(field.CoApplicant, offered)
	}
	outstanding, offers := d.named(owes), d.named(offered)
	most := rule.Rupees(d.plan.policy.Exposure.MaxTotalPaise)
	return Detail{
		Field:     owes,
		Value:     outstanding,
		Threshold: rule.Num(most),
		Text: fmt.Sprintf("the policy lends at most %s to one person in all; %s is outstanding and %s is offered "+
			"under other policies; the limit that leaves is %s", most, outstanding, offers, rule.Rupees(d.limit.paise)),
	}
}
