//nolint:thelper // what Each runs is the test itself: a failure belongs to its own line
package storetest_test

import (
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

func begin(token string) store.IdempotencyBegin {
	return store.IdempotencyBegin{
		Key: store.IdempotencyKey{Route: "POST /v1/decisions", Name: "order-1"}, RequestHash: "h1", Token: token,
		NowMicros: 1000, LeaseMicros: 2000, ExpiresMicros: 9000,
	}
}

func answer(token string) store.IdempotencyAnswer {
	return store.IdempotencyAnswer{Key: begin("").Key, Token: token, Status: 200, Header: "application/json", Body: []byte(`{"id":1}`)}
}

func TestIdempotency(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, scope := t.Context(), signUp(t, db, "ten_A")
		others := neighbours(t, db, "ten_A")
		try := func(b store.IdempotencyBegin, kind fault.Kind, code string) *store.Stored {
			t.Helper()
			looked, lookErr := scope.LookupIdempotency(ctx, b.Key, b.RequestHash, b.NowMicros)
			wantKind(t, lookErr, kind, code)
			stored, err := scope.BeginIdempotency(ctx, b)
			wantKind(t, err, kind, code)
			if diff := cmp.Diff(looked, stored); diff != "" {
				t.Errorf("lookup and begin differ:\n%s", diff)
			}
			return stored
		}
		if stored := try(begin("t1"), 0, ""); stored != nil {
			t.Errorf("got %+v", stored)
		}
		try(begin("t2"), fault.Conflict, store.CodeIdempotencyInProgress)
		other := begin("t2")
		other.RequestHash = "h2"
		try(other, fault.Invalid, store.CodeIdempotencyKeyReused)
		wantKind(t, scope.FinishIdempotency(ctx, answer("t2")), fault.Conflict, store.CodeIdempotencyInProgress)
		for who, neighbour := range others {
			t.Log(who)
			wantKind(t, neighbour.FinishIdempotency(ctx, answer("t1")), fault.Conflict, store.CodeIdempotencyInProgress)
			wantKind(t, neighbour.AbandonIdempotency(ctx, begin("").Key, "t1"), 0, "")
			stored, err := neighbour.LookupIdempotency(ctx, begin("").Key, "h9", 1000)
			if stored != nil || err != nil {
				t.Errorf("got %+v, %v", stored, err)
			}
		}
		wantKind(t, scope.FinishIdempotency(ctx, answer("t1")), 0, "")
		stored := try(begin("t3"), 0, "")
		if diff := cmp.Diff(&store.Stored{Status: 200, Header: "application/json", Body: []byte(`{"id":1}`)}, stored); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		try(other, fault.Invalid, store.CodeIdempotencyKeyReused)
		wantKind(t, scope.AbandonIdempotency(ctx, begin("").Key, "t1"), 0, "") // too late: it has its answer
		if try(begin("t3"), 0, "") == nil {
			t.Error("the answer is gone")
		}
		// Once expired, the key is free for anything.
		other.NowMicros, other.LeaseMicros, other.ExpiresMicros = 9000, 9500, 20000
		if stored := try(other, 0, ""); stored != nil {
			t.Errorf("got %+v", stored)
		}
	})
}

// TestIdempotencyAbandoned covers attempts that have no answer: given up, and
// left behind by a process that died.
func TestIdempotencyAbandoned(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, scope := t.Context(), signUp(t, db, "ten_A")
		for _, token := range []string{"t1", "t2"} {
			if stored, err := scope.BeginIdempotency(ctx, begin(token)); stored != nil || err != nil {
				t.Errorf("got %+v, %v", stored, err)
			}
			if token == "t1" {
				wantKind(t, scope.AbandonIdempotency(ctx, begin("").Key, token), 0, "")
			}
		}
		late := begin("t3")
		late.NowMicros, late.LeaseMicros = 2000, 3000
		changed := late
		changed.RequestHash = "h2"
		_, err := scope.BeginIdempotency(ctx, changed)
		wantKind(t, err, fault.Invalid, store.CodeIdempotencyKeyReused)
		if stored, err := scope.BeginIdempotency(ctx, late); stored != nil || err != nil {
			t.Errorf("got %+v, %v", stored, err)
		}
		// The one that was thought dead comes back: its decision must not stay.
		w := decision("dec_late", store.Unmetered)
		w.Answer = &store.IdempotencyAnswer{Key: late.Key, Token: "t2", Status: 200}
		wantKind(t, scope.InsertDecision(ctx, w), fault.Conflict, store.CodeIdempotencyInProgress)
		_, err = scope.Decision(ctx, "dec_late")
		wantNotFound(t, err)
		wantUsage(t, scope, 0)
		w.Answer.Token = "t3"
		wantKind(t, scope.InsertDecision(ctx, w), 0, "")

		for _, c := range []struct{ now, removed int64 }{{8999, 0}, {9000, 1}, {9000, 0}} {
			if removed, err := db.System().PurgeIdempotency(ctx, c.now, 10); err != nil || removed != c.removed {
				t.Errorf("removed %d, %v", removed, err)
			}
		}
	})
}

// TestIdempotencyRace sends one request many times at once, to two nodes: one
// decision, one bill, and all who are answered hear the same.
func TestIdempotencyRace(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		db := storetest.Open(t, databaseURL, store.Options{})
		ctx, scope := t.Context(), signUp(t, db, "ten_A")
		scopes := []*store.Scope{scope, secondNode(t, db, databaseURL).Scope("ten_A", sandbox)}
		var decided, replayed atomic.Int32
		errs := race(24, func(i int) error {
			b := begin(numbered("t", i))
			stored, err := scopes[i%2].BeginIdempotency(ctx, b)
			if err != nil {
				return err
			}
			if stored != nil {
				replayed.Add(1)
				if string(stored.Body) != "the answer" {
					t.Errorf("replayed %q", stored.Body)
				}
				return nil
			}
			decided.Add(1)
			w := decision(numbered("dec", i), store.Unmetered)
			w.Answer = &store.IdempotencyAnswer{Key: b.Key, Token: b.Token, Status: 200, Body: []byte("the answer")}
			return scopes[i%2].InsertDecision(ctx, w)
		})
		got := succeeded(t, errs, fault.Conflict, store.CodeIdempotencyInProgress)
		if decided.Load() != 1 || got != int(1+replayed.Load()) {
			t.Errorf("%d decided, %d replayed, %d answered", decided.Load(), replayed.Load(), got)
		}
		wantUsage(t, scope, 1)
	})
}
