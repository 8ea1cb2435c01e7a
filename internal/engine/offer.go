package engine

import (
	"math"

	"verdict/internal/exact"
	"verdict/internal/rule"
)

// pricer finds the band of a decision, computes the limit and makes the offer.
type pricer struct {
	plan     *Plan
	decision *Decision
}

// limit is the amount that a band can lend to an application, and the
// constraint that determined it.
type limit struct {
	paise           int64
	instalmentPaise int64
	at              int // index of the tenure in the band
	binding         Constraint
	belowMinimum    bool // too small to be offered
	consumed        bool // too small because fee and charges leave nothing to pay out
	hasCapacity     bool
	capacityPaise   int64
	notAvailable    bool // the band does not allow the requested tenure
	computed        bool
	capAt           int32 // index of the cap, if a cap is the binding constraint
	capUnknown      bool  // the cap applies but cannot be computed, so the limit is 0
}

func (l *limit) offered() bool { return l.computed && !l.belowMinimum }

// paiseIn returns the amount of a rupee slot in paise, rounded half up. It
// returns false for an absent or a negative amount.
func paiseIn(fr *rule.Frame, slot int32) (int64, bool) {
	if slot < 0 {
		return 0, false
	}
	n, ok := fr.Number(slot)
	return n.Paise(), ok && n >= 0
}

// limit computes the amount that the band can lend, rounded down to the step. It is the smallest of these amounts:
// what the capacity can repay (or the default limit if the capacity is unknown), the amount requested, the band's
// maximum, a multiple of income, what the exposure limit leaves, and the caps that apply. It then lowers the amount
// step by step while the rounded instalment exceeds the capacity.
func (x pricer) limit() {
	p, d := x.plan, x.decision
	b, l := d.band, &d.limit
	l.computed, l.at = true, b.defaultAt
	if p.inputs.tenure >= 0 {
		if asked, ok := d.frame.Number(p.inputs.tenure); ok {
			l.at, l.notAvailable = b.tenureFor(asked)
		}
	}
	terms := &b.tenures[l.at].terms

	income, hasIncome := paiseIn(&d.frame, p.inputs.income)
	var foir rule.Number
	hasFOIR := false
	if p.inputs.foir >= 0 {
		foir, hasFOIR = d.frame.Number(p.inputs.foir)
	}

	// If several constraints give the same amount, the first one tried counts.
	// The requested amount comes first, because an applicant who gets it was
	// not limited by any other constraint.
	paise, binding := int64(math.MaxInt64), NoConstraint
	bound := func(by int64, constraint Constraint) {
		if by < paise {
			paise, binding = by, constraint
		}
	}
	if p.inputs.requested >= 0 && d.frame.Given(p.inputs.requested) {
		// A negative request counts as 0: nothing is offered.
		requested, _ := paiseIn(&d.frame, p.inputs.requested)
		bound(max(0, requested), RequestedAmount)
	}

	switch {
	case hasFOIR && foir >= b.FOIRCap:
		// No capacity is left, whether or not the income is known.
		bound(0, FOIRCapacity)
		l.hasCapacity = hasIncome
	case hasFOIR && hasIncome:
		l.hasCapacity = true
		l.capacityPaise = mulFloor(income, b.FOIRCap-foir)
		bound(terms.Principal(l.capacityPaise), FOIRCapacity)
	default:
		bound(b.DefaultLimitPaise, DefaultLimit)
	}

	if hasIncome && b.HasIncomeMultiple {
		bound(mulFloor(income, b.IncomeMultiple), IncomeMultiple)
	}
	bound(b.MaxLimitPaise, BandMaxLimit)
	if left, bounded := x.headroom(); bounded {
		bound(left, ExposureCap)
	}
	paise, binding = x.cap(paise, binding)

	l.paise, l.binding = p.wholeSteps(paise), binding
	l.instalmentPaise = terms.Instalment(l.paise)
	if l.hasCapacity {
		for l.paise > 0 && l.instalmentPaise > l.capacityPaise {
			l.paise -= p.step
			l.instalmentPaise = terms.Instalment(l.paise)
			l.binding = FOIRCapacity
		}
	}
	l.belowMinimum = l.paise < b.MinLimitPaise
}

// wholeSteps rounds an amount down to the policy's step. The amount must not be negative.
func (p *Plan) wholeSteps(paise int64) int64 {
	_, rest := p.steps.Divide(uint64(paise))
	return paise - int64(rest)
}

// tenureFor returns the index of the requested tenure. If the band does not allow that tenure, it returns the index of
// the band's default tenure, and notAvailable is true.
func (b *compiledBand) tenureFor(asked rule.Number) (at int, notAvailable bool) {
	for i := range b.tenures {
		if b.tenures[i].num == asked {
			return i, false
		}
	}
	return b.defaultAt, true
}

// mulFloor returns paise × a non-negative Number, rounded down and capped at
// maxAmountPaise.
func mulFloor(paise int64, by rule.Number) int64 {
	q, ok := exact.MulMillionths(uint64(paise), uint64(by))
	if !ok {
		return maxAmountPaise
	}
	return int64(min(q, maxAmountPaise))
}

// makeOffer prices the limit: instalments, fee, charges, tax and APR.
func (x pricer) makeOffer() {
	p, d := x.plan, x.decision
	b, l, o := d.band, &d.limit, &d.Offer
	q := d.quote()
	s := &q.schedule
	o.Made = true
	o.LimitPaise = l.paise
	o.RequestedPaise, o.HasRequested = paiseIn(&d.frame, p.inputs.requested)
	o.CounterOffer = o.HasRequested && l.paise < p.wholeSteps(o.RequestedPaise)
	o.RateBP, o.TenureMonths = b.RateBP, b.tenures[l.at].terms.Months()
	o.InstalmentPaise, o.LastPaise = s.InstalmentPaise, s.LastPaise
	o.InterestPaise, o.PayablePaise = s.InterestPaise, s.PayablePaise
	o.FeePaise, o.GSTPaise = q.feePaise, q.gstPaise
	o.Charged, o.ChargesPaise = len(p.policy.Charges) > 0, q.chargesPaise
	o.NetPaise = l.paise - q.feePaise - q.gstPaise - q.chargesPaise
	o.APR = q.apr
	o.HasCapacity, o.CapacityPaise = l.hasCapacity, l.capacityPaise
	o.PostFOIR, o.HasPostFOIR = x.postOfferFOIR(s.InstalmentPaise)
	o.Binding, o.BandID = l.binding, b.ID
	if c := d.cappedBy(); c != nil {
		o.LimitCapID = c.ID
	}
	o.TenureNotAvailable = l.notAvailable
}

// postOfferFOIR returns the FOIR including the new instalment, in
// ten-thousandths, rounded half up. It returns false if the income or the FOIR
// is not known, or if the income is 0.
func (x pricer) postOfferFOIR(instalmentPaise int64) (int64, bool) {
	p, d := x.plan, x.decision
	income, ok := paiseIn(&d.frame, p.inputs.income)
	if !ok || income == 0 || p.inputs.foir < 0 {
		return 0, false
	}
	foir, ok := d.frame.Number(p.inputs.foir)
	if !ok {
		return 0, false
	}
	return PostOfferFOIR(foir, instalmentPaise, income)
}
