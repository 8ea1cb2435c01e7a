package engine

import (
	"slices"

	"verdict/internal/rule"
)

// NoKnockout is the index that means that there is no knockout.
const NoKnockout int32 = -1

// Worst returns the index of the first knockout that gave the decision its
// status, or NoKnockout if no knockout gave it.
func (d *Decision) Worst() int32 {
	for i := range d.hits {
		if resultStatus[d.hits[i].Result] == d.Status {
			return d.hits[i].Knockout
		}
	}
	return NoKnockout
}

// Hits returns the knockouts that failed or referred. The slice is valid until
// d is used again.
func (d *Decision) Hits() []Hit { return d.hits }

// Probe returns a status that is at least as good as the status that Decide gives.
// It evaluates one knockout instead of all, because a knockout that declined an
// application usually declines a similar one too. Afterwards, d is not a complete
// decision and must not be read as one.
func (p *Plan) Probe(facts *rule.Facts, d *Decision, knockout int32) Status {
	p.begin(facts, d)
	if at, ok := p.stage1.find(knockout); ok {
		p.evaluateOne(d, &p.stage1, at)
		return d.Status
	}
	p.score(d)
	pricer{p, d}.price()
	if at, ok := p.stage2.find(knockout); ok && d.Status != Declined {
		p.putResults(d)
		p.evaluateOne(d, &p.stage2, at)
	}
	return d.Status
}

// find returns the position of a knockout among the rules of a stage, which are
// sorted by policy index. ok is false if the stage does not have the knockout.
func (s *stage) find(knockout int32) (at int, ok bool) {
	return slices.BinarySearchFunc(s.rules, knockout,
		func(r compiledRule, index int32) int { return int(r.index - index) })
}

// evaluateOne evaluates the knockout at the given position of a stage. If the knockout hits, it makes d.Status worse.
func (p *Plan) evaluateOne(d *Decision, s *stage, at int) {
	result := s.rules[at].result(p.code.Eval(s.tests[at], &d.frame), d.eligibility)
	d.Status = max(d.Status, resultStatus[result])
}

// MaxCost is the highest Policy.Cost of a new policy. Such a policy takes a few
// milliseconds to decide. Policies that are already stored are not affected.
const MaxCost = 100_000

// MaxRules is the maximum number of knockouts of a new policy. Every decision
// evaluates each of them and stores about 150 bytes for it in the response.
const MaxRules = 1000

// valuesForOne is the number of list values that cost as much as one predicate. Values are cheap because they are
// found by a lookup and not compared one by one.
const valuesForOne = 10

// Cost returns an estimate of the cost of a decision under the policy: 1 for each
// predicate, operator and argument of a condition, 1 for every ten values of a list,
// and 1 for each bin, band and cap.
func (p *Policy) Cost() int {
	cost := len(p.Bands)
	add := func(c *rule.Condition) {
		c.Walk(func(n *rule.Condition) {
			cost += 1 + len(n.Values)/valuesForOne + operandCost(&n.Left) + operandCost(&n.Right)
		})
	}
	for i := range p.Knockouts {
		add(&p.Knockouts[i].Condition)
	}
	for i := range p.Adjustments {
		add(&p.Adjustments[i].Condition)
	}
	for i := range p.Terms {
		add(&p.Terms[i].Condition)
	}
	for i := range p.Bands {
		if when := p.Bands[i].When; when != nil {
			add(when)
		}
	}
	for i := range p.LimitCaps {
		c := &p.LimitCaps[i]
		if cost += 1 + operandCost(&c.Of); c.When != nil {
			add(c.When)
		}
	}
	for i := range p.Scorecard.Factors {
		f := &p.Scorecard.Factors[i]
		if f.When != nil {
			add(f.When)
		}
		for k := range f.Bins {
			cost += 1 + (len(f.Bins[k].In)+len(f.Bins[k].Special))/valuesForOne
		}
	}
	return cost
}

// operandCost counts the arguments of arithmetic. A plain field or constant is
// part of its predicate.
func operandCost(o *rule.Operand) int {
	cost := len(o.Args)
	for i := range o.Args {
		cost += operandCost(&o.Args[i])
	}
	return cost
}

// offerCost is the cost of an offer in steps: a schedule and the search for its
// APR.
const offerCost = 200

// Cost returns the maximum number of steps of Decide: the predicates and operands of
// all conditions, plus the number of fields, factors, adjustments and bands, plus
// offerCost. A step takes a few nanoseconds.
func (p *Plan) Cost() int { return p.ProbeCost() + p.code.Len() }

// ProbeCost returns the number of steps of Probe without the steps of the knockout
// itself.
func (p *Plan) ProbeCost() int {
	return p.slots.Len() + len(p.scoring.factors) + len(p.adjustments) +
		len(p.bands.bands) + len(p.ntcBands.bands) + offerCost
}
