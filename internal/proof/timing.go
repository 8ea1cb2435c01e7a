package proof

import (
	"fmt"
	"slices"
	"time"
)

// Timing is how long two things take that must not be told apart.
type Timing struct {
	Name     string
	One, Two time.Duration // medians
}

// Compare does one and the other in turn, so many times each: what slows the
// machine down for a while slows both.
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

// Alike tells whether the medians lie within a tenth of each other.
func (t Timing) Alike() bool {
	ratio := float64(t.One) / float64(t.Two)
	return ratio >= 0.9 && ratio <= 1.1
}

func (t Timing) String() string { return fmt.Sprintf("%s: medians %s and %s", t.Name, t.One, t.Two) }

// TimingTable shows them.
func TimingTable(timings []Timing) string {
	rows := [][]string{{"what is not told apart", "median of one", "median of the other"}}
	for _, t := range timings {
		rows = append(rows, []string{t.Name, t.One.String(), t.Two.String()})
	}
	return Table(rows)
}
