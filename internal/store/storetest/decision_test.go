//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package storetest_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

func TestDecision(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, scope := t.Context(), signUp(t, db, "ten_A")
		others := neighbours(t, db, "ten_A")
		wantKind(t, scope.InsertDecision(ctx, decision("dec_1", store.Unmetered)), 0, "")
		got, err := scope.Decisions(ctx).Get("dec_1")
		stored := decision("dec_1", 0).Decision
		stored.Leaf = got.Leaf // the entries of the signup come first
		if diff := cmp.Diff(stored, got); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		_, err = scope.Decisions(ctx).Get("dec_none")
		wantNotFound(t, err)
		wantKind(t, scope.InsertDecision(ctx, decision("dec_1", store.Unmetered)), fault.Conflict,
			fault.CodeVersionConflict)

		entries, _, err := scope.Audit(ctx).List(store.AuditFilter{Action: "decision.created", Actor: "key_1"},
			store.Page{})
		if err != nil || len(entries) != 1 || entries[0].Object != "dec_1" {
			t.Errorf("got %+v, %v", entries, err)
		}
		wantUsage(t, scope, 1)
		for who, other := range others {
			t.Log(who)
			_, err := other.Decisions(ctx).Get("dec_1")
			wantNotFound(t, err)
			if rows, _, err := other.Decisions(ctx).List(store.DecisionFilter{}, store.Page{}); err != nil ||
				len(rows) != 0 {
				t.Errorf("got %v, %v", rows, err)
			}
			if entries, _, err := other.Audit(ctx).List(store.AuditFilter{Object: "dec_1"}, store.Page{}); err != nil ||
				len(entries) != 0 {
				t.Errorf("got %v, %v", entries, err)
			}
			wantUsage(t, other, 0)
		}
		// Another scope can have a different decision with the same id.
		wantKind(t, others["the other environment"].InsertDecision(ctx, decision("dec_1", 1)), 0, "")
		wantUsage(t, scope, 1)
	})
}

func wantUsage(t *testing.T, scope *store.Scope, units int64) {
	t.Helper()
	usage, err := scope.Usage(t.Context()).Get(period)
	want := store.Usage{Used: units}
	if units > 0 {
		want.Counts = []store.UsageCount{{Day: day, Endpoint: "POST /v1/decisions", Billable: true, Units: units}}
	}
	if diff := cmp.Diff(want, usage); err != nil || diff != "" {
		t.Errorf("usage %v (-want +got):\n%s", err, diff)
	}
}

func TestListDecisions(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, scope := t.Context(), signUp(t, db, "ten_A")
		for i := range 12 {
			w := decision(numbered("dec", i), store.Unmetered)
			w.Decision.CreatedMicros = int64(1000 + i)
			if i%3 == 0 {
				w.Decision.Status, w.Decision.Grade, w.Decision.ApplicantRef = "DECLINED", "NA", ""
				w.Decision.PolicyKey, w.Decision.PolicyID, w.Decision.Endpoint = "gold", "pol_2", "POST /v1/evaluate"
			}
			wantKind(t, scope.InsertDecision(ctx, w), 0, "")
		}
		for _, c := range []struct {
			filter store.DecisionFilter
			page   store.Page
			want   int
			more   bool
			first  string
		}{
			{store.DecisionFilter{}, store.Page{}, 12, false, "dec_000"},
			{store.DecisionFilter{}, store.Page{Limit: 5}, 5, true, "dec_000"},
			{store.DecisionFilter{}, store.Page{Limit: 5, Descending: true}, 5, true, "dec_011"},
			{store.DecisionFilter{}, store.Page{Limit: 12}, 12, false, "dec_000"},
			{store.DecisionFilter{}, store.Page{AfterMicros: 1004, AfterID: "dec_004"}, 7, false, "dec_005"},
			{store.DecisionFilter{}, store.Page{AfterMicros: 1004, AfterID: "dec_004", Descending: true}, 4, false,
				"dec_003"},
			{store.DecisionFilter{}, store.Page{FromMicros: 1002, ToMicros: 1004}, 2, false, "dec_002"},
			{store.DecisionFilter{}, store.Page{FromMicros: 1002, FromID: "dec_002", ToMicros: 1004, ToID: "dec_004"},
				2, false, "dec_002"},
			{store.DecisionFilter{}, store.Page{FromID: "dec_007", ToID: "dec_009", Descending: true}, 2, false,
				"dec_008"},
			{store.DecisionFilter{Status: "DECLINED"}, store.Page{}, 4, false, "dec_000"},
			{store.DecisionFilter{Status: "DECLINED"}, store.Page{Limit: 2, AfterMicros: 1003, AfterID: "dec_003"}, 2,
				false, "dec_006"},
			{store.DecisionFilter{Grade: "NA", Endpoint: "POST /v1/evaluate"}, store.Page{}, 4, false, "dec_000"},
			{store.DecisionFilter{ApplicantRef: "app-1"}, store.Page{Descending: true}, 8, false, "dec_011"},
			{store.DecisionFilter{PolicyKey: "gold", PolicyID: "pol_2"}, store.Page{}, 4, false, "dec_000"},
			{store.DecisionFilter{PolicyKey: "gold", PolicyID: "pol_1"}, store.Page{}, 0, false, ""},
		} {
			rows, next, err := scope.Decisions(ctx).List(c.filter, c.page)
			if more := next.ID != ""; err != nil || len(rows) != c.want || more != c.more ||
				len(rows) > 0 && rows[0].ID != c.first {
				t.Errorf("%+v %+v: got %d rows, %v, %v", c.filter, c.page, len(rows), next, err)
			}
		}
	})
}

func TestWalkDecisions(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, scope := t.Context(), signUp(t, db, "ten_A")
		const n = 7
		var want []string
		for i := range n {
			w := decision(numbered("dec", i), store.Unmetered)
			w.Decision.CreatedMicros = int64(1000 + i/2) // two decisions have the same time and differ by id
			want = append(want, w.Decision.ID)
			wantKind(t, scope.InsertDecision(ctx, w), 0, "")
		}
		walk := func(scope *store.Scope, p store.Page) (ids []string) {
			t.Helper()
			err := scope.Decisions(ctx).Walk(store.DecisionFilter{}, p, func(d *store.Decision) error {
				if len(d.Response) == 0 || len(d.Facts) == 0 {
					t.Errorf("%s comes without its documents", d.ID)
				}
				ids = append(ids, d.ID)
				return nil
			})
			wantKind(t, err, 0, "")
			return ids
		}
		for _, limit := range []int{0, 1, 3, n, n + 1} {
			if diff := cmp.Diff(want, walk(scope, store.Page{Limit: limit})); diff != "" {
				t.Errorf("by %d (-want +got):\n%s", limit, diff)
			}
		}
		if diff := cmp.Diff(want[2:4],
			walk(scope, store.Page{Limit: 1, FromMicros: 1001, ToMicros: 1002})); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(want[5:], walk(scope, store.Page{AfterMicros: 1002, AfterID: want[4]})); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		enough := errors.New("enough")
		if err := scope.Decisions(ctx).Walk(store.DecisionFilter{}, store.Page{},
			func(*store.Decision) error { return enough }); !errors.Is(err, enough) {
			t.Errorf("got %v", err)
		}
		if got, err := scope.Decisions(ctx).Count(); err != nil || got != n {
			t.Errorf("counted %d, %v", got, err)
		}
		for who, other := range neighbours(t, db, "ten_A") {
			got, err := other.Decisions(ctx).Count()
			if ids := walk(other, store.Page{}); len(ids) != 0 || got != 0 || err != nil {
				t.Errorf("%s sees %v, %d, %v", who, ids, got, err)
			}
		}
	})
}

// TestQuota inserts more decisions than a quota allows, concurrently from two nodes. It checks that exactly as many
// decisions as the quota allows are admitted, stored, counted and audited.
func TestQuota(t *testing.T) {
	t.Parallel()
	for _, quota := range []int64{0, 1, 13} {
		storetest.EachURL(t, func(t *testing.T, databaseURL string) {
			const n = 48
			db := storetest.Open(t, databaseURL, store.Options{})
			ctx, scope := t.Context(), signUp(t, db, "ten_A")
			scopes := []*store.Scope{scope, secondNode(t, db, databaseURL).Scope("ten_A", sandbox)}
			errs := race(n, func(i int) error {
				w := decision(numbered("dec", i), quota)
				if i%5 == 0 { // a Write is slower than InsertDecision and has the same limit
					return scopes[i%2].Write(ctx, func(tx *store.Tx) error { return tx.Decisions().Insert(w) })
				}
				return scopes[i%2].InsertDecision(ctx, w)
			})
			if got := succeeded(t, errs, fault.Limited, fault.CodeQuotaExceeded); got != int(quota) {
				t.Errorf("%d admitted by a quota of %d", got, quota)
			}
			rows, _, err := scope.Decisions(ctx).List(store.DecisionFilter{}, store.Page{})
			if err != nil || len(rows) != int(quota) {
				t.Errorf("%d stored, %v", len(rows), err)
			}
			entries, _, err := scope.Audit(ctx).List(store.AuditFilter{Action: "decision.created"}, store.Page{})
			if err != nil || len(entries) != int(quota) {
				t.Errorf("%d audited, %v", len(entries), err)
			}
			wantUsage(t, scope, quota)
		})
	}
}

// TestLargeQuota checks that InsertDecision and Write both count beyond 32 bits.
func TestLargeQuota(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, scope := t.Context(), signUp(t, db, "ten_A")
		const units, quota = 3_000_000_000, 8_000_000_000
		write := func(id string) *store.DecisionWrite {
			w := decision(id, quota)
			w.Meter.Units = units
			return w
		}
		wantKind(t, scope.InsertDecision(ctx, write("dec_1")), 0, "")
		wantKind(t, scope.Write(ctx, func(tx *store.Tx) error { return tx.Decisions().Insert(write("dec_2")) }), 0, "")
		wantKind(t, scope.InsertDecision(ctx, write("dec_3")), fault.Limited, fault.CodeQuotaExceeded)
		wantKind(t, scope.Write(ctx, func(tx *store.Tx) error { return tx.Decisions().Insert(write("dec_4")) }),
			fault.Limited, fault.CodeQuotaExceeded)
		wantUsage(t, scope, 2*units)
	})
}

// TestOwnMeters inserts decisions with different meters concurrently, and checks that
// each decision is counted by its own meter.
func TestOwnMeters(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		scope := signUp(t, db, "ten_A")
		errs := race(30, func(i int) error {
			w := decision(numbered("dec", i), store.Unmetered)
			w.Meter.Billable = i%3 != 0
			w.Meter.Endpoint = []string{"a", "b"}[i%2]
			return scope.InsertDecision(t.Context(), w)
		})
		if got := succeeded(t, errs, 0, ""); got != len(errs) {
			t.Errorf("%d stored", got)
		}
		usage, err := scope.Usage(t.Context()).Get(period)
		want := store.Usage{Used: 20, Counts: []store.UsageCount{
			{Day: day, Endpoint: "a", Units: 5}, {Day: day, Endpoint: "a", Billable: true, Units: 10},
			{Day: day, Endpoint: "b", Units: 5}, {Day: day, Endpoint: "b", Billable: true, Units: 10},
		}}
		if diff := cmp.Diff(want, usage); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	})
}

func TestMeter(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, scope := t.Context(), signUp(t, db, "ten_A")
		bulk := store.Meter{
			Period:   period,
			Day:      day,
			Endpoint: "POST /v1/backtest",
			Units:    7,
			Billable: true,
			Quota:    10,
		}
		wantKind(t, storetest.Meter(ctx, scope, bulk), 0, "")
		wantKind(t, storetest.Meter(ctx, scope, bulk), fault.Limited, fault.CodeQuotaExceeded)
		bulk.Units = 3
		wantKind(t, storetest.Meter(ctx, scope, bulk), 0, "")
		preview := store.Meter{
			Period:   period,
			Day:      "2026-11-16",
			Endpoint: "POST /v1/decisions/preview",
			Units:    2,
			Quota:    10,
		}
		wantKind(t, storetest.Meter(ctx, scope, preview), 0, "")
		wantKind(t, storetest.Meter(ctx, scope, store.Meter{}), 0, "")
		usage, err := scope.Usage(ctx).Get(period)
		want := store.Usage{Used: 10, Counts: []store.UsageCount{
			{Day: day, Endpoint: "POST /v1/backtest", Billable: true, Units: 10},
			{Day: "2026-11-16", Endpoint: "POST /v1/decisions/preview", Units: 2},
		}}
		if diff := cmp.Diff(want, usage); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		// A quota below the current usage admits no decision. A quota above the usage admits decisions.
		wantKind(t, scope.InsertDecision(ctx, decision("dec_1", 5)), fault.Limited, fault.CodeQuotaExceeded)
		wantKind(t, scope.InsertDecision(ctx, decision("dec_1", 11)), 0, "")
	})
}
