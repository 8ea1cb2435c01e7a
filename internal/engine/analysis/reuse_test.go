package analysis

import (
	"errors"
	"reflect"
	"testing"

	"verdict/internal/engine/enginetest"
	"verdict/internal/field"
)

// TestAnalysisForgetsTheLastOne checks that the findings of a policy do not depend on the previous
// analysis that used the same working memory, even if that analysis was stopped early.
func TestAnalysisForgetsTheLastOne(t *testing.T) {
	t.Parallel()
	p := enginetest.HostilePolicy(t, "points")
	want := Run(p, field.Catalogue())
	gone := errors.New("gone")
	for name := range enginetest.HostileDocuments() {
		before := enginetest.HostilePolicy(t, name)
		checks := 0
		if _, err := RunUntil(before, field.Catalogue(), func() error { checks++; return nil }); err != nil {
			t.Fatal(err)
		}
		for _, last := range []int{1, checks / 10, checks / 2, checks} {
			asked := 0
			_, _ = RunUntil(before, field.Catalogue(), func() error {
				if asked++; asked >= last {
					return gone
				}
				return nil
			})
			if got := Run(p, field.Catalogue()); !reflect.DeepEqual(got, want) {
				t.Fatalf("after %s, ended at check %d of %d: %+v, want %+v", name, last, checks, got, want)
			}
		}
	}
}
