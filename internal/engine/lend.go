package engine

import (
	"verdict/internal/exact"
	"verdict/internal/rule"
)

// LendingFacts has the facts on which the limit of a band depends. An absent value means that the fact is not given.
// Income and FOIR are the figures that the policy counts: the derived ones if the policy names sources, otherwise the
// declared ones.
type LendingFacts struct {
	Income, FOIR, Requested, Tenure, Outstanding, OtherOffers rule.Value
	// PartnerOutstanding and PartnerOffers are the debts and the open offers of the co-applicant.
	PartnerOutstanding, PartnerOffers rule.Value
}

// Lender computes the limits of a plan's bands without a complete application, so that a comparison of policies can
// compute limits for any combination of facts. It must not be used by several goroutines at the same time.
type Lender struct {
	plan  *Plan
	d     Decision
	facts *rule.Facts
	bands []*compiledBand // by index in the policy's bands
}

// NewLender returns a lender for the plan.
func (p *Plan) NewLender() *Lender {
	l := &Lender{plan: p, facts: rule.NewFacts(p.catalogue), bands: make([]*compiledBand, len(p.policy.Bands))}
	for _, ladder := range []*ladder{&p.bands, &p.ntcBands} {
		for i := range ladder.bands {
			l.bands[ladder.bands[i].index] = &ladder.bands[i]
		}
	}
	return l
}

// Limit returns the limit of a band in paise, and the tenure in months for which it is computed. The band must be
// priced. The limit may be below the minimum of the band.
func (l *Lender) Limit(band int, facts *LendingFacts) (limitPaise int64, tenureMonths int) {
	p, d := l.plan, &l.d
	d.plan, d.limit, d.band = p, limit{}, l.bands[band]
	p.slots.Load(l.facts, &d.frame)
	put := func(slot int32, v rule.Value) {
		if slot >= 0 {
			p.slots.Put(&d.frame, slot, v)
		}
	}
	put(p.inputs.income, facts.Income)
	put(p.inputs.foir, facts.FOIR)
	put(p.inputs.requested, facts.Requested)
	put(p.inputs.tenure, facts.Tenure)
	put(p.exposure.outstanding, facts.Outstanding)
	put(p.exposure.offers, facts.OtherOffers)
	put(p.exposure.partnerOutstanding, facts.PartnerOutstanding)
	put(p.exposure.partnerOffers, facts.PartnerOffers)
	pricer{p, d}.limit()
	return d.limit.paise, d.band.tenures[d.limit.at].terms.Months()
}

// BandOf returns the index of the band that a final score falls into, or -1 if there is none. ntc says whether the
// applicant is new to credit.
func (p *Plan) BandOf(score rule.Number, ntc bool) int {
	l := &p.bands
	if ntc {
		l = &p.ntcBands
	}
	if b := l.find(score); b != nil {
		return int(b.index)
	}
	return -1
}

// Catalogue returns the catalogue that the plan was compiled with.
func (p *Plan) Catalogue() *rule.Catalogue { return p.catalogue }

// PostOfferFOIR returns the FOIR including an instalment, in ten-thousandths, rounded half up. The income must not be
// 0. It returns false if the result does not fit in 64 bits.
func PostOfferFOIR(foir rule.Number, instalmentPaise, incomePaise int64) (int64, bool) {
	// Round the share down to millionths, the precision of the FOIR, so that
	// only the sum is rounded to ten-thousandths.
	share, ok := exact.MulDivFloor(uint64(instalmentPaise), uint64(rule.One), uint64(incomePaise))
	if !ok {
		return 0, false
	}
	// Adding 50 before DivFloor rounds half up. That is also correct for a negative FOIR, although no request has one.
	return exact.DivFloor(int64(foir)+int64(share)+50, 100), true
}
