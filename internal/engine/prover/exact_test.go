package prover

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"verdict/internal/engine"
	"verdict/internal/rule"
)

// pairs returns the number of random pairs of policies that a test compares.
func pairs(short int) int {
	if os.Getenv("VERDICT_LONG") != "" {
		return 1_000
	}
	return short
}

// rangeOfPairs returns the numbers of the random pairs that a test compares: the first ones, or those from
// VERDICT_PAIRS, such as "200-399", so that a long run can be spread over several commands. Each pair depends on its
// number alone.
func rangeOfPairs(tb testing.TB, short int) (from, to int) {
	tb.Helper()
	text := os.Getenv("VERDICT_PAIRS")
	if text == "" {
		return 0, pairs(short)
	}
	if _, err := fmt.Sscanf(text, "%d-%d", &from, &to); err != nil || to < from {
		tb.Fatalf("VERDICT_PAIRS is %q, not like 200-399", text)
	}
	return from, to + 1
}

// bruteForce returns the kinds of change that the decisions on every applicant show.
func bruteForce(l *lab, old, changed *engine.Plan, terms []string) map[Kind]int {
	kinds := map[Kind]int{}
	var x, y engine.Decision
	x.KeepQuotes()
	y.KeepQuotes()
	l.everybody(func(facts *rule.Facts) {
		old.Decide(facts, &x)
		changed.Decide(facts, &y)
		if k := compare(&x, &y, terms); k.changed() {
			kinds[k]++
		}
	})
	return kinds
}

// TestDiffIsExact compares the classes of random pairs of small policies with the decisions on every applicant.
func TestDiffIsExact(t *testing.T) {
	t.Parallel()
	checkExact(t, 60, func(seed uint64) *lab { return newLab(t, seed) })
}

// TestDiffOfWidePoliciesIsExact does the same for policies with segments, caps, charges and people.
func TestDiffOfWidePoliciesIsExact(t *testing.T) {
	t.Parallel()
	checkExact(t, 80, func(seed uint64) *lab { return makeLab(t, seed, true) })
}

func checkExact(t *testing.T, short int, makeLab func(seed uint64) *lab) {
	t.Helper()
	complete, equal, classes := 0, 0, 0
	from, to := rangeOfPairs(t, short)
	n := to - from
	for seed := uint64(from); seed < uint64(to); seed++ {
		l := makeLab(seed)
		l.opaque = seed%4 == 3
		before := l.sections()
		old, changed := l.plan(t, before), l.plan(t, l.changed(before))
		r := diff(t, old, changed)
		want := bruteForce(l, old, changed, r.Terms)
		checkAgainst(t, seed, &r, want)
		if r.Complete {
			complete++
		} else {
			t.Logf("seed %d: %v", seed, r.Incomplete)
		}
		if r.Equal {
			equal++
		}
		classes += len(want)
		if t.Failed() {
			t.Fatalf("seed %d\n%s\n%s", seed, old.Policy().Document(), changed.Policy().Document())
		}
	}
	t.Logf("pairs %d to %d: %d complete, %d equal, %d classes", from, to-1, complete, equal, classes)
	if complete < n*8/10 {
		t.Errorf("only %d of %d results are complete", complete, n)
	}
}

// checkAgainst compares a result with the kinds that exist.
func checkAgainst(t *testing.T, seed uint64, r *Result, want map[Kind]int) {
	t.Helper()
	for k := range want {
		if !slices.ContainsFunc(r.Classes, func(c Class) bool { return c.Kind == k }) {
			t.Errorf("seed %d: %+v is missing", seed, k)
		}
	}
	for _, c := range r.Classes {
		if want[c.Kind] == 0 && (c.Confirmed || r.Complete) {
			t.Errorf("seed %d: %+v does not exist", seed, c.Kind)
		}
		if want[c.Kind] > 0 && !c.Confirmed {
			t.Logf("seed %d: %+v exists, but has no witness", seed, c.Kind)
		}
	}
	if r.Equal && len(want) > 0 {
		t.Errorf("seed %d: proved equal, but %d kinds differ", seed, len(want))
	}
}
