//nolint:thelper // what Each runs is the test itself: a failure belongs to its own line
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
