//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package storetest_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

func fillSavedFilter(tx *store.Tx) error {
	return tx.SavedFilters().Put(store.SavedFilter{UserID: "usr_9", Name: "Declined", Query: "status=DECLINED",
		SavedMicros: 7})
}

// TestSavedFilters checks that a filter is stored, replaced and deleted, and that it is visible only in its scope and
// to its person.
func TestSavedFilters(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, scope, other := t.Context(), signUp(t, db, "ten_A"), signUp(t, db, "ten_B")
		want := []store.SavedFilter{
			{UserID: "usr_1", Name: "Grade B", Query: "grade=B", SavedMicros: 3},
			{UserID: "usr_1", Name: "Today", Query: "within=1", SavedMicros: 2},
		}
		change(t, scope, func(tx *store.Tx) error {
			for _, f := range []store.SavedFilter{
				{UserID: "usr_1", Name: "Grade B", Query: "grade=A", SavedMicros: 1}, want[1], want[0],
				{UserID: "usr_2", Name: "Grade B", Query: "grade=C", SavedMicros: 4},
			} {
				if err := tx.SavedFilters().Put(f); err != nil {
					return err
				}
			}
			return nil
		})
		got, err := scope.SavedFilters(ctx).Of("usr_1")
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("filters differ, %v\n%s", err, diff)
		}
		for _, elsewhere := range []*store.Scope{other, db.Scope("ten_A", "live")} {
			if got, err := elsewhere.SavedFilters(ctx).Of("usr_1"); err != nil || len(got) != 0 {
				t.Errorf("another scope sees %v, %v", got, err)
			}
			change(t, elsewhere, func(tx *store.Tx) error { return tx.SavedFilters().Delete("usr_1", "Today") })
		}
		change(t, scope, func(tx *store.Tx) error { return tx.SavedFilters().Delete("usr_1", "Grade B") })
		if got, err = scope.SavedFilters(ctx).Of("usr_1"); err != nil || len(got) != 1 || got[0] != want[1] {
			t.Errorf("left are %v, %v", got, err)
		}
		if got, err = scope.SavedFilters(ctx).Of("usr_2"); err != nil || len(got) != 1 {
			t.Errorf("the filter of another person was deleted: %v, %v", got, err)
		}
	})
}
