package analysis

import (
	"errors"
	"reflect"
	"testing"

	"verdict/internal/engine/enginetest"
	"verdict/internal/field"
)

func BenchmarkHostile(b *testing.B) {
	for name := range enginetest.HostileDocuments() {
		p := enginetest.HostilePolicy(b, name)
		b.Run(name+"/analyse", func(b *testing.B) {
			for b.Loop() {
				Run(p, field.Catalogue())
			}
		})
		b.Run(name+"/against", func(b *testing.B) {
			found := Run(p, field.Catalogue())
			for b.Loop() {
				Against(found, p, found, p)
			}
		})
	}
}

// TestAnalysisEndsWithItsCaller checks that the analysis of the largest policies calls check at least three times, and
// ends at the first check that fails.
func TestAnalysisEndsWithItsCaller(t *testing.T) {
	t.Parallel()
	gone := errors.New("gone")
	for name := range enginetest.HostileDocuments() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := enginetest.HostilePolicy(t, name)
			checks := 0
			found, err := RunUntil(p, field.Catalogue(), func() error { checks++; return nil })
			if err != nil || !reflect.DeepEqual(found, Run(p, field.Catalogue())) {
				t.Errorf("%d findings, %v", len(found), err)
			}
			if checks < 3 {
				t.Errorf("%d checks", checks)
			}
			for _, last := range []int{1, 2, checks} {
				asked := 0
				found, err = RunUntil(p, field.Catalogue(), func() error {
					if asked++; asked == last {
						return gone
					}
					return nil
				})
				if !errors.Is(err, gone) || found != nil || asked != last {
					t.Errorf("ended at %d: %d findings, %v after %d", last, len(found), err, asked)
				}
			}
		})
	}
}
