//nolint:thelper // the function passed to EachURL is the test itself: report failures at their own lines
package storetest_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// TestDecisionStats adds counts on two nodes at the same time, and reads and purges them.
func TestDecisionStats(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		db := storetest.Open(t, databaseURL, store.Options{})
		ctx, scope := t.Context(), signUp(t, db, "ten_A")
		others := neighbours(t, db, "ten_A")
		nodes := []*store.System{db.System(), secondNode(t, db, databaseURL).System()}
		stat := func(tenant, span, at, name string, count, total int64) store.DecisionStat {
			return store.DecisionStat{
				TenantID: tenant, Environment: sandbox, Span: span, Kind: "status", At: at, Name: name,
				Count: count, Total: total,
			}
		}
		day, hour := store.StatDay, store.StatHour
		wantKind(t, nodes[0].AddDecisionStats(ctx, nil), 0, "")
		const n = 12
		errs := race(n, func(i int) error {
			return nodes[i%2].AddDecisionStats(ctx, []store.DecisionStat{
				stat("ten_A", day, "2026-11-15", "REFERRED", 2, 0),
				stat("ten_B", day, "2026-11-15", "APPROVED", 100, 100),
				stat("ten_A", day, "2026-11-14", "APPROVED", 5, 50),
				stat("ten_A", day, "2026-11-15", "APPROVED", 1, 10),
				stat("ten_A", day, "2026-11-15", "APPROVED", 2, 20), // the same key again
				stat("ten_A", hour, "2026-11-15T09", "APPROVED", 3, 30),
			})
		})
		if got := succeeded(t, errs, 0, ""); got != n {
			t.Errorf("%d of %d were added", got, n)
		}
		for _, c := range []struct {
			span, from, to string
			want           []store.DecisionStat
		}{
			{day, "2026-11-14", "2026-11-16", []store.DecisionStat{
				stat("ten_A", day, "2026-11-14", "APPROVED", 5*n, 50*n),
				stat("ten_A", day, "2026-11-15", "APPROVED", 3*n, 30*n),
				stat("ten_A", day, "2026-11-15", "REFERRED", 2*n, 0),
			}},
			{day, "2026-11-14", "2026-11-15", []store.DecisionStat{
				stat("ten_A", day, "2026-11-14", "APPROVED", 5*n, 50*n),
			}},
			{hour, "2026-11-14", "~", []store.DecisionStat{
				stat("ten_A", hour, "2026-11-15T09", "APPROVED", 3*n, 30*n),
			}},
		} {
			got, err := scope.Decisions(ctx).Stats(c.span, "status", c.from, c.to)
			if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
				t.Errorf("%s from %s to %s: %v (-want +got):\n%s", c.span, c.from, c.to, err, diff)
			}
		}
		sums, err := scope.Decisions(ctx).StatSums(day, "status", "2026-11-14", "~")
		want := []store.DecisionStat{
			stat("ten_A", day, "", "APPROVED", 8*n, 80*n), stat("ten_A", day, "", "REFERRED", 2*n, 0),
		}
		if diff := cmp.Diff(want, sums); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		if got, err := scope.Decisions(ctx).Stats(day, "reason", "", "~"); err != nil || len(got) != 0 {
			t.Errorf("another kind has %v, %v", got, err)
		}
		for who, other := range others {
			if got, err := other.Decisions(ctx).Stats(day, "status", "", "~"); err != nil || len(got) != 0 {
				t.Errorf("%s sees %v, %v", who, got, err)
			}
		}
		if removed, err := nodes[0].PurgeDecisionStats(ctx, day, "2026-11-15", 100); err != nil || removed != 1 {
			t.Errorf("%d purged, %v", removed, err)
		}
		left, err := scope.Decisions(ctx).StatSums(hour, "status", "", "~")
		if err != nil || len(left) != 1 {
			t.Errorf("hours after the purge of days: %v, %v", left, err)
		}
	})
}

// TestRuleHits checks the counts of two ranges of days.
func TestRuleHits(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		db := storetest.Open(t, databaseURL, store.Options{})
		ctx, scope := t.Context(), signUp(t, db, "ten_A")
		var stats []store.RuleStat
		for _, s := range []struct {
			rule, day      string
			evaluated, hit int64
		}{
			{"KO_1", "2026-11-10", 50, 5}, {"KO_1", "2026-11-12", 10, 3}, {"KO_1", "2026-11-15", 20, 0},
			{"KO_2", "2026-11-15", 20, 4},
		} {
			stats = append(stats, store.RuleStat{
				TenantID: "ten_A", Environment: sandbox, RuleSetID: "pol_1", RuleID: s.rule, Day: s.day,
				Evaluated: s.evaluated, Hit: s.hit,
			})
		}
		wantKind(t, db.System().AddRuleStats(ctx, stats), 0, "")
		got, err := scope.RuleSets(ctx).Hits("pol_1", "2026-11-11", "2026-11-14")
		want := []store.RuleHits{
			{RuleID: "KO_1", Evaluated: 20, EvaluatedBefore: 10, HitBefore: 3},
			{RuleID: "KO_2", Evaluated: 20, Hit: 4},
		}
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	})
}
