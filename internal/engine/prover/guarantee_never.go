package prover

import (
	"slices"

	"verdict/internal/engine"
	"verdict/internal/exact"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// neverGoal looks for an applicant who has one of certain statuses and for whom a guarantee does not hold.
//
// The first side of the model is the policy. The second side is a checker, which declines everybody for whom the
// guarantee cannot be violated. So a state whose second side is dead is finished.
type neverGoal struct {
	plan     *engine.Plan
	watch    *engine.Watch
	statuses uint8 // a bit for each status that is looked for
	decision engine.Decision
	proof    *Proof
}

// violation is the only kind that a neverGoal looks for.
var violation = Kind{Tenure: Higher}

// never proves or refutes a guarantee that excludes outcomes.
func (p *Proof) never(plan *engine.Plan, g *engine.Guarantee, o Options) {
	p.Standing = Proved
	for _, goal := range neverGoals(plan, g, p) {
		found, why := p.pursue(neverModel(plan, g, goal, o.Check), goal, o)
		if found {
			p.Standing, p.Why = Refuted, nil
			return
		}
		if len(why) > 0 {
			p.undecided(why...)
		}
	}
}

// neverGoals returns a goal for each group of statuses that the condition on the outcome does not distinguish.
func neverGoals(plan *engine.Plan, g *engine.Guarantee, p *Proof) (goals []*neverGoal) {
	readsStatus := false
	g.Never.Fields(func(ref rule.Ref) { readsStatus = readsStatus || ref.Name == engine.OutcomeStatus })
	add := func(statuses uint8) {
		goals = append(goals, &neverGoal{
			plan: plan, watch: engine.NewWatch(plan.Policy(), plan.Catalogue(), g), statuses: statuses, proof: p,
		})
	}
	if readsStatus {
		add(1 << engine.Approved)
		add(1 << engine.Referred)
	} else {
		add(1<<engine.Approved | 1<<engine.Referred)
	}
	add(1 << engine.Declined)
	return goals
}

// neverModel returns the model of a policy and the checker of a guarantee.
func neverModel(plan *engine.Plan, g *engine.Guarantee, goal *neverGoal, check func() error) *model {
	m := newModelOf(plan, checkerPlan(plan), plan.Catalogue(), check, func(m *model) {
		m.unknown, m.differ = unmodelled(plan.Policy(), plan.Policy())
		rate := m.variable(rule.Ref{Name: engine.OutcomeRate, ID: rule.Undeclared, Type: rule.NumberType})
		m.vars[rate].kind = resultVariable
	})
	when := &expr{is: true}
	if g.When != nil {
		c := m.sides[0].renamed(g.When)
		when = m.condition(&c, true)
	}
	status := engine.Approved
	for goal.statuses>>status&1 == 0 {
		status++
	}
	c := m.sides[0].renamed(g.Never)
	violated := &expr{kind: andNode, kids: []*expr{when, m.outcome(&c, true, status)}}
	m.sides[1].raw = []rawClause{{kind: ruleEffect, onTrue: engine.Decline, t: m.complement(violated)}}
	m.early = variablesOf(violated, nil)
	return m
}

// checkerPlan returns the plan of a policy that approves everybody and lends from the same facts as the given plan.
func checkerPlan(plan *engine.Plan) *engine.Plan {
	p := plan.Policy()
	score := p.Scorecard.MinScore
	band := engine.Band{
		ID: "CHECKER", Grade: p.Bands[0].Grade, Ranged: true, MinScore: score.Floor(), MaxScore: score.Floor(),
		Priced: true, RateBP: 1_000, TenureMonths: 12, Tenures: []int{12}, MinLimitPaise: p.LimitStepPaise,
		MaxLimitPaise: p.LimitStepPaise, DefaultLimitPaise: p.LimitStepPaise, FOIRCap: rule.One,
	}
	ntc := band
	ntc.ID, ntc.NTC = "CHECKER_NTC", true
	return engine.Compile(&engine.Policy{
		Key: p.Key, Name: p.Name, Semantics: p.Semantics, Affordability: p.Affordability, People: p.People,
		Exposure:  p.Exposure,
		Scorecard: &engine.Scorecard{Base: score, MinScore: score, MaxScore: score},
		Bands:     []engine.Band{band, ntc}, Terms: p.Terms, Tables: p.Tables, LimitStepPaise: p.LimitStepPaise,
		OfferValidityDays: 1,
	}, plan.Catalogue())
}

// outcome returns the formula that is true if a condition on the outcome holds for an application with the given
// status. If positive is false, the formula is true if the negation of the condition holds.
func (m *model) outcome(c *rule.Condition, positive bool, status engine.Status) *expr {
	switch c.Op {
	case rule.Not:
		return m.outcome(&c.Args[0], !positive, status)
	case rule.And, rule.Or:
		out := &expr{kind: orNode}
		if (c.Op == rule.And) == positive {
			out.kind = andNode
		}
		for i := range c.Args {
			out.kids = append(out.kids, m.outcome(&c.Args[i], positive, status))
		}
		return out
	}
	ofStatus, ofOffer := false, false
	c.Operands(func(ref rule.Ref) {
		ofStatus = ofStatus || ref.Name == engine.OutcomeStatus
		ofOffer = ofOffer || isOutcome(ref.Name) || isComputed(ref, m.catalogue)
	})
	switch {
	case ofStatus:
		return &expr{is: statusHolds(c, status) == positive}
	case ofOffer && status == engine.Declined:
		switch c.Op {
		case rule.Exists:
			return &expr{is: !positive}
		case rule.IsAbsent:
			return &expr{is: positive}
		default:
			return &expr{} // unknown, so neither the condition nor its negation holds
		}
	case ofOffer:
		named := *c
		named.Left, named.Right = offerOperand(c.Left, m.catalogue), offerOperand(c.Right, m.catalogue)
		return m.condition(&named, positive)
	default:
		return m.condition(c, positive)
	}
}

// isComputed reports whether a field of the catalogue is a result of the decision.
func isComputed(ref rule.Ref, c *rule.Catalogue) bool {
	return ref.ID >= 0 && c.Field(ref.ID).Supply == rule.FromEngine
}

// offerOperand returns an operand in which the name of the APR in outcomes is replaced with the catalogue field.
func offerOperand(o rule.Operand, c *rule.Catalogue) rule.Operand {
	if o.Kind == rule.FieldOperand && o.Field.Name == engine.OutcomeAPR {
		if id, ok := c.Lookup(field.OfferAPR); ok {
			o.Field = rule.Ref{Name: field.OfferAPR, ID: id, Type: rule.NumberType}
		}
	}
	args := make([]rule.Operand, len(o.Args))
	for i := range o.Args {
		args[i] = offerOperand(o.Args[i], c)
	}
	o.Args = args
	return o
}

// statusHolds evaluates a predicate on the status.
func statusHolds(c *rule.Condition, status engine.Status) bool {
	is := func(v rule.Value) bool { return v.Text() == status.String() }
	switch c.Op {
	case rule.In, rule.NotIn:
		return slices.ContainsFunc(c.Values, is) == (c.Op == rule.In)
	default: // eq or ne; the reader of guarantees rejects all others
		constant := c.Right
		if c.Left.Kind == rule.ConstantOperand {
			constant = c.Left
		}
		return is(constant.Value) == (c.Op == rule.Eq)
	}
}

// complement returns the formula that is true exactly if e is false.
func (m *model) complement(e *expr) *expr {
	switch e.kind {
	case constantNode:
		return &expr{is: !e.is}
	case literalNode:
		x := m.vars[e.v]
		return m.literal(e.v, m.solver.Sets.Difference(x.all, x.sets[e.set]))
	}
	out := &expr{kind: andNode}
	if e.kind == andNode {
		out.kind = orNode
	}
	for _, kid := range e.kids {
		out.kids = append(out.kids, m.complement(kid))
	}
	return out
}

// variablesOf appends the variables of a formula to a list, each once.
func variablesOf(e *expr, list []int) []int {
	if e.kind == literalNode && !slices.Contains(list, e.v) {
		list = append(list, e.v)
	}
	for _, kid := range e.kids {
		list = variablesOf(kid, list)
	}
	return list
}

func (g *neverGoal) wants(s engine.Status) bool { return g.statuses>>s&1 != 0 }

func (g *neverGoal) finished(a *automaton, p *pairState) (done, known bool) {
	switch {
	case p.sides[1] == dead:
		return true, true
	case p.sides[0] == dead:
		return !g.wants(engine.Declined), true
	default:
		referred := a.states[p.sides[0]].action == engine.Refer
		return referred && g.statuses == 1<<engine.Approved, true
	}
}

func (g *neverGoal) kinds(s *search, p *pairState, b *box, visit func(Kind)) {
	if g.possible(s.pricing, p, b) {
		visit(violation)
	}
}

// possible reports whether the guarantee can be violated within a box of a leaf.
func (g *neverGoal) possible(p *pricing, leaf *pairState, b *box) bool {
	if leaf.sides[0] == dead {
		return true
	}
	v := p.view(0, leaf.sides[0], b)
	if g.wants(engine.Declined) && v.low < v.band.MinLimitPaise {
		return true
	}
	from, ok := p.lendable(0, &v)
	if !ok {
		return false
	}
	some, every := p.consumes(0, &v, from, v.high) // fee and charges leave nothing to pay out for such a limit
	if some && g.wants(engine.Declined) {
		return true
	}
	if every {
		return false
	}
	runs := p.runsOf(0, &v)
	if runs == nil {
		return g.possibleIn(p, leaf, &v, b, &run{from: from, to: v.high, undeterminedCell: true})
	}
	for i := range runs {
		if r := &runs[i]; r.from <= v.high && from <= r.to && g.possibleIn(p, leaf, &v, b, r) {
			return true
		}
	}
	return false
}

// possibleIn reports whether the guarantee can be violated within a run. The rules on the offer and the guarantee
// may read post_offer_foir, whose value is not known. So each cell of post_offer_foir is tried, and the rules and
// the guarantee read the same cell.
func (g *neverGoal) possibleIn(p *pricing, leaf *pairState, v *view, b *box, r *run) bool {
	foir := p.results[field.PostOfferFOIR]
	cells := 1
	if foir != nil {
		cells = len(foir.cells)
	}
	for k := range cells {
		impossible := false
		truth := func(n *node) uint8 {
			if foir == nil || p.ordered[n.at] != foir {
				return p.truth(0, v, b, r, n)
			}
			if n.cells.has(k) {
				return 2
			}
			return 1
		}
		if foir != nil {
			only := newBitset(cells)
			only.set(k)
			in := p.postFOIR(0, b, r, foir, &node{kind: literalNode, at: foir.at, cells: only})
			impossible = in&2 == 0 || beyondCapacity(&foir.cells[k], v.band)
		}
		if impossible || p.stage2With(v, truth)&g.statuses == 0 {
			continue
		}
		if g.statuses == 1<<engine.Declined || g.holds(p, leaf, truth) {
			return true
		}
	}
	return false
}

// beyondCapacity reports whether all values of a cell of post_offer_foir are above the FOIR cap of a band. No offer
// has such a value: an instalment never exceeds the capacity, so post_offer_foir never exceeds the cap, rounded in the
// same way.
func beyondCapacity(c *cell, b *engine.Band) bool {
	const unit = int64(rule.One) / 10_000
	return !c.absent && c.set[0].Lo > exact.DivFloor(int64(b.FOIRCap)+unit/2, unit)*unit
}

// holds reports whether the guarantee can be violated, that is, whether every open clause of the checker can be
// false. The function truth returns the possible truth values of each literal.
func (g *neverGoal) holds(p *pricing, leaf *pairState, truth func(n *node) uint8) bool {
	for _, id := range p.lists[p.states[leaf.sides[1]].list].ids {
		if p.formulas.possible(p.all[id].t, truth)&1 == 0 {
			return false
		}
	}
	return true
}

// judge decides an applicant and evaluates the guarantee.
func (g *neverGoal) judge(s *search, facts *rule.Facts, _ []int32) bool {
	if !g.watch.Violates(facts, &g.decision) || !s.record(violation, facts) {
		return false
	}
	found := Applicant{Facts: facts.Sorted(), Decided: decided(&g.decision)}
	if body, read, ok := requestOf(g.plan, facts); ok && g.watch.Violates(read, &g.decision) &&
		decided(&g.decision) == found.Decided {
		found.Request = body
	}
	g.proof.Applicants = []Applicant{found}
	return true
}
