//nolint:thelper // what Each runs is the test itself: a failure belongs to its own line
package storetest_test

import (
	"errors"
	"testing"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// fillExposure stores an exposure and a request.
func fillExposure(tx *store.Tx) error {
	e := store.Exposure{ID: "exp_1", ApplicantRef: "app-1", DecisionID: "dec_1", Document: []byte("x"),
		CreatedMicros: 1}
	return errors.Join(tx.Exposures().Put(&e, 0), tx.Exposures().Remember("k", "dec_1", 1))
}

// TestExposures stores, replaces and lists exposures. Another scope sees none.
func TestExposures(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := t.Context()
		scope, other := signUp(t, db, "ten_A"), db.Scope("ten_A", live)
		put := func(e store.Exposure) {
			t.Helper()
			if err := scope.Write(ctx, func(tx *store.Tx) error { return tx.Exposures().Put(&e, 0) }); err != nil {
				t.Fatal(err)
			}
		}
		put(store.Exposure{ID: "exp_1", ApplicantRef: "app-1", DecisionID: "dec_1", Document: []byte("a"),
			CreatedMicros: 5})
		put(store.Exposure{ID: "exp_2", ApplicantRef: "app-1", Document: []byte("b"), CreatedMicros: 6})
		put(store.Exposure{ID: "exp_3", ApplicantRef: "app-2", Document: []byte("c"), CreatedMicros: 7})
		put(store.Exposure{
			ID: "exp_1", ApplicantRef: "ignored", Document: []byte("d"), UpdatedMicros: 9, UpdatedBy: "key_2",
			ClosedMicros: 9,
		})

		open, err := scope.Exposures(ctx).Open("app-1")
		if err != nil || len(open) != 1 || open[0].ID != "exp_2" {
			t.Errorf("open are %+v, %v", open, err)
		}
		e, found, err := scope.Exposures(ctx).OfDecision("dec_1")
		if err != nil || !found || string(e.Document) != "d" || e.ApplicantRef != "app-1" || e.CreatedMicros != 5 ||
			e.ClosedMicros != 9 || e.UpdatedBy != "key_2" {
			t.Errorf("of the decision is %+v, %v", e, err)
		}
		if _, found, err := scope.Exposures(ctx).OfDecision(""); err != nil || found {
			t.Errorf("an exposure of no decision was found, %v", err)
		}
		for ref, want := range map[string]int{"app-1": 2, "app-2": 1, "": 3, "app-3": 0} {
			if rows, more, err := scope.Exposures(ctx).List(
				ref, store.Page{},
			); err != nil || more || len(rows) != want {
				t.Errorf("%q has %d exposures, %v", ref, len(rows), err)
			}
		}
		if rows, _, err := other.Exposures(ctx).List("", store.Page{}); err != nil || len(rows) != 0 {
			t.Errorf("another scope has %d exposures, %v", len(rows), err)
		}
		if own, err := other.Exposures(ctx).Own(store.OwnQuery{ApplicantRef: "app-1"}); err != nil ||
			len(own.Exposures) != 0 {
			t.Errorf("another scope reads %+v, %v", own, err)
		}
		stale := store.Exposure{ID: "exp_9", ApplicantRef: "app-9"}
		err = scope.Write(ctx, func(tx *store.Tx) error { return tx.Exposures().Put(&stale, 1) })
		if !errors.Is(err, store.ErrKeysChanged) {
			t.Errorf("an exposure that is sealed with other keys: %v", err)
		}
	})
}

// TestOwnDecisions reads the decisions about a person: the newest first, without repetitions of the request, and with
// reviews and loans.
func TestOwnDecisions(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := t.Context()
		scope := signUp(t, db, "ten_A")
		for i, id := range []string{"dec_1", "dec_2", "dec_3", "dec_4"} {
			w := decision(id, plenty)
			w.Decision.ApplicantRef, w.Decision.CreatedMicros = "app-1", int64(i+1)
			if id == "dec_3" {
				w.Decision.ApplicantRef = "app-2"
			}
			if err := scope.InsertDecision(ctx, w); err != nil {
				t.Fatal(err)
			}
		}
		err := scope.Write(ctx, func(tx *store.Tx) error {
			e := store.Exposure{ID: "exp_1", ApplicantRef: "app-1", DecisionID: "dec_2"}
			return errors.Join(tx.Exposures().Put(&e, 0), tx.Exposures().Remember("k", "dec_4", 50),
				tx.Decisions().AddReview(store.Review{ID: "rev_1", DecisionID: "dec_1", CreatedMicros: 9,
					Outcome: "overturned"}))
		})
		if err != nil {
			t.Fatal(err)
		}
		read := func(q store.OwnQuery) (ids string) {
			t.Helper()
			own, err := scope.Exposures(ctx).Own(q)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range own.Decisions {
				ids += d.ID
				if d.Booked {
					ids += " booked"
				}
				ids += d.Review + ";"
			}
			return ids
		}
		for _, c := range []struct {
			q    store.OwnQuery
			want string
		}{
			{store.OwnQuery{ApplicantRef: "app-1"}, "dec_4;dec_2 booked;dec_1overturned;"},
			{store.OwnQuery{ApplicantRef: "app-1", SinceID: "dec_1"}, "dec_4;dec_2 booked;"},
			{store.OwnQuery{ApplicantRef: "app-1", RequestKey: "k", RepeatedMicros: 49},
				"dec_2 booked;dec_1overturned;"},
			{store.OwnQuery{ApplicantRef: "app-1", RequestKey: "k", RepeatedMicros: 50},
				"dec_4;dec_2 booked;dec_1overturned;"},
			{store.OwnQuery{ApplicantRef: "app-2", RequestKey: "k"}, "dec_3;"},
			{store.OwnQuery{ApplicantRef: ""}, ""},
		} {
			if got := read(c.q); got != c.want {
				t.Errorf("%+v reads %q, want %q", c.q, got, c.want)
			}
		}
		if n, err := db.System().PurgeRecentRequests(ctx, 50, 10); err != nil || n != 0 {
			t.Errorf("%d requests deleted too early, %v", n, err)
		}
		if n, err := db.System().PurgeRecentRequests(ctx, 51, 10); err != nil || n != 1 {
			t.Errorf("%d requests deleted, %v", n, err)
		}
	})
}
