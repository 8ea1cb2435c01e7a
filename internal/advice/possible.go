package advice

import (
	"slices"

	"verdict/internal/field"
	"verdict/internal/rule"
)

// possible returns values of a field that the policy distinguishes. For a
// number they include each edge and its neighbours; see edges. For a text they
// are all possible values, or the values that it is compared with and one
// other. For a boolean they are both values.
func (s *search) possible(name string) []rule.Value {
	typ, vocabulary := rule.NumberType, []string(nil)
	if id, known := field.Catalogue().Lookup(name); known {
		f := field.Catalogue().Field(id)
		typ, vocabulary = f.Type, f.Values
	} else {
		for _, in := range s.plan.Policy().Inputs {
			if in.Name == name {
				typ = in.Type
			}
		}
	}
	switch typ {
	case rule.BoolType:
		return []rule.Value{rule.Bool(false), rule.Bool(true)}
	case rule.StringType:
		return s.words(name, vocabulary)
	default:
		return s.numbers(name)
	}
}

// other is a text that no policy is expected to compare with.
const other = "\x00other"

func (s *search) words(name string, vocabulary []string) []rule.Value {
	var out []rule.Value
	for _, word := range vocabulary {
		out = append(out, rule.Str(word))
	}
	if len(out) > 0 {
		return out
	}
	p := s.plan.Policy()
	s.plan.Predicates().Naming([]string{name}, func(c *rule.Condition) bool {
		if c.Left.Field.Name != name {
			return true
		}
		if c.Right.Value.Type() == rule.StringType {
			out = append(out, c.Right.Value)
		}
		out = append(out, c.Values...)
		return s.tick(workOfEdge)
	})
	for i := range p.Scorecard.Factors {
		if f := &p.Scorecard.Factors[i]; f.Field.Name == name {
			for k := range f.Bins {
				out = append(out, f.Bins[k].In...)
			}
		}
	}
	return append(out[:min(len(out), maxPossible)], rule.Str(other))
}

// maxPossible limits the values that are tried for one missing field because the
// policy compares the field with them. The values of ladders are tried in
// addition.
const maxPossible = 500

// numbers returns the edges of a number field, their neighbours on the grid,
// and the values of its ladders, within the domain of the field.
func (s *search) numbers(name string) []rule.Value {
	span := span{low: 0, high: rule.MaxNumber, grid: countGrid}
	if id, known := field.Catalogue().Lookup(name); known {
		f := field.Catalogue().Field(id)
		span.low, span.high = -rule.MaxNumber, rule.MaxNumber
		if f.BoundedBelow {
			span.low = f.Min
		}
		if f.BoundedAbove {
			span.high = f.Max
		}
		if f.Unit == "ratio" {
			span.grid = ratioGrid
		}
	}
	e := edges{search: s, names: namesOf(name)}
	e.gather()
	e.at = append(e.at, span.low, 0)
	points := e.ladder(name, span)
	shares, steps := s.shares(name)
	e.at, points = append(shares, e.at...), append(points, steps...)
	for _, at := range e.at[:min(len(e.at), maxPossible/3)] {
		points = append(points, at-span.grid, at, at+span.grid)
	}
	points = slices.DeleteFunc(points, func(x rule.Number) bool { return x < span.low || x > span.high })
	slices.Sort(points)
	points = slices.Compact(points)
	out := make([]rule.Value, len(points))
	for i, x := range points {
		out[i] = rule.Num(x)
	}
	return out
}

// shareSteps is the number of equal steps into which the income is divided. The
// search tries amounts of obligations at these steps.
const shareSteps = 300

// shares returns the values of an obligation or of the income at which
// foir_effective reaches an edge of the policy. If the income is known and the
// field is not the declared FOIR, it also returns a ladder: amounts in equal
// steps up to one and a half times the income.
func (s *search) shares(name string) (at, ladder []rule.Number) {
	if !s.plan.Derives() || name != field.MonthlyIncome && !isObligation(name) {
		return nil, nil
	}
	p := s.plan.Policy()
	e := edges{search: s, names: []string{field.FOIREffective}}
	e.gather()
	for i := range p.Bands {
		e.at = append(e.at, p.Bands[i].FOIRCap)
	}
	owed := s.plan.Obligations(s.facts)
	for _, share := range e.at {
		if !s.tick(workOfEdge) {
			break
		}
		if share > 0 {
			at = append(at, owed.At(name, share)...)
		}
	}
	slices.Sort(at)
	at = slices.Compact(at)
	if income, known := owed.Income(); known && name != field.FOIR {
		for i := rule.Number(1); i <= shareSteps*3/2; i++ {
			ladder = append(ladder, income/shareSteps*i)
		}
	}
	return at, ladder
}

// The price depends on every value of these fields. So the search tries a
// ladder of usual values in addition to the edges of the policy: from priceFrom
// up to priceTo in steps of priceFrom.
var (
	priceFrom = map[string]rule.Number{
		field.MonthlyIncome:   rule.Int(20_000),
		field.FOIR:            rule.One / 20,
		field.RequestedAmount: rule.Int(50_000),
		field.BureauOwnEMI:    rule.Int(2_500),
		field.BankDueEMI:      rule.Int(2_500),
	}
	priceTo = map[string]rule.Number{
		field.MonthlyIncome:   rule.Int(300_000),
		field.FOIR:            rule.One,
		field.RequestedAmount: rule.Int(1_000_000),
		field.BureauOwnEMI:    rule.Int(200_000),
		field.BankDueEMI:      rule.Int(200_000),
	}
)

// fineSteps is the number of values of a ladder with small steps.
const fineSteps = 1_000

// ladder returns usual values of a field. The ladder has small steps if a value
// between two edges can give an outcome that neither edge gives. That is so if
// a rule calculates with the field or reads an offer that depends on it.
func (e *edges) ladder(name string, s span) []rule.Number {
	step, to := priceFrom[name], priceTo[name]
	if e.dense || step > 0 && e.search.plan.Predicates().ReadsOffer() {
		step = s.grid
		if id, known := field.Catalogue().Lookup(name); known && field.Catalogue().Field(id).Unit == "₹" {
			step = fineMoney
		}
		to = step * fineSteps
	}
	var out []rule.Number
	for x := step; x > 0 && x <= to; x += step {
		out = append(out, x)
	}
	return out
}

// fineMoney is the step size of a ladder of amounts with small steps. Limits
// are usually rounded to the same step.
const fineMoney = 1_000 * rule.One
