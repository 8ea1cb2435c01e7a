//nolint:thelper // the function passed to EachURL is the test itself: report failures at their own lines
package storetest_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

func TestRuleStats(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		db := storetest.Open(t, databaseURL, store.Options{})
		ctx, scope := t.Context(), signUp(t, db, "ten_A")
		others := neighbours(t, db, "ten_A")
		nodes := []*store.System{db.System(), secondNode(t, db, databaseURL).System()}
		stat := func(tenant, set, rule, day string, evaluated, hit, unknown int64) store.RuleStat {
			return store.RuleStat{
				TenantID: tenant, Environment: sandbox, RuleSetID: set, RuleID: rule, Day: day,
				Evaluated: evaluated, Hit: hit, Unknown: unknown,
			}
		}
		wantKind(t, nodes[0].AddRuleStats(ctx, nil), 0, "")
		const n = 12
		errs := race(n, func(i int) error {
			return nodes[i%2].AddRuleStats(ctx, []store.RuleStat{
				stat("ten_A", "pol_1", "KO_2", "2026-11-15", 10, 0, 1),
				stat("ten_B", "pol_1", "KO_1", "2026-11-15", 7, 7, 7),
				stat("ten_A", "pol_1", "KO_1", "2026-11-14", 5, 5, 0),
				stat("ten_A", "pol_1", "KO_1", "2026-11-15", 3, 1, 2),
				stat("ten_A", "pol_1", "KO_1", "2026-11-15", 1, 1, 0), // the same rule and day again
				stat("ten_A", "pol_2", "KO_1", "2026-11-15", 100, 0, 0),
			})
		})
		if got := succeeded(t, errs, 0, ""); got != n {
			t.Errorf("%d of %d were added", got, n)
		}
		for _, c := range []struct {
			from string
			want []store.RuleStat
		}{
			{"2026-11-15", []store.RuleStat{stat("ten_A", "pol_1", "KO_1", "", 4*n, 2*n, 2*n),
				stat("ten_A", "pol_1", "KO_2", "", 10*n, 0, n)}},
			{"", []store.RuleStat{stat("ten_A", "pol_1", "KO_1", "", 9*n, 7*n, 2*n),
				stat("ten_A", "pol_1", "KO_2", "", 10*n, 0, n)}},
			{"2026-11-16", nil},
		} {
			got, err := scope.RuleSets(ctx).Stats("pol_1", c.from)
			if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
				t.Errorf("from %q: %v (-want +got):\n%s", c.from, err, diff)
			}
		}
		for who, other := range others {
			if got, err := other.RuleSets(ctx).Stats("pol_1", ""); err != nil || len(got) != 0 {
				t.Errorf("%s sees %v, %v", who, got, err)
			}
		}
	})
}

func TestAddUsage(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		db := storetest.Open(t, databaseURL, store.Options{})
		ctx, scope := t.Context(), signUp(t, db, "ten_A")
		nodes := []*store.System{db.System(), secondNode(t, db, databaseURL).System()}
		add := func(tenant, endpoint string, units int64) store.UsageAdd {
			return store.UsageAdd{
				TenantID: tenant, Environment: sandbox,
				Meter: store.Meter{Period: period, Day: day, Endpoint: endpoint, Units: units, Quota: units},
			}
		}
		wantKind(t, nodes[0].AddUsage(ctx, nil), 0, "")
		billed := add("ten_A", "preview", 1)
		billed.Meter.Billable = true
		if err := nodes[0].AddUsage(ctx, []store.UsageAdd{add("ten_A", "preview", 1), billed}); err == nil {
			t.Error("something billable was added without a quota")
		}
		const n = 12
		errs := race(n, func(i int) error {
			return nodes[i%2].AddUsage(ctx, []store.UsageAdd{
				add("ten_B", "preview", 5), add("ten_A", "preview", 2), add("ten_A", "eligibility", 1),
				add("ten_A", "preview", 1), add("ten_A", "nothing", 0),
			})
		})
		if got := succeeded(t, errs, 0, ""); got != n {
			t.Errorf("%d of %d were added", got, n)
		}
		usage, err := scope.Usage(ctx).Get(period)
		want := store.Usage{Counts: []store.UsageCount{
			{Day: day, Endpoint: "eligibility", Units: n}, {Day: day, Endpoint: "preview", Units: 3 * n},
		}}
		if diff := cmp.Diff(want, usage); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	})
}
