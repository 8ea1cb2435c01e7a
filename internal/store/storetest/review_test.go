//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package storetest_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

func TestReviews(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, scope := t.Context(), signUp(t, db, "ten_A")
		others := neighbours(t, db, "ten_A")
		insert := func(scope *store.Scope, r store.Review) error {
			return scope.Write(ctx, func(tx *store.Tx) error { return tx.Decisions().AddReview(r) })
		}
		for _, id := range []string{"dec_1", "dec_2"} {
			wantKind(t, scope.InsertDecision(ctx, decision(id, store.Unmetered)), 0, "")
		}
		later, earlier, tied, another := review("rev_1", "dec_1"), review("rev_2", "dec_1"), review("rev_3", "dec_1"),
			review("rev_4", "dec_2")
		earlier.CreatedMicros = 1500
		for _, r := range []store.Review{tied, later, earlier, another} {
			wantKind(t, insert(scope, r), 0, "")
		}
		wantKind(t, insert(scope, later), fault.Conflict, fault.CodeVersionConflict)
		wantNotFound(t, insert(scope, review("rev_5", "dec_none")))
		reviews, err := scope.Decisions(ctx).Reviews("dec_1")
		if diff := cmp.Diff([]store.Review{earlier, later, tied}, reviews); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		for who, other := range others {
			t.Log(who)
			wantNotFound(t, insert(other, review("rev_5", "dec_1")))
			if reviews, err := other.Decisions(ctx).Reviews("dec_1"); err != nil || len(reviews) != 0 {
				t.Errorf("got %v, %v", reviews, err)
			}
		}
	})
}

// TestReviewsAreLimited checks that a review beyond the limit is refused, and that the last allowed review of a
// referred decision must not request more information.
func TestReviewsAreLimited(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, scope := t.Context(), signUp(t, db, "ten_A")
		wantKind(t, scope.InsertDecision(ctx, referred("dec_1")), 0, "")
		wantKind(t, scope.InsertDecision(ctx, referred("dec_2")), 0, "")
		add := func(n int, decision, outcome string) error {
			r := review(numbered("rev", n), decision)
			r.Outcome = outcome
			return scope.Write(ctx, func(tx *store.Tx) error { return tx.Decisions().AddReview(r) })
		}
		errs := race(store.MaxReviews+5, func(n int) error { return add(n, "dec_1", store.OutcomeAsks) })
		if n := succeeded(t, errs, fault.Conflict, fault.CodeCapReached); n != store.MaxReviews-1 {
			t.Errorf("%d requests for more information", n)
		}
		wantKind(t, add(900, "dec_1", "upheld"), 0, "")
		wantKind(t, add(901, "dec_1", "overturned"), fault.Conflict, fault.CodeCapReached)
		wantKind(t, add(902, "dec_2", "upheld"), 0, "")
		wantNotFound(t, add(903, "dec_none", "upheld"))
		reviews, err := scope.Decisions(ctx).Reviews("dec_1")
		if err != nil || len(reviews) != store.MaxReviews {
			t.Errorf("%d reviews, %v", len(reviews), err)
		}
		if waiting, _, err := scope.Decisions(ctx).Referrals(store.Page{}); err != nil || len(waiting) != 0 {
			t.Errorf("%d decisions wait, %v", len(waiting), err)
		}
	})
}

// TestOverfullReferralCanBeSettled checks a decision that got more reviews than are allowed, before there was a limit.
// One review must still remove it from the queue, and that review must be shown.
func TestOverfullReferralCanBeSettled(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		db := storetest.Open(t, databaseURL, store.Options{})
		ctx, scope := t.Context(), signUp(t, db, "ten_A")
		wantKind(t, scope.InsertDecision(ctx, referred("dec_1")), 0, "")
		insertReviews(t, db, databaseURL, "dec_1", store.MaxReviews+5)
		add := func(n int, outcome string) error {
			r := review(numbered("rev_new", n), "dec_1")
			r.CreatedMicros, r.Outcome = 9000, outcome
			return scope.Write(ctx, func(tx *store.Tx) error { return tx.Decisions().AddReview(r) })
		}
		wantKind(t, add(0, store.OutcomeAsks), fault.Conflict, fault.CodeCapReached)
		errs := race(4, func(n int) error { return add(n, "upheld") })
		if n := succeeded(t, errs, fault.Conflict, fault.CodeCapReached); n != 1 {
			t.Errorf("%d reviews have settled the decision", n)
		}
		if waiting, _, err := scope.Decisions(ctx).Referrals(store.Page{}); err != nil || len(waiting) != 0 {
			t.Errorf("%d decisions wait, %v", len(waiting), err)
		}
		reviews, err := scope.Decisions(ctx).Reviews("dec_1")
		if err != nil || len(reviews) != store.MaxReviews {
			t.Fatalf("%d reviews, %v", len(reviews), err)
		}
		if last := reviews[len(reviews)-1]; last.Outcome != "upheld" {
			t.Errorf("the last review is %+v", last)
		}
	})
}

// insertReviews adds n requests for more information to a decision of the sandbox of ten_A,
// bypassing package store and its limit.
func insertReviews(t *testing.T, db *store.DB, databaseURL, decisionID string, n int) {
	t.Helper()
	tx, err := storetest.Raw(t, databaseURL).BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	if db.Kind() == "postgres" {
		if _, err := tx.ExecContext(t.Context(), "SELECT set_config('verdict.role', 'system', true)"); err != nil {
			t.Fatal(err)
		}
	}
	for i := range n {
		if _, err := tx.ExecContext(t.Context(), `INSERT INTO decision_reviews (tenant_id, environment, id,
			decision_id, created_micros, actor, outcome, reason_code, note, leaf)
			VALUES ('ten_A', $1, $2, $3, 1500, 'usr_ten_A', $4, '', '', -1)`,
			sandbox, numbered("rev_old", i), decisionID, store.OutcomeAsks); err != nil {
			t.Fatal(err)
		}
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
}
