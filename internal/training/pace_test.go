package training

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/wire"
)

// TestCheckEndsTheFit checks that a fit with a check gives the same result as a
// fit without one, and that it ends at the first check that fails.
func TestCheckEndsTheFit(t *testing.T) {
	t.Parallel()
	write := func(r *Result) string {
		var w wire.Writer
		r.Report.Write(&w)
		return string(w.Buf) + string(r.Card.Document())
	}
	rows := loans(4_000, 6)
	plain, err := Fit(from(rows), loanOptions(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	checks := 0
	o := loanOptions(t)
	o.Check = func() error { checks++; return nil }
	checked, err := Fit(from(rows), o, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(write(plain), write(checked)); diff != "" {
		t.Error(diff)
	}
	if checks < 50 {
		t.Errorf("%d checks", checks)
	}
	for _, last := range []int{1, 2, checks / 3, checks / 2, checks} {
		asked := 0
		o.Check = func() error {
			if asked++; asked >= last {
				return errEnough
			}
			return nil
		}
		if made, err := Fit(from(rows), o, nil); !errors.Is(err, errEnough) || made != nil || asked != last {
			t.Errorf("ended at %d of %d: %v after %d", last, checks, err, asked)
		}
	}
}
