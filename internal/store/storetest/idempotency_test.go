//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package storetest_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

func answer(body string) store.IdempotencyAnswer {
	return store.IdempotencyAnswer{
		Key:         store.IdempotencyKey{Route: "POST /v1/decisions", Name: "order-1"},
		RequestHash: store.RequestHash{Keyed: "h1"},
		Status:      200, Header: "application/json", Body: []byte(body), NowMicros: 1000, ExpiresMicros: 9000,
	}
}

// once stores an answer without a decision.
func once(t *testing.T, scope *store.Scope, a store.IdempotencyAnswer) error {
	t.Helper()
	return scope.Write(t.Context(), func(tx *store.Tx) error { return tx.Answers().Insert(a) })
}

// wantAnswered checks that a write was refused with the body of an earlier answer.
func wantAnswered(t *testing.T, err error, body string) {
	t.Helper()
	var before *store.AlreadyAnswered
	if !errors.As(err, &before) {
		t.Errorf("got %v", err)
		return
	}
	want := store.Stored{Status: 200, Header: "application/json", Body: []byte(body)}
	if diff := cmp.Diff(want, before.Stored); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestIdempotency(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, scope := t.Context(), signUp(t, db, "ten_A")
		others := neighbours(t, db, "ten_A")
		look := func(a store.IdempotencyAnswer, kind fault.Kind, want *store.Stored) {
			t.Helper()
			got, err := scope.Answers(ctx).Lookup(a.Key, a.RequestHash, a.NowMicros)
			wantKind(t, err, kind, fault.CodeIdempotencyKeyReused)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		}
		first, again, changed := answer("first"), answer("second"), answer("third")
		changed.RequestHash = store.RequestHash{Keyed: "h2"}
		look(first, 0, nil)
		wantKind(t, once(t, scope, first), 0, "")
		stored := &store.Stored{Status: 200, Header: "application/json", Body: []byte("first")}
		look(again, 0, stored)
		look(changed, fault.Invalid, nil)
		wantAnswered(t, once(t, scope, again), "first")
		wantKind(t, once(t, scope, changed), fault.Invalid, fault.CodeIdempotencyKeyReused)
		elsewhere := changed
		elsewhere.Key.Route = "POST /v1/rule-sets"
		wantKind(t, once(t, scope, elsewhere), 0, "")
		for who, neighbour := range others {
			t.Log(who)
			got, err := neighbour.Answers(ctx).Lookup(first.Key, store.RequestHash{Keyed: "h9"}, 1000)
			if got != nil || err != nil {
				t.Errorf("got %+v, %v", got, err)
			}
			wantKind(t, once(t, neighbour, changed), 0, "")
		}
		look(again, 0, stored)

		// An expired key can be used again by any request.
		changed.NowMicros, changed.ExpiresMicros = 9000, 20000
		look(changed, 0, nil)
		wantKind(t, once(t, scope, changed), 0, "")
		look(changed, 0, &store.Stored{Status: 200, Header: "application/json", Body: []byte("third")})
		for _, c := range []struct{ now, removed int64 }{{8999, 0}, {9000, 4}, {9000, 0}} {
			if removed, err := db.System().PurgeIdempotency(ctx, c.now, 10); err != nil || removed != c.removed {
				t.Errorf("removed %d, %v", removed, err)
			}
		}
	})
}

// TestAnsweredUndoes checks that a write whose key is taken stores nothing, and that
// a refused write stores no answer.
func TestAnsweredUndoes(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, scope := t.Context(), signUp(t, db, "ten_A")
		insert := func(id, hash string, quota int64) error {
			w, a := decision(id, quota), answer(id)
			a.RequestHash = store.RequestHash{Keyed: hash}
			w.Answer = &a
			return scope.InsertDecision(ctx, w)
		}
		wantKind(t, insert("dec_0", "h1", 0), fault.Limited, fault.CodeQuotaExceeded)
		stored, err := scope.Answers(ctx).Lookup(answer("").Key, store.RequestHash{Keyed: "h1"}, 1000)
		if stored != nil || err != nil {
			t.Errorf("a refusal was stored: %+v, %v", stored, err)
		}
		wantKind(t, insert("dec_1", "h1", 1), 0, "")
		wantAnswered(t, insert("dec_2", "h1", 1), "dec_1") // even with the quota used up
		wantKind(t, insert("dec_3", "h2", store.Unmetered), fault.Invalid, fault.CodeIdempotencyKeyReused)
		err = scope.Write(ctx, func(tx *store.Tx) error {
			if _, err := tx.RuleSets().Insert(draft("pol_2")); err != nil {
				return err
			}
			return tx.Answers().Insert(answer("pol_2"))
		})
		wantAnswered(t, err, "dec_1")
		_, err = scope.RuleSets(ctx).Get("pol_2")
		wantNotFound(t, err)
		rows, _, err := scope.Decisions(ctx).List(store.DecisionFilter{}, store.Page{})
		if err != nil || len(rows) != 1 || rows[0].ID != "dec_1" {
			t.Errorf("got %+v, %v", rows, err)
		}
		wantUsage(t, scope, 1)
	})
}

// TestIdempotencyRace sends one request many times concurrently to two nodes. It checks
// that exactly one decision is stored and one unit of usage is counted. All callers
// must get the same answer, even if the quota allows only one decision.
func TestIdempotencyRace(t *testing.T) {
	t.Parallel()
	for _, quota := range []int64{1, store.Unmetered} {
		storetest.EachURL(t, func(t *testing.T, databaseURL string) {
			db := storetest.Open(t, databaseURL, store.Options{})
			ctx, scope := t.Context(), signUp(t, db, "ten_A")
			scopes := []*store.Scope{scope, secondNode(t, db, databaseURL).Scope("ten_A", sandbox)}
			const n = 24
			heard := make([]string, n)
			errs := race(n, func(i int) error {
				id := numbered("dec", i)
				w, a := decision(id, quota), answer(id)
				w.Answer, heard[i] = &a, id
				insert := scopes[i%2].InsertDecision
				if i%5 == 0 { // a Write is slower than InsertDecision and follows the same rule
					insert = func(ctx context.Context, w *store.DecisionWrite) error {
						return scopes[i%2].Write(ctx, func(tx *store.Tx) error { return tx.Decisions().Insert(w) })
					}
				}
				err := insert(ctx, w)
				var before *store.AlreadyAnswered
				if errors.As(err, &before) {
					heard[i] = string(before.Stored.Body)
					return nil
				}
				return err
			})
			if got := succeeded(t, errs, 0, ""); got != n {
				t.Errorf("%d of %d were answered", got, n)
			}
			rows, _, err := scope.Decisions(ctx).List(store.DecisionFilter{}, store.Page{})
			if err != nil || len(rows) != 1 {
				t.Fatalf("%d decisions, %v", len(rows), err)
			}
			for i, body := range heard {
				if body != rows[0].ID {
					t.Errorf("%d heard %q, and %s was decided", i, body, rows[0].ID)
				}
			}
			wantUsage(t, scope, 1)
		})
	}
}
