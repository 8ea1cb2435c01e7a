//nolint:thelper // what Each runs is the test itself: a failure belongs to its own line
package storetest_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// referred is a write of a decision that waits for a person.
func referred(id string) *store.DecisionWrite {
	w := decision(id, store.Unmetered)
	w.Decision.Status = "REFERRED"
	return w
}

func TestReferrals(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, scope := t.Context(), signUp(t, db, "ten_A")
		others := neighbours(t, db, "ten_A")
		for i := range 6 {
			w := referred(numbered("dec", i))
			if i == 2 {
				w = decision(numbered("dec", i), store.Unmetered)
			}
			wantKind(t, scope.InsertDecision(ctx, w), 0, "")
		}
		wantKind(t, scope.Write(ctx, func(tx *store.Tx) error { return tx.InsertDecision(referred("dec_006")) }), 0, "")
		settle := func(scope *store.Scope, id, decisionID, outcome string) error {
			r := review(id, decisionID)
			r.Outcome = outcome
			return scope.Write(ctx, func(tx *store.Tx) error { return tx.InsertReview(r) })
		}
		wantKind(t, settle(scope, "rev_1", "dec_000", "upheld"), 0, "")
		wantKind(t, settle(scope, "rev_2", "dec_002", "overturned"), 0, "") // it did not wait
		wantKind(t, settle(scope, "rev_3", "dec_003", store.OutcomeAsks), 0, "")
		wantKind(t, settle(scope, "rev_4", "dec_004", store.OutcomeAsks), 0, "")
		wantKind(t, settle(scope, "rev_5", "dec_004", "overturned"), 0, "")
		for who, other := range others {
			t.Log(who)
			wantNotFound(t, settle(other, "rev_6", "dec_001", "upheld"))
			if rows, _, err := other.ListReferrals(ctx, store.Page{}); err != nil || len(rows) != 0 {
				t.Errorf("got %v, %v", rows, err)
			}
		}
		// An asking review does not bring back what was settled.
		wantKind(t, settle(scope, "rev_7", "dec_000", store.OutcomeAsks), 0, "")

		rows, more, err := scope.ListReferrals(ctx, store.Page{})
		if err != nil || more || len(rows) != 4 {
			t.Fatalf("got %+v, %t, %v", rows, more, err)
		}
		want := referred("dec_001").Decision
		want.Facts = nil
		if diff := cmp.Diff(store.Referral{Decision: want}, rows[0]); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]int64{0, review("", "").CreatedMicros, 0, 0}, asked(rows)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		page, more, err := scope.ListReferrals(ctx, store.Page{Limit: 2, AfterID: "dec_002"}) // which does not wait
		if err != nil || !more || len(page) != 2 || page[0].ID != "dec_003" || page[1].ID != "dec_005" {
			t.Errorf("got %+v, %t, %v", page, more, err)
		}
	})
}

func asked(rows []store.Referral) (list []int64) {
	for _, r := range rows {
		list = append(list, r.AskedMicros)
	}
	return list
}

// TestReferralRefused shows that what the quota refuses does not wait either.
func TestReferralRefused(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, scope := t.Context(), signUp(t, db, "ten_A")
		w := referred("dec_1")
		w.Meter.Quota = 0
		wantKind(t, scope.InsertDecision(ctx, w), fault.Limited, store.CodeQuotaExceeded)
		if rows, _, err := scope.ListReferrals(ctx, store.Page{}); err != nil || len(rows) != 0 {
			t.Errorf("got %v, %v", rows, err)
		}
	})
}
