package board

import (
	"fmt"
	"math"
	"slices"
)

// Spread is the median, the smallest and the largest value of several rounds. All are NaN
// if there was no round.
type Spread struct{ Median, Least, Most float64 }

// Of returns the spread of some values.
func Of(values ...float64) Spread {
	n := len(values)
	if n == 0 {
		return Spread{math.NaN(), math.NaN(), math.NaN()}
	}
	values = slices.Sorted(slices.Values(values))
	return Spread{(values[(n-1)/2] + values[n/2]) / 2, values[0], values[n-1]}
}

// Quotients returns the spread of one contestant's values divided by another
// contestant's values in the same rounds. A slowdown that affects a whole round cancels
// out.
func Quotients(values, by []float64) Spread {
	list := make([]float64, 0, len(values))
	for i := range min(len(values), len(by)) {
		list = append(list, values[i]/by[i])
	}
	return Of(list...)
}

// Text returns the median and, if the values differ, the smallest and the largest value.
// It returns "" if nothing was measured.
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

// Between returns the smallest and the largest value, or "" if they are equal.
func (s Spread) Between(show func(float64) string) string {
	if math.IsNaN(s.Median) || s.Least == s.Most {
		return ""
	}
	return show(s.Least) + " – " + show(s.Most)
}

// Show returns the median, or "" if nothing was measured.
func (s Spread) Show(show func(float64) string) string {
	if math.IsNaN(s.Median) {
		return ""
	}
	return show(s.Median)
}

// Nanos formats a time in nanoseconds with a suitable unit.
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

// Times formats a ratio. Larger ratios have fewer decimals.
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

// Plain formats a number with two decimals.
func Plain(x float64) string { return fmt.Sprintf("%.2f", x) }

// Whole formats a number without decimals.
func Whole(x float64) string { return fmt.Sprintf("%.0f", x) }

// Mebibytes formats a number of bytes in MiB.
func Mebibytes(bytes float64) string { return fmt.Sprintf("%.1f MiB", bytes/(1<<20)) }

// Count formats a count for one unit of work. A count below 0.01 becomes 0, because the
// runtime itself allocates now and then.
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
