package admission_test

import (
	"testing"
	"time"

	"verdict/internal/admission"
)

func TestPoolSharesOut(t *testing.T) {
	t.Parallel()
	p := admission.NewPool(8)
	if p.Share() != 4 {
		t.Errorf("the share is %d", p.Share())
	}
	takes := func(owner string, most int64) int64 {
		var n int64
		for n < most && p.Take(owner, 1) {
			n++
		}
		return n
	}
	// The first owner gets half of the units, the next owner half of the rest,
	// and so on.
	for _, want := range []struct {
		owner string
		units int64
	}{{"a", 4}, {"b", 2}, {"c", 1}, {"d", 1}, {"e", 0}} {
		if got := takes(want.owner, 8); got != want.units {
			t.Errorf("%s takes %d units, want %d", want.owner, got, want.units)
		}
	}
	if !p.Full() || !p.FullFor("a") || !p.FullFor("e") {
		t.Error("the pool is not full")
	}
	p.Give("a", 4)
	if p.Full() || p.FullFor("e") || !p.Take("e", 2) {
		t.Error("units that were given back cannot be taken")
	}
	if p.Take("a", 9) {
		t.Error("more than the whole pool was taken")
	}
}

func TestPoolOfOne(t *testing.T) {
	t.Parallel()
	p := admission.NewPool(1)
	if p.FullFor("a") || !p.Take("a", 1) || p.Take("a", 1) || p.Take("b", 1) {
		t.Error("one place is not one")
	}
	p.Give("a", 1)
	if !p.Take("b", 1) {
		t.Error("the place did not come back")
	}
}

func TestPoolNeverGivesAllToOne(t *testing.T) {
	t.Parallel()
	p := admission.NewPool(1000)
	if p.Take("a", 501) {
		t.Error("one owner took more than half in one piece")
	}
	if !p.Take("a", 500) || !p.Take("b", 250) {
		t.Error("a share cannot be taken in one piece")
	}
}

func TestRefusalsAreLoggedOnceASecond(t *testing.T) {
	t.Parallel()
	var r admission.Refusals
	now := time.Date(2026, 11, 14, 0, 0, 0, 0, time.UTC)
	var due []int64
	for _, after := range []time.Duration{0, time.Millisecond, 500 * time.Millisecond, time.Second} {
		if n := r.Refused(now.Add(after)); n > 0 {
			due = append(due, n)
		}
	}
	if len(due) != 2 || due[0] != 1 || due[1] != 3 {
		t.Errorf("log lines tell of %v refusals", due)
	}
}
