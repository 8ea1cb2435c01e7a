package recovery

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"verdict/internal/wire"
)

// ranked returns the ranking of a loan with the given outstanding principal and
// days past due.
func ranked(t interface{ Fatal(...any) }, s *Strategy, principal int64, dpd int) Ranking {
	var w wire.Writer
	w.Object().Key("loan").Object().Key("principal_outstanding").Int(principal).Key("overdue_amount").Int(1).Key(
		"dpd").Int(int64(dpd)).EndObject().
		Key("as_of").String("2026-11-15T12:00:00+05:30").EndObject()
	body, err := wire.Parse(w.Buf)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Read(body, time.Date(2026, time.November, 15, 6, 30, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	return Advise(&c, s, c.AsOf).Priority
}

// TestPriorityRises checks that under the default strategy the priority rises
// with exposure and with days past due: of two equal loans, the older case
// never ranks lower.
func TestPriorityRises(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := DefaultStrategy()
		principal := rapid.Int64Range(1, 1e8).Draw(t, "principal")
		dpd := rapid.IntRange(1, 400).Draw(t, "dpd")
		here := ranked(t, &s, principal, dpd)
		if older := ranked(t, &s, principal,
			dpd+rapid.IntRange(1, 400).Draw(t, "days more")); older.Score < here.Score {
			t.Fatalf("older, it falls from %d to %d", here.Score, older.Score)
		}
		if larger := ranked(t, &s, principal+rapid.Int64Range(1, 1e8).Draw(t, "more"), dpd); larger.Score < here.Score {
			t.Fatalf("larger, it falls from %d to %d", here.Score, larger.Score)
		}
	})
}

// TestPriorityByRecovery checks the ranking under strategies from the time before
// the basis of the ranking could be chosen.
func TestPriorityByRecovery(t *testing.T) {
	t.Parallel()
	s := FirstStrategy()
	if young, old := ranked(t, &s, 182_000, 10), ranked(t, &s, 182_000, 100); young.Score != 72 || old.Score != 45 {
		t.Errorf("10 days: %d, 100 days: %d", young.Score, old.Score)
	}
}
