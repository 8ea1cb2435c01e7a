package proof

import (
	"fmt"
	"slices"
	"time"
)

// Timing holds the durations of two operations that must be indistinguishable.
type Timing struct {
	Name     string
	One, Two time.Duration // medians
}

// Compare calls the functions one and other alternately, so that a temporary slowdown of the machine affects both
// equally. tries is the number of calls of each function.
func Compare(name string, tries int, one, other func() time.Duration) Timing {
	var first, second []time.Duration
	for range tries {
		first, second = append(first, one()), append(second, other())
	}
	return Timing{name, median(first), median(second)}
}

func median(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/2]
}

// Alike reports whether the medians differ by at most a tenth.
func (t Timing) Alike() bool {
	ratio := float64(t.One) / float64(t.Two)
	return ratio >= 0.9 && ratio <= 1.1
}

func (t Timing) String() string { return fmt.Sprintf("%s: medians %s and %s", t.Name, t.One, t.Two) }

// TimingTable returns the timings as a Markdown table.
func TimingTable(timings []Timing) string {
	rows := [][]string{{"two cases that must take the same time", "median of one", "median of the other"}}
	for _, t := range timings {
		rows = append(rows, []string{t.Name, t.One.String(), t.Two.String()})
	}
	return Table(rows)
}
