package torture

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Rows returns the results as rows of a table, with a heading first and the
// totals last.
func Rows(results []Result) [][]string {
	rows := [][]string{{
		"scenario", "database", "rounds", "faults", "requests", "answered", "503", "429", "unanswered", "sent again",
		"read back", "longest restart", "longest recovery", "after", "wrong", "took",
	}}
	for _, r := range results {
		rows = append(rows, r.row(r.Scenario, r.Database))
	}
	return append(rows, together(results).row("all", ""))
}

func (r Result) row(scenario, database string) []string {
	f := r.Figures
	faults := 0
	for _, n := range r.Faults {
		faults += n
	}
	row := []string{scenario, database}
	for _, n := range []int64{int64(r.Rounds), int64(faults), f.Requests, f.Answered, f.Refused503, f.Refused429,
		f.Unanswered, f.Retried, f.Checked} {
		row = append(row, fmt.Sprint(n))
	}
	return append(row, r.Restart.Round(time.Millisecond).String(), f.LongestRecovery.Round(time.Millisecond).String(),
		f.SlowestAfter, fmt.Sprint(f.Bad), r.Took.Round(time.Second).String())
}

// together returns the totals: the sums of the counts and of the durations of
// the runs, and the maxima of the other durations.
func together(results []Result) Result {
	all := Result{Faults: map[string]int{}}
	for _, r := range results {
		all.Rounds += r.Rounds
		all.Took += r.Took
		all.Restart = max(all.Restart, r.Restart)
		all.Follow = max(all.Follow, r.Follow)
		for kind, n := range r.Faults {
			all.Faults[kind] += n
		}
		sum, f := &all.Figures, r.Figures
		sum.Requests += f.Requests
		sum.Answered += f.Answered
		sum.Refused503 += f.Refused503
		sum.Refused429 += f.Refused429
		sum.Unanswered += f.Unanswered
		sum.Retried += f.Retried
		sum.Checked += f.Checked
		sum.Batches += f.Batches
		sum.BatchRows += f.BatchRows
		sum.Checkpoints += f.Checkpoints
		sum.Bad += f.Bad
		sum.Beside = max(sum.Beside, f.Beside)
		sum.BesidePaused = max(sum.BesidePaused, f.BesidePaused)
		if f.LongestRecovery > sum.LongestRecovery {
			sum.LongestRecovery, sum.SlowestAfter = f.LongestRecovery, f.SlowestAfter
		}
	}
	return all
}

// FaultKinds returns how often each kind of fault occurred, as a text.
func FaultKinds(results []Result) string {
	faults := together(results).Faults
	var parts []string
	for _, kind := range slices.Sorted(maps.Keys(faults)) {
		parts = append(parts, fmt.Sprintf("%s %d", kind, faults[kind]))
	}
	return strings.Join(parts, ", ")
}

// Bounds returns a text that says how long the first write took after a promotion, how long other lenders waited while
// one lender was locked, how many batches ran, and how many checkpoints were compared with the log. It leaves out what
// did not happen.
func Bounds(results []Result) string {
	all := together(results)
	var parts []string
	if all.Follow > 0 {
		parts = append(parts, fmt.Sprintf("After a promotion the first write was answered within %s (bound %s).",
			all.Follow.Round(time.Millisecond), followWithin))
	}
	if all.Figures.Beside > 0 {
		parts = append(parts, fmt.Sprintf(
			"While another scope was locked, 99 of 100 decisions took at most %s (bound %s).",
			all.Figures.Beside.Round(time.Millisecond), besideWithin))
	}
	if all.Figures.BesidePaused > 0 {
		parts = append(parts, fmt.Sprintf(
			"While another node was paused, 9 of 10 decisions took at most %s (bound %s).",
			all.Figures.BesidePaused.Round(time.Millisecond), pausedWithin))
	}
	if all.Figures.Batches > 0 {
		parts = append(parts,
			fmt.Sprintf("While nodes were killed, %d batches with %d rows ran; each row was decided once.",
				all.Figures.Batches, all.Figures.BatchRows))
	}
	if all.Figures.Checkpoints > 0 {
		parts = append(parts, fmt.Sprintf("%d signed checkpoints were read during faults and compared with the log.",
			all.Figures.Checkpoints))
	}
	return strings.Join(parts, " ")
}
