package load

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Rounds holds successive campaigns on the same database. The speed of a shared
// machine changes within minutes, so the rate and the latency past saturation are
// judged by the median of the rounds. All other limits must be met in each round.
type Rounds []*Campaign

// Middle returns the round whose saturation rate is the median.
func (rs Rounds) Middle() *Campaign {
	sorted := slices.Clone(rs)
	slices.SortStableFunc(sorted, func(a, b *Campaign) int { return cmp.Compare(a.Rate, b.Rate) })
	return sorted[len(sorted)/2]
}

// Judge returns every limit that was not met.
func (rs Rounds) Judge(l Limits) (wrong []string) {
	each := l
	each.Goodput, each.Flooded, each.Latency = 0, 0, 0
	for i, c := range rs {
		for _, w := range c.Judge(each) {
			wrong = append(wrong, fmt.Sprintf("round %d: %s", i+1, w))
		}
	}
	for i, s := range rs[0].Steps {
		if s.Percent < saturated {
			continue
		}
		part := l.Goodput
		if s.Percent > Flooded {
			part = l.Flooded
		}
		if done := median(rs.done(i)); done < part {
			wrong = append(wrong, fmt.Sprintf("at %d %%: %.0f %% of the saturation rate is done, less than %.0f %%",
				s.Percent, 100*done, 100*part))
		}
		if p99 := median(rs.slow(i)); l.Latency > 0 && p99 > l.Latency {
			wrong = append(wrong, fmt.Sprintf("at %d %%: what is done takes %s, more than %s",
				s.Percent, short(p99), l.Latency))
		}
	}
	return wrong
}

// Medians describes the rate and the latency of each round past saturation, and their
// medians. It returns one sentence for each stage.
func (rs Rounds) Medians() (lines []string) {
	for i, s := range rs[0].Steps {
		if s.Percent < saturated {
			continue
		}
		done, slow := rs.done(i), rs.slow(i)
		percent := func(part float64) string { return fmt.Sprintf("%.0f %%", 100*part) }
		lines = append(lines, fmt.Sprintf(
			"At %d %%: done %s of the saturation rate, median %.0f %%; p99 %s, median %s.",
			s.Percent, list(done, percent), 100*median(done), list(slow, short), short(median(slow))))
	}
	return lines
}

// done returns the rate of each round at a stage, as a share of the saturation rate.
func (rs Rounds) done(stage int) (parts []float64) {
	for _, c := range rs {
		parts = append(parts, c.Steps[stage].Share())
	}
	return parts
}

// slow returns the p99 of each round at a stage.
func (rs Rounds) slow(stage int) (all []time.Duration) {
	for _, c := range rs {
		all = append(all, c.Steps[stage].Latency.Quantile(0.99))
	}
	return all
}

func median[T cmp.Ordered](values []T) T {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

func list[T any](values []T, text func(T) string) string {
	var parts []string
	for _, v := range values {
		parts = append(parts, text(v))
	}
	return strings.Join(parts, ", ")
}
