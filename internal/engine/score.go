package engine

import (
	"slices"

	"verdict/internal/exact"
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
	outcomes       []outcome // of all bins of all factors, close together; noBin's first
}

// compiledFactor has what every decision reads in front, close together.
type compiledFactor struct {
	name    string
	slot    int32
	numeric bool
	hasWhen bool
	few     bool  // edges hold all bounds
	first   int32 // the first bin among the outcomes; the last of a category is else
	bins    int32
	absent  int32        // the outcome of an absent field, noBin for none
	edges   [2]fourEdges // the bounds, padded with what no number reaches

	bounds  []rule.Number         // where each range after the first begins
	special map[rule.Number]int32 // the bin of a special value; nil for none
	members []int32               // of the other types, the bin by the number of a text or boolean
	when    rule.Test
}

// fourEdges are bounds that are compared all at once.
type fourEdges [4]rule.Number

// reached is how many of the bounds x reaches. Which bin a value falls into is
// what no branch predictor guesses, so all are compared and counted. Four are
// as many as the compiler puts in place of the call.
func (e *fourEdges) reached(x rule.Number) int32 {
	return reached(x, e[0]) + reached(x, e[1]) + reached(x, e[2]) + reached(x, e[3])
}

// outcome is what a bin does: its weighted points, and how far they fall short
// of the factor's best where there is a code for that.
type outcome struct {
	points, lost rule.Number
	code         int32 // of the points lost, noCode for none
	// firm: it gave no points, or at least half of what the bins can lose
	// is lost, or the field is missing. Otherwise the value is near its best.
	firm bool
}

// noBin is the outcome of a factor that has no entry: no points, none lost. It
// is one of the outcomes, so that a sum need not ask.
const noBin int32 = 0

func compileScoring(c *Scorecard, slots *rule.Slots, code *rule.Code, lostCode func(*Factor, string) int32) scoring {
	s := scoring{base: c.Base, min: c.MinScore, max: c.MaxScore, factors: make([]compiledFactor, 0, len(c.Factors))}
	s.outcomes = append(make([]outcome, 0, 8*len(c.Factors)+1), outcome{}) // noBin
	for i := range c.Factors {
		s.compileFactor(&c.Factors[i], slots, code, lostCode)
	}
	return s
}

// Best returns the most points that a bin of the factor gives.
func (f *Factor) Best() rule.Number {
	_, best := f.extremes()
	return best
}

// extremes returns the fewest and the most points that a bin gives.
func (f *Factor) extremes() (worst, best rule.Number) {
	worst, best = rule.MaxNumber, -rule.MaxNumber
	for i := range f.Bins {
		points := weighted(f.Bins[i].Points, f.Weight)
		worst, best = min(worst, points), max(best, points)
	}
	return worst, best
}

func (s *scoring) compileFactor(
	f *Factor, slots *rule.Slots, code *rule.Code, lostCode func(*Factor, string) int32,
) {
	out := compiledFactor{
		name: f.Name, slot: slots.Slot(f.Field), numeric: f.Field.Type == rule.NumberType,
		first: int32(len(s.outcomes)), bins: int32(len(f.Bins)),
	}
	if f.When != nil {
		out.hasWhen, out.when = true, code.Add(f.When)
	}
	worst, best := f.extremes()
	result := func(points rule.Number, reason string) outcome {
		o := outcome{points: weighted(points, f.Weight)}
		if lost := best - o.points; lost > 0 {
			if o.code = lostCode(f, reason); o.code != noCode {
				o.lost, o.firm = lost, o.points <= 0 || 2*lost >= best-worst
			}
		}
		return o
	}
	out.bounds = make([]rule.Number, 0, len(f.Bins))
	for i := range f.Bins {
		b := &f.Bins[i]
		s.outcomes = append(s.outcomes, result(b.Points, b.ReasonCode))
		if out.numeric && i > 0 && len(b.Special) == 0 {
			out.bounds = append(out.bounds, b.Min)
		}
		for _, n := range b.Special {
			if out.special == nil {
				out.special = map[rule.Number]int32{}
			}
			out.special[n] = int32(i)
		}
		for _, v := range b.In {
			num := int(slots.Number(out.slot, v))
			for len(out.members) <= num {
				out.members = append(out.members, out.bins-1) // unless a bin names it
			}
			out.members[num] = int32(i)
		}
	}
	low, high := out.edges[0][:], out.edges[1][:]
	if out.few = out.numeric && len(out.special) == 0 && len(out.bounds) <= len(low)+len(high); out.few {
		for i := range low {
			low[i], high[i] = 2*rule.MaxNumber, 2*rule.MaxNumber
		}
		copy(high, out.bounds[copy(low, out.bounds):])
	}
	if f.HasMissing {
		// What is missing is not low: the reason says so.
		out.absent = int32(len(s.outcomes))
		missing := result(f.Missing, ReasonMissingInput)
		missing.firm = missing.lost > 0
		s.outcomes = append(s.outcomes, missing)
	}
	s.factors = append(s.factors, out)
}

// add adds up the base and the factors in declared order. bins gets the
// outcome of every factor; it is given empty, with the memory of an earlier
// score to use again.
func (s *scoring) add(code *rule.Code, fr *rule.Frame, bins []int32) ([]int32, rule.Number) {
	factors, outcomes := s.factors, s.outcomes
	sum := s.base
	bins = slices.Grow(bins, len(factors))[:len(factors)]
	for i := range factors {
		f := &factors[i]
		var bin int32
		if x, ok := fr.Number(f.slot); ok && f.few && !f.hasWhen {
			bin = f.first + f.edges[0].reached(x) + f.edges[1].reached(x)
		} else {
			bin = f.bin(code, fr)
		}
		bins[i] = bin
		sum += outcomes[bin].points
	}
	return bins, sum
}

// clamp keeps a sum within the scorecard's scores.
func (s *scoring) clamp(sum rule.Number) rule.Number { return min(max(sum, s.min), s.max) }

// contributions lists the base, the factors that have an entry in declared
// order, and the clamp of the sum where that changes it.
func (s *scoring) contributions(list []Contribution, bins []int32, sum rule.Number) []Contribution {
	list = append(list, Contribution{Factor: baseName, Points: s.base})
	for i, bin := range bins {
		if bin != noBin {
			list = append(list, Contribution{Factor: s.factors[i].name, Points: s.outcomes[bin].points})
		}
	}
	if clamped := s.clamp(sum); clamped != sum {
		list = append(list, Contribution{Factor: clampName, Points: clamped - sum})
	}
	return list
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
	return rule.Number(exact.DivHalfAway(product, places)) * unit
}

// bin finds the factor's outcome for a frame: noBin when it has no entry.
func (f *compiledFactor) bin(code *rule.Code, fr *rule.Frame) int32 {
	if f.hasWhen && !code.Satisfied(f.when, fr) {
		return noBin
	}
	x, ok := fr.Number(f.slot)
	if !ok {
		return f.absent
	}
	if f.numeric {
		return f.first + f.interval(x)
	}
	// The number of a text that no bin names is below or beyond all others.
	if i := uint64(x); i < uint64(len(f.members)) {
		return f.first + f.members[i]
	}
	return f.first + f.bins - 1
}

// interval finds the bin of a special value, else the half-open range of x. The
// first range reaches down and the last up without end, so every number has
// exactly one.
func (f *compiledFactor) interval(x rule.Number) int32 {
	if f.few {
		return f.edges[0].reached(x) + f.edges[1].reached(x)
	}
	if bin, ok := f.special[x]; ok {
		return bin
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

// PointsByField is what each field of the scorecard earned or cost; a field
// without an entry is not in it.
func (d *Decision) PointsByField() map[string]rule.Number {
	points := map[string]rule.Number{}
	for i, bin := range d.bins {
		if bin != noBin {
			points[d.plan.policy.Scorecard.Factors[i].Field.Name] += d.plan.scoring.outcomes[bin].points
		}
	}
	return points
}
