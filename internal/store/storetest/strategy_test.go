//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package storetest_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

func fillStrategy(tx *store.Tx) error {
	_, err := tx.Strategies().Put(
		store.ConfigVersion{Document: []byte{'{', '}', 0, 0xff}, UpdatedMicros: 7, UpdatedBy: "key_1"}, 0)
	return err
}

func putStrategy(
	t *testing.T, scope *store.Scope, s store.ConfigVersion, expected int64,
) (put store.ConfigVersion, err error) {
	t.Helper()
	err = scope.Write(t.Context(), func(tx *store.Tx) (err error) {
		put, err = tx.Strategies().Put(s, expected)
		return err
	})
	return put, err
}

// TestStrategy checks that every version is kept and is visible in its own scope only.
func TestStrategy(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, scope := t.Context(), signUp(t, db, "ten_A")
		none, err := scope.Strategies(ctx).Latest()
		if diff := cmp.Diff(store.ConfigVersion{}, none); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		first := store.ConfigVersion{Document: []byte(`{"a":1}`), UpdatedMicros: 7, UpdatedBy: "key_1"}
		put, err := putStrategy(t, scope, first, 0)
		wantKind(t, err, 0, "")
		first.Version = 1
		if diff := cmp.Diff(first, put); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		for _, expected := range []int64{0, 2} {
			_, err = putStrategy(t, scope, store.ConfigVersion{Document: []byte("{}")}, expected)
			wantKind(t, err, fault.Precondition, fault.CodePreconditionFailed)
		}
		second, err := putStrategy(t, scope,
			store.ConfigVersion{Document: []byte("{}"), UpdatedMicros: 8, UpdatedBy: "key_2"}, -1)
		wantKind(t, err, 0, "")
		got, err := scope.Strategies(ctx).Latest()
		if diff := cmp.Diff(second, got); err != nil || diff != "" || got.Version != 2 {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		got, err = scope.Strategies(ctx).At(1)
		if diff := cmp.Diff(first, got); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		_, err = scope.Strategies(ctx).At(3)
		wantNotFound(t, err)
		for who, other := range neighbours(t, db, "ten_A") {
			t.Log(who)
			got, err := other.Strategies(ctx).Latest()
			if diff := cmp.Diff(store.ConfigVersion{}, got); err != nil || diff != "" {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
			_, err = other.Strategies(ctx).At(1)
			wantNotFound(t, err)
			if put, err := putStrategy(t, other, first, 0); err != nil || put.Version != 1 {
				t.Errorf("version %d, %v", put.Version, err)
			}
		}
		if got, err := scope.Strategies(ctx).Latest(); err != nil || got.Version != 2 {
			t.Errorf("got version %d, %v", got.Version, err)
		}
	})
}

// TestStrategyRace replaces the same version concurrently, and checks that one call
// succeeds. Calls without an expected version all succeed.
func TestStrategyRace(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		nodes := twoNodes(t, databaseURL)
		put := func(expected int64) []error {
			return race(20, func(i int) error {
				config := store.ConfigVersion{UpdatedMicros: int64(i)}
				_, err := putStrategy(t, nodes[i%2].Scope("ten_A", sandbox), config, expected)
				return err
			})
		}
		if n := succeeded(t, put(0), fault.Precondition, fault.CodePreconditionFailed); n != 1 {
			t.Errorf("%d replaced it", n)
		}
		if n := succeeded(t, put(-1), 0, ""); n != 20 {
			t.Errorf("%d of 20 succeeded", n)
		}
		if got, err := nodes[0].Scope("ten_A", sandbox).Strategies(t.Context()).Latest(); err != nil ||
			got.Version != 21 {
			t.Errorf("got version %d, %v", got.Version, err)
		}
	})
}
