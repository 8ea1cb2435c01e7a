//nolint:thelper // what Each runs is the test itself: a failure belongs to its own line
package storetest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// TestLegalHolds places, lists and releases holds. Another scope must see none, and a release is the only possible
// change of a hold.
func TestLegalHolds(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := t.Context()
		scope, other := db.Scope("ten_A", "live"), db.Scope("ten_A", "sandbox")
		person := store.Person{ApplicantRef: "app-1"}
		hold := func(id string, p store.Person, until int64) store.LegalHold {
			h := store.LegalHold{ID: id, Person: p, Reason: "audit", Actor: "key_1", CreatedMicros: 5,
				UntilMicros: until}
			if err := scope.Write(ctx, func(tx *store.Tx) error { return tx.LegalHolds().Place(h) }); err != nil {
				t.Fatal(err)
			}
			return h
		}
		first := hold("lhd_1", person, 0)
		hold("lhd_2", person, 50)
		hold("lhd_3", store.Person{DecisionID: "dec_1"}, 0)
		ids := func(in *store.Scope, p store.Person, now int64) (ids []string) {
			t.Helper()
			found, err := in.LegalHolds(ctx).Of(p, now)
			if err != nil {
				t.Fatal(err)
			}
			for _, h := range found {
				ids = append(ids, h.ID)
			}
			return ids
		}
		for _, c := range []struct {
			in   *store.Scope
			p    store.Person
			now  int64
			want []string
		}{
			{scope, person, 49, []string{"lhd_1", "lhd_2"}},
			{scope, person, 50, []string{"lhd_1"}},
			{scope, store.Person{DecisionID: "dec_1"}, 50, []string{"lhd_3"}},
			{scope, store.Person{ApplicantRef: "app-2"}, 1, nil},
			{other, person, 1, nil},
		} {
			if got := ids(c.in, c.p, c.now); !slices.Equal(got, c.want) {
				t.Errorf("the holds on %v at %d are %v, want %v", c.p, c.now, got, c.want)
			}
		}
		release := func(in *store.Scope, h store.LegalHold, now int64) error {
			return in.Write(ctx, func(tx *store.Tx) error { return tx.LegalHolds().Release(h, "key_2", now) })
		}
		if err := release(scope, first, 20); err != nil {
			t.Fatal(err)
		}
		if err := release(scope, first, 30); err == nil {
			t.Error("a hold was released twice")
		}
		got, err := scope.LegalHolds(ctx).Get("lhd_1")
		if err != nil || got.ReleasedMicros != 20 || got.ReleasedBy != "key_2" || got.InForce(20) {
			t.Errorf("released is %+v, %v", got, err)
		}
		if n, err := scope.LegalHolds(ctx).Count(49); err != nil || n != 2 {
			t.Errorf("%d are in force, %v", n, err)
		}
		if n, err := other.LegalHolds(ctx).Count(49); err != nil || n != 0 {
			t.Errorf("%d are in force in the other environment, %v", n, err)
		}
		ended, err := scope.LegalHolds(ctx).Ended(10, 50)
		if err != nil || len(ended) != 2 {
			t.Errorf("ended are %+v, %v", ended, err)
		}
		_, err = other.LegalHolds(ctx).Get("lhd_1")
		wantNotFound(t, err)
		if rows, _, err := other.LegalHolds(ctx).List(store.LegalHoldFilter{}, store.Page{}); err != nil ||
			len(rows) != 0 {
			t.Errorf("the other environment lists %+v, %v", rows, err)
		}
		wantEvents(t, scope, "legal_hold.",
			`legal_hold.placed {"actor":"key_1","legal_hold_id":"lhd_1","reason":"audit"}`,
			`legal_hold.placed {"actor":"key_1","legal_hold_id":"lhd_2","reason":"audit",`+
				`"until":"1970-01-01T00:00:00.000Z"}`,
			`legal_hold.placed {"actor":"key_1","decision_id":"dec_1","legal_hold_id":"lhd_3","reason":"audit"}`,
			`legal_hold.released {"actor":"key_2","legal_hold_id":"lhd_1","reason":"audit"}`)
	})
}

// TestDeferredErasures checks when deferred erasures are due, that a person has at most one of them, and that a
// withdrawn erasure is never changed.
func TestDeferredErasures(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := t.Context()
		scope := db.Scope("ten_A", "live")
		put := func(e *store.Erasure) error {
			return scope.Write(ctx, func(tx *store.Tx) error { return tx.Erasures().Put(e) })
		}
		e := &store.Erasure{
			ID: "era_1", State: store.ErasureDeferred, Person: store.Person{ApplicantRef: "app-1"}, Reason: "other",
			Actor: "key_1", CreatedMicros: 5, StartedLeaf: -1, Leaf: -1, Basis: []string{"open_offer", "legal_hold"},
			DeferredUntilMicros: 100, NextMicros: 50,
		}
		if err := put(e); err != nil {
			t.Fatal(err)
		}
		second := *e
		second.ID = "era_2"
		if err := put(&second); err == nil {
			t.Error("a person has two deferred erasures")
		}
		due := func(now int64, want int) {
			t.Helper()
			if found, err := db.System().DueErasures(ctx, now, 10); err != nil || len(found) != want {
				t.Errorf("due at %d are %+v, %v", now, found, err)
			}
		}
		due(49, 0)
		due(50, 1)
		if open, err := db.System().OpenErasures(ctx, &store.ScopedErasure{}, 10); err != nil || len(open) != 0 {
			t.Errorf("running are %+v, %v", open, err)
		}
		got, err := scope.Erasures(ctx).Get("era_1")
		if err != nil || !slices.Equal(got.Basis, e.Basis) || got.DeferredUntilMicros != 100 || got.NextMicros != 50 {
			t.Errorf("stored is %+v, %v", got, err)
		}
		got.Begin()
		got.State, got.WithdrawnMicros, got.WithdrawnBy = store.ErasureWithdrawn, 60, "key_2"
		if err := put(&got); err != nil || got.Person.ApplicantRef != "" {
			t.Fatalf("withdrawn is %+v, %v", got, err)
		}
		if err := put(&got); err == nil {
			t.Error("a withdrawn erasure was changed")
		}
		due(1_000, 0)
		if err := put(&second); err != nil {
			t.Errorf("another one after it: %v", err)
		}
		if size, err := scope.Journal(ctx).Size(); err != nil || size != 0 {
			t.Errorf("the journal has %d entries, %v", size, err)
		}
	})
}

// TestGrounds reads the reasons for which the erasure of a person must wait, in the person's scope and in another
// scope.
func TestGrounds(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := t.Context()
		scope, other := db.Scope("ten_A", "live"), db.Scope("ten_A", "sandbox")
		for i, id := range []string{"dec_1", "dec_2", "dec_3"} {
			w := decision(id, store.Unmetered)
			w.Decision.CreatedMicros = int64(100 * (i + 1))
			if id == "dec_3" {
				w.Decision.PolicyID = "pol_2"
			}
			if err := scope.InsertDecision(ctx, w); err != nil {
				t.Fatal(err)
			}
		}
		q := store.GroundsQuery{Person: store.Person{ApplicantRef: "app-1"}, NowMicros: 1}
		wantApprovals := func(in *store.Scope, want ...store.Approval) {
			t.Helper()
			g, err := in.Erasures(ctx).Grounds(q)
			if err != nil || !slices.Equal(g.Approvals, want) || g.OpenAlert || len(g.Holds) != 0 {
				t.Errorf("the grounds are %+v, %v; want %v", g, err, want)
			}
		}
		approval := func(policy string, created, approved int64) store.Approval {
			return store.Approval{PolicyID: policy, CreatedMicros: created, ApprovedMicros: approved}
		}
		first, second, third := approval("pol_1", 100, 100), approval("pol_1", 200, 200), approval("pol_2", 300, 300)
		wantApprovals(scope, third, second, first)
		wantApprovals(other)
		overturn := review("rev_1", "dec_2")
		overturn.Outcome = "overturned"
		if err := scope.Write(ctx, func(tx *store.Tx) error { return tx.Decisions().AddReview(overturn) }); err != nil {
			t.Fatal(err)
		}
		wantApprovals(scope, third, first)
		q.SinceID = "dec_2"
		wantApprovals(scope, third)

		// A referred decision counts as an approval only from the time of the review that approved it.
		w := decision("dec_4", store.Unmetered)
		w.Decision.CreatedMicros, w.Decision.Status = 50, "REFERRED"
		w.Decision.Plain = `{"limit":1000}`
		if err := scope.InsertDecision(ctx, w); err != nil {
			t.Fatal(err)
		}
		wantApprovals(scope, third)
		late := review("rev_2", "dec_4")
		late.Outcome = "overturned"
		if err := scope.Write(ctx, func(tx *store.Tx) error { return tx.Decisions().AddReview(late) }); err != nil {
			t.Fatal(err)
		}
		fourth := approval("pol_1", 50, late.CreatedMicros)
		fourth.Plain = w.Decision.Plain
		wantApprovals(scope, fourth, third)
	})
}

// TestRetentionSettings stores versions of the periods and how far they were applied.
func TestRetentionSettings(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := t.Context()
		scope, other := db.Scope("ten_A", "live"), db.Scope("ten_A", "sandbox")
		put := func(document string, at, expected int64) error {
			return scope.Write(ctx, func(tx *store.Tx) error {
				_, err := tx.Retention().Put(store.ConfigVersion{
					Document: []byte(document), UpdatedMicros: at, UpdatedBy: "key_1",
				}, expected)
				return err
			})
		}
		for i, document := range []string{"{}", `{"a":1}`, `{"b":1}`} {
			if err := put(document, int64(10*(i+1)), int64(i)); err != nil {
				t.Fatal(err)
			}
		}
		if err := put("{}", 40, 1); fault.CodeOf(err) != fault.CodePreconditionFailed {
			t.Errorf("another version was expected: %v", err)
		}
		for since, want := range map[int64]int{5: 3, 10: 3, 19: 3, 20: 2, 29: 2, 30: 1, 99: 1} {
			rows, err := scope.Retention(ctx).Since(since)
			if err != nil || len(rows) != want || rows[0].Version != 3 {
				t.Errorf("since %d there are %+v, %v; want %d", since, rows, err, want)
			}
		}
		latest, err := other.Retention(ctx).Latest()
		if err != nil || latest.Version != 0 {
			t.Errorf("the other environment has %+v, %v", latest, err)
		}
		const more = 3
		for i := range more {
			third := db.Scope(fmt.Sprintf("ten_C%d", i/2), []string{"live", "sandbox"}[i%2])
			if err := third.Write(ctx, func(tx *store.Tx) error {
				_, err := tx.Retention().Put(store.ConfigVersion{Document: []byte("{}"), UpdatedBy: "key_1"}, 0)
				return err
			}); err != nil {
				t.Fatal(err)
			}
		}
		for page := 1; page <= more+2; page++ {
			var scopes []string
			for name, err := range db.System().RetentionScopes(ctx, page) {
				if err != nil {
					t.Fatal(err)
				}
				scopes = append(scopes, name.Tenant+" "+name.Environment)
			}
			if got := strings.Join(scopes, ", "); got != "ten_A live, ten_C0 live, ten_C0 sandbox, ten_C1 live" {
				t.Errorf("by pages of %d the scopes are %s", page, got)
			}
		}
		progress := store.RetentionProgress{Zone: "combined", Leaf: -1, AfterID: "dec_1", AppliedMicros: 7}
		for _, emptied := range []int64{0, 3, 2} { // only the first call that empties documents adds an entry
			if err := scope.Write(ctx, func(tx *store.Tx) error {
				return tx.Retention().PutProgress(&progress, emptied, 1_000_000, 2_000_000)
			}); err != nil {
				t.Fatal(err)
			}
		}
		got, err := scope.Retention(ctx).ProgressOf("combined")
		if err != nil || got != progress || got.Emptied != 5 || got.Leaf != 3 {
			t.Errorf("the progress is %+v, %v", got, err)
		}
		if rows, err := other.Retention(ctx).Progress(); err != nil || len(rows) != 0 {
			t.Errorf("the other environment has %+v, %v", rows, err)
		}
		wantEvents(t, scope, "retention.",
			`retention.applied {"stored_before":"1970-01-01T00:00:01.000Z","zone":"combined"}`)
	})
}
