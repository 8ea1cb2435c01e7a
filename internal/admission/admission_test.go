package admission_test

import (
	"testing"
	"time"

	"verdict/internal/admission"
)

func TestPlaces(t *testing.T) {
	t.Parallel()
	p := admission.NewPlaces(2)
	if !p.Take() || p.Full() || !p.Take() || !p.Full() || p.Take() {
		t.Error("two places are not two")
	}
	p.Release()
	if p.Full() || !p.Take() {
		t.Error("a place that was given back is not there")
	}
}

func TestRefusalsAreToldOnceASecond(t *testing.T) {
	t.Parallel()
	p := admission.NewPlaces(1)
	now := time.Date(2026, 11, 14, 0, 0, 0, 0, time.UTC)
	var told []int64
	for _, after := range []time.Duration{0, time.Millisecond, 500 * time.Millisecond, time.Second} {
		if n := p.Refused(now.Add(after)); n > 0 {
			told = append(told, n)
		}
	}
	if len(told) != 2 || told[0] != 1 || told[1] != 3 {
		t.Errorf("told %v", told)
	}
}

func TestShares(t *testing.T) {
	t.Parallel()
	s := admission.NewShares(5)
	for _, take := range []struct {
		owner string
		want  bool
	}{{"a", true}, {"a", true}, {"a", false}, {"b", true}, {"b", true}, {"c", true}, {"d", false}} {
		if got := s.Take(take.owner); got != take.want {
			t.Errorf("a place for %s: %v", take.owner, got)
		}
	}
	s.Release("a")
	if s.Take("b") || !s.Take("a") {
		t.Error("a place that was given back is not there for who has room in their share")
	}
	if one := admission.NewShares(1); !one.Take("a") || one.Take("a") || one.Take("b") {
		t.Error("one place is not one")
	}
}

func TestMemory(t *testing.T) {
	t.Parallel()
	m := admission.NewMemory(20)
	first, ok := m.Reserve(2)
	if !ok || first < 2 {
		t.Fatalf("reserved %d", first)
	}
	if _, ok := m.Reserve(1); ok {
		t.Error("more is reserved than there is")
	}
	m.Release(first)
	if _, ok := m.Reserve(1); !ok {
		t.Error("what was given back is not there")
	}
}
