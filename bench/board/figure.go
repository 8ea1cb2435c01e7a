package board

import (
	"fmt"
	"math"
	"slices"
)

// Spread is the median of several rounds, with the least and the most. Without
// rounds all three are no number.
type Spread struct{ Median, Least, Most float64 }

// Of is the spread of some values.
func Of(values ...float64) Spread {
	n := len(values)
	if n == 0 {
		return Spread{math.NaN(), math.NaN(), math.NaN()}
	}
	values = slices.Sorted(slices.Values(values))
	return Spread{(values[(n-1)/2] + values[n/2]) / 2, values[0], values[n-1]}
}

// Quotients are the values of one contestant by another's of the same round:
// what slows a whole round down cancels out.
func Quotients(values, by []float64) Spread {
	list := make([]float64, 0, len(values))
	for i := range min(len(values), len(by)) {
		list = append(list, values[i]/by[i])
	}
	return Of(list...)
}

// Text is the median and, where there was more than one round, the least and
// the most; "" for what was not measured.
func (s Spread) Text(show func(float64) string) string {
	switch {
	case math.IsNaN(s.Median):
		return ""
	case s.Least == s.Most:
		return show(s.Median)
	default:
		return fmt.Sprintf("%s (%s – %s)", show(s.Median), show(s.Least), show(s.Most))
	}
}

// Between is the least and the most alone.
func (s Spread) Between(show func(float64) string) string {
	if math.IsNaN(s.Median) || s.Least == s.Most {
		return ""
	}
	return show(s.Least) + " – " + show(s.Most)
}

// Show is the median alone, "" for what was not measured.
func (s Spread) Show(show func(float64) string) string {
	if math.IsNaN(s.Median) {
		return ""
	}
	return show(s.Median)
}

// Nanos writes a time in the unit that suits it.
func Nanos(nanos float64) string {
	switch {
	case math.IsNaN(nanos):
		return ""
	case nanos < 1000:
		return fmt.Sprintf("%.0f ns", nanos)
	case nanos < 10_000:
		return fmt.Sprintf("%.2f µs", nanos/1e3)
	case nanos < 1e6:
		return fmt.Sprintf("%.1f µs", nanos/1e3)
	case nanos < 1e9:
		return fmt.Sprintf("%.2f ms", nanos/1e6)
	default:
		return fmt.Sprintf("%.2f s", nanos/1e9)
	}
}

// Times writes a ratio, with as many decimals as it bears.
func Times(ratio float64) string {
	switch {
	case ratio < 10:
		return fmt.Sprintf("%.2f ×", ratio)
	case ratio < 100:
		return fmt.Sprintf("%.1f ×", ratio)
	default:
		return fmt.Sprintf("%.0f ×", ratio)
	}
}

// Plain writes a number with two decimals, Whole one with none.
func Plain(x float64) string { return fmt.Sprintf("%.2f", x) }

// Whole writes a number without decimals.
func Whole(x float64) string { return fmt.Sprintf("%.0f", x) }

// Mebibytes writes bytes.
func Mebibytes(bytes float64) string { return fmt.Sprintf("%.1f MiB", bytes/(1<<20)) }

// Count writes how often something happens for one unit of work. What the
// runtime itself allocates now and then is rounded away.
func Count(n float64) string {
	switch {
	case n < 0.01:
		return "0"
	case n < 100:
		return fmt.Sprintf("%.1f", n)
	default:
		return fmt.Sprintf("%.0f", n)
	}
}
