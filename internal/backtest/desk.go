package backtest

import (
	"verdict/internal/engine"
	"verdict/internal/exact"
	"verdict/internal/rule"
)

// decider decides rows with one policy and counts the results. Each decider is
// used by only one worker.
type decider struct {
	side     *side
	tracer   *engine.Tracer
	decision engine.Decision
	none     int32 // index of the grade of rows without a band
	scaling  *engine.Scaling
	pds      [][]int32 // PD of each cell in millionths, in pages; -1 if not computed yet
	funding  funding
}

func (r *Run) newDecider(s *side) decider {
	k := decider{
		side:    s,
		tracer:  s.plan.NewTracer(),
		none:    s.noGradeIndex(),
		scaling: s.plan.Policy().Scorecard.Scaling,
		funding: newFunding(r.setup.FundingRate, s.plan.Policy().Bands),
	}
	k.decision.KeepQuotes()
	return k
}

// count counts the decision on one application in s.
func (k *decider) count(s *sides, r *row) {
	d := &k.decision
	e := k.tracer.Read(d)
	grade := k.none
	if e.Band >= 0 {
		grade = k.side.gradeOf[e.Band]
	}
	g := &s.grades[grade]
	g.status[d.Status][r.label].add(r.weight)
	cell := k.side.grid.cell(d.FinalScore)
	s.cells.at(cell)[r.label].add(r.weight)
	s.score.add(int64(d.FinalScore-k.side.grid.base), r.weight)
	switch o := &d.Offer; {
	case d.Status == engine.Approved:
		g.limit.add(o.LimitPaise, r.weight)
		g.rate.add(o.RateBP, r.weight)
		g.apr.add(o.APR, r.weight)
		s.interest.add(o.InterestPaise, r.weight)
		s.fee.add(o.FeePaise, r.weight)
		s.funding.add(k.funding.paise(o, e.Band), r.weight)
		if k.scaling != nil {
			s.loss.add(o.LimitPaise, int64(k.pd(cell))*r.weight)
		}
	case o.Made:
		s.limitReferred.add(o.LimitPaise, r.weight)
	}
	for rank, code := range e.Reasons {
		reason := &s.reasons[code]
		reason.status[d.Status]++
		if rank == 0 {
			reason.first++
		}
	}
	k.noteRules(s, r, e)
}

// noteRules counts the rules that hit, the rules without a result, and the rules
// that caused the status on their own.
func (k *decider) noteRules(s *sides, r *row, e *engine.Effect) {
	for i, h := range e.Hits {
		s.rules[h.Knockout].hit[r.label].add(r.weight)
		sole := &s.soles[h.Knockout]
		if h.Result == engine.ResultFail {
			sole.declines++
		}
		if i == 0 {
			sole.first++
		}
		if len(e.Hits) > 1 {
			sole.overlap++
		}
	}
	if e.Sole >= 0 {
		sole := &s.soles[e.Sole]
		sole.sole[r.label].add(r.weight)
		if k.decision.Status == engine.Declined {
			sole.soleDeclines++
		} else {
			sole.soleReferrals++
		}
	}
	for _, i := range e.Unknown {
		s.rules[i].unknown++
	}
	adjustments := s.rules[len(s.soles):]
	for _, i := range e.Applied {
		adjustments[i].hit[r.label].add(r.weight)
	}
	for _, i := range e.Unsure {
		adjustments[i].unknown++
	}
}

// pd returns the probability of default that the scorecard claims for a cell, in
// millionths. It computes each cell only once.
func (k *decider) pd(cell int32) int32 {
	i := int(cell >> pageBits)
	for i >= len(k.pds) {
		k.pds = append(k.pds, nil)
	}
	if k.pds[i] == nil {
		k.pds[i] = make([]int32, 1<<pageBits)
		for j := range k.pds[i] {
			k.pds[i][j] = -1
		}
	}
	at := &k.pds[i][cell&(1<<pageBits-1)]
	if *at < 0 {
		*at = int32(k.scaling.PD(k.side.grid.score(cell)))
	}
	return *at
}

// funding computes the lender's cost of funding offers.
type funding struct {
	rate  int64           // for a year, in millionths
	bands []exact.Divisor // the divisor that paise uses for each band of the policy
}

// linearDivisor is 24 in millionths. Without interest, the average balance of a loan over n months is (n+1)÷2n of the
// limit. So funding it for n÷12 years costs limit × funding × (n+1) ÷ 24.
const linearDivisor = 24 * rule.One

func newFunding(rate rule.Number, bands []engine.Band) funding {
	f := funding{rate: int64(rate)}
	for i := range bands {
		divisor := linearDivisor
		if bp := bands[i].RateBP; bp > 0 {
			divisor = rule.Number(bp) * rule.One / 10_000
		}
		f.bands = append(f.bands, exact.NewDivisor(uint64(divisor)))
	}
	return f
}

// paise returns the lender's cost of funding an offer of a band, rounded half up to the paisa. Interest is the balance
// over time multiplied by the rate, so funding the same balance costs interest × funding ÷ rate. If the rate is 0, the
// balance is assumed to fall linearly.
func (f *funding) paise(o *engine.Offer, band int32) int64 {
	amount, by := o.InterestPaise, f.rate
	if o.RateBP == 0 {
		amount, by = o.LimitPaise, f.rate*int64(o.TenureMonths+1)
	}
	q, ok := f.bands[band].MulHalfUp(uint64(amount), uint64(by))
	if !ok {
		return 0 // unreachable: the cost would exceed any limit
	}
	return int64(q)
}
