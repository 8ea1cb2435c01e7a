package prover

import (
	"slices"

	"verdict/internal/engine"
	"verdict/internal/engine/space"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// monotoneGoal looks for two applicants who differ only in one field, where the second one is treated worse. Both
// sides of the model are the same policy, but the second side reads another variable, called the twin, instead of the
// field.
type monotoneGoal struct {
	plan      *engine.Plan
	of        []engine.Figure
	grades    map[string]int64 // the rank of each grade; a higher rank is better
	field     string           // the field that changes
	down      bool
	shifted   string // the name of the field's twin
	decisions [2]engine.Decision
	proof     *Proof
}

// monotone proves that no figure gets worse if a field changes.
func (p *Proof) monotone(plan *engine.Plan, mono *engine.Monotone, o Options) {
	p.Standing = Proved
	name, why := variedField(plan, mono)
	if why != "" {
		p.undecided(why)
		return
	}
	g := &monotoneGoal{
		plan: plan, of: mono.Of, grades: gradeRanks(plan.Policy()), field: name, down: mono.Down,
		shifted: name + shiftSuffix, proof: p,
	}
	for i := range g.decisions {
		g.decisions[i].KeepQuotes()
	}
	m, err := g.model(o.Check)
	if err != nil { // cannot happen: no field of the catalogue has such a name
		p.undecided("the field cannot be varied")
		return
	}
	found, reasons := p.pursue(m, g, o)
	switch {
	case found:
		p.Standing = Refuted
	case len(reasons) > 0:
		p.undecided(reasons...)
	}
}

// shiftSuffix distinguishes the twin of a field. The twins of derived figures have the suffix of the second policy
// instead, because a witness derives them in the same way as the figures of a second policy.
const shiftSuffix = " (changed)"

// variedField returns the field that a monotone guarantee varies. For a figure that is derived from a single fact, it
// returns that fact. If the field cannot be varied, why gives the reason.
func variedField(plan *engine.Plan, mono *engine.Monotone) (name, why string) {
	policy := plan.Policy()
	name = mono.Field.Name
	sources := policy.CountedSources()
	if policy.People != nil || sources.AllPeople {
		return "", "the policy combines facts of several people, so more than this field would change"
	}
	switch name {
	case field.IncomeEffective:
		if len(sources.Income.Of) != 1 {
			return "", "income_effective is derived from several facts; name one of them"
		}
		name = sources.Income.Of[0]
	case field.FOIREffective:
		if len(sources.Obligations.Of) != 1 || !sources.CountsDeclared() ||
			!slices.Equal(sources.Income.Of, []string{field.MonthlyIncome}) {
			return "", "foir_effective is derived from several facts; name one of them"
		}
		name = field.FOIR
	}
	for _, l := range policy.Lookups() {
		if l.Field.Name == name {
			return "", name + " is looked up in a list, so more than this field would change"
		}
	}
	for i := range policy.Tables {
		for _, key := range policy.Tables[i].Keys {
			if key.Field.Name == name {
				return "", name + " is looked up in a table, so more than this field would change"
			}
		}
	}
	if slices.Contains(policy.FeatureNames(), name) {
		return "", name + " is a feature; other features depend on the same data"
	}
	return name, ""
}

// gradeRanks returns the rank of each grade: the lowest score of its best band.
func gradeRanks(p *engine.Policy) map[string]int64 {
	ranks := map[string]int64{}
	for i := range p.Bands {
		b := &p.Bands[i]
		if rank, known := ranks[b.Grade]; !known || b.MinScore > rank {
			ranks[b.Grade] = b.MinScore
		}
	}
	return ranks
}

// twin is a pair of variables: a field before and after the change, or a figure that is derived from the field before
// and after the change.
type twin struct {
	before, after int
	order         int  // 1 if the value after is never lower, -1 if it is never higher, 0 if nothing is known
	strict        bool // the values differ, and both are given
}

// other returns the other variable of the pair.
func (t *twin) other(i int) int {
	if i == t.before {
		return t.after
	}
	return t.before
}

// model returns a model of two policies: the policy before and after the change.
func (g *monotoneGoal) model(check func() error) (*model, error) {
	base := g.plan.Catalogue()
	fields := make([]rule.Field, base.Len(), base.Len()+3)
	for i := range fields {
		fields[i] = *base.Field(rule.FieldID(i))
	}
	clone := func(name, as string) rule.Ref {
		id, ok := base.Lookup(name)
		if !ok {
			return rule.Ref{Name: as, ID: rule.Undeclared, Type: rule.NumberType}
		}
		f := *base.Field(id)
		f.Name = as
		fields = append(fields, f)
		return rule.Ref{Name: as, ID: rule.FieldID(len(fields) - 1), Type: f.Type}
	}
	shifted := clone(g.field, g.shifted)
	income := clone(field.IncomeEffective, field.IncomeEffective+sideSuffix[1])
	foir := clone(field.FOIREffective, field.FOIREffective+sideSuffix[1])
	catalogue, err := rule.NewCatalogue(fields)
	if err != nil {
		return nil, err
	}
	m := newModelOf(g.plan, g.plan, catalogue, check, func(m *model) {
		after := m.sides[1]
		after.alias[g.field] = shifted
		g.derived(m, field.IncomeEffective, income)
		g.derived(m, field.FOIREffective, foir)
		id, _ := base.Lookup(g.field)
		t := &twin{
			before: m.variable(rule.Ref{Name: g.field, ID: id, Type: rule.NumberType}), after: m.variable(shifted),
			order: g.direction(), strict: true,
		}
		m.pair(t)
		m.early = []int{t.before}
	})
	return m, nil
}

// pair adds a twin to the model. Absence becomes a separate cell of both variables.
func (m *model) pair(t *twin) {
	m.paired = true
	for _, i := range []int{t.before, t.after} {
		m.vars[i].twin = t
		m.test(i, space.OnlyAbsent())
	}
}

// direction returns 1 if the field rises, -1 if it falls.
func (g *monotoneGoal) direction() int {
	if g.down {
		return -1
	}
	return 1
}

// derived gives the second side its own variable for a derived figure if the figure depends on the field that changes.
func (g *monotoneGoal) derived(m *model, name string, after rule.Ref) {
	s := m.sides[1]
	if source, ok := s.alias[name]; ok { // the figure has a single source
		if source.Name == g.field {
			s.alias[name] = s.alias[g.field]
		}
		return
	}
	id, ok := m.catalogue.Lookup(name)
	order, depends := g.dependence(name)
	if !ok || !depends {
		return
	}
	s.alias[name] = after
	m.pair(&twin{
		before: m.variable(rule.Ref{Name: name, ID: id, Type: rule.NumberType}), after: m.variable(after), order: order,
	})
}

// dependence reports whether a derived figure depends on the field that changes. order is the direction in which the
// figure moves: 1 up, -1 down, 0 not known.
func (g *monotoneGoal) dependence(name string) (order int, depends bool) {
	sources := g.plan.Policy().CountedSources()
	ofIncome := slices.Contains(sources.Income.Of, g.field)
	if name == field.IncomeEffective {
		return g.direction(), ofIncome
	}
	declared := sources.CountsDeclared()
	switch {
	case ofIncome && len(sources.Income.Of) > 1 && g.field == field.MonthlyIncome && declared:
		return 0, true // declared obligations rise with the declared income, but the income rises too
	case ofIncome:
		return -g.direction(), true // obligations are a smaller share of a larger income
	case g.field == field.MonthlyIncome:
		return g.direction(), declared // declared obligations are a share of the declared income
	case g.field == field.FOIR:
		return g.direction(), declared
	case g.field == field.BureauOwnEMI || g.field == field.BankDueEMI || g.field == field.OwnEMI:
		return g.direction(), true
	default:
		return 0, false
	}
}

// contextBytes is the size of a context. A context has the cells of the lending facts of both sides. It also has the
// cell of the first variable of a twin until the second variable is known.
const contextBytes = 2*maxDims + 2

// twinAt returns the twin of the variable at a position, or nil, and whether the variable is the first of the pair.
func (a *automaton) twinAt(at int32) (t *twin, first bool) {
	if t = a.vars[at].twin; t == nil {
		return nil, false
	}
	return t, max(a.model.vars[t.before].at, a.model.vars[t.after].at) > at
}

// inOrder reports whether the variable at the given position can be in a cell. If it is the second variable of a
// twin, the cell must agree with the cell of the first variable. If it is the first variable of a strict twin, it
// must have a value.
func (a *automaton) inOrder(ctx int32, at int32, cell int) bool {
	t, first := a.twinAt(at)
	if t == nil {
		return true
	}
	v := a.vars[at]
	if first {
		return !t.strict || !v.cells[cell].absent
	}
	text := a.ctxs[ctx]
	known := int(text[contextBytes-2]) + int(text[contextBytes-1])<<8 - 1
	before, after := a.model.vars[t.before], a.model.vars[t.after]
	if before == v {
		return t.agree(&v.cells[cell], &after.cells[known])
	}
	return t.agree(&before.cells[known], &v.cells[cell])
}

// agree reports whether the cells x and y contain values in the order that the twin requires.
func (t *twin) agree(x, y *cell) bool {
	if x.absent || y.absent {
		return x.absent == y.absent && !t.strict
	}
	least := func(c *cell) int64 { return c.set[0].Lo }
	most := func(c *cell) int64 { return c.set[len(c.set)-1].Hi }
	switch {
	case t.order > 0 && t.strict:
		return least(x) < most(y)
	case t.order > 0:
		return least(x) <= most(y)
	case t.order < 0 && t.strict:
		return most(x) > least(y)
	case t.order < 0:
		return most(x) >= least(y)
	default:
		return true
	}
}

// remember stores the cell of the first variable of a twin in a context. Once the second variable is known, it removes
// the cell again.
func (a *automaton) remember(ctx int32, at int32, cell int) int32 {
	t, first := a.twinAt(at)
	if t == nil {
		return ctx
	}
	cells := []byte(a.ctxs[ctx])
	cells[contextBytes-2], cells[contextBytes-1] = 0, 0
	if first {
		cells[contextBytes-2], cells[contextBytes-1] = byte(cell+1), byte((cell+1)>>8)
	}
	return a.context(cells)
}

// shift adapts the dominance of two views if the lending facts of the two sides differ.
func (p *pricing) shift(d *dominance) {
	l, r := p.sides[0], p.sides[1]
	for dim := range dimensions {
		if !p.paired || l.dims[dim] == r.dims[dim] {
			continue
		}
		d.shared = [bounds]bool{}
		order := 0
		if t := p.model.vars[l.dims[dim]].twin; t != nil && t.after == r.dims[dim] {
			order = t.order
		}
		if falling(dim) {
			order = -order
		}
		switch {
		case dim == dimTenure: // the tenures of the two offers are compared separately
		case order > 0: // the limit of the second side can be higher
			d.more = false
		case order < 0:
			d.less = false
		default:
			d.more, d.less = false, false
		}
	}
}

func (g *monotoneGoal) finished(_ *automaton, p *pairState) (done, known bool) {
	return true, p.sides[0] == dead // nothing is worse than being declined
}

// worse reports whether one of the figures that must not get worse gets worse.
func (g *monotoneGoal) worse(k *Kind) bool {
	for _, f := range g.of {
		switch {
		case f == engine.FigureStatus:
			if k.To.Status > k.From.Status {
				return true
			}
		case k.From.Status == engine.Declined || k.To.Status == engine.Declined:
		case f == engine.FigureRate && k.To.RateBP > k.From.RateBP,
			f == engine.FigureLimit && k.Limit == Lower,
			f == engine.FigureGrade && g.grades[k.To.Grade] < g.grades[k.From.Grade]:
			return true
		}
	}
	return false
}

func (g *monotoneGoal) kinds(s *search, p *pairState, b *box, visit func(Kind)) {
	s.pricing.kinds(p, b, func(k Kind) {
		if g.worse(&k) {
			visit(k)
		}
	})
}

// judge decides the applicant before and after the change.
func (g *monotoneGoal) judge(s *search, facts *rule.Facts, cells []int32) bool {
	before, after, ok := g.values(s, facts, cells)
	if !ok {
		return false
	}
	var both [2]*rule.Facts
	for i, value := range []rule.Value{before, after} {
		both[i] = rule.NewFacts(g.plan.Catalogue())
		for _, f := range facts.Sorted() {
			if f.Name != g.shifted && f.Name != g.field {
				both[i].Set(f.Name, f.Value)
			}
		}
		both[i].Set(g.field, value)
		g.plan.Decide(both[i], &g.decisions[i])
	}
	k := compare(&g.decisions[0], &g.decisions[1], s.terms)
	if !g.worse(&k) || !s.record(k, both[0]) {
		return false
	}
	g.proof.Applicants = nil
	for i := range both {
		g.proof.Applicants = append(g.proof.Applicants,
			Applicant{Facts: both[i].Sorted(), Decided: decided(&g.decisions[i])})
	}
	g.realise(both)
	return true
}

// values returns the values of the field before and after the change.
func (g *monotoneGoal) values(s *search, facts *rule.Facts, cells []int32) (before, after rule.Value, ok bool) {
	before, after = facts.Get(g.field), facts.Get(g.shifted)
	x, y := s.model.vars[s.model.byKey[g.field]], s.model.vars[s.model.byKey[g.shifted]]
	if before.Type() != rule.NumberType || after.Type() != rule.NumberType {
		return before, after, false
	}
	right := func() bool {
		return before.Number() != after.Number() && (after.Number() > before.Number()) != g.down
	}
	if right() || x.dim != noDim {
		return before, after, right()
	}
	// The two cells contain values in the right order. Take the values that are furthest apart.
	unit := s.space.Domain(x.field).Unit
	from, to := x.cells[cells[x.at]].set, y.cells[cells[y.at]].set
	lo, hi := from[0].Lo, to[len(to)-1].Hi
	if g.down {
		lo, hi = from[len(from)-1].Hi, to[0].Lo
	}
	before, after = rule.Num(rule.Number(lo)*unit), rule.Num(rule.Number(hi)*unit)
	return before, after, right()
}

// realise adds the request bodies of the two applicants if the service would decide them in the same way.
func (g *monotoneGoal) realise(both [2]*rule.Facts) {
	var bodies [2][]byte
	for i := range both {
		body, read, ok := requestOf(g.plan, both[i])
		if !ok {
			return
		}
		bodies[i] = body
		if g.plan.Decide(read, &g.decisions[i]); decided(&g.decisions[i]) != g.proof.Applicants[i].Decided {
			return
		}
	}
	for i := range bodies {
		g.proof.Applicants[i].Request = bodies[i]
	}
}
