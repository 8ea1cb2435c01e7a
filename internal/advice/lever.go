package advice

import (
	"cmp"
	"slices"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// The grids on which changes are proposed.
const (
	ratioGrid = rule.One / 100
	moneyGrid = 100 * rule.One
	countGrid = rule.One
)

// maxPoints bounds the values of one field that are tried, the nearest first:
// a change that is farther away is not found, and none is missed on the way to
// one that is.
const maxPoints = 20_000

// lever is a field that can be changed, with the values worth trying.
type lever struct {
	name    string
	from    rule.Value
	origin  rule.Number // from, or what the engine takes when it is absent
	others  []twin
	waiting bool
	tenure  bool
	owed    *engine.Obligations // of the lever foir_effective: what is paid off
	points  []rule.Number       // nearest first; of two as near, the lower first
}

// span is where a field may move, on its grid. A grid of 0 stands for a field
// that has only the points it was given.
type span struct {
	low, high rule.Number
	grid      rule.Number
}

// newLever finds out where a field can move. ok is false when it cannot.
func (s *search) newLever(d *engine.Decision, name string, o Options, all []string) (l lever, ok bool) {
	plan, facts := s.plan, s.facts
	l = lever{name: name, from: facts.Get(name), others: sent(facts, name), waiting: name == enquiries}
	if name == field.FOIREffective {
		l.others = nil
		for _, source := range obligations {
			if was := facts.Get(source); was.Type() != rule.Absent {
				l.others = append(l.others, twin{name: source, was: was})
			}
			l.others = append(l.others, sent(facts, source)...)
		}
	}
	present := l.from.Type() == rule.NumberType
	l.origin = l.from.Number()
	switch name {
	case field.FOIREffective:
		owed := plan.Obligations(facts)
		l.owed, l.from, l.origin = &owed, owed.FOIR, owed.FOIR.Number()
		if owed.FOIR.Type() == rule.Absent {
			return l, false
		}
		present = true
		l.points = s.reachable(&l, all, spanOf(name, l.origin), present)
	case field.RequestedTenureMonths:
		l.tenure = true
		if !present {
			l.origin = usualTenure(plan.Policy(), d.Grade)
		}
		l.points = tenures(plan.Policy(), o.Tenures)
	case field.RequestedAmount:
		if !present { // who names no amount asks for all there is
			l.origin = upTo(mostLent(plan.Policy()), moneyGrid)
		}
		l.points = s.reachable(&l, all, span{max(moneyGrid, o.MinAmount), rule.MaxNumber, moneyGrid}, present)
	default:
		if !present {
			return l, false // what is missing is asked for, not improved
		}
		l.points = s.reachable(&l, all, spanOf(name, l.origin), present)
	}
	l.points = slices.DeleteFunc(l.points, func(x rule.Number) bool { return present && x == l.origin })
	s.spend(len(l.points))
	slices.SortFunc(l.points, func(a, b rule.Number) int {
		return cmp.Or(cmp.Compare(l.distance(a), l.distance(b)), cmp.Compare(a, b))
	})
	l.points = slices.Compact(l.points)
	return l, len(l.points) > 0
}

func (l *lever) distance(x rule.Number) rule.Number { return max(x-l.origin, l.origin-x) }

// cost is a change in millionths of the present value, so that changes of
// different fields can be added up; of nothing, one is taken for the value.
func (l *lever) cost(x rule.Number) int64 {
	base := max(l.origin, -l.origin)
	if base < ratioGrid {
		base = rule.One
	}
	share, ok := l.distance(x).Over(base)
	if !ok {
		share = rule.MaxNumber
	}
	return int64(share)
}

// spanOf is where a field may move by its meaning: obligations and counts of
// what is held against an applicant go down, what speaks for one goes up.
func spanOf(name string, origin rule.Number) span {
	s := span{low: 0, high: rule.MaxNumber, grid: countGrid}
	id, known := field.Catalogue().Lookup(name)
	if !known {
		return s
	}
	f := field.Catalogue().Field(id)
	if f.BoundedBelow {
		s.low = f.Min
	}
	if f.BoundedAbove {
		s.high = f.Max
	}
	switch f.Unit {
	case "ratio":
		s.grid = ratioGrid
	case "₹":
		s.grid = moneyGrid
	default:
	}
	if rising[name] {
		s.low = origin
	} else {
		s.high = origin
	}
	return s
}

// usualTenure is what the engine takes when no tenure was asked for.
func usualTenure(p *engine.Policy, grade string) rule.Number {
	for i := range p.Bands {
		if p.Bands[i].Grade == grade {
			return rule.Int(int64(p.Bands[i].TenureMonths))
		}
	}
	return 0
}

// tenures are the tenures that any band allows, and the caller too.
func tenures(p *engine.Policy, only []int) []rule.Number {
	var out []rule.Number
	for i := range p.Bands {
		for _, months := range p.Bands[i].Tenures {
			if only == nil || slices.Contains(only, months) {
				out = append(out, rule.Int(int64(months)))
			}
		}
	}
	return out
}

// mostLent is the most that any band lends.
func mostLent(p *engine.Policy) rule.Number {
	var most int64
	for i := range p.Bands {
		most = max(most, p.Bands[i].MaxLimitPaise)
	}
	return rule.Rupees(most)
}

// downTo and upTo are the grid point at or next to a value.
func downTo(x, grid rule.Number) rule.Number {
	r := x % grid
	if r < 0 {
		r += grid
	}
	return x - r
}

func upTo(x, grid rule.Number) rule.Number { return -downTo(-x, grid) }
