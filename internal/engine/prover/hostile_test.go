package prover

import (
	"errors"
	"testing"

	"verdict/internal/engine"
	"verdict/internal/engine/enginetest"
	"verdict/internal/field"
)

// TestHostilePolicies compares policies that maximise one kind of work. Each comparison ends, asks its caller often
// whether to go on, and is never taken for a proof that the policies are equal if they are not.
func TestHostilePolicies(t *testing.T) {
	t.Parallel()
	gone := errors.New("the caller is gone")
	for name := range enginetest.HostileDocuments() {
		p := enginetest.HostilePolicy(t, name)
		q := *p
		q.Bands = append([]engine.Band{}, p.Bands...)
		q.Bands[0].RateBP += 100
		old, changed := engine.Compile(p, field.Catalogue()), engine.Compile(&q, field.Catalogue())
		calls := 0
		r, err := Diff(old, changed, Options{MaxStates: 2_000, Check: func() error {
			calls++
			return nil
		}})
		if err != nil || r.Equal {
			t.Errorf("%s: %v, equal is %v", name, err, r.Equal)
		}
		if calls < 30 {
			t.Errorf("%s: the caller was asked %d times", name, calls)
		}
		if _, err = Diff(old, changed, Options{Check: func() error { return gone }}); !errors.Is(err, gone) {
			t.Errorf("%s: the caller is gone, but the comparison returns %v", name, err)
		}
	}
}
