package store_test

import (
	"fmt"
	"strings"
	"testing"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// TestDecisionsByIDsAreBounded checks that both databases read many decisions by their key, and no other rows. Before
// a table is first analysed, PostgreSQL assumes that a scope has one decision, and would rather read the whole scope
// by another index than look up a hundred keys.
func TestDecisionsByIDsAreBounded(t *testing.T) {
	t.Parallel()
	ids := make([]any, store.OutcomesAtOnce)
	for i := range ids {
		ids[i] = fmt.Sprint("dec_", 100_001+i*7)
	}
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		t.Helper()
		kind := storetest.Open(t, databaseURL, store.Options{}).Kind()
		tx, err := storetest.Raw(t, databaseURL).BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = tx.Rollback() }()
		if kind == "sqlite" {
			execAll(t, tx, manyDecisions)
			for _, text := range []string{store.SelectOutcomes, store.SelectSummaries} {
				plan := lines(t, tx, "EXPLAIN QUERY PLAN "+text, append([]any{"ten_1", "sandbox"}, ids...)...)
				if !strings.Contains(plan, "sqlite_autoindex_decisions_1 (tenant_id=? AND environment=? AND id=?)") {
					t.Errorf("the key is not used:\n%s", plan)
				}
			}
			return
		}
		execAll(t, tx, "SELECT set_config('verdict.role', 'system', true)", manyDecisions,
			"PREPARE outcomes AS "+store.SelectOutcomes, "PREPARE summaries AS "+store.SelectSummaries)
		for _, analysed := range []bool{false, true} {
			if analysed {
				execAll(t, tx, "ANALYZE decisions")
			}
			for _, mode := range []string{"force_generic_plan", "force_custom_plan"} {
				execAll(t, tx, "SET LOCAL plan_cache_mode = "+mode)
				for _, name := range []string{"outcomes", "summaries"} {
					plan := lines(t, tx, "EXPLAIN (ANALYZE, TIMING OFF) EXECUTE "+name+literals(ids))
					if wantAtMost(t, plan, len(ids)) == 0 || !strings.Contains(plan, "decisions_pkey") {
						t.Errorf("%s of %s, analysed: %t:\n%s", mode, name, analysed, plan)
					}
				}
			}
		}
	})
}
