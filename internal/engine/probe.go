package engine

import (
	"slices"

	"verdict/internal/rule"
)

// NoKnockout stands for no knockout where a knockout is named by its index.
const NoKnockout int32 = -1

// Worst returns the knockout that gave a decision its status, the first of
// several; NoKnockout if the score, the price or a missing input did.
func (d *Decision) Worst() int32 {
	for i := range d.hits {
		if resultStatus[d.hits[i].Result] == d.Status {
			return d.hits[i].Knockout
		}
	}
	return NoKnockout
}

// Hits returns the knockouts that failed or referred. They are d's own until it
// decides again.
func (d *Decision) Hits() []Hit { return d.hits }

// Probe returns a status that Decide gives or a worse one does, after asking one
// knockout instead of all: what declined an application usually declines the
// one beside it too. d is not a decision afterwards.
func (p *Plan) Probe(facts *rule.Facts, d *Decision, knockout int32) Status {
	p.begin(facts, d)
	if at, ok := p.stage1.find(knockout); ok {
		p.ask(d, &p.stage1, at)
		return d.Status
	}
	p.score(d)
	p.price(d)
	if at, ok := p.stage2.find(knockout); ok && d.Status != Declined {
		p.reveal(d)
		p.ask(d, &p.stage2, at)
	}
	return d.Status
}

// find returns the place of a knockout among the rules of a stage, which are in
// the policy's order.
func (s *stage) find(knockout int32) (at int, ok bool) {
	return slices.BinarySearchFunc(s.rules, knockout, func(r compiledRule, index int32) int { return int(r.index - index) })
}

// ask evaluates one knockout.
func (p *Plan) ask(d *Decision, s *stage, at int) {
	result := s.rules[at].result(p.code.Eval(s.tests[at], &d.frame), d.eligibility)
	d.Status = max(d.Status, resultStatus[result])
}

// MaxCost is the most that a new policy may cost, by Policy.Cost: some
// milliseconds to decide. Policies that are stored already stay as they are.
const MaxCost = 100_000

// MaxRules is how many knockouts a new policy may have. Each is evaluated in
// every decision, and takes some 150 bytes of every stored answer.
const MaxRules = 1000

// valuesForOne is how many values of a list cost as much as one predicate: a
// value is looked up and not compared.
const valuesForOne = 10

// Cost returns what deciding by the policy costs: one for each predicate,
// operator and operand of a condition, for each ten values of a list, and for
// each bin and band.
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

// operandCost counts what is calculated; a field or a constant by itself is
// part of its predicate.
func operandCost(o *rule.Operand) int {
	cost := len(o.Args)
	for i := range o.Args {
		cost += operandCost(&o.Args[i])
	}
	return cost
}

// offerCost is what an offer costs in steps: a schedule and the search for its
// APR.
const offerCost = 200

// Cost returns how many steps Decide takes at most: predicates and operands of
// all conditions, fields, factors and bands. A step takes some nanoseconds.
func (p *Plan) Cost() int { return p.ProbeCost() + p.code.Len() }

// ProbeCost returns how many steps Probe takes, but for the knockout's own.
func (p *Plan) ProbeCost() int {
	return p.slots.Len() + len(p.scoring.factors) + len(p.adjustments) + len(p.bands.bands) + len(p.ntcBands.bands) + offerCost
}
