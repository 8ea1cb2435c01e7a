package generate

import (
	"fmt"
	"slices"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// codeGoal is reached by a decision without hits whose reasons would change if one entry of the policy had another
// reason code. changed is the plan of the policy with the other code.
type codeGoal struct {
	at      int
	changed *engine.Plan
}

// maxCodes is the maximum number of reason codes of the score that have a goal. Each
// of them takes a decision of its own for every application that is measured.
const maxCodes = 64

// otherCode is a reason code that no policy has for another purpose.
const otherCode = "CODE_OF_A_TEST"

// reasonCodes lists the goals of the reason codes of factors, bins, limit caps and adjustments.
func (c *Coverage) reasonCodes(l *goalList) {
	add := func(name, code string, change func(p *engine.Policy)) {
		if code == "" || len(c.codes) == maxCodes {
			return
		}
		changed := *l.policy
		card := *l.policy.Scorecard
		card.Factors = slices.Clone(card.Factors)
		changed.Scorecard, changed.Adjustments = &card, slices.Clone(changed.Adjustments)
		change(&changed)
		at := l.add(nil, "%s: its reason %s is given", name, code)
		c.codes = append(c.codes, codeGoal{at, engine.Compile(&changed, field.Catalogue())})
	}
	for i := range l.policy.Scorecard.Factors {
		f := &l.policy.Scorecard.Factors[i]
		add("factor "+f.Name, f.ReasonCode, func(p *engine.Policy) { p.Scorecard.Factors[i].ReasonCode = otherCode })
		for k := range f.Bins {
			add(fmt.Sprintf("factor %s: bin %d", f.Name, k+1), f.Bins[k].ReasonCode, func(p *engine.Policy) {
				bins := slices.Clone(f.Bins)
				bins[k].ReasonCode = otherCode
				p.Scorecard.Factors[i].Bins = bins
			})
		}
	}
	for i := range l.policy.LimitCaps {
		add("limit cap "+l.policy.LimitCaps[i].ID, l.policy.LimitCaps[i].ReasonCode, func(p *engine.Policy) {
			p.LimitCaps = slices.Clone(p.LimitCaps)
			p.LimitCaps[i].ReasonCode = otherCode
		})
	}
	for i := range l.policy.Adjustments {
		if a := &l.policy.Adjustments[i]; a.Delta < 0 {
			add("adjustment "+a.ID, a.ReasonCode, func(p *engine.Policy) { p.Adjustments[i].ReasonCode = otherCode })
		}
	}
}

// measureCodes marks the reason codes that the reasons of the decision depend on.
func (c *Coverage) measureCodes(facts *rule.Facts, reached bits) {
	d := &c.decision
	// An approval has a reason only if it is a counter-offer: the reason of the cap that bounds its limit.
	capped := d.Status == engine.Approved && d.Offer.LimitCapID != ""
	if len(d.Hits()) > 0 || d.Status == engine.Approved && !capped || len(d.Reasons) == 0 {
		return
	}
	for _, g := range c.codes {
		g.changed.Decide(facts, &c.changed)
		if !slices.EqualFunc(d.Reasons, c.changed.Reasons, func(x, y engine.Reason) bool { return x.Code == y.Code }) {
			reached.set(g.at)
		}
	}
}
