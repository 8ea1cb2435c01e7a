package store_test

import (
	"strings"
	"testing"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// manyDecisions inserts 40,000 decisions, of which 2,000 are of one person and the others of 20,000 people, and as many
// exposures and requests.
const (
	manyDecisions = `INSERT INTO decisions (tenant_id, environment, id, created_micros, applicant_ref, status, grade,
			policy_key, policy_id, policy_version, endpoint, engine_version, hash, response, facts, actor, leaf)
		WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < 40000)
		SELECT 'ten_1', 'sandbox', 'dec_' || (100000 + i), i,
			CASE WHEN i % 20 = 0 THEN 'often' ELSE 'app-' || (i % 20000) END,
			'APPROVED', 'B', 'default', 'pol_1', 1, 'e', 'v', 'h', 'r', 'f', 'key_1', i FROM numbers`
	manyExposures = `INSERT INTO exposures (tenant_id, environment, id, applicant_ref, decision_id, document,
			created_micros, created_by, updated_micros, updated_by, leaf, closed_micros)
		WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < 40000)
		SELECT 'ten_1', 'sandbox', 'exp_' || i, 'app-' || (i % 20000), 'dec_' || (100000 + i), '', i, '', i, '', i,
			CASE WHEN i % 3 = 0 THEN 0 ELSE i END FROM numbers`
	manyRequests = `INSERT INTO recent_requests (tenant_id, environment, request_key, decision_id, created_micros)
		WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < 40000)
		SELECT 'ten_1', 'sandbox', 'k' || i, 'dec_' || (100000 + i), i FROM numbers`
)

// TestOwnIsBounded checks that both databases read what was decided for a person by its index, at most store.MaxOwn
// rows, even with a plan that was made before the parameters were known.
func TestOwnIsBounded(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		t.Helper()
		kind := storetest.Open(t, databaseURL, store.Options{}).Kind()
		tx, err := storetest.Raw(t, databaseURL).BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = tx.Rollback() }()
		if kind == "sqlite" {
			execAll(t, tx, manyDecisions, manyExposures, manyRequests)
			plan := lines(t, tx, "EXPLAIN QUERY PLAN "+store.SelectOwn, "ten_1", "sandbox", "often", "dec_1", "k7", int64(0)) +
				lines(t, tx, "EXPLAIN QUERY PLAN "+store.SelectOpenExposures, "ten_1", "sandbox", "app-7")
			for _, index := range []string{"decisions_applicant", "exposures_decision", "exposures_open"} {
				if !strings.Contains(plan, index) {
					t.Errorf("%s is not used:\n%s", index, plan)
				}
			}
			for _, bad := range []string{"SCAN d", "SCAN e", "SCAN q", "SCAN r", "ORDER BY"} {
				if strings.Contains(plan, bad+"\n") || bad == "ORDER BY" && strings.Contains(plan, "FOR ORDER BY\n") {
					t.Errorf("%s in:\n%s", bad, plan)
				}
			}
			return
		}
		execAll(t, tx, "SELECT set_config('verdict.role', 'system', true)", manyDecisions, manyExposures, manyRequests,
			"SET LOCAL plan_cache_mode = force_generic_plan", "PREPARE own AS "+store.SelectOwn,
			"PREPARE open_ones AS "+store.SelectOpenExposures)
		for _, analysed := range []string{"", "ANALYZE decisions", "ANALYZE exposures", "ANALYZE recent_requests"} {
			if analysed != "" {
				execAll(t, tx, analysed)
			}
			plan := lines(t, tx, "EXPLAIN (ANALYZE, TIMING OFF) EXECUTE own "+
				literals([]any{"often", "dec_1", "k7", 0})) +
				lines(t, tx, "EXPLAIN (ANALYZE, TIMING OFF) EXECUTE open_ones "+literals([]any{"app-7"}))
			if wantAtMost(t, plan, store.MaxOwn) == 0 || !strings.Contains(plan, "decisions_applicant") ||
				strings.Contains(plan, "Seq Scan on decisions") || strings.Contains(plan, "Seq Scan on exposures") {
				t.Errorf("%s:\n%s", analysed, plan)
			}
		}
	})
}
