//nolint:thelper // the function passed to EachURL is the test itself: report failures at their own lines
package storetest_test

import (
	"strings"
	"testing"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// TestBacktestPlans checks that both planners use the indexes for three kinds of queries: queries that run every
// few seconds, queries of a table that only grows, and queries of large rows.
func TestBacktestPlans(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		kind := storetest.Open(t, databaseURL, store.Options{}).Kind()
		tx, err := storetest.Raw(t, databaseURL).BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = tx.Rollback() }()
		explain := "EXPLAIN QUERY PLAN "
		if kind == "postgres" {
			explain = "EXPLAIN "
			execIn(t, tx, "SELECT set_config('verdict.role', 'system', true)")
			// The tables are empty, so any plan would be cheap. Discourage the plans that use
			// no index.
			execIn(t, tx, "SET LOCAL enable_sort = off")
			execIn(t, tx, "SET LOCAL enable_seqscan = off")
			execIn(t, tx, "SET LOCAL enable_bitmapscan = off")
		}
		const scope = "tenant_id = 'ten_1' AND environment = 'sandbox'"
		for _, c := range []struct{ query, index string }{
			{"SELECT id FROM backtests WHERE finished_micros = 0 AND (status IN ('queued', 'running') OR status = " +
				"'receiving' AND source = 'decisions') ORDER BY created_micros, id", "backtests_unfinished"},
			{"SELECT id FROM backtests WHERE finished_micros = 0 AND status = 'receiving' AND source <> 'decisions' " +
				"AND created_micros < 7", "backtests_unfinished"},
			{"SELECT id FROM backtests WHERE finished_micros > 0 AND purged = 0 AND finished_micros < 7 ORDER BY " +
				"finished_micros, id LIMIT 5", "backtests_unpurged"},
			{"SELECT id FROM backtests WHERE status IN ('failed', 'cancelled') AND purged = 0 AND finished_micros < " +
				"7 ORDER BY finished_micros, id LIMIT 5", "backtests_vain"},
			{"SELECT id FROM backtests WHERE " + scope + " AND (created_micros, id) < (7, 'bt_1') ORDER BY " +
				"created_micros DESC, id DESC LIMIT 51", "backtests_page"},
			{"SELECT id FROM backtests WHERE " + scope +
				" AND status = 'failed' ORDER BY created_micros DESC, id DESC LIMIT 51", "backtests_status"},
			{"SELECT number FROM backtest_chunks WHERE " + scope +
				" AND backtest_id = 'bt_1' AND done = 0 ORDER BY number", "backtest_chunks_pending"},
		} {
			plan := planOf(t, tx, explain+c.query)
			if !strings.Contains(plan, c.index) || strings.Contains(plan, "Sort") || strings.Contains(plan,
				"TEMP B-TREE") {
				t.Errorf("%s is answered without %s:\n%s", c.query, c.index, plan)
			}
		}
	})
}
