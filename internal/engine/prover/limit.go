package prover

import (
	"math"
	"slices"

	"verdict/internal/engine"
	"verdict/internal/exact"
	"verdict/internal/rule"
)

// view describes what one policy can offer within a box.
type view struct {
	declined  bool
	state     *sideState
	segment   segment
	band      *engine.Band
	bandAt    int   // index in the policy's bands
	low, high int64 // the lowest and the highest limit
	months    int
	bounds    [2][bounds]int64 // each bound of the limit on its own, at the lowest and at the highest corner
}

// The bounds of a limit. The limit is the smallest of them.
const (
	boundCapacity  = iota // what the capacity can repay, or the default limit if the capacity is not known
	boundMultiple         // a multiple of income
	boundMax              // the maximum of the band
	boundRoom             // the amount that the exposure limit leaves
	boundRequested        // the requested amount
	boundCaps             // the caps that apply
	boundCommon           // the caps that apply under both policies, if they were split off
	bounds
)

// unbounded is the value of a bound that does not apply.
const unbounded = math.MaxInt64 / 4

// view computes the range of limits of a policy within a box. Every bound of the limit except caps is monotone in
// every lending fact, so the bounds are lowest and highest at corners of the box. The bounds of caps are computed
// separately.
func (p *pricing) view(i int, id int32, b *box) (v view) {
	if id == dead {
		return view{declined: true}
	}
	s := p.sides[i]
	v.state = &p.states[id]
	v.segment = s.ladder(v.state).segments[v.state.segment]
	v.bandAt = int(v.state.band) - 1
	v.band = &s.policy.Bands[v.bandAt]
	corner := b.corner(&p.lending, false)
	v.bounds[0], v.months = p.boundsAt(i, v.bandAt, &corner)
	v.bounds[1] = v.bounds[0]
	if !b.isPoint() {
		corner = b.corner(&p.lending, true)
		v.bounds[1], _ = p.boundsAt(i, v.bandAt, &corner)
	}
	v.bounds[0][boundCaps], v.bounds[1][boundCaps] = p.capBounds(v.state.tests, b, s.policy.LimitStepPaise)
	v.bounds[0][boundCommon], v.bounds[1][boundCommon] = unbounded, unbounded
	v.low, v.high = slices.Min(v.bounds[0][:]), slices.Min(v.bounds[1][:])
	return v
}

// boundsAt returns the bounds of a band's limit at a point, rounded down to the step, and the tenure. It leaves out
// the bounds of caps.
func (p *pricing) boundsAt(i, band int, point *box) (out [bounds]int64, months int) {
	s := p.sides[i]
	b := &s.policy.Bands[band]
	step := s.policy.LimitStepPaise
	facts := point.facts(&p.lending, i)
	asked := facts.Requested
	facts.Requested = rule.Value{}
	out[boundCapacity], months = s.capacity.Limit(band, &facts)
	out[boundMultiple], out[boundRoom], out[boundRequested] = unbounded, unbounded, unbounded
	out[boundMax] = b.MaxLimitPaise - b.MaxLimitPaise%step
	if income := facts.Income; b.HasIncomeMultiple && income.Type() == rule.NumberType && income.Number() >= 0 {
		by, ok := exact.MulDivFloor(uint64(income.Number().Paise()), uint64(b.IncomeMultiple), uint64(rule.One))
		if ok && by < unbounded {
			out[boundMultiple] = int64(by) - int64(by)%step
		}
	}
	if most := exposureOf(s); most >= 0 && isAmount(facts.Outstanding) && isAmount(facts.OtherOffers) {
		left := headroomOf(most, facts.Outstanding, facts.OtherOffers)
		if isAmount(facts.PartnerOutstanding) && isAmount(facts.PartnerOffers) {
			left = min(left, headroomOf(most, facts.PartnerOutstanding, facts.PartnerOffers))
		}
		out[boundRoom] = left - left%step
	}
	if asked.Type() == rule.NumberType {
		out[boundRequested] = floor(asked.Number(), step)
	}
	return out, months
}

// headroomOf returns the amount in paise that the exposure limit leaves for a person with the given debts and offers.
func headroomOf(most int64, outstanding, offers rule.Value) int64 {
	return max(0, most-outstanding.Number().Paise()-offers.Number().Paise())
}

func isAmount(v rule.Value) bool { return v.Type() == rule.NumberType && v.Number() >= 0 }

// floor returns a requested amount in paise, rounded down to the step.
func floor(n rule.Number, step int64) int64 {
	paise := max(0, n.Paise())
	return paise - paise%step
}

// capacityPlan returns a plan with the policy's bands whose limits depend on the capacity alone.
func capacityPlan(p *engine.Plan) *engine.Plan {
	policy := *p.Policy()
	policy.Exposure, policy.LimitCaps = nil, nil
	policy.Bands = slices.Clone(policy.Bands)
	for i := range policy.Bands {
		policy.Bands[i].MaxLimitPaise, policy.Bands[i].HasIncomeMultiple = unbounded, false
	}
	return engine.Compile(&policy, p.Catalogue())
}
