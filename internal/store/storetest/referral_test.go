//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package storetest_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// referred returns a write of a decision that waits for a review.
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
		wantKind(t, scope.Write(ctx, func(tx *store.Tx) error { return tx.Decisions().Insert(referred("dec_006")) }), 0,
			"")
		settle := func(scope *store.Scope, id, decisionID, outcome string) error {
			r := review(id, decisionID)
			r.Outcome = outcome
			return scope.Write(ctx, func(tx *store.Tx) error { return tx.Decisions().AddReview(r) })
		}
		wantKind(t, settle(scope, "rev_1", "dec_000", "upheld"), 0, "")
		wantKind(t, settle(scope, "rev_2", "dec_002", "overturned"), 0, "") // the decision was not referred
		wantKind(t, settle(scope, "rev_3", "dec_003", store.OutcomeAsks), 0, "")
		wantKind(t, settle(scope, "rev_4", "dec_004", store.OutcomeAsks), 0, "")
		wantKind(t, settle(scope, "rev_5", "dec_004", "overturned"), 0, "")
		for who, other := range others {
			t.Log(who)
			wantNotFound(t, settle(other, "rev_6", "dec_001", "upheld"))
			if rows, _, err := other.Decisions(ctx).Referrals(store.Page{}); err != nil || len(rows) != 0 {
				t.Errorf("got %v, %v", rows, err)
			}
		}
		// A review that requests more information does not put a settled decision back
		// into the queue.
		wantKind(t, settle(scope, "rev_7", "dec_000", store.OutcomeAsks), 0, "")

		rows, more, err := scope.Decisions(ctx).Referrals(store.Page{})
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
		// The page may begin after a decision that is not in the queue.
		page, more, err := scope.Decisions(ctx).Referrals(store.Page{Limit: 2, AfterID: "dec_002"})
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

// TestReferralPlan checks that both planners read the queue first and then its
// decisions, because the queue is short and there are many decisions.
func TestReferralPlan(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		kind := storetest.Open(t, databaseURL, store.Options{}).Kind()
		tx, err := storetest.Raw(t, databaseURL).BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = tx.Rollback() }()
		explain, queue, key := "EXPLAIN QUERY PLAN ", "SEARCH referrals USING PRIMARY KEY",
			"sqlite_autoindex_decisions_1 (tenant_id=? AND environment=? AND id=?)"
		if kind == "postgres" {
			explain, queue, key = "EXPLAIN ", "referrals_pkey", "decisions_pkey"
			execIn(t, tx, "SELECT set_config('verdict.role', 'system', true)")
		}
		execIn(t, tx, manyDecisions)
		execIn(t, tx, `INSERT INTO referrals (tenant_id, environment, decision_id, asked_micros)
			SELECT tenant_id, environment, id, 0 FROM decisions WHERE id < 'dec_115000'`)
		if kind == "postgres" {
			execIn(t, tx, "ANALYZE decisions, referrals")
		}
		plan := planOf(t, tx,
			explain+`SELECT id, hash, asked_micros FROM (SELECT decision_id, asked_micros FROM referrals
			WHERE tenant_id = 'ten_1' AND environment = 'sandbox' AND decision_id > 'dec_100007'
			ORDER BY decision_id LIMIT 26) waiting
			CROSS JOIN decisions WHERE id = decision_id AND tenant_id = 'ten_1' AND environment = 'sandbox'
			ORDER BY decision_id`)
		if !strings.Contains(plan, queue) || !strings.Contains(plan, key) {
			t.Errorf("the queue is not answered in its own order:\n%s", plan)
		}
	})
}

// TestReferralsBefore checks the migration statement that adds the referred decisions
// of earlier versions to the queue.
func TestReferralsBefore(t *testing.T) {
	t.Parallel()
	migration, err := os.ReadFile("../migrations/0009_referrals.sql")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(migration), "INSERT INTO referrals")
	fill, _, found := strings.Cut(rest, ";")
	if !found {
		t.Fatal("the migration fills nothing")
	}
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		db := storetest.Open(t, databaseURL, store.Options{})
		ctx, scope := t.Context(), signUp(t, db, "ten_A")
		for _, id := range []string{"dec_1", "dec_2", "dec_3"} {
			wantKind(t, scope.InsertDecision(ctx, referred(id)), 0, "")
		}
		wantKind(t, scope.InsertDecision(ctx, decision("dec_4", store.Unmetered)), 0, "")
		for id, outcome := range map[string]string{"dec_2": store.OutcomeAsks, "dec_3": "upheld"} {
			r := review("rev_"+id, id)
			r.Outcome = outcome
			wantKind(t, scope.Write(ctx, func(tx *store.Tx) error { return tx.Decisions().AddReview(r) }), 0, "")
		}
		want, _, err := scope.Decisions(ctx).Referrals(store.Page{})
		if err != nil || len(want) != 2 {
			t.Fatalf("got %+v, %v", want, err)
		}
		tx, err := storetest.Raw(t, databaseURL).BeginTx(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		if db.Kind() == "postgres" {
			execIn(t, tx, "SELECT set_config('verdict.role', 'system', true)")
		}
		execIn(t, tx, "DELETE FROM referrals")
		execIn(t, tx, "INSERT INTO referrals"+fill)
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
		got, _, err := scope.Decisions(ctx).Referrals(store.Page{})
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	})
}

// TestReferralRefused checks that a decision refused by the quota is not in the queue.
func TestReferralRefused(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, scope := t.Context(), signUp(t, db, "ten_A")
		w := referred("dec_1")
		w.Meter.Quota = 0
		wantKind(t, scope.InsertDecision(ctx, w), fault.Limited, fault.CodeQuotaExceeded)
		if rows, _, err := scope.Decisions(ctx).Referrals(store.Page{}); err != nil || len(rows) != 0 {
			t.Errorf("got %v, %v", rows, err)
		}
	})
}

// TestReferralsAreAssigned checks that a referral is reassigned only if the caller names its present user, that
// no other scope can assign it, and that the filters of the queue find the right referrals.
func TestReferralsAreAssigned(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, scope := t.Context(), signUp(t, db, "ten_A")
		for i := range 4 {
			wantKind(t, scope.InsertDecision(ctx, referred(numbered("dec", i))), 0, "")
		}
		assign := func(scope *store.Scope, id, from, to string) (assigned bool) {
			wantKind(t, scope.Write(ctx, func(tx *store.Tx) (err error) {
				assigned, err = tx.Decisions().Assign(id, from, to)
				return err
			}), 0, "")
			return assigned
		}
		for who, other := range neighbours(t, db, "ten_A") {
			if assign(other, "dec_001", "", "usr_9") {
				t.Errorf("%s has assigned a referral", who)
			}
		}
		for _, c := range []struct {
			id, from, to string
			want         bool
		}{
			{"dec_001", "", "usr_1", true}, {"dec_001", "", "usr_2", false}, {"dec_002", "", "usr_2", true},
			{"dec_003", "", "usr_1", true}, {"dec_003", "usr_2", "", false}, {"dec_003", "usr_1", "", true},
			{"dec_009", "", "usr_1", false},
		} {
			if got := assign(scope, c.id, c.from, c.to); got != c.want {
				t.Errorf("%+v: %t", c, got)
			}
		}
		for _, c := range []struct {
			filter store.ReferralFilter
			page   store.Page
			want   string
		}{
			{store.ReferralFilter{}, store.Page{}, "dec_000: dec_001:usr_1 dec_002:usr_2 dec_003: "},
			{store.ReferralFilter{ByAssignee: true}, store.Page{}, "dec_000: dec_003: "},
			{store.ReferralFilter{ByAssignee: true}, store.Page{AfterID: "dec_001"}, "dec_003: "},
			{store.ReferralFilter{ByAssignee: true, Assignee: "usr_1"}, store.Page{}, "dec_001:usr_1 "},
			{store.ReferralFilter{BeforeID: "dec_002"}, store.Page{}, "dec_000: dec_001:usr_1 "},
			{store.ReferralFilter{BeforeID: "dec_002", ByAssignee: true}, store.Page{}, "dec_000: "},
		} {
			rows, _, err := scope.Decisions(ctx).ReferralsOf(c.filter, c.page)
			got := ""
			for _, r := range rows {
				got += r.ID + ":" + r.Assignee + " "
			}
			if err != nil || got != c.want {
				t.Errorf("%+v %+v: got %q, %v; want %q", c.filter, c.page, got, err, c.want)
			}
		}
	})
}
