package prover

import (
	"math"
	"slices"

	"verdict/internal/engine"
	"verdict/internal/engine/space"
	"verdict/internal/exact"
	"verdict/internal/field"
	"verdict/internal/loan"
	"verdict/internal/rule"
)

// finalScore is the result that the segments of scores depend on.
const finalScore = field.FinalScore

// maxSteps is the largest number of limits of a band for which the results of each limit are computed. Conditions on
// the offers of a band with more limits may hold or fail at any limit.
const maxSteps = 100_000

// pricing computes what the policies offer within boxes.
type pricing struct {
	*automaton
	runs    map[[3]int][]run // by side, band and tenure
	spent   map[[2]int]consumption
	results map[string]*variable // result variables by name
	priced  int                  // limits that were computed since the caller was last asked
}

func newPricing(a *automaton) *pricing {
	p := &pricing{
		automaton: a, runs: map[[3]int][]run{}, spent: map[[2]int]consumption{}, results: map[string]*variable{},
	}
	for _, v := range a.model.vars {
		if v.kind == resultVariable {
			p.results[v.name] = v
		}
	}
	return p
}

// tired counts a limit that is computed, and asks the caller every few thousand limits whether to stop. If it returns
// true, the result is incomplete, so the caller may assume whatever excludes nothing.
func (p *pricing) tired() bool {
	if p.priced++; p.priced < limitsBetweenChecks {
		return p.truncated != ""
	}
	p.priced = 0
	return p.stopped()
}

// limitsBetweenChecks is the number of limits that are computed between two calls of Options.Check.
const limitsBetweenChecks = 2_000

// view is what one policy can offer within a box.
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
	boundRoom             // what the exposure leaves
	boundRequested        // the requested amount
	boundCaps             // the caps that apply
	boundCommon           // the caps that apply under both policies, if they were split off
	bounds
)

// unbounded is the value of a bound that does not apply.
const unbounded = math.MaxInt64 / 4

// view computes the range of limits of a policy within a box. Every bound of the limit is monotone in every lending
// fact, so the corners of the box have its lowest and its highest value. Caps are bounded on their own.
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

// boundsAt returns the bounds of a band's limit at a point except those of caps, rounded down to the step, and the
// tenure.
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
		room := roomOf(most, facts.Outstanding, facts.OtherOffers)
		if isAmount(facts.PartnerOutstanding) && isAmount(facts.PartnerOffers) {
			room = min(room, roomOf(most, facts.PartnerOutstanding, facts.PartnerOffers))
		}
		out[boundRoom] = room - room%step
	}
	if asked.Type() == rule.NumberType {
		out[boundRequested] = floor(asked.Number(), step)
	}
	return out, months
}

// roomOf returns what the bound of the exposure leaves for a person who owes and is offered something, in paise.
func roomOf(most int64, outstanding, offers rule.Value) int64 {
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

// statuses returns the set of statuses (a bit for each) that a policy can give within a box if the limit is in a range.
func (p *pricing) statuses(i int, v *view, b *box, from, to int64) (set uint8) {
	some, every := p.consumes(i, v, from, to)
	if every {
		return 1 << engine.Declined
	}
	if some {
		set = 1 << engine.Declined
	}
	return set | p.offered(i, v, b, from, to)
}

// offered returns the set of statuses that a policy can give within a box if it makes an offer with a limit in a range.
func (p *pricing) offered(i int, v *view, b *box, from, to int64) (set uint8) {
	if len(p.lists[v.state.list].ids) == 0 {
		return 1 << v.state.action
	}
	runs := p.runsOf(i, v)
	if runs == nil {
		return p.stage2(i, v, b, &run{from: from, to: to, undeterminedCell: true})
	}
	for k := range runs {
		if runs[k].from <= to && from <= runs[k].to {
			set |= p.stage2(i, v, b, &runs[k])
		}
	}
	return set
}

// stage2 returns the statuses that the rules on the offer can give within a run.
func (p *pricing) stage2(i int, v *view, b *box, r *run) uint8 {
	return p.stage2With(v, func(n *node) uint8 { return p.truth(i, v, b, r, n) })
}

// stage2With returns the statuses that the rules on the offer can give if truth returns the possible truth of each
// literal.
func (p *pricing) stage2With(v *view, truth func(n *node) uint8) uint8 {
	set := uint8(1) << v.state.action
	for _, id := range p.lists[v.state.list].ids {
		c := &p.all[id]
		if c.kind != ruleEffect {
			continue
		}
		effects := uint8(0) // a bit for each action
		t := p.possible(c.t, truth)
		if t&2 != 0 {
			effects |= 1 << c.onTrue
		}
		if t&1 != 0 {
			switch f := p.possible(c.f, truth); {
			case c.onUnknown == engine.Approve:
				effects |= 1
			default:
				if f&2 != 0 {
					effects |= 1
				}
				if f&1 != 0 {
					effects |= 1 << c.onUnknown
				}
			}
		}
		set = worst(set, effects)
	}
	return set
}

// worst returns the statuses that follow if one of the statuses and one of the actions apply together.
func worst(set, effects uint8) (out uint8) {
	for s := range 3 {
		for e := range 3 {
			if set>>s&1 != 0 && effects>>e&1 != 0 {
				out |= 1 << max(s, e)
			}
		}
	}
	return out
}

// truth returns whether a literal on a result can be false (bit 0) and true (bit 1).
func (p *pricing) truth(i int, v *view, b *box, r *run, n *node) uint8 {
	x := p.ordered[n.at]
	at := -1
	switch {
	case x.kind == freeResult:
		return 3
	case x.name == finalScore:
		at = v.segment.cell
	case x.name == field.Grade:
		d := p.space.Domain(x.field)
		if code, ok := p.space.Code(d, rule.Str(v.band.Grade)); ok {
			at = x.cellOf(code)
		}
	case x.name == engine.OutcomeRate:
		at = x.cellOf(int64(rule.Number(v.band.RateBP)*rule.Paisa) / int64(p.space.Domain(x.field).Unit))
	case x.name == field.PostOfferFOIR:
		return p.postFOIR(i, b, r, x, n)
	case r.undeterminedCell:
	case x.name == field.OfferLimit:
		at = r.limit
	case x.name == field.OfferEMI:
		at = r.emi
	case x.name == field.OfferAPR:
		at = r.apr
	}
	switch {
	case at < 0:
		return 3
	case n.cells.has(at):
		return 2
	default:
		return 1
	}
}

// postFOIR returns the possible truth of a literal on post_offer_foir. The figure rises with the FOIR and the
// instalment and falls with the income.
func (p *pricing) postFOIR(i int, b *box, r *run, x *variable, n *node) (set uint8) {
	add := func(code int64) {
		at := x.cellOf(code)
		switch {
		case at < 0:
			set = 3
		case n.cells.has(at):
			set |= 2
		default:
			set |= 1
		}
	}
	foir, income := p.lending.of[i][dimFOIR], p.lending.of[i][dimIncome]
	if foir < 0 || income < 0 || !b.given[foir] || !b.given[income] {
		add(space.Absent)
		return set
	}
	least, most := b.lo[income].Paise(), b.hi[income].Paise()
	if b.lo[income] < 0 {
		return 3
	}
	if least == 0 {
		add(space.Absent)
		if most == 0 {
			return set
		}
		least = 1
	}
	if r.undeterminedCell {
		return 3
	}
	low, ok := engine.PostOfferFOIR(b.lo[foir], r.instalments[0], most)
	high, fits := engine.PostOfferFOIR(b.hi[foir], r.instalments[1], least)
	if !ok || !fits {
		return 3
	}
	const unit = int64(rule.One) / 10_000
	for k := range x.cells {
		for _, span := range x.cells[k].set {
			if exact.DivCeil(span.Lo, unit) <= min(high, exact.DivFloor(span.Hi, unit)) && span.Hi >= low*unit {
				if n.cells.has(k) {
					set |= 2
				} else {
					set |= 1
				}
			}
		}
	}
	return set
}

// dominance says what is known about the limits of two bands for all applicants of a box.
type dominance struct {
	// The limit of the old policy is never below, or never above, that of the new policy, if both make an offer.
	atLeast, atMost bool
	more, less      bool // the same even without an offer, before limits are rounded to the steps of the policies
	equal           bool // the limits are the same
	shared          [bounds]bool
}

// dominates compares the bounds of two limits. A limit grows with each of the settings compared here, so one limit is
// never above the other if no setting is.
func (p *pricing) dominates(x, y *view, b *box) (d dominance) {
	l, r := p.sides[0], p.sides[1]
	if !p.paired && (l.dims[dimIncome] != r.dims[dimIncome] || l.dims[dimFOIR] != r.dims[dimFOIR]) {
		return d
	}
	d.more, d.less = true, true
	compare := func(bound int, pairs ...[2]int64) {
		d.shared[bound] = true
		for _, v := range pairs {
			d.more, d.less = d.more && v[0] >= v[1], d.less && v[0] <= v[1]
			d.shared[bound] = d.shared[bound] && v[0] == v[1]
		}
	}
	given := func(dim int) bool {
		k := p.lending.of[0][dim]
		return k >= 0 && b.given[k]
	}
	foir, income := given(dimFOIR), given(dimIncome) && b.lo[p.lending.of[0][dimIncome]] >= 0
	caps := [2]int64{int64(x.band.FOIRCap), int64(y.band.FOIRCap)}
	defaults := [2]int64{x.band.DefaultLimitPaise, y.band.DefaultLimitPaise}
	switch {
	case foir && income:
		compare(boundCapacity, caps, [2]int64{-x.band.RateBP, -y.band.RateBP}, [2]int64{int64(x.months), int64(y.months)})
	case foir:
		compare(boundCapacity, caps, defaults)
	default:
		compare(boundCapacity, defaults)
	}
	compare(boundMultiple)
	if income {
		l, r := multiple(x.band), multiple(y.band)
		d.shared[boundMultiple] = l == r
		bounded := foir && b.lo[p.lending.of[0][dimFOIR]] >= 0
		d.more = d.more && (l >= r || bounded && l >= reach(y))
		d.less = d.less && (l <= r || bounded && r >= reach(x))
	}
	compare(boundMax, [2]int64{x.band.MaxLimitPaise, y.band.MaxLimitPaise})
	compare(boundRoom, [2]int64{exposureOr(l), exposureOr(r)})
	compare(boundRequested)
	compare(boundCaps)
	compare(boundCommon)
	fine, coarse := l.policy.LimitStepPaise, r.policy.LimitStepPaise
	p.shift(&d)
	d.atLeast, d.atMost = d.more && coarse%fine == 0, d.less && fine%coarse == 0
	p.compareCaps(&d, x, y, b)
	d.equal = d.more && d.less && coarse == fine
	return d
}

// reach returns the largest multiple of income, in millionths, that the capacity to repay allows in a view if income and
// FOIR are known. It is rounded up.
func reach(v *view) int64 {
	const most = int64(rule.MaxNumber)
	terms, err := loan.NewTerms(v.band.RateBP, v.months)
	if err != nil {
		return most // cannot happen: the reader bounds rate and months
	}
	const capacity = 1_000_000_000 // in paise, so that the principal is exact to nine digits
	times, ok := exact.MulDivFloor(uint64(terms.Principal(capacity))+1, uint64(v.band.FOIRCap), capacity)
	if !ok || times >= uint64(most) {
		return most
	}
	return int64(times) + 1
}

func multiple(b *engine.Band) int64 {
	if !b.HasIncomeMultiple {
		return int64(rule.MaxNumber)
	}
	return int64(b.IncomeMultiple)
}

func exposureOr(s *side) int64 {
	if at := exposureOf(s); at >= 0 {
		return at
	}
	return int64(rule.MaxNumber)
}

// feeOrders returns how the fees and charges of the two policies can compare at equal limits in a range: bit 0 lower under the old
// policy, bit 1 equal, bit 2 higher.
func (p *pricing) feeOrders(x, y *view, from, to int64) (set uint8) {
	a, b := x.band, y.band
	l, r := p.sides[0], p.sides[1]
	if a.FeePct == b.FeePct && a.FeeMinPaise == b.FeeMinPaise && a.GSTPct == b.GSTPct && sameCharges(l, r) {
		return 2
	}
	step := p.sides[0].policy.LimitStepPaise
	if step != p.sides[1].policy.LimitStepPaise || (to-from)/step > maxSteps {
		return 7
	}
	for limit := (from + step - 1) / step * step; limit <= to; limit += step {
		if p.tired() {
			return 7
		}
		set |= 1 << (1 + sign(l.costs(a, limit)-r.costs(b, limit)))
		if set == 7 {
			break
		}
	}
	return set
}

func sign(n int64) int {
	switch {
	case n < 0:
		return -1
	case n > 0:
		return 1
	default:
		return 0
	}
}
