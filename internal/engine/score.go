package engine

import (
	"slices"

	"verdict/internal/exact"
	"verdict/internal/rule"
)

// Contribution is the points of one factor, of the base or of the clamp.
type Contribution struct {
	Factor string
	Points rule.Number
}

// The names of the contributions that are not factors.
const (
	baseName  = "base"
	clampName = "clamp"
)

// scoring is a scorecard whose fields are resolved to slots.
type scoring struct {
	base, min, max rule.Number
	factors        []compiledFactor
	outcomes       []outcome // outcomes of all bins of all factors; the first is noBin
}

// compiledFactor is a factor compiled for scoring. The members that every
// decision reads come first, so that they share cache lines.
type compiledFactor struct {
	name      string
	slot      int32
	numeric   bool
	hasWhen   bool
	fitsEdges bool  // all bounds fit into edges
	first     int32 // index of the first bin in outcomes; if the field is not a number, the last bin is "else"
	bins      int32
	absent    int32        // index of the outcome of an absent field; noBin if there is none
	edges     [2]fourEdges // the bounds, padded with a value above all numbers

	bounds  []rule.Number         // the lower bound of each range after the first
	special map[rule.Number]int32 // the bin of a special value; nil for none
	members []int32               // for texts and booleans: the bin, indexed by the number of the value in the slot
	when    rule.Test
}

// fourEdges are four bounds that are compared together.
type fourEdges [4]rule.Number

// reached returns the number of bounds that are at most x. It compares x with
// all bounds instead of branching, because the processor could not predict the
// branches. Four is the largest number of comparisons for which the compiler
// inlines this function.
func (e *fourEdges) reached(x rule.Number) int32 {
	return reached(x, e[0]) + reached(x, e[1]) + reached(x, e[2]) + reached(x, e[3])
}

// outcome is the effect of a bin: its weighted points and, if there is a code for lost points, the difference between
// these points and the factor's best points.
type outcome struct {
	points, lost rule.Number
	code         int32 // code of the lost points; noCode if there is none
	// firm is set if points are lost and one of the following is true: the outcome gives no positive points, it loses
	// at least half of what the bins can lose, or the field is missing. A loss that is not firm means that the value is
	// near its best.
	firm bool
}

// noBin is the index of the outcome of a factor that does not take part in the
// score: it gives no points and loses none. It is stored among the outcomes, so
// that adding up points needs no special case.
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
		name:    f.Name,
		slot:    slots.Slot(f.Field),
		numeric: f.Field.Type == rule.NumberType,
		first:   int32(len(s.outcomes)),
		bins:    int32(len(f.Bins)),
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
				out.members = append(out.members, out.bins-1) // the "else" bin, unless a bin names the value
			}
			out.members[num] = int32(i)
		}
	}

	low, high := out.edges[0][:], out.edges[1][:]
	if out.fitsEdges = out.numeric && len(out.special) == 0 && len(out.bounds) <= len(low)+len(high); out.fitsEdges {
		for i := range low {
			low[i], high[i] = 2*rule.MaxNumber, 2*rule.MaxNumber
		}
		copy(high, out.bounds[copy(low, out.bounds):])
	}

	if f.HasMissing {
		// A missing value is not a low value, so it has a reason code of its own.
		out.absent = int32(len(s.outcomes))
		missing := result(f.Missing, ReasonMissingInput)
		missing.firm = missing.lost > 0
		s.outcomes = append(s.outcomes, missing)
	}
	s.factors = append(s.factors, out)
}

// add returns the sum of the base and the factors, added in declared order, and
// the index of every factor's outcome. bins must be empty; its memory is reused
// for those indexes.
func (s *scoring) add(code *rule.Code, fr *rule.Frame, bins []int32) ([]int32, rule.Number) {
	factors, outcomes := s.factors, s.outcomes
	sum := s.base
	bins = slices.Grow(bins, len(factors))[:len(factors)]
	for i := range factors {
		f := &factors[i]
		var bin int32
		if x, ok := fr.Number(f.slot); ok && f.fitsEdges && !f.hasWhen {
			bin = f.first + f.edges[0].reached(x) + f.edges[1].reached(x)
		} else {
			bin = f.bin(code, fr)
		}
		bins[i] = bin
		sum += outcomes[bin].points
	}
	return bins, sum
}

// clamp limits a sum to the range of the scorecard's scores.
func (s *scoring) clamp(sum rule.Number) rule.Number { return min(max(sum, s.min), s.max) }

// contributions appends to list the base, the factors that take part in the score, in declared order, and the clamp if
// it changes the sum.
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

// pointsUnit is the smallest step of points: four decimals.
const pointsUnit = rule.One / 10_000

// Weighted returns the points of one of the factor's bins, multiplied by the factor's weight, as they are added to
// the score.
func (f *Factor) Weighted(points rule.Number) rule.Number { return weighted(points, f.Weight) }

// weighted multiplies points by a weight and rounds half away from zero at four
// places. Points and weight have at most four decimals and are bounded, so
// their product is exact and is rounded only once.
func weighted(points, weight rule.Number) rule.Number {
	const (
		places = 10_000
		unit   = pointsUnit
	)
	product := (points / unit) * (weight / unit)
	return rule.Number(exact.DivHalfAway(product, places)) * unit
}

// bin returns the index of the factor's outcome for a frame, or noBin if the
// factor does not take part in the score.
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
	// A text that no bin names has a number beyond the end of the table.
	if i := uint64(x); i < uint64(len(f.members)) {
		return f.first + f.members[i]
	}
	return f.first + f.bins - 1
}

// interval returns the bin of a special value, otherwise the bin of the
// half-open range that contains x. The first and last ranges are unbounded, so
// every number has exactly one bin.
func (f *compiledFactor) interval(x rule.Number) int32 {
	if f.fitsEdges {
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

// reached returns 1 if x is at least bound, otherwise 0. It compiles without a
// branch.
func reached(x, bound rule.Number) (n int32) {
	if x >= bound {
		n = 1
	}
	return n
}

// PointsByField returns the points that each field of the scorecard gives. Fields whose factors do not take part in
// the score are left out.
func (d *Decision) PointsByField() map[string]rule.Number {
	points := map[string]rule.Number{}
	for i, bin := range d.bins {
		if bin != noBin {
			points[d.plan.policy.Scorecard.Factors[i].Field.Name] += d.plan.scoring.outcomes[bin].points
		}
	}
	return points
}
