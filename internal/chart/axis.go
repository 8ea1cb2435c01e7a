package chart

import "math"

// Axis is one axis of a chart. Its range is From to To or, if From is not less
// than To, the range of the data.
type Axis struct {
	Label    string
	Unit     Unit
	From, To float64
	Most     float64 // the highest possible value, for example 1 for a share; 0 if there is none
}

// span is the range of the data along one axis.
type span struct {
	from, to float64
	any      bool
}

func (s *span) add(v float64) {
	v, ok := finite(v)
	if !ok {
		return
	}
	if !s.any {
		s.from, s.to, s.any = v, v, true
		return
	}
	s.from, s.to = math.Min(s.from, v), math.Max(s.to, v)
}

// scale maps numbers to coordinates. Numbers outside the range are clamped to its
// ends.
type scale struct {
	from, to  float64 // numbers
	low, high float64 // coordinates
	ticks     []float64
}

func (s scale) at(v float64) float64 {
	v, ok := finite(v)
	if !ok || s.to <= s.from {
		return s.low
	}
	share := (math.Max(s.from, math.Min(s.to, v)) - s.from) / (s.to - s.from)
	return s.low + float64(share*(s.high-s.low))
}

// fit returns the scale of an axis over the range of the data, with about n ticks.
// If round is set and the axis has no range of its own, the range is widened to
// whole ticks, but not beyond the highest possible value.
func (a Axis) fit(s span, n int, round bool) scale {
	from, okFrom := finite(a.From)
	to, okTo := finite(a.To)
	fixed := okFrom && okTo && from < to
	if !fixed {
		from, to = s.from, s.to
		if to-from <= math.Abs(from)*1e-9 {
			// There is only one value: widen the range around it.
			half := math.Max(math.Abs(from)/2, 0.5)
			if a.Unit == Percent {
				half = math.Max(math.Abs(from)/2, 0.005)
			}
			from, to = math.Min(from, math.Max(from-half, 0)), from+half
		}
		to = a.atMost(to, s)
	}
	whole := a.Unit == Count
	step := niceStep((to-from)/float64(max(n, 1)), whole)
	if round && !fixed {
		from, to = math.Floor(from/step)*step, a.atMost(math.Ceil(to/step-1e-9)*step, s)
	}
	return scale{from: from, to: to, ticks: ticksBetween(from, to, step)}
}

// atMost returns to, or the highest possible value if to is higher. Data that are
// higher nevertheless stay in the range.
func (a Axis) atMost(to float64, s span) float64 {
	if a.Most > 0 && to > a.Most {
		return math.Max(a.Most, s.to)
	}
	return to
}

// niceStep returns the smallest number that is 1, 2 or 5 times a power of ten and
// not less than raw. If whole is set, the result is at least 1.
func niceStep(raw float64, whole bool) float64 {
	if !(raw > 0) {
		return 1
	}
	power := 1.0
	for power*10 <= raw {
		power *= 10
	}
	for power > raw {
		power /= 10
	}
	step := power * 10
	for _, m := range []float64{1, 2, 5} {
		if m*power >= raw*(1-1e-9) {
			step = m * power
			break
		}
	}
	if whole && step < 1 {
		return 1
	}
	return step
}

func ticksBetween(from, to, step float64) []float64 {
	var at []float64
	first := math.Ceil(from/step - 1e-9)
	for i := 0.0; i < 20; i++ {
		v := (first + i) * step
		if v > to+float64(step*1e-6) {
			break
		}
		at = append(at, v)
	}
	return at
}
