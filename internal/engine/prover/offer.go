package prover

import (
	"verdict/internal/engine"
	"verdict/internal/engine/space"
	"verdict/internal/exact"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// finalScore is the name of the result by which scores are divided into segments.
const finalScore = field.FinalScore

// maxSteps is the largest number of limits of a band for which each limit is computed. If a band has more limits,
// conditions on its offers may hold or fail at any limit.
const maxSteps = 100_000

// pricing computes what the policies offer within boxes.
type pricing struct {
	*automaton
	runs    map[[3]int][]run // by side, band and tenure
	spent   map[[2]int]consumption
	results map[string]*variable // result variables by name
	priced  int                  // number of limits computed since the last call of Options.Check
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

// tired counts a limit that is computed. Every few thousand limits it calls Options.Check. If it returns true, the
// work must stop and the result is incomplete. The caller then returns a value that excludes nothing.
func (p *pricing) tired() bool {
	if p.priced++; p.priced < limitsBetweenChecks {
		return p.late
	}
	p.priced = 0
	return p.stopped()
}

// limitsBetweenChecks is the number of limits that are computed between two calls of Options.Check.
const limitsBetweenChecks = 2_000

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

// stage2With returns the statuses that the rules on the offer can give. The function truth returns the possible truth
// values of each literal.
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

// truth returns whether a literal on a result of the decision can be false (bit 0) and whether it can be true (bit 1).
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

// postFOIR returns the possible truth values of a literal on post_offer_foir. The figure rises with the FOIR and the
// instalment, and falls with the income.
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

// feeOrders returns how the fees and charges of the two policies can compare at equal limits in a range. Bit 0 is set
// if they can be lower under the old policy, bit 1 if they can be equal, and bit 2 if they can be higher.
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
	for limit := exact.DivCeil(from, step) * step; limit <= to; limit += step {
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
