//nolint:thelper // what Each runs is the test itself: a failure belongs to its own line
package storetest_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// TestResolutions closes alerts about four entities, each as something else.
func TestResolutions(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, scope := t.Context(), signUp(t, db, "ten_A")
		const mutedUntil = micros + 10 + 30*dayMicros
		for i, resolution := range []string{store.ResolutionConfirmedFraud, store.ResolutionFalsePositive, "duplicate", "other"} {
			about := account(resolution)
			hit(t, scope, numbered("alr", i), observed("A", micros, about), nil)
			before := changes(t, scope)
			m := store.AlertMove{ID: numbered("alr", i), To: "closed", Resolution: resolution, Actor: "usr_1", NowMicros: micros + 10, MuteDays: 30}
			a, err := move(t, scope, m)
			if err != nil || a.Resolution != resolution {
				t.Errorf("%+v, %v", a, err)
			}
			blocked, muted := resolution == store.ResolutionConfirmedFraud, resolution == store.ResolutionFalsePositive
			if told := changes(t, scope) > before; told != blocked {
				t.Errorf("%s: told as a change: %t", resolution, told)
			}
			for at, still := range map[int64]bool{micros + 11: muted, mutedUntil - 1: muted, mutedUntil: false} {
				got := observe(t, scope, observed("B", at, address("1"), about), windows())
				if len(got.Blocklisted) == 1 != blocked || len(got.Muted) == 1 != still {
					t.Errorf("%s at %d: %+v", resolution, at, got)
				}
			}
			// What is closed stays so: the next hit opens another.
			next, created := hit(t, scope, numbered("alr_next", i), observed("C", micros+20, about), nil)
			if !created || next.PreviousID != a.ID {
				t.Errorf("%+v, %t", next, created)
			}
		}
		entries, more, err := scope.ListBlocked(ctx, nil, 10)
		want := []store.BlockedEntity{{Entity: account("confirmed_fraud"), BlockedMicros: micros + 10, BlockedBy: "usr_1", AlertID: "alr_000"}}
		if diff := cmp.Diff(want, entries); err != nil || more || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	})
}

func TestBlocklist(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, scope := t.Context(), signUp(t, db, "ten_A")
		var want []store.BlockedEntity
		for i := range 5 {
			b := store.BlockedEntity{Entity: account(numbered("", i)), BlockedMicros: micros + int64(i/2), BlockedBy: "usr_1"}
			doing(t, scope, func(tx *store.Tx) error { _, _, err := tx.Block(b); return err })
			again := b
			again.BlockedMicros, again.BlockedBy = micros+9, "usr_2"
			doing(t, scope, func(tx *store.Tx) error { _, _, err := tx.Block(again); return err })
			want = append(want, b)
		}
		var found []store.BlockedEntity
		var after *store.BlockedEntity
		for more := true; more; {
			var rows []store.BlockedEntity
			var err error
			if rows, more, err = scope.ListBlocked(ctx, after, 2); err != nil {
				t.Fatal(err)
			}
			found = append(found, rows...)
			after = &rows[len(rows)-1]
		}
		if diff := cmp.Diff(want, found); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		before := changes(t, scope)
		off := func(tx *store.Tx) error { return tx.Unblock(want[0].Entity.Kind, want[0].Entity.Key) }
		doing(t, scope, off)
		if changes(t, scope) <= before {
			t.Error("nodes do not hear of it")
		}
		wantNotFound(t, scope.Write(ctx, off))
		for i, blocked := range []bool{false, true} {
			if got := observe(t, scope, observed("A", micros, want[i].Entity), windows()); len(got.Blocklisted) == 1 != blocked {
				t.Errorf("%d: %+v", i, got)
			}
		}
	})
}
