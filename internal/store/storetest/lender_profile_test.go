//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package storetest_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

func fillLenderProfile(tx *store.Tx) error {
	_, err := tx.LenderProfiles().Put(
		store.ConfigVersion{Document: []byte{'{', '}', 0, 0xff}, UpdatedMicros: 7, UpdatedBy: "key_1"}, 0)
	return err
}

func putLenderProfile(
	t *testing.T, scope *store.Scope, p store.ConfigVersion, expected int64,
) (put store.ConfigVersion, err error) {
	t.Helper()
	err = scope.Write(t.Context(), func(tx *store.Tx) error {
		put, err = tx.LenderProfiles().Put(p, expected)
		return err
	})
	return put, err
}

// TestLenderProfile checks that every version is kept and is visible in its own scope only.
func TestLenderProfile(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, scope, other := t.Context(), signUp(t, db, "ten_A"), signUp(t, db, "ten_B")
		none, err := scope.LenderProfiles(ctx).Latest()
		if diff := cmp.Diff(store.ConfigVersion{}, none); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		if n, err := scope.LenderProfiles(ctx).LatestVersion(); err != nil || n != 0 {
			t.Errorf("version %d, %v", n, err)
		}
		first := store.ConfigVersion{Document: []byte(`{"a":1}`), UpdatedMicros: 7, UpdatedBy: "key_1"}
		put, err := putLenderProfile(t, scope, first, 0)
		first.Version = 1
		if diff := cmp.Diff(first, put); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		for _, expected := range []int64{0, 2} {
			_, err = putLenderProfile(t, scope, store.ConfigVersion{Document: []byte("{}")}, expected)
			wantKind(t, err, fault.Precondition, fault.CodePreconditionFailed)
		}
		second, err := putLenderProfile(t, scope,
			store.ConfigVersion{Document: []byte("{}"), UpdatedMicros: 8, UpdatedBy: "key_2"}, -1)
		wantKind(t, err, 0, "")
		got, err := scope.LenderProfiles(ctx).Latest()
		if diff := cmp.Diff(second, got); err != nil || diff != "" || got.Version != 2 {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		got, err = scope.LenderProfiles(ctx).At(1)
		if diff := cmp.Diff(first, got); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		_, err = scope.LenderProfiles(ctx).At(3)
		wantKind(t, err, fault.NotFound, fault.CodeNotFound)

		for _, elsewhere := range []*store.Scope{other, db.Scope("ten_A", "live")} {
			_, err = elsewhere.LenderProfiles(ctx).At(1)
			wantKind(t, err, fault.NotFound, fault.CodeNotFound)
			if n, err := elsewhere.LenderProfiles(ctx).LatestVersion(); err != nil || n != 0 {
				t.Errorf("another scope sees version %d, %v", n, err)
			}
		}
	})
}
