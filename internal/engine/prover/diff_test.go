package prover

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"verdict/internal/engine"
	"verdict/internal/field"
)

// plan compiles a policy document.
func plan(tb testing.TB, document []byte) *engine.Plan {
	tb.Helper()
	p, err := engine.ParsePolicy(document, engine.Sources{Catalogue: field.Catalogue()})
	if err != nil {
		tb.Fatalf("%v\n%s", err, document)
	}
	return engine.Compile(p, field.Catalogue())
}

// edited returns the plan of the default policy after text replacements. pairs has the old and the new text of each
// replacement.
func edited(tb testing.TB, pairs ...string) *engine.Plan {
	tb.Helper()
	text := string(engine.DefaultPolicyJSON())
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			tb.Fatalf("the default policy does not contain %s", pairs[i])
		}
		text = strings.Replace(text, pairs[i], pairs[i+1], 1)
	}
	return plan(tb, []byte(text))
}

func diff(tb testing.TB, old, changed *engine.Plan) Result {
	tb.Helper()
	r, err := Diff(old, changed, Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// kindsOf returns the confirmed kinds of a result.
func kindsOf(r *Result) map[Kind]bool {
	kinds := map[Kind]bool{}
	for _, c := range r.Classes {
		if c.Confirmed {
			kinds[c.Kind] = true
		}
	}
	return kinds
}

func TestDiffOfAPolicyWithItselfIsEmpty(t *testing.T) {
	t.Parallel()
	p := plan(t, engine.DefaultPolicyJSON())
	if r := diff(t, p, p); !r.Equal || !r.Complete || len(r.Classes) > 0 {
		t.Errorf("the default policy differs from itself: %+v", r)
	}
	for seed := range uint64(30) {
		l := newLab(t, seed)
		l.opaque = true
		s := l.sections()
		if r := diff(t, l.plan(t, s), l.plan(t, s)); !r.Equal {
			t.Errorf("seed %d: a policy differs from itself: %+v", seed, r)
		}
	}
}

// TestDiffIsMirrored checks that comparing two policies in the reverse order gives the mirrored classes.
func TestDiffIsMirrored(t *testing.T) {
	t.Parallel()
	from, to := rangeOfPairs(t, 40)
	for seed := uint64(from); seed < uint64(to); seed++ {
		l := newLab(t, 1_000+seed)
		before := l.sections()
		old, changed := l.plan(t, before), l.plan(t, l.changed(before))
		there, back := diff(t, old, changed), diff(t, changed, old)
		mirrored := map[Kind]bool{}
		for k := range kindsOf(&back) {
			mirrored[Kind{
				From: k.To, To: k.From, Limit: -k.Limit, Tenure: -k.Tenure, Fee: -k.Fee, Added: k.Removed,
				Removed: k.Added,
			}] = true
		}
		if got := kindsOf(&there); !maps.Equal(got, mirrored) && slices.Equal(there.Terms, back.Terms) {
			t.Errorf("seed %d: %v, reversed %v", seed, got, mirrored)
		}
		if there.Equal != back.Equal {
			t.Errorf("seed %d: equal is %v, reversed %v", seed, there.Equal, back.Equal)
		}
	}
}

// TestDefaultAgainstADraft compares the default policy with a typical draft, in which two knockouts and a rate change.
// The result must be complete. Every class must have a witness with a request, a cause and a region.
func TestDefaultAgainstADraft(t *testing.T) {
	t.Parallel()
	old := plan(t, engine.DefaultPolicyJSON())
	draft := edited(t, `"value": 21}`, `"value": 23}`, `"value": 60}]}`, `"value": 58}]}`,
		`"field": "enquiries_6m", "value": 12}`, `"field": "enquiries_6m", "value": 10}`,
		`"interest_rate": 14.0`, `"interest_rate": 14.5`)
	r := diff(t, old, draft)
	t.Logf("%d cells, %d states, %d classes", r.Cells, r.States, len(r.Classes))
	if !r.Complete || r.Equal || len(r.Classes) == 0 {
		t.Fatalf("complete is %v, equal is %v: %v", r.Complete, r.Equal, r.Incomplete)
	}
	for _, c := range r.Classes {
		if !c.Confirmed || len(c.Causes) == 0 || len(c.Where) == 0 {
			t.Errorf("%+v: confirmed %v, causes %v, where %v", c.Kind, c.Confirmed, c.Causes, c.Where)
		}
		if c.Confirmed && c.Witness.Request == nil {
			t.Errorf("%+v: no request states %v", c.Kind, c.Witness.Facts)
		}
	}
}

// TestBudget checks that a comparison that exceeds its budget is never reported as complete.
func TestBudget(t *testing.T) {
	t.Parallel()
	old, draft := plan(t, engine.DefaultPolicyJSON()), edited(t, `"points": -8`, `"points": -9`)
	r, err := Diff(old, draft, Options{MaxStates: 100})
	if err != nil || r.Complete || r.Equal || len(r.Incomplete) == 0 {
		t.Errorf("with 100 states: %v, complete %v, equal %v", err, r.Complete, r.Equal)
	}
	whole := diff(t, old, draft)
	for _, states := range []int{whole.States / 2, whole.States - 3} {
		r, err = Diff(old, draft, Options{MaxStates: states})
		if err != nil || r.Complete || r.Equal {
			t.Errorf("with %d states: %v, complete %v, equal %v", states, err, r.Complete, r.Equal)
		}
		t.Logf("%d of %d states: %d of %d classes", states, whole.States, len(kindsOf(&r)), len(whole.Classes))
		if len(kindsOf(&r)) == 0 {
			t.Errorf("with %d of %d states, no kind of change is found", states, whole.States)
		}
		redecide(t, old, draft, &r)
	}
	calls := 0
	r, err = Diff(old, draft, Options{Check: func() error {
		if calls++; calls > 5 {
			return ErrOutOfTime
		}
		return nil
	}})
	if err != nil || r.Complete || r.Equal {
		t.Errorf("out of time: %v, complete %v, equal %v", err, r.Complete, r.Equal)
	}
	gone := errors.New("the caller is gone")
	if _, err = Diff(old, draft, Options{Check: func() error { return gone }}); !errors.Is(err, gone) {
		t.Errorf("cancelled: %v", err)
	}
}
