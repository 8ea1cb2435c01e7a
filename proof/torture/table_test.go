package torture

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestRows(t *testing.T) {
	t.Parallel()
	results := []Result{
		{
			Scenario: "kill", Database: SQLite, Rounds: 2, Took: 3 * time.Second, Restart: 40 * time.Millisecond,
			Faults: map[string]int{"kill -9": 2}, Figures: Figures{
				Requests:        9,
				Answered:        7,
				Unanswered:      2,
				Retried:         2,
				Checked:         5,
				LongestRecovery: 3 * time.Millisecond,
				SlowestAfter:    "kill -9",
			},
		},
		{
			Scenario: "network", Database: Postgres, Rounds: 1, Took: 4 * time.Second, Restart: 30 * time.Millisecond,
			Faults: map[string]int{"network cut": 1, "network stall": 2}, Figures: Figures{
				Requests:        10,
				Answered:        6,
				Refused503:      3,
				Refused429:      1,
				Checked:         4,
				Bad:             1,
				LongestRecovery: 5 * time.Millisecond,
				SlowestAfter:    "network cut",
			},
		},
	}
	want := [][]string{
		{"kill", "sqlite", "2", "2", "9", "7", "0", "0", "2", "2", "5", "40ms", "3ms", "kill -9", "0", "3s"},
		{"network", "postgres", "1", "3", "10", "6", "3", "1", "0", "0", "4", "30ms", "5ms", "network cut", "1", "4s"},
		{"all", "", "3", "5", "19", "13", "3", "1", "2", "2", "9", "40ms", "5ms", "network cut", "1", "7s"},
	}
	if diff := cmp.Diff(want, Rows(results)[1:]); diff != "" {
		t.Error(diff)
	}
	if got := Bounds(results); got != "" {
		t.Errorf("bounds of what was not done: %s", got)
	}
	results[0].Follow, results[1].Figures.Beside = 1500*time.Millisecond, 20*time.Millisecond
	results[1].Figures.BesidePaused = 30 * time.Millisecond
	if diff := cmp.Diff("After a promotion the first write was answered within 1.5s (bound 3s). "+
		"While another scope was locked, 99 of 100 decisions took at most 20ms (bound 1s). "+
		"While another node was paused, 9 of 10 decisions took at most 30ms (bound 1s).", Bounds(results)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff("kill -9 2, network cut 1, network stall 2", FaultKinds(results)); diff != "" {
		t.Error(diff)
	}
}
