//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package store_test

import (
	"errors"
	"sync"
	"testing"

	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// answering returns a write that also stores the answer to its request. name is the name of the request's idempotency
// key, and hash is the hash of its body.
func answering(id, name, hash string) *store.DecisionWrite {
	w := write(id)
	w.Answer = &store.IdempotencyAnswer{
		Key: store.IdempotencyKey{Route: "POST /v1/decisions", Name: name}, RequestHash: store.RequestHash{Keyed: hash},
		Status: 200, Body: []byte(id), NowMicros: 1000, ExpiresMicros: 2000,
	}
	return w
}

// together submits decisions so that they are committed in one transaction, and
// returns the outcome of each.
func together(t *testing.T, db *store.DB, scope *store.Scope, writes []*store.DecisionWrite) []error {
	t.Helper()
	release := hold(t, db)
	errs := make([]error, len(writes))
	var all sync.WaitGroup
	for i, w := range writes {
		all.Go(func() { errs[i] = scope.InsertDecision(t.Context(), w) })
	}
	waiting(t, db, len(writes))
	release()
	all.Wait()
	return errs
}

// heard returns the body of the answer that a caller got: the body of w if w was
// stored, otherwise the body of the stored answer.
func heard(w *store.DecisionWrite, err error) string {
	var before *store.AlreadyAnswered
	switch {
	case err == nil:
		return string(w.Answer.Body)
	case errors.As(err, &before):
		return string(before.Stored.Body)
	default:
		return err.Error()
	}
}

// TestRepeatedTogether submits repetitions of requests in one batch. It checks that
// each request makes one decision, that all its callers get that decision, and that
// other requests are not affected.
func TestRepeatedTogether(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		collides bool // one write fails in the database, so that each write is retried separately
	}{{"in one statement", false}, {"each by itself", true}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, db *store.DB) {
				scope := db.Scope("ten_A", "sandbox")
				if err := scope.InsertDecision(t.Context(), answering("dec_before", "before", "h")); err != nil {
					t.Fatal(err)
				}
				writes := []*store.DecisionWrite{
					answering("dec_1", "order-1", "h"), answering("dec_2", "order-1", "h"),
					answering("dec_3", "order-1", "h"), answering("dec_4", "order-2", "h"),
					answering("dec_5", "order-2", "h"), answering("dec_6", "before", "h"),
					answering("dec_7", "before", "h"), answering("dec_8", "before", "other"), write("dec_9"),
				}
				if c.collides {
					writes = append(writes, write("dec_before"))
				}
				errs := together(t, db, scope, writes)
				if heard(writes[0], errs[0]) != heard(writes[1], errs[1]) || heard(writes[1],
					errs[1]) != heard(writes[2], errs[2]) {
					t.Errorf("order-1 heard %v", errs[:3])
				}
				if heard(writes[3], errs[3]) != heard(writes[4], errs[4]) {
					t.Errorf("order-2 heard %v", errs[3:5])
				}
				if heard(writes[5], errs[5]) != "dec_before" || heard(writes[6], errs[6]) != "dec_before" ||
					kindOf(errs[7]) != fault.Invalid || errs[8] != nil {
					t.Errorf("got %v", errs[5:9])
				}
				if c.collides && kindOf(errs[9]) != fault.Conflict {
					t.Errorf("got %v", errs[9])
				}
				wantDecisions(t, scope, 4) // before, order-1, order-2 and the decision without a key
			})
		})
	}
}

// TestRepeatedRefused submits repetitions of a request in one batch, with no quota
// left. It checks that no caller gets an answer that was not stored, and that the key
// can still be used.
func TestRepeatedRefused(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		scope := db.Scope("ten_A", "sandbox")
		var writes []*store.DecisionWrite
		for i := range 4 {
			w := answering(numbered("dec", i), "order-1", "h")
			w.Meter.Quota = 0
			writes = append(writes, w)
		}
		for i, err := range together(t, db, scope, writes) {
			if kindOf(err) != fault.Limited {
				t.Errorf("write %d: %v", i, err)
			}
		}
		if err := scope.InsertDecision(t.Context(), answering("dec_9", "order-1", "another")); err != nil {
			t.Errorf("the key is not free: %v", err)
		}
		wantDecisions(t, scope, 1)
	})
}

// TestRepeatedUncommitted makes the commit of a batch with an answer fail. A write that
// found the answer inside the transaction must not return that answer. Nor may it
// report that the quota is used up, because the decision that used it was never stored.
func TestRepeatedUncommitted(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.Postgres(t)
	db := storetest.Open(t, databaseURL, store.Options{})
	scope := db.Scope("ten_A", "sandbox")
	if _, err := storetest.Raw(t, databaseURL).ExecContext(t.Context(), `
		CREATE FUNCTION refuse_late() RETURNS trigger LANGUAGE plpgsql
			AS $$ BEGIN RAISE EXCEPTION 'not committed'; END $$;
		CREATE CONSTRAINT TRIGGER late AFTER INSERT ON decisions DEFERRABLE INITIALLY DEFERRED
			FOR EACH ROW EXECUTE FUNCTION refuse_late()`); err != nil {
		t.Fatal(err)
	}
	errs := together(t, db, scope,
		[]*store.DecisionWrite{answering("dec_1", "order-1", "h"), answering("dec_2", "order-1", "h")})
	for i, err := range errs {
		var before *store.AlreadyAnswered
		if err == nil || errors.As(err, &before) {
			t.Errorf("write %d: %v", i, err)
		}
	}
	last, over := answering("dec_3", "order-3", "h"), answering("dec_4", "order-4", "h")
	last.Meter.Quota, over.Meter.Quota = 1, 1
	for i, err := range together(t, db, scope, []*store.DecisionWrite{last, over}) {
		if err == nil || kindOf(err) == fault.Limited {
			t.Errorf("write %d at the last unit: %v", i, err)
		}
	}
	wantDecisions(t, scope, 0)
}
