//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package storetest_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// doing runs fn in a transaction and fails the test if the transaction fails.
func doing(t *testing.T, scope *store.Scope, fn func(tx *store.Tx) error) {
	t.Helper()
	if err := scope.Write(t.Context(), fn); err != nil {
		t.Fatal(err)
	}
}

func putConfig(
	t *testing.T, scope *store.Scope, c store.FraudConfig, expected int64,
) (put store.FraudConfig, err error) {
	t.Helper()
	err = scope.Write(t.Context(), func(tx *store.Tx) (err error) {
		put, err = tx.FraudConfigs().Put(c, expected)
		return err
	})
	return put, err
}

func changes(t *testing.T, scope *store.Scope) int64 {
	t.Helper()
	n, err := scope.FraudConfigs(t.Context()).Changes()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestFraudConfig(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, scope := t.Context(), signUp(t, db, "ten_A")
		none, err := scope.FraudConfigs(ctx).Get()
		if diff := cmp.Diff(store.FraudConfig{}, none); err != nil || diff != "" || changes(t, scope) != 0 {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		config := store.FraudConfig{
			Document:      []byte(`{"a":1}`),
			Accounts:      []byte{0, 0xff},
			UpdatedMicros: 7,
			UpdatedBy:     "key_1",
		}
		put, err := putConfig(t, scope, config, 0)
		wantKind(t, err, 0, "")
		config.Version = 1
		if diff := cmp.Diff(config, put); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		before := changes(t, scope)
		_, err = putConfig(t, scope, store.FraudConfig{Document: []byte("{}")}, 0)
		wantKind(t, err, fault.Precondition, fault.CodePreconditionFailed)
		_, err = putConfig(t, scope, store.FraudConfig{Document: []byte("{}")}, 2)
		wantKind(t, err, fault.Precondition, fault.CodePreconditionFailed)
		if changes(t, scope) != before {
			t.Error("a refusal is counted as a change")
		}
		got, err := scope.FraudConfigs(ctx).Get()
		if diff := cmp.Diff(config, got); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		put, err = putConfig(t, scope, store.FraudConfig{}, -1)
		if err != nil || put.Version != 2 || changes(t, scope) <= before {
			t.Errorf("got version %d, %v", put.Version, err)
		}
		for who, other := range neighbours(t, db, "ten_A") {
			got, err := other.FraudConfigs(ctx).Get()
			if diff := cmp.Diff(store.FraudConfig{}, got); err != nil || diff != "" || changes(t, other) != 0 {
				t.Errorf("%s: %v (-want +got):\n%s", who, err, diff)
			}
			if put, err := putConfig(t, other, config, 0); err != nil || put.Version != 1 {
				t.Errorf("%s: version %d, %v", who, put.Version, err)
			}
		}
		if got, err := scope.FraudConfigs(ctx).Get(); err != nil || got.Version != 2 {
			t.Errorf("got version %d, %v", got.Version, err)
		}
	})
}

// TestFraudConfigRace replaces the same version concurrently, and checks that one call
// succeeds.
func TestFraudConfigRace(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		nodes := twoNodes(t, databaseURL)
		errs := race(20, func(i int) error {
			_, err := putConfig(t, nodes[i%2].Scope("ten_A", sandbox), store.FraudConfig{UpdatedMicros: int64(i)}, 0)
			return err
		})
		if n := succeeded(t, errs, fault.Precondition, fault.CodePreconditionFailed); n != 1 {
			t.Errorf("%d replaced it", n)
		}
	})
}

// twoNodes returns two handles on one database. SQLite has one writer, so for
// SQLite it returns the same handle twice.
func twoNodes(t *testing.T, databaseURL string) [2]*store.DB {
	t.Helper()
	first := storetest.Open(t, databaseURL, store.Options{})
	if first.Kind() == "sqlite" {
		return [2]*store.DB{first, first}
	}
	return [2]*store.DB{first, storetest.Open(t, databaseURL, store.Options{})}
}
