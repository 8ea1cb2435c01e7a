package load

import (
	"strings"
	"testing"
	"time"
)

// answeredIn returns a stage of one second with n answers, each of which took the given time.
func answeredIn(took time.Duration, n int64) *Result {
	r := &Result{Due: n, Good: n, GoodIn: n, Lasted: time.Second}
	for range n {
		r.Latency.Add(took)
	}
	return r
}

// TestJudgeBacklog checks that the median of the ratios counts, that lost decisions and too few events are named, and
// that they do not hide each other.
func TestJudgeBacklog(t *testing.T) {
	t.Parallel()
	round := func(without, with time.Duration) BacklogRound {
		return BacklogRound{Without: answeredIn(without, 100), With: answeredIn(with, 100), Undelivered: 500}
	}
	same := round(10*time.Millisecond, 10*time.Millisecond)
	slow := round(10*time.Millisecond, 20*time.Millisecond)
	lost := round(10*time.Millisecond, 10*time.Millisecond)
	lost.With.Due++
	few := round(10*time.Millisecond, 10*time.Millisecond)
	few.Undelivered = 499
	for name, c := range map[string]struct {
		rounds []BacklogRound
		wrong  []string
	}{
		"equal":              {[]BacklogRound{same, same, same}, nil},
		"one of three slow":  {[]BacklogRound{same, slow, same}, nil},
		"two of three slow":  {[]BacklogRound{slow, slow, same}, []string{"times that without it"}},
		"a decision is lost": {[]BacklogRound{same, lost, same}, []string{"round 2: 100 of 101"}},
		"too few events":     {[]BacklogRound{few, slow, slow}, []string{"round 1: only 499", "times that without it"}},
	} {
		wrong := JudgeBacklog(c.rounds, 500)
		if len(wrong) != len(c.wrong) {
			t.Errorf("%s: %q, want %q", name, wrong, c.wrong)
			continue
		}
		for i, text := range c.wrong {
			if !strings.Contains(wrong[i], text) {
				t.Errorf("%s: %q, want %q", name, wrong[i], text)
			}
		}
	}
}

// TestJudgeCompare checks the same for the comparison of two binaries.
func TestJudgeCompare(t *testing.T) {
	t.Parallel()
	pair := func(older, newer int64) Compared {
		return Compared{Old: answeredIn(time.Millisecond, older), New: answeredIn(time.Millisecond, newer)}
	}
	lost := pair(100, 100)
	lost.New.Due++
	for name, c := range map[string]struct {
		rounds []Compared
		wrong  string
	}{
		"at the limit":      {[]Compared{pair(100, 85), pair(200, 100), pair(100, 95)}, ""},
		"below the limit":   {[]Compared{pair(100, 84), pair(200, 100), pair(100, 95)}, "0.84 of the old one"},
		"a request is lost": {[]Compared{pair(100, 100), lost, pair(100, 100)}, "round 2: 100 of 101"},
	} {
		wrong := strings.Join(JudgeCompare(c.rounds), "; ")
		if (wrong == "") != (c.wrong == "") || !strings.Contains(wrong, c.wrong) {
			t.Errorf("%s: %q, want %q", name, wrong, c.wrong)
		}
	}
	if got := len(CompareTable([]Compared{lost})); got != 2 {
		t.Errorf("the table has %d rows", got)
	}
}
