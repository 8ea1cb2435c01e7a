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

// rangeOfPairs returns the numbers of the random pairs that a test compares: the first ones or, if VERDICT_PAIRS is
// set, the pairs that it names, such as "200-399". So a long run can be divided into several commands. Each pair
// depends on its number alone.
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

// bruteForce decides every applicant under both policies and returns the kinds of change that occur. Each applicant
// must be in the region of its class and must get limits that the class allows.
func bruteForce(tb testing.TB, l *lab, old, changed *engine.Plan, r *Result) map[Kind]int {
	tb.Helper()
	kinds, wrong := map[Kind]int{}, map[Kind]bool{}
	read := newReading(tb, old, changed, r)
	var x, y engine.Decision
	x.KeepQuotes()
	y.KeepQuotes()
	l.everybody(func(facts *rule.Facts) {
		old.Decide(facts, &x)
		changed.Decide(facts, &y)
		k := compare(&x, &y, r.Terms)
		if !k.changed() {
			return
		}
		kinds[k]++
		if wrong[k] {
			return // one report for each class is enough
		}
		if why := read.check(k, facts, &x, &y); why != "" {
			wrong[k] = true
			tb.Errorf("%+v: %s for the applicant %v", k, why, facts.Sorted())
		}
	})
	if read.notChecked*20 > read.checked {
		tb.Logf("%d of %d constraints are about the order of scores, which the test does not know", read.notChecked,
			read.checked)
	}
	return kinds
}

// TestDiffIsExact compares the classes of random pairs of small policies with the decisions on every applicant.
func TestDiffIsExact(t *testing.T) {
	t.Parallel()
	checkExact(t, 60, func(seed uint64) *lab { return newLab(t, seed) })
}

// TestDiffOfWidePoliciesIsExact does the same as TestDiffIsExact for policies with segments, caps, charges and people.
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
		want := bruteForce(t, l, old, changed, &r)
		checkAgainst(t, seed, &r, want)
		if seed%4 == 0 { // the result of a comparison that ends early
			r, err := Diff(old, changed, Options{MaxStates: 1 + r.States/2})
			if err != nil {
				t.Fatal(err)
			}
			bruteForce(t, l, old, changed, &r)
		}
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

// checkAgainst compares a result with the kinds of change that really occur.
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
