package load

import (
	"testing"
	"time"
)

// measured returns a measurement in which the neighbour kept a share of its rate.
func measured(part, stolen float64, failed int64) *Disturbed {
	d := &Disturbed{Undisturbed: 100, Stolen: stolen, Result: &Result{Refused: failed, Lasted: time.Second}}
	d.GoodIn = int64(part * 100)
	return d
}

// TestTypical checks how often an attack is measured, and which measurement counts.
func TestTypical(t *testing.T) {
	t.Parallel()
	plan := FairPlan{Limits: FairLimits{Rate: 0.5, P99: time.Second}}
	for _, c := range []struct {
		name   string
		tries  []*Disturbed
		counts float64
	}{
		{"good at once", []*Disturbed{measured(0.8, 0, 0)}, 0.8},
		{"a failed request", []*Disturbed{measured(0.9, 0, 1)}, 0.9},
		{"bad and then good", []*Disturbed{
			measured(0.4, 0, 0), measured(0.6, 0, 0), measured(0.3, 0, 0), measured(0.7, 0, 0), measured(0.8, 0, 0),
		}, 0.6},
		{"bad three times", []*Disturbed{
			measured(0.4, 0, 0), measured(0.6, 0, 0), measured(0.3, 0, 0), measured(0.2, 0, 0), measured(0.9, 0, 0),
		}, 0.4},
		{"disturbed at first", []*Disturbed{
			measured(0.9, 0.5, 0), measured(0.6, 0, 0), measured(0.7, 0, 0), measured(0.8, 0.01, 0),
			measured(0.5, 0, 0), measured(0.9, 0, 0),
		}, 0.7},
		{"always disturbed", []*Disturbed{
			measured(0.9, 0.5, 0), measured(0.1, 0.5, 0), measured(0.2, 0.5, 0), measured(0.3, 0.5, 0),
			measured(0.8, 0.5, 0), measured(0.1, 0.5, 0), measured(0.2, 0.5, 0), measured(0.7, 0.5, 0),
			measured(0.9, 0.5, 0),
		}, 0.3},
		{"a failure in a repetition", []*Disturbed{measured(0.4, 0, 0), measured(0.9, 0, 1)}, 0.9},
	} {
		for n := range c.tries {
			if plan.settled(c.tries[:n]) {
				t.Errorf("%s: settled after %d measurements", c.name, n)
			}
		}
		if !plan.settled(c.tries) {
			t.Errorf("%s: not settled", c.name)
		}
		if got := typical(c.tries).Part(); got < c.counts-0.001 || got > c.counts+0.001 {
			t.Errorf("%s: %.2f counts, want %.2f", c.name, got, c.counts)
		}
	}
}
