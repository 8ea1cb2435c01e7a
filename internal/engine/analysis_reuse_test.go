package engine

import (
	"errors"
	"reflect"
	"testing"

	"verdict/internal/field"
)

// TestAnalysisForgetsTheLastOne: what is found in a policy does not depend on the
// analysis that used the same working memory before, however that one ended.
func TestAnalysisForgetsTheLastOne(t *testing.T) {
	t.Parallel()
	p := hostilePolicy(t, "points")
	want := Analyse(p, field.Catalogue())
	gone := errors.New("gone")
	for name := range hostileDocuments() {
		before := hostilePolicy(t, name)
		checks := 0
		if _, err := AnalyseUntil(before, field.Catalogue(), func() error { checks++; return nil }); err != nil {
			t.Fatal(err)
		}
		for _, last := range []int{1, checks / 10, checks / 2, checks} {
			asked := 0
			_, _ = AnalyseUntil(before, field.Catalogue(), func() error {
				if asked++; asked >= last {
					return gone
				}
				return nil
			})
			if got := Analyse(p, field.Catalogue()); !reflect.DeepEqual(got, want) {
				t.Fatalf("after %s, ended at check %d of %d: %+v, want %+v", name, last, checks, got, want)
			}
		}
	}
}
