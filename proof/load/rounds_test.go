package load

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// TestRounds checks that two good rounds outvote one bad round, but only in the
// results past saturation.
func TestRounds(t *testing.T) {
	t.Parallel()
	bad := campaign()
	bad.Steps[1] = stage(150, 100, 1400, 0)
	for range 20 {
		bad.Steps[1].Latency.Add(time.Second)
	}
	bad.Rate = 900 // the rate that a measurement at a slow moment would give
	bad.Steps[1].Saturated = 900
	good, best := campaign(), campaign()
	best.Rate = 1100
	best.Steps[1].Saturated = 1100

	rounds := Rounds{bad, good, best}
	if wrong := rounds.Judge(DefaultLimits()); len(wrong) > 0 {
		t.Errorf("one bad round of three: %q", wrong)
	}
	if rounds.Middle() != good {
		t.Errorf("the middle is that of rate %.0f", rounds.Middle().Rate)
	}
	if lines := rounds.Medians(); !slices.ContainsFunc(lines, func(line string) bool {
		return strings.HasPrefix(line, "At 150 %: done 11 %, 85 %, 77 % of the saturation rate, median 77 %; p99 1s")
	}) {
		t.Errorf("told %q", lines)
	}

	wrong := Rounds{bad, bad, best}.Judge(DefaultLimits())
	if len(wrong) != 2 || !strings.Contains(wrong[0], "11 % of the saturation rate is done") ||
		!strings.Contains(wrong[1], "takes 1s") {
		t.Errorf("two bad rounds of three: %q", wrong)
	}

	good.Steps[0].Lost = 1
	if wrong := rounds.Judge(DefaultLimits()); len(wrong) != 1 || !strings.HasPrefix(wrong[0], "round 2: ") {
		t.Errorf("a lost answer in one round: %q", wrong)
	}
}
