package advice

import (
	"cmp"
	"slices"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// The step sizes of proposed values, by the unit of the field. The values that
// are multiples of a step size are the grid of a field.
const (
	ratioGrid = rule.One / 100
	moneyGrid = 100 * rule.One
	countGrid = rule.One
)

// maxPoints limits the values that are tried for a field if each value may give
// another outcome: at most half of maxPoints on each side of the present value.
// The nearest values are tried first, so the limit can only exclude changes that
// are larger than all those tried in the same direction.
const maxPoints = 20_000

// lever is a field that can be changed, with the values that the search tries.
type lever struct {
	name    string
	from    rule.Value
	origin  rule.Number // the number in "from", or the engine's default if "from" is absent
	others  []twin
	waiting bool
	tenure  bool
	owed    *engine.Obligations // set only for foir_effective: the obligations to pay off
	points  []rule.Number       // values to try: nearest first; of two at the same distance, the lower first
}

// span is the range in which a field may change, and its step size.
type span struct {
	low, high rule.Number
	grid      rule.Number
}

// newLever returns the lever of a field with the values to try. ok is false if
// the field cannot change.
func (s *search) newLever(d *engine.Decision, name string, o Options, all []string) (l lever, ok bool) {
	plan, facts := s.plan, s.facts
	if len(s.lookups(name)) > 0 || s.isKey(name) {
		return lever{}, false // it is not known what lists and tables say about another value
	}
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
			l.origin = usualTenure(plan.Policy(), d)
		}
		l.points = tenures(plan.Policy(), o.Tenures)
	case field.RequestedAmount:
		if !present { // the engine decides as if the largest loan had been requested
			l.origin = upTo(mostLent(plan.Policy()), moneyGrid)
		}
		l.points = s.reachable(&l, all, span{max(moneyGrid, o.MinAmount), rule.MaxNumber, moneyGrid}, present)
	default:
		if !present {
			return l, false // Complete reports a missing field; Improve does not
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

// cost returns the size of a change to x relative to the present value, in
// millionths, so that changes of different fields can be added up. If the
// present value is nearly zero, the change is measured relative to 1.
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

// spanOf returns the range in which a field may change from origin. The fields in the map rising may only grow;
// all other fields of the catalogue may only fall. An input that the policy declares may change in both
// directions, but not below 0.
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

// usualTenure returns the tenure that the engine uses for a decision if none was
// requested, or 0 if there is no band.
func usualTenure(p *engine.Policy, d *engine.Decision) rule.Number {
	if b := d.Band(); b != nil && p.HasSegments() { // several bands may have the same grade
		return rule.Int(int64(b.TenureMonths))
	}
	for i := range p.Bands {
		if p.Bands[i].Grade == d.Grade {
			return rule.Int(int64(p.Bands[i].TenureMonths))
		}
	}
	return 0
}

// tenures returns the tenures that at least one band allows. If the argument "only" is not nil, the result has
// only those tenures that are also in "only".
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

// mostLent returns the largest limit of all bands.
func mostLent(p *engine.Policy) rule.Number {
	var most int64
	for i := range p.Bands {
		most = max(most, p.Bands[i].MaxLimitPaise)
	}
	return rule.Rupees(most)
}

// downTo returns the largest grid point that is not above x.
func downTo(x, grid rule.Number) rule.Number {
	r := x % grid
	if r < 0 {
		r += grid
	}
	return x - r
}

// upTo returns the smallest grid point that is not below x.
func upTo(x, grid rule.Number) rule.Number { return -downTo(-x, grid) }
