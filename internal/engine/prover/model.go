package prover

import (
	"math"
	"slices"

	"verdict/internal/engine"
	"verdict/internal/engine/space"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// variableKind says where the value of a variable comes from.
type variableKind uint8

const (
	requestVariable variableKind = iota // a fact
	freeVariable                        // a predicate that sets cannot express
	resultVariable                      // computed during the decision; each policy has its own value
	freeResult                          // a predicate that sets cannot express, over results
)

// variable is something that a condition tests.
type variable struct {
	name  string
	kind  variableKind
	field space.Field // not used by free variables
	all   space.Set   // all states
	sets  []space.Set // the sets of states that conditions test
	reads []int       // variables of the fields; set only for a free variable
	cond  *rule.Condition

	dim    int  // the lending fact that the variable represents, or noDim
	caps   bool // a cap is computed from the variable
	falls  bool // guess that a cap falls if the variable grows; set only if nothing but caps reads it
	scored bool
	cells  []cell
	at     int32 // position in the order
	twin   *twin // for a variable of a monotone guarantee; nil for most variables
}

// noDim marks a variable that no limit depends on.
const noDim = -1

// The states of a free variable.
const (
	freeUnknown int64 = iota
	freeFalse
	freeTrue
)

// expr is a formula before the variables have cells and positions.
type expr struct {
	kind nodeKind
	is   bool // value; set only for a constant
	kids []*expr
	v    int // variable; set only for a literal
	set  int // index in the variable's sets; set only for a literal
}

// The kinds of effects that a clause can have.
type effectKind uint8

const (
	ruleEffect   effectKind = iota // declines or refers
	scoreEffect                    // adds points
	factorEffect                   // adds the points of the field's bin
	termEffect                     // adds a condition to the offer
	testEffect                     // makes a band available or applies a cap
	neverEffect                    // no applicant satisfies the condition
)

// rawClause is an entry of a policy that takes effect under a condition.
type rawClause struct {
	kind              effectKind
	onTrue, onUnknown engine.Action // for a rule; Approve means no effect
	delta             rule.Number
	term              uint8 // index of the condition of the offer, or of the test
	factor            *engine.Factor
	v                 int   // variable of the factor's field; set only for a factor
	t, f              *expr // t is true if the condition holds, f if its negation holds; f is nil if it is not needed
}

// side is one of the two policies.
type side struct {
	plan   *engine.Plan
	policy *engine.Policy
	// capacity computes the part of a limit that depends on the capacity to repay.
	capacity *engine.Lender
	alias    map[string]rule.Ref // by the name of a derived figure: the field that is read instead of the figure
	raw      []rawClause
	dims     [dimensions]int // the variable of each lending fact
	ladders  [2]scoreLadder  // for applicants with a credit history, and for those new to credit
	// bandTests has, by index in the policy's bands, the test of the band's condition, or -1 if it has none.
	bandTests []int
	openings  [][]opening // lists of bands that scores can have; segments refer to them by index
	// choice says whose bureau score counts.
	choice engine.PeopleScore
}

// policies are the two policies: the old and the new one, or a policy and the checker of a guarantee.
type policies [2]*side

// The facts that a limit depends on. The derived figures of the two policies may differ, so each policy has its own
// variables for them.
const (
	dimIncome = iota
	dimFOIR
	dimRequested
	dimTenure
	dimOutstanding
	dimOffers
	dimPartnerOutstanding // the debts of the co-applicant, to whom the exposure limit also applies
	dimPartnerOffers
	dimensions

	dimCap = dimensions // a fact that only caps read
)

// model has both policies as clauses over the same variables.
type model struct {
	catalogue *rule.Catalogue
	solver    *space.Solver
	space     *space.Space
	vars      []*variable
	byKey     map[string]int
	sides     policies
	ntc       int // the variable that says whether the applicant is new to credit; -1 if there is none
	terms     []string
	tests     tests
	reading   *side    // the policy whose entries are being read
	other     int      // the variable of the co-applicant's bureau score if a policy chooses among scores, otherwise -1
	unknown   []string // sentences about the parts that are not modelled
	differ    []string // the parts that are not modelled and in which the policies differ
	tooLarge  string   // why the policies are not compared; "" if they are
	check     func() error
	early     []int // variables that come first in the order
	paired    bool  // some variables have twins
}

// stop calls check and reports whether the comparison is given up, now or earlier.
func (m *model) stop() bool {
	if m.tooLarge == "" && m.check != nil {
		if err := m.check(); err != nil {
			m.tooLarge = err.Error()
		}
	}
	return m.tooLarge != ""
}

// The limits of a comparison: the number of variables, and for each variable the number of sets that conditions test
// and the number of cells.
const (
	maxVariables = 2_000
	maxSets      = 2_000
	maxCells     = 4_000
)

func newModel(old, changed *engine.Plan, check func() error) *model {
	return newModelOf(old, changed, old.Catalogue(), check, func(*model) {})
}

// newModelOf returns the model of two plans. The catalogue is the one of the plans, possibly with further fields at
// its end. newModelOf calls prepare before it reads the policies.
func newModelOf(
	old, changed *engine.Plan, catalogue *rule.Catalogue, check func() error, prepare func(*model),
) *model {
	m := &model{
		catalogue: catalogue, solver: space.NewSolver(), byKey: map[string]int{}, ntc: -1, other: -1, check: check,
	}
	m.space = m.solver.Space
	m.solver.Reset(space.NewBudget(math.MaxInt/2, nil))
	for i, p := range []*engine.Plan{old, changed} {
		m.sides[i] = &side{
			plan: p, policy: p.Policy(), capacity: capacityPlan(p).NewLender(), alias: map[string]rule.Ref{},
		}
	}
	m.space.Reset(m.catalogue, m.params())
	m.aliases()
	m.unknown, m.differ = unmodelled(m.sides[0].policy, m.sides[1].policy)
	if at := m.space.NTC(); at != space.NoField {
		m.ntc = m.variable(m.space.Domain(at).Ref)
		m.test(m.ntc, space.OnlyTrue())
	}
	m.choices()
	m.findTerms()
	prepare(m)
	for _, s := range m.sides {
		m.reading = s
		m.clauses(s)
		m.lending(s)
		m.bandConditions(s)
		m.limitCaps(s)
	}
	for _, s := range m.sides {
		exclusions{m, s}.add()
	}
	return m
}

// params returns the data of both policies that the space needs.
func (m *model) params() space.Params {
	a, b := m.sides[0].policy, m.sides[1].policy
	params := space.Params{
		MinScore: min(a.Scorecard.MinScore, b.Scorecard.MinScore),
		MaxScore: max(a.Scorecard.MaxScore, b.Scorecard.MaxScore),
		Grades:   []string{engine.NoGrade},
	}
	for _, p := range []*engine.Policy{a, b} {
		for i := range p.Bands {
			if g := p.Bands[i].Grade; !slices.Contains(params.Grades, g) {
				params.Grades = append(params.Grades, g)
			}
		}
		for i := range p.Tables {
			known := slices.ContainsFunc(params.Tables, func(t rule.Table) bool { return t.Name == p.Tables[i].Name })
			if !known {
				params.Tables = append(params.Tables, p.Tables[i])
			} else {
				params.Tables = mergeColumns(params.Tables, &p.Tables[i])
			}
		}
	}
	return params
}

// mergeColumns adds the columns of a table that the second policy names to the table of the same name.
func mergeColumns(tables []rule.Table, from *rule.Table) []rule.Table {
	for i := range tables {
		if tables[i].Name != from.Name {
			continue
		}
		columns := slices.Clone(tables[i].Columns)
		for _, c := range from.Columns {
			if !slices.ContainsFunc(columns, func(have rule.TableColumn) bool { return have.Name == c.Name }) {
				columns = append(columns, c)
			}
		}
		tables[i].Columns = columns
	}
	return tables
}

// aliases maps the derived income and FOIR to their sources. If a figure has a single source, its alias is that
// source. Otherwise the figure is a variable of its own, which both policies share if they derive it in the same way.
func (m *model) aliases() {
	a, b := m.sides[0].policy.CountedSources(), m.sides[1].policy.CountedSources()
	sameOwed := sameSource(&a.Obligations, &b.Obligations)
	// The income of a co-applicant counts only if the obligations are known.
	sameIncome := sameSource(&a.Income, &b.Income) && a.AllPeople == b.AllPeople && (sameOwed || !a.AllPeople)
	sameFOIR := sameIncome && sameOwed
	for i, s := range m.sides {
		sources := s.policy.CountedSources()
		alias := func(derived, source string, shared bool) {
			// A negative amount does not count. So a source that can be negative is not the same as the figure.
			if id, ok := m.catalogue.Lookup(source); ok && m.catalogue.Field(id).BoundedBelow &&
				m.catalogue.Field(id).Min >= 0 {
				s.alias[derived] = rule.Ref{Name: source, ID: id, Type: rule.NumberType}
			} else if !shared {
				s.alias[derived] = rule.Ref{Name: derived + sideSuffix[i], ID: rule.Undeclared, Type: rule.NumberType}
			}
		}
		income, foir := "", ""
		if len(sources.Income.Of) == 1 && !sources.AllPeople {
			income = sources.Income.Of[0]
		}
		if income == field.MonthlyIncome && sources.CountsDeclared() && len(sources.Obligations.Of) == 1 {
			foir = field.FOIR
		}
		alias(field.IncomeEffective, income, sameIncome)
		alias(field.FOIREffective, foir, sameFOIR)
	}
}

// sideSuffix is appended to the names of the derived figures that differ between the two policies.
var sideSuffix = [...]string{" (old policy)", " (new policy)"}

func sameSource(a, b *engine.Source) bool {
	return slices.Equal(a.Of, b.Of) && (len(a.Of) == 1 || a.Take == b.Take)
}

// variable returns the index of the variable of a field. It adds the variable if necessary.
func (m *model) variable(ref rule.Ref) int {
	if at, ok := m.byKey[ref.Name]; ok {
		return at
	}
	f := m.space.FieldOf(ref)
	d := m.space.Domain(f)
	v := &variable{name: ref.Name, field: f, dim: noDim, scored: d.Scored}
	if d.Computed {
		v.kind = resultVariable
	}
	// A request in which a field has another type is rejected, so no applicant has a mistyped field.
	v.all = m.solver.Sets.Difference(d.All, space.Set{{Lo: space.Mistyped, Hi: space.Mistyped}})
	return m.add(ref.Name, v)
}

func (m *model) add(key string, v *variable) int {
	at := len(m.vars)
	if at == maxVariables {
		m.tooLarge = "the policies name too many fields, or too many predicates that sets cannot express"
	}
	m.vars = append(m.vars, v)
	m.byKey[key] = at
	return at
}

// test returns the index of a set among the sets that conditions test on a variable. It adds the set if necessary.
func (m *model) test(v int, set space.Set) int {
	x := m.vars[v]
	if len(x.sets) >= maxSets {
		m.tooLarge = "the policies compare " + x.name + " with too many values"
		return 0
	}
	if at := slices.IndexFunc(x.sets, func(s space.Set) bool { return slices.Equal(s, set) }); at >= 0 {
		return at
	}
	x.sets = append(x.sets, set)
	return len(x.sets) - 1
}

func (m *model) literal(v int, set space.Set) *expr {
	return &expr{kind: literalNode, v: v, set: m.test(v, set)}
}

// given returns the states of a variable that have a value.
func (m *model) given(v int) space.Set {
	return m.solver.Sets.Difference(m.vars[v].all, space.OnlyAbsent())
}

// ref returns the field that the policy reads where a condition names the given field: its alias, or the field
// itself.
func (s *side) ref(ref rule.Ref) rule.Ref {
	if other, ok := s.alias[ref.Name]; ok {
		return other
	}
	return ref
}

// renamed returns a copy of the condition in which each field is replaced with the field that the policy reads.
func (s *side) renamed(c *rule.Condition) rule.Condition {
	out := *c
	out.Args = make([]rule.Condition, len(c.Args))
	for i := range c.Args {
		out.Args[i] = s.renamed(&c.Args[i])
	}
	out.Left, out.Right = s.renamedOperand(c.Left), s.renamedOperand(c.Right)
	return out
}

func (s *side) renamedOperand(o rule.Operand) rule.Operand {
	if o.Kind == rule.FieldOperand {
		o.Field = s.ref(o.Field)
	}
	args := make([]rule.Operand, len(o.Args))
	for i := range o.Args {
		args[i] = s.renamedOperand(o.Args[i])
	}
	o.Args = args
	return o
}

// condition returns the formula that is true if the condition holds. If positive is false, the formula is true if the
// negation of the condition holds. Both formulas are false if the condition is unknown.
func (m *model) condition(c *rule.Condition, positive bool) *expr {
	switch c.Op {
	case rule.Not:
		return m.condition(&c.Args[0], !positive)
	case rule.And, rule.Or:
		out := &expr{kind: orNode}
		if (c.Op == rule.And) == positive {
			out.kind = andNode
		}
		for i := range c.Args {
			out.kids = append(out.kids, m.condition(&c.Args[i], positive))
		}
		return out
	case rule.True, rule.False:
		return &expr{is: (c.Op == rule.True) == positive}
	}
	m.place(c)
	if f, allow, ok := m.solver.Predicate(c, positive); ok {
		return m.states(m.space.Domain(f).Ref, allow)
	}
	return m.free(c, positive)
}

// place places the fields of a predicate in the space, so that the space knows which of them are answers of lists.
func (m *model) place(c *rule.Condition) { m.space.Reads(c, nil, 0) }

// free returns the formula of a predicate that sets cannot express. Such a predicate can hold or fail only if its
// fields are given.
func (m *model) free(c *rule.Condition, positive bool) *expr {
	out := &expr{kind: andNode}
	var reads []int
	c.Operands(func(ref rule.Ref) {
		reads = append(reads, m.sourcesOf(ref)...)
		out.kids = append(out.kids, m.states(ref, m.given(m.variable(ref))))
	})
	out.kids = append(out.kids, m.predicate(m.textOf(m.reading, c), c, positive, reads...))
	return out
}

// predicateKey returns the key of the variable of a predicate.
func predicateKey(text string) string { return "predicate " + text }

// predicate returns the literal of a predicate that sets cannot express and that depends on the variables in reads.
// The text identifies the predicate: equal texts mean the same predicate in both policies.
func (m *model) predicate(text string, c *rule.Condition, positive bool, reads ...int) *expr {
	key := predicateKey(text)
	v, known := m.byKey[key]
	if !known {
		x := &variable{name: c.Text(), kind: freeVariable, dim: noDim, reads: reads, cond: c}
		x.all = space.Set{{Lo: freeFalse, Hi: freeTrue}}
		if c.Left.Kind == rule.ArithOperand || c.Right.Kind == rule.ArithOperand {
			x.all[0].Lo = freeUnknown // a result can be too large, and a divisor can be 0
		}
		if slices.ContainsFunc(reads, func(i int) bool { return m.vars[i].kind == resultVariable }) {
			x.kind = freeResult
		}
		v = m.add(key, x)
	}
	state := freeTrue
	if !positive {
		state = freeFalse
	}
	return m.literal(v, space.Set{{Lo: state, Hi: state}})
}
