//nolint:thelper // the function passed to EachURL is the test itself: report failures at their own lines
package storetest_test

import (
	"strings"
	"testing"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// TestRunPlans checks that both planners use the indexes of runs and
// strategies, which only ever grow.
func TestRunPlans(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		kind := storetest.Open(t, databaseURL, store.Options{}).Kind()
		tx, err := storetest.Raw(t, databaseURL).BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = tx.Rollback() }()
		explain, runs, strategies := "EXPLAIN QUERY PLAN ", "sqlite_autoindex_agent_runs_1",
			"sqlite_autoindex_collections_strategies_1"
		if kind == "postgres" {
			explain, runs, strategies = "EXPLAIN ", "agent_runs_pkey", "collections_strategies_pkey"
			execIn(t, tx, "SELECT set_config('verdict.role', 'system', true)")
			// The tables are empty, so any plan would be cheap. Discourage every plan that does not read the rows
			// from an index in index order.
			execIn(t, tx, "SET LOCAL enable_sort = off")
			execIn(t, tx, "SET LOCAL enable_seqscan = off")
			execIn(t, tx, "SET LOCAL enable_bitmapscan = off")
		}
		const (
			scope = " WHERE tenant_id = 'ten_1' AND environment = 'sandbox' "
			page  = "AND (created_micros, id) < (7, 'run_1') ORDER BY created_micros DESC, id DESC LIMIT 51"
		)
		for _, c := range []struct{ query, index string }{
			{"SELECT hash FROM agent_runs" + scope + "AND id = 'run_1'", runs},
			{"SELECT hash FROM agent_runs" + scope + page, "agent_runs_page"},
			{"SELECT hash FROM agent_runs" + scope + "AND agent = 'collections' " + page, "agent_runs_agent"},
			{"SELECT hash FROM agent_runs" + scope + "AND outcome = 'HOLD' " + page, "agent_runs_outcome"},
			{"SELECT hash FROM agent_runs" + scope + "AND subject_ref = 'A-1' " + page, "agent_runs_subject"},
			{"SELECT document FROM collections_strategies" + scope + "ORDER BY version DESC LIMIT 1", strategies},
			{"SELECT document FROM collections_strategies" + scope + "AND version = 3", strategies},
		} {
			plan := planOf(t, tx, explain+c.query)
			if !strings.Contains(plan, c.index) || strings.Contains(plan, "Sort") || strings.Contains(plan,
				"TEMP B-TREE") {
				t.Errorf("%s is answered without %s:\n%s", c.query, c.index, plan)
			}
		}
	})
}
