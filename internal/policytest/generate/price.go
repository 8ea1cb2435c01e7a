package generate

import (
	"slices"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// switched has two plans of a changed policy. In the plan "never", a band or a cap applies to nobody. In the plan
// "always", it applies to everybody. An application shows that the band or cap applies to it if the plan "never"
// gives another decision. It shows that the band or cap does not apply if the plan "always" gives another decision.
type switched struct {
	never, always *engine.Plan
}

func neverAndAlways(p *engine.Policy, change func(p *engine.Policy, when *rule.Condition)) (s switched) {
	for _, x := range []struct {
		op   rule.Op
		plan **engine.Plan
	}{{rule.False, &s.never}, {rule.True, &s.always}} {
		changed := *p
		changed.Bands, changed.LimitCaps = slices.Clone(p.Bands), slices.Clone(p.LimitCaps)
		change(&changed, &rule.Condition{Op: x.op})
		*x.plan = engine.Compile(&changed, field.Catalogue())
	}
	return s
}

// switchedEntries returns the number of caps and of bands with a condition.
func switchedEntries(p *engine.Policy) int {
	n := len(p.LimitCaps)
	for i := range p.Bands {
		if p.Bands[i].When != nil {
			n++
		}
	}
	return n
}

// shows reports whether the decision would differ in a part that the cases compare.
func (c *Coverage) shows(other *engine.Plan, facts *rule.Facts) bool {
	d, o := &c.decision, &c.changed
	other.Decide(facts, o)
	x, y := &d.Offer, &o.Offer
	return d.Status != o.Status || d.Grade != o.Grade || x.Made != y.Made || x.LimitPaise != y.LimitPaise ||
		x.RateBP != y.RateBP || x.TenureMonths != y.TenureMonths || x.Binding != y.Binding || x.BandID != y.BandID ||
		x.LimitCapID != y.LimitCapID || x.FeePaise != y.FeePaise || x.GSTPaise != y.GSTPaise ||
		!slices.EqualFunc(d.Reasons, o.Reasons, func(x, y engine.Reason) bool { return x.Code == y.Code })
}

// measureSwitched notes for every band with a condition, and for every cap, whether the decision shows that it
// applies or that it does not. It must run before the results of the offer are added to the facts.
func (c *Coverage) measureSwitched(facts *rule.Facts) {
	if len(c.segments) == 0 && len(c.caps) == 0 {
		return
	}
	c.slots.Load(facts, &c.frame)
	note := func(x *condition, s *switched) bool {
		applies := true
		if x != nil {
			x.evaluate(c.code, &c.frame, facts)
			applies = x.truth(noLeaf, rule.Unknown) == rule.Holds
		}
		other := s.always
		if applies {
			other = s.never
		}
		shown := c.shows(other, facts)
		if x != nil {
			x.shown = shown
		}
		return shown
	}
	for i := range c.segments {
		note(c.segments[i].when, &c.segments[i].plans)
	}
	for _, g := range c.caps {
		g.shown = note(g.when, &g.plans)
	}
}

// segment is a band with a condition.
type segment struct {
	when  *condition
	plans switched
}

// capGoals has the goals of a limit cap.
type capGoals struct {
	limit                                    *engine.LimitCap
	when                                     *condition // nil if the cap always applies
	amount                                   rule.Expression
	plans                                    switched
	shown                                    bool // in the application that is being measured
	exact, rounded, larger, declines, absent int
}

func (l *goalList) limitCap(limit *engine.LimitCap, when *condition) *capGoals {
	facts := []string{field.RequestedAmount, field.MonthlyIncome}
	limit.Of.Fields(func(ref rule.Ref) { facts = append(facts, ref.Name) })
	if when != nil {
		when.root.Fields(func(ref rule.Ref) { facts = append(facts, ref.Name) })
	}
	name := "limit cap " + limit.ID
	g := &capGoals{limit: limit, when: when}
	g.exact = l.add(facts, "%s: binds, and its amount is a step of the limit", name)
	g.rounded = l.add(facts, "%s: binds, and its amount is just below a step of the limit", name)
	g.larger = l.add(facts, "%s: applies, and does not bind", name)
	g.declines = l.add(facts, "%s: leaves less than the smallest limit", name)
	g.absent = l.add(facts, "%s: cannot be computed", name)
	n, constant, _ := limit.Of.Constant()
	if !constant {
		return g
	}
	const same = "the cap is the same amount for everybody"
	l.goals[g.absent].never = same
	paise := int64(n / rule.Paisa)
	if paise%l.policy.LimitStepPaise != 0 {
		l.goals[g.exact].never = same
	}
	if !justBelowStep(l.policy, paise) {
		l.goals[g.rounded].never = same
	}
	if !slices.ContainsFunc(l.policy.Bands, func(b engine.Band) bool { return b.Priced && paise < b.MinLimitPaise }) {
		l.goals[g.declines].never = same
	}
	return g
}

// justBelowStep reports whether one rupee more reaches the next step of the limit.
func justBelowStep(p *engine.Policy, paise int64) bool {
	return paise%p.LimitStepPaise+100 >= p.LimitStepPaise
}

// measureCap marks the goals of a cap.
func (c *Coverage) measureCap(g *capGoals, reached bits) {
	d := &c.decision
	if g.when != nil && g.when.truth(noLeaf, rule.Unknown) != rule.Holds {
		return
	}
	amount, computed := c.code.Value(g.amount, &c.frame)
	paise := int64(max(amount, 0) / rule.Paisa)
	o := &d.Offer
	switch {
	case o.Made && o.LimitCapID == g.limit.ID:
		if paise == o.LimitPaise {
			reached.set(g.exact)
		}
		if justBelowStep(c.subject.Policy, paise) {
			reached.set(g.rounded)
		}
	case o.Made:
		reached.set(g.larger)
	case len(d.Hits()) > 0 || !g.shown:
	case !computed:
		reached.set(g.absent)
	case d.Status == engine.Declined && d.Band() != nil && paise < d.Band().MinLimitPaise:
		reached.set(g.declines)
	}
}

type chargeGoals struct {
	charge                 *engine.Charge
	fixed                  int
	least, share, greatest int
}

// charge lists the goals of a charge, and notes which of them no limit of a band reaches.
func (l *goalList) charge(c *engine.Charge) chargeGoals {
	facts := []string{field.RequestedAmount, field.MonthlyIncome}
	for i := range l.policy.LimitCaps {
		l.policy.LimitCaps[i].Of.Fields(func(ref rule.Ref) { facts = append(facts, ref.Name) })
	}
	g := chargeGoals{c, noGoal, noGoal, noGoal, noGoal}
	if !c.Percent {
		g.fixed = l.add(facts, "charge %s: is deducted", c.ID)
		return g
	}
	var smallest, largest int64
	for i := range l.policy.Bands {
		if b := &l.policy.Bands[i]; b.Priced && b.Action != engine.Decline {
			if smallest == 0 || b.MinLimitPaise < smallest {
				smallest = b.MinLimitPaise
			}
			largest = max(largest, b.MaxLimitPaise)
		}
	}
	g.share = l.add(facts, "charge %s: is a share of the limit", c.ID)
	const higher, lower = "the share of the smallest limit is higher", "the share of the largest limit is lower"
	if c.Amount.MinPaise > 0 {
		g.least = l.add(facts, "charge %s: is its minimum", c.ID)
		if paise, _ := c.Amount.On(smallest); paise > c.Amount.MinPaise {
			l.goals[g.least].never = higher
		}
		if paise, _ := c.Amount.On(largest); paise == c.Amount.MinPaise {
			l.goals[g.share].never = lower
		}
	}
	if c.Amount.MaxPaise > 0 {
		g.greatest = l.add(facts, "charge %s: is its maximum", c.ID)
		if paise, _ := c.Amount.On(largest); paise < c.Amount.MaxPaise {
			l.goals[g.greatest].never = lower
		}
		if paise, _ := c.Amount.On(smallest); paise == c.Amount.MaxPaise {
			l.goals[g.share].never = higher
		}
	}
	return g
}

// measure marks the goals of a charge of an offer.
func (g *chargeGoals) measure(limitPaise int64, reached bits) {
	reached.set(g.fixed)
	unbounded := g.charge.Amount
	unbounded.MinPaise, unbounded.MaxPaise = 0, 0
	share, _ := unbounded.On(limitPaise)
	switch {
	case g.charge.Amount.PctMicros == 0:
	case share < g.charge.Amount.MinPaise:
		reached.set(g.least)
	case g.charge.Amount.MaxPaise > 0 && share > g.charge.Amount.MaxPaise:
		reached.set(g.greatest)
	default:
		reached.set(g.share)
	}
}

// prices lists the goals of segments, caps and charges.
func (c *Coverage) prices(l *goalList) {
	p := l.policy
	whens := map[int]*condition{}
	for _, x := range c.conditions {
		switch x.owner {
		case ofBand:
			i := x.index
			c.segments = append(c.segments, segment{x, neverAndAlways(p, func(p *engine.Policy, when *rule.Condition) {
				p.Bands[i].When = when
			})})
		case ofCap:
			whens[x.index] = x
		default:
		}
	}
	for i := range p.LimitCaps {
		g := l.limitCap(&p.LimitCaps[i], whens[i])
		g.amount = c.code.AddOperand(&p.LimitCaps[i].Of)
		g.plans = neverAndAlways(p, func(p *engine.Policy, when *rule.Condition) { p.LimitCaps[i].When = when })
		c.caps = append(c.caps, g)
	}
	for i := range p.Charges {
		c.charges = append(c.charges, l.charge(&p.Charges[i]))
	}
}

func (c *Coverage) measurePrices(reached bits) {
	for _, g := range c.caps {
		c.measureCap(g, reached)
	}
	for i := range c.charges {
		if c.decision.Offer.Made {
			c.charges[i].measure(c.decision.Offer.LimitPaise, reached)
		}
	}
}
