//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package storetest_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// TestWalkPages walks decisions with their feature vectors. Every third decision has a feature vector.
func TestWalkPages(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, scope := t.Context(), signUp(t, db, "ten_A")
		const n = 7
		var want []string
		for i := range n {
			w := decision(numbered("dec", i), store.Unmetered)
			w.Features = nil
			if i%3 == 0 {
				w.Features = &store.Features{AsOf: "2026-11-15", Hash: "h", Vector: []byte(w.Decision.ID),
					Source: []byte("s")}
			}
			want = append(want, w.Decision.ID)
			wantKind(t, scope.InsertDecision(ctx, w), 0, "")
		}
		walk := func(scope *store.Scope, p store.Page) (ids []string) {
			t.Helper()
			err := scope.Decisions(ctx).WalkPages(p, func(rows []store.FeaturedDecision) error {
				if len(rows) == 0 || p.Limit > 0 && len(rows) > p.Limit {
					t.Errorf("a page of %d has %d decisions", p.Limit, len(rows))
				}
				for _, d := range rows {
					featured := slices.Index(want, d.ID)%3 == 0
					if len(d.Response) == 0 || len(d.Facts) == 0 || (d.Features != nil) != featured ||
						featured &&
							(string(d.Features.Vector) != d.ID || string(d.Features.Source) != "s" ||
								d.Features.Hash != "h") {
						t.Errorf("%s is %+v", d.ID, d)
					}
					ids = append(ids, d.ID)
				}
				return nil
			})
			wantKind(t, err, 0, "")
			return ids
		}
		backwards := slices.Clone(want)
		slices.Reverse(backwards)
		for _, limit := range []int{0, 1, 3, n, n + 1} {
			if diff := cmp.Diff(want, walk(scope, store.Page{Limit: limit})); diff != "" {
				t.Errorf("by %d (-want +got):\n%s", limit, diff)
			}
			if diff := cmp.Diff(backwards, walk(scope, store.Page{Limit: limit, Descending: true})); diff != "" {
				t.Errorf("backwards by %d (-want +got):\n%s", limit, diff)
			}
		}
		if diff := cmp.Diff(want[5:], walk(scope, store.Page{AfterID: want[4]})); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		enough := errors.New("enough")
		err := scope.Decisions(ctx).WalkPages(store.Page{}, func([]store.FeaturedDecision) error { return enough })
		if !errors.Is(err, enough) {
			t.Errorf("got %v", err)
		}
		for who, other := range neighbours(t, db, "ten_A") {
			if ids := walk(other, store.Page{}); len(ids) != 0 {
				t.Errorf("%s sees %v", who, ids)
			}
		}
	})
}
