package engine

import (
	"cmp"
	"slices"

	"verdict/internal/rule"
)

// Contribution is the points of one factor.
type Contribution struct {
	Factor string
	Points rule.Number
}

// Names of the contributions that are no factor's.
const (
	baseName  = "base"
	clampName = "clamp"
)

// scoring is a scorecard compiled over a plan's slots.
type scoring struct {
	base, min, max rule.Number
	factors        []compiledFactor
}

// compiledFactor has what every decision reads in front, close together.
type compiledFactor struct {
	name     string
	slot     int32
	numeric  bool
	hasWhen  bool
	missing  bool                  // an absent field earns the points of absent
	few      bool                  // edges holds all bounds
	outcomes []outcome             // one for each bin; the last of a category is else
	edges    [fewEdges]rule.Number // the bounds, padded with what no number reaches

	bounds  []rule.Number // where each bin after the first begins
	members []binMember   // of the other types, by value
	when    rule.Test
	absent  outcome
}

// fewEdges is how many bounds are compared all at once.
const fewEdges = 8

type binMember struct {
	num rule.Number
	bin int32
}

// outcome is what a bin does: its weighted points, and how far they fall
// short of the factor's best.
type outcome struct {
	points, lost rule.Number
	code         int32 // of the points lost, -1 for none
}

func compileScoring(c *Scorecard, slots *rule.Slots, code *rule.Code, codeIndex func(string) int32) scoring {
	s := scoring{base: c.Base, min: c.MinScore, max: c.MaxScore, factors: make([]compiledFactor, 0, len(c.Factors))}
	for i := range c.Factors {
		s.factors = append(s.factors, compileFactor(&c.Factors[i], slots, code, codeIndex))
	}
	return s
}

func compileFactor(f *Factor, slots *rule.Slots, code *rule.Code, codeIndex func(string) int32) compiledFactor {
	out := compiledFactor{name: f.Name, slot: slots.Slot(f.Field), numeric: f.Field.Type == rule.NumberType}
	if f.When != nil {
		out.hasWhen, out.when = true, code.Add(f.When)
	}
	best := -rule.MaxNumber
	for i := range f.Bins {
		best = max(best, weighted(f.Bins[i].Points, f.Weight))
	}
	result := func(points rule.Number, reason string) outcome {
		o := outcome{points: weighted(points, f.Weight), code: -1}
		if o.lost = best - o.points; o.lost > 0 && reason != "" {
			o.code = codeIndex(reason)
		}
		return o
	}
	out.outcomes = make([]outcome, 0, len(f.Bins))
	out.bounds = make([]rule.Number, 0, len(f.Bins))
	for i := range f.Bins {
		b := &f.Bins[i]
		out.outcomes = append(out.outcomes, result(b.Points, cmp.Or(b.ReasonCode, f.ReasonCode)))
		if out.numeric && i > 0 {
			out.bounds = append(out.bounds, b.Min)
		}
		for _, v := range b.In {
			out.members = append(out.members, binMember{num: slots.Number(out.slot, v), bin: int32(i)})
		}
	}
	if out.few = out.numeric && len(out.bounds) <= fewEdges; out.few {
		for i := range out.edges {
			out.edges[i] = 2 * rule.MaxNumber
		}
		copy(out.edges[:], out.bounds)
	}
	slices.SortFunc(out.members, func(a, b binMember) int { return cmp.Compare(a.num, b.num) })
	if f.HasMissing {
		// What is missing is not low: the reason says so.
		out.missing, out.absent = true, result(f.Missing, ReasonMissingInput)
	}
	return out
}

// add adds up the base and the factors in declared order: list gets an
// entry for each that has one, bins the bin of every factor. Both are given
// empty, with the memory of an earlier score to use again.
func (s *scoring) add(code *rule.Code, fr *rule.Frame, list []Contribution, bins []int32) ([]Contribution, []int32, rule.Number) {
	factors := s.factors
	sum := s.base
	list = slices.Grow(list, len(factors)+2)[:len(factors)+1]
	list[0] = Contribution{Factor: baseName, Points: sum}
	n := 1
	bins = slices.Grow(bins, len(factors))[:len(factors)]
	for i := range factors {
		f := &factors[i]
		var bin int32
		if x, ok := fr.Number(f.slot); ok && f.few && !f.hasWhen {
			bin = f.interval(x)
		} else {
			bin = f.bin(code, fr)
		}
		bins[i] = bin
		if bin == noBin {
			continue
		}
		points := f.outcome(bin).points
		sum += points
		c := &list[n]
		c.Factor, c.Points = f.name, points
		n++
	}
	return list[:n], bins, sum
}

// clamp keeps a sum within the scorecard's scores, with an entry of its own
// when that changes it.
func (s *scoring) clamp(list []Contribution, sum rule.Number) ([]Contribution, rule.Number) {
	clamped := min(max(sum, s.min), s.max)
	if clamped != sum {
		list = append(list, Contribution{Factor: clampName, Points: clamped - sum})
	}
	return list, clamped
}

// pointsUnit is the finest step of points: four decimals.
const pointsUnit = rule.One / 10_000

// weighted multiplies points by a weight, half away from zero at four places.
// Both have at most four decimals and are bounded, so that the product is exact
// before it is rounded, and rounded once.
func weighted(points, weight rule.Number) rule.Number {
	const (
		places = 10_000
		unit   = pointsUnit
	)
	product := (points / unit) * (weight / unit)
	half := rule.Number(places / 2)
	if product < 0 {
		half = -half
	}
	return (product + half) / places * unit
}

// absentBin marks a factor that missing points were given for.
const (
	noBin     int32 = -1
	absentBin int32 = -2
)

// bin finds the factor's bin for a frame: noBin when it has no entry.
func (f *compiledFactor) bin(code *rule.Code, fr *rule.Frame) int32 {
	if f.hasWhen && !code.Satisfied(f.when, fr) {
		return noBin
	}
	x, ok := fr.Number(f.slot)
	if !ok {
		if f.missing {
			return absentBin
		}
		return noBin
	}
	if f.numeric {
		return f.interval(x)
	}
	i, found := slices.BinarySearchFunc(f.members, x, func(m binMember, x rule.Number) int { return cmp.Compare(m.num, x) })
	if found {
		return f.members[i].bin
	}
	return int32(len(f.outcomes)) - 1
}

// interval finds the half-open range of x. The first bin reaches down and the
// last up without end, so every number has exactly one.
func (f *compiledFactor) interval(x rule.Number) int32 {
	if f.few {
		// Which bin a value falls into is what no branch predictor guesses,
		// so all bounds are compared and the ones reached are counted.
		e := &f.edges
		return reached(x, e[0]) + reached(x, e[1]) + reached(x, e[2]) + reached(x, e[3]) +
			reached(x, e[4]) + reached(x, e[5]) + reached(x, e[6]) + reached(x, e[7])
	}
	i, found := slices.BinarySearch(f.bounds, x)
	if found {
		i++
	}
	return int32(i)
}

// reached is 1 or 0, without a branch.
func reached(x, bound rule.Number) (n int32) {
	if x >= bound {
		n = 1
	}
	return n
}

// outcome is what the factor's bin does.
func (f *compiledFactor) outcome(bin int32) *outcome {
	if bin == absentBin {
		return &f.absent
	}
	return &f.outcomes[bin]
}

// PointsByField is what each field of the scorecard earned or cost; a field
// without an entry is not in it.
func (d *Decision) PointsByField() map[string]rule.Number {
	points := map[string]rule.Number{}
	for i, bin := range d.bins {
		if bin != noBin {
			points[d.plan.policy.Scorecard.Factors[i].Field.Name] += d.plan.scoring.factors[i].outcome(bin).points
		}
	}
	return points
}
