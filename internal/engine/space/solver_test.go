package space

import (
	"errors"
	"math/rand/v2"
	"testing"

	"verdict/internal/field"
	"verdict/internal/rule"
)

// refTo returns the reference to a field of the catalogue.
func refTo(tb testing.TB, name string) rule.Ref {
	tb.Helper()
	id, ok := field.Catalogue().Lookup(name)
	if !ok {
		tb.Fatalf("the catalogue has no %s", name)
	}
	return rule.Ref{Name: name, ID: id, Type: field.Catalogue().Field(id).Type}
}

// TestCoversAgreesWithTryingEverybody compares Covers with an enumeration of
// all combinations of the codes of three fields.
func TestCoversAgreesWithTryingEverybody(t *testing.T) {
	t.Parallel()
	const codes = 4
	r := rand.New(rand.NewPCG(9, 9))
	s := NewSolver()
	s.Space.Reset(field.Catalogue(), Params{})
	s.Reset(NewBudget(1<<30, nil))
	var fields []Field
	for _, name := range []string{"enquiries_6m", "active_tradelines", "max_dpd_12m"} {
		fields = append(fields, s.Space.FieldOf(refTo(t, name)))
	}
	box := func() Box {
		b := Box{}
		for _, at := range fields {
			if lo := r.Int64N(codes); r.IntN(3) > 0 {
				b = s.With(b, at, s.Sets.of(Span{lo, lo + r.Int64N(codes-lo)}))
			} else {
				b = s.With(b, at, s.Sets.of(Span{0, codes - 1}))
			}
		}
		return b
	}
	in := func(b Box, point []int64) bool {
		for i, at := range fields {
			if !s.States(b, at).Contains(point[i]) {
				return false
			}
		}
		return true
	}
	yes := 0
	for range 3000 {
		mark := s.Mark()
		b, region := box(), Region{}
		for range 1 + r.IntN(4) {
			region = append(region, box())
		}
		want := true
		for n := range int64(codes * codes * codes) {
			point := []int64{n % codes, n / codes % codes, n / codes / codes}
			covered := false
			for _, x := range region {
				covered = covered || in(x, point)
			}
			want = want && (covered || !in(b, point))
		}
		if got := s.Covers(region, b); got != want {
			t.Fatalf("%v in %v is %v, want %v", b, region, got, want)
		}
		if want {
			yes++
		}
		s.Release(mark)
	}
	if yes < 300 {
		t.Errorf("only %d of the boxes were covered: too few to be tested", yes)
	}
}

// TestDomainsOutliveRelease checks that the domain of a field that is placed
// after a call of Mark stays valid after Release.
func TestDomainsOutliveRelease(t *testing.T) {
	t.Parallel()
	s := NewSolver()
	s.Space.Reset(field.Catalogue(), Params{})
	s.Reset(NewBudget(1000, nil))
	mark := s.Mark()
	d := s.Space.Domain(s.Space.FieldOf(refTo(t, "age")))
	before := append(Set(nil), d.All...)
	s.Release(mark)
	for i := range 100 {
		s.Sets.of(Span{int64(i), int64(i)})
	}
	if !before.Within(d.All) || !d.All.Within(before) {
		t.Errorf("the domain was %v and is %v", before, d.All)
	}
}

// TestBudgetEnds checks that a budget is exhausted after its number of steps or
// at the first error of check, and that Err returns that error.
func TestBudgetEnds(t *testing.T) {
	t.Parallel()
	b := NewBudget(10, nil)
	n := 0
	for b.Spend(0) {
		n++
	}
	if n != 11 || b.Steps() != 11 || !b.Exhausted() || b.Err() != nil {
		t.Errorf("%d times, %d steps, %v", n, b.Steps(), b.Err())
	}
	gone, asked := errors.New("gone"), 0
	b = NewBudget(1<<30, func() error {
		if asked++; asked == 3 {
			return gone
		}
		return nil
	})
	for b.Spend(99) {
		n++
	}
	if !errors.Is(b.Err(), gone) || asked != 3 || b.Steps() != 3*stepsBetweenChecks || b.Spend(0) {
		t.Errorf("%v after %d checks and %d steps", b.Err(), asked, b.Steps())
	}
}

// TestPickOtherText checks that a text that stands for all others differs from a text that a condition names later.
func TestPickOtherText(t *testing.T) {
	t.Parallel()
	s := NewSolver()
	s.Space.Reset(field.Catalogue(), Params{})
	d := s.Space.Domain(s.Space.FieldOf(refTo(t, "location_ip_country")))
	for _, named := range []string{"NP", "other", "other_"} {
		s.Space.Code(d, rule.Str(named))
		if picked := s.Space.Pick(d, d.Given).Text(); picked == named {
			t.Errorf("%q is picked as a text that no condition names", picked)
		}
	}
}
