package generate

import (
	"fmt"
	"slices"
	"time"

	"verdict/internal/application"
	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/policytest"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// Coverage measures which goals of a policy applications reach. It must not be used
// by several goroutines at the same time.
type Coverage struct {
	subject *policytest.Subject
	// unruled decides without knockouts. It gives the offer that Stage 2 rules read,
	// which a declined decision does not show. It is nil if there are no such rules.
	unruled *policytest.Subject

	slots      *rule.Slots
	code       *rule.Code
	conditions []*condition
	factors    []*factorGoals
	bands      []*bandGoals
	segments   []segment
	caps       []*capGoals
	charges    []chargeGoals
	required   [][2]int // met, not met
	sources    sourceGoals
	codes      []codeGoal
	statuses   []int
	goals      []goal

	decision, offered, changed engine.Decision
	frame                      rule.Frame
}

// sourceGoals has the goals of affordability, noGoal if there is only one source.
type sourceGoals struct {
	// declared: the declared obligations count, although another source is known.
	// other: another source counts, although declared obligations are known.
	declared, other int
}

// The limits of a policy whose coverage is measured: its cost, and the number of its
// goals. Policies that people maintain are far below them.
const (
	maxCost  = 10_000
	maxGoals = 20_000
	// maxSwitched bounds the cost multiplied by the number of caps and of bands with a condition, because each of
	// them needs its own plans.
	maxSwitched = 1_000_000
)

// NewCoverage lists the goals of a policy. It returns an error if the policy is too large or has too many goals.
func NewCoverage(p *engine.Policy) (*Coverage, error) {
	if cost := p.Cost(); cost > maxCost {
		return nil, fmt.Errorf("the policy is too large to measure its coverage: it has %d conditions, operands, "+
			"bins and bands; at most %d can be covered", cost, maxCost)
	}
	if n := switchedEntries(p); n*p.Cost() > maxSwitched {
		return nil, fmt.Errorf("the policy is too large to measure its coverage: it has %d bands with a condition "+
			"and limit caps; at most %d can be covered in a policy of this size", n, maxSwitched/p.Cost())
	}
	c := &Coverage{subject: policytest.NewSubject(p), slots: rule.NewSlots(field.Catalogue())}
	c.code = rule.NewCode(c.slots)
	c.conditions = conditionsOf(p, c.code)
	if slices.ContainsFunc(p.Knockouts, func(k engine.Knockout) bool { return k.Stage == 2 }) {
		without := *p
		without.Knockouts = nil
		c.unruled = policytest.NewSubject(&without)
	}
	l := &goalList{policy: p}
	whens := map[int]*condition{}
	for _, x := range c.conditions {
		l.condition(x)
		if x.owner == ofFactor {
			whens[x.index] = x
		}
	}
	for i := range p.Scorecard.Factors {
		c.factors = append(c.factors, l.factor(&p.Scorecard.Factors[i], whens[i]))
	}
	for i := range p.Bands {
		c.bands = append(c.bands, l.band(&p.Bands[i]))
	}
	c.prices(l)
	for _, r := range p.Required {
		var facts []string
		for _, ref := range r.Any {
			facts = append(facts, ref.Name)
		}
		given := l.add(facts, "required field %s: is given", r.Text)
		absent := l.add(facts, "required field %s: is absent", r.Text)
		if slices.Contains(facts, field.BureauScore) && p.NeedsScore() {
			l.goals[absent].never = "a request without a score is refused"
		}
		c.required = append(c.required, [2]int{given, absent})
	}
	c.others(l)
	c.goals = l.goals
	if len(c.goals) > maxGoals {
		return nil, fmt.Errorf("the policy is too large to measure its coverage: it has %d thresholds, values and "+
			"bins; at most %d can be covered", len(c.goals), maxGoals)
	}
	return c, nil
}

// others lists the goals that belong to no single entry of the policy.
func (c *Coverage) others(l *goalList) {
	p := l.policy
	c.sources = sourceGoals{noGoal, noGoal}
	if sources := p.CountedSources(); sources.CountsDeclared() && len(sources.Obligations.Of) > 1 {
		facts := []string{field.FOIR, field.MonthlyIncome, field.BureauOwnEMI}
		c.sources.declared = l.add(facts, "obligations: the declared ones count, and others are known")
		c.sources.other = l.add(facts, "obligations: others than the declared ones count")
	}
	c.reasonCodes(l)
	for s := engine.Approved; s <= engine.Declined; s++ {
		c.statuses = append(c.statuses, l.add(nil, "status %s", s))
	}
}

// bits is a set of goals.
type bits []uint64

func (b bits) set(at int) {
	if at >= 0 {
		b[at>>6] |= 1 << (at & 63)
	}
}

func (b bits) has(at int) bool { return b[at>>6]>>(at&63)&1 != 0 }

// result has the parts of a decision that the search uses.
type result struct {
	score   rule.Number
	hits    int32
	status  engine.Status
	offer   bool
	band    *engine.Band
	refused bool // the application is invalid
}

// cost returns about how many steps measure takes.
func (c *Coverage) cost() int {
	cost := 1_000 + len(c.goals) + c.subject.Policy.Cost()*(1+len(c.codes)+len(c.segments)+len(c.caps))
	for _, x := range c.conditions {
		cost += 2 * len(x.leaves) * len(x.leaves)
	}
	return cost
}

// measure decides an application and returns the goals that it reaches. stated are facts that the service would find.
// ok is false if the application is refused.
func (c *Coverage) measure(
	body wire.Value, asOf time.Time, stated ...rule.NamedValue,
) (o result, reached bits, ok bool) {
	d := &c.decision
	app, err := c.subject.Decide(body, asOf, d, stated...)
	if err != nil {
		return o, nil, false
	}
	o = result{status: d.Status, hits: int32(len(d.Hits())), score: d.FinalScore, offer: d.Offer.Made, band: d.Band()}
	reached = make(bits, (len(c.goals)+63)/64)
	c.measureSwitched(app.Facts)
	c.addResults(body, asOf, app, stated)
	c.slots.Load(app.Facts, &c.frame)
	for _, x := range c.conditions {
		x.evaluate(c.code, &c.frame, app.Facts)
		c.condition(x, app.Facts, reached)
	}
	for i, f := range c.factors {
		f.measure(app.Facts.Get(c.subject.Policy.Scorecard.Factors[i].Field.Name), reached)
	}
	if i := c.band(); i >= 0 {
		c.measureBand(i, app.Facts, reached)
	}
	c.measurePrices(reached)
	c.measureOthers(app.Facts, reached)
	return o, reached, true
}

// addResults adds the results that Stage 2 rules read to the facts of the application.
func (c *Coverage) addResults(
	body wire.Value, asOf time.Time, app *application.Application, stated []rule.NamedValue,
) {
	if c.unruled == nil {
		return
	}
	if _, err := c.unruled.Decide(body, asOf, &c.offered, stated...); err != nil {
		return
	}
	d := &c.offered
	app.Facts.Set(field.FinalScore, rule.Num(d.FinalScore))
	app.Facts.Set(field.Grade, rule.Str(d.Grade))
	var limit, emi, apr, foir rule.Value
	if d.Offer.Made {
		limit = rule.Num(rule.Rupees(d.Offer.LimitPaise))
		emi = rule.Num(rule.Rupees(d.Offer.InstalmentPaise))
		apr = rule.Num(rule.Number(d.Offer.APR) * rule.Paisa)
		if d.Offer.HasPostFOIR {
			foir = rule.Num(d.Offer.PostFOIRRatio())
		}
	}
	app.Facts.Set(field.OfferLimit, limit)
	app.Facts.Set(field.OfferEMI, emi)
	app.Facts.Set(field.OfferAPR, apr)
	app.Facts.Set(field.PostOfferFOIR, foir)
}

// condition marks the goals of a condition, if the decision shows them.
func (c *Coverage) condition(x *condition, facts *rule.Facts, reached bits) {
	d := &c.decision
	switch x.owner {
	case ofTerm: // only an offer has conditions
		if !d.Offer.Made {
			return
		}
	case ofFactor: // without a value, the factor shows points only if it has points for a missing field
		f := &c.subject.Policy.Scorecard.Factors[x.index]
		if facts.Get(f.Field.Name).Type() == rule.Absent && !f.HasMissing {
			return
		}
	case ofBand, ofCap:
		if !x.shown {
			return
		}
	default:
	}
	switch x.truth(noLeaf, rule.Unknown) {
	case rule.Holds:
		reached.set(x.goals.holds)
		if len(d.Hits()) == 1 && d.Worst() == int32(x.index) { // the rule alone gives the status
			reached.set(x.goals.alone)
		}
	case rule.Fails:
		reached.set(x.goals.fails)
	case rule.Unknown:
		reached.set(x.goals.unknown)
	}
	for i, l := range x.leaves {
		if l.truth == rule.Unknown || !x.decides(i) {
			continue
		}
		for _, g := range l.goals {
			if g.any && g.truth == l.truth || !g.any && g.value == l.value {
				reached.set(g.at)
			}
		}
	}
}

// measure marks the goals of a factor.
func (g *factorGoals) measure(v rule.Value, reached bits) {
	if g.when != nil && g.when.truth(noLeaf, rule.Unknown) != rule.Holds {
		return
	}
	if v.Type() == rule.Absent {
		reached.set(g.missing)
		return
	}
	for i := range g.bounds {
		if contains(g.bounds, i, v) {
			reached.set(g.bins[i])
		}
	}
	for _, x := range g.values {
		if x.value == v {
			reached.set(x.at)
		}
	}
}

// contains reports whether a value falls into the bin at index i.
func contains(bins []engine.Bin, i int, v rule.Value) bool {
	b := &bins[i]
	n := v.Number()
	named := slices.ContainsFunc(bins, func(o engine.Bin) bool {
		return slices.Contains(o.In, v) || v.Type() == rule.NumberType && slices.Contains(o.Special, n)
	})
	switch {
	case b.Else:
		return !named
	case len(b.In) > 0:
		return slices.Contains(b.In, v)
	case v.Type() != rule.NumberType:
		return false
	case len(b.Special) > 0:
		return slices.Contains(b.Special, n)
	default:
		return !named && (!b.HasMin || n >= b.Min) && (!b.HasMax || n < b.Max)
	}
}

// band returns the index of the band of the decision, or -1.
func (c *Coverage) band() int {
	bands := c.subject.Policy.Bands
	for i := range bands {
		if c.decision.Band() == &bands[i] {
			return i
		}
	}
	return -1
}

// showsBand reports whether the decision shows its band. Bands for different applicants often have the same grade, so
// that only the offer says which of them applied.
func (c *Coverage) showsBand(b *engine.Band) bool {
	switch {
	case !c.subject.Policy.HasSegments() || c.decision.Offer.Made:
		return true
	case b.Priced && b.Action != engine.Decline:
		return false
	default:
		return len(c.decision.Hits()) == 0
	}
}

func (c *Coverage) measureBand(at int, facts *rule.Facts, reached bits) {
	b, g, d := &c.subject.Policy.Bands[at], c.bands[at], &c.decision
	if c.showsBand(b) {
		reached.set(g.reached)
		if score := d.FinalScore.Floor(); b.Ranged && score == b.MinScore {
			reached.set(g.lowest)
		}
		if score := d.FinalScore.Floor(); b.Ranged && score == b.MaxScore {
			reached.set(g.highest)
		}
	}
	asked := facts.Get(field.RequestedAmount)
	if len(d.Hits()) == 0 && d.Status == engine.Declined && b.Priced && b.Action != engine.Decline {
		amount := slices.ContainsFunc(d.Reasons,
			func(r engine.Reason) bool { return r.Code == engine.ReasonAmountMinimum })
		if amount && asked == rule.Num(rule.Rupees(b.MinLimitPaise-1)) {
			reached.set(g.belowMinimum)
		}
	}
	o := &d.Offer
	if !o.Made {
		return
	}
	tenure := facts.Get(field.RequestedTenureMonths)
	switch {
	case tenure.Type() == rule.Absent:
		reached.set(g.noTenure)
	case o.TenureNotAvailable:
		reached.set(g.otherTenure)
	default:
		if i := slices.Index(b.Tenures, o.TenureMonths); i >= 0 {
			reached.set(g.tenures[i])
		}
	}
	if i, ok := g.bindings[o.Binding]; ok {
		reached.set(i)
	}
	if o.LimitPaise == b.MinLimitPaise {
		reached.set(g.atMinimum)
	}
	if o.FeePaise == b.FeeMinPaise {
		reached.set(g.feeMinimum)
	} else {
		reached.set(g.feeShare)
	}
}

func (c *Coverage) measureOthers(facts *rule.Facts, reached bits) {
	d := &c.decision
	for i, r := range c.subject.Policy.Required {
		given := slices.ContainsFunc(r.Any,
			func(ref rule.Ref) bool { return facts.Get(ref.Name).Type() != rule.Absent })
		if given {
			reached.set(c.required[i][0])
		} else {
			reached.set(c.required[i][1])
		}
	}
	declared, counted := facts.Get(field.FOIR), facts.Get(field.FOIREffective)
	emi := facts.Get(field.BureauOwnEMI)
	if declared.Type() != rule.Absent && counted.Type() != rule.Absent && emi.Number() > 0 {
		if declared == counted {
			reached.set(c.sources.declared)
		} else {
			reached.set(c.sources.other)
		}
	}
	reached.set(c.statuses[d.Status])
	c.measureCodes(facts, reached)
}

// Count returns how many goals there are and which of them the cases do not reach.
// Cases whose application is refused reach none.
func (c *Coverage) Count(cases []policytest.Case) (total int, missed []string) {
	all := make(bits, (len(c.goals)+63)/64)
	for i := range cases {
		if _, reached, ok := c.measure(cases[i].Application, cases[i].AsOf, cases[i].Facts...); ok {
			for k := range all {
				all[k] |= reached[k]
			}
		}
	}
	for i := range c.goals {
		if !all.has(i) {
			missed = append(missed, c.goals[i].text)
		}
	}
	return len(c.goals), missed
}
