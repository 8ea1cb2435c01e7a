package store

import (
	"testing"
	"time"
)

func TestClockAhead(t *testing.T) {
	t.Parallel()
	before := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	after := before.Add(30 * time.Second) // a slow server
	for name, c := range map[string]struct {
		other time.Time
		want  time.Duration
	}{
		"the same clock, read first": {before, 0},
		"the same clock, read last":  {after, 0},
		"read in between":            {before.Add(time.Second), 0},
		"ahead":                      {after.Add(time.Hour), time.Hour},
		"behind":                     {before.Add(-time.Minute), -time.Minute},
	} {
		if got := clockAhead(c.other, before, after); got != c.want {
			t.Errorf("%s: ahead by %s, want %s", name, got, c.want)
		}
	}
}
