package store_test

import (
	"database/sql"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// rareDecisions inserts 40,000 decisions of one tenant. One in 4,000 has the
// policy key "rare" and one in 5,000 is referred.
const rareDecisions = `INSERT INTO decisions (tenant_id, environment, id, created_micros, applicant_ref, status, grade,
		policy_key, policy_id, policy_version, endpoint, engine_version, hash, response, facts, actor, leaf)
	WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < 40000)
	SELECT 'ten_1', 'sandbox', 'dec_' || (100000 + i), i, '',
		CASE WHEN i % 5000 = 0 THEN 'REFERRED' ELSE 'APPROVED' END, 'B',
		CASE WHEN i % 4000 = 0 THEN 'rare' ELSE 'default' END, 'pol_1', 1, 'e', 'v', 'h', 'r', 'f', 'key_1', i
	FROM numbers`

// rareWalk describes a scan of rareDecisions: the filter, the id after which the
// scan begins, and the id at which it ends.
type rareWalk struct {
	filter           store.DecisionFilter
	after, end       string
	sqlite, postgres string // the index that must be used
	analysed         bool   // PostgreSQL uses the index only after the first ANALYZE
}

func rareWalks() []rareWalk {
	return []rareWalk{
		{store.DecisionFilter{PolicyKey: "rare"}, "dec_110000", "dec_112000", "sqlite_autoindex_decisions_1",
			"decisions_pkey", false},
		{store.DecisionFilter{PolicyKey: "rare", Status: "APPROVED"}, "dec_110000", "dec_112000", "decisions_status",
			"decisions_status", true},
		{store.DecisionFilter{PolicyKey: "rare", Status: "REFERRED"}, "dec_110000", "dec_140000", "decisions_status",
			"decisions_status", true},
	}
}

// TestRareDecisionsAreBounded checks that both databases use the expected index
// for rare decisions. No step of PostgreSQL's plan may read more than ScanRows
// rows, even with a plan made before the parameters are known.
func TestRareDecisionsAreBounded(t *testing.T) {
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
			execAll(t, tx, rareDecisions)
			for _, w := range rareWalks() {
				w.wantIndex(t, tx)
			}
			return
		}
		execAll(t, tx, "SELECT set_config('verdict.role', 'system', true)",
			"SET LOCAL plan_cache_mode = force_generic_plan", rareDecisions)
		for _, analysed := range []bool{false, true} {
			if analysed {
				execAll(t, tx, "ANALYZE decisions")
			}
			for _, w := range rareWalks() {
				if analysed || !w.analysed {
					w.wantFewRows(t, tx)
				}
			}
		}
	})
}

func (w rareWalk) wantIndex(t *testing.T, tx *sql.Tx) {
	t.Helper()
	for name, s := range store.RareTexts(w.filter, w.after, w.end) {
		plan := lines(t, tx, "EXPLAIN QUERY PLAN "+s.Text, append([]any{"ten_1", "sandbox"}, s.Args...)...)
		if !strings.Contains(plan, w.sqlite) || strings.Contains(plan, "SCAN decisions") || strings.Contains(plan,
			"TEMP B-TREE") {
			t.Errorf("%s of %+v:\n%s", name, w.filter, plan)
		}
	}
}

func (w rareWalk) wantFewRows(t *testing.T, tx *sql.Tx) {
	t.Helper()
	for name, s := range store.RareTexts(w.filter, w.after, w.end) {
		execAll(t, tx, "PREPARE looking AS "+s.Text)
		plan := lines(t, tx, "EXPLAIN (ANALYZE, TIMING OFF) EXECUTE looking "+literals(s.Args))
		execAll(t, tx, "DEALLOCATE looking")
		about := fmt.Sprintf("%s of %+v", name, w.filter)
		found := rowCounts.FindAllStringSubmatch(plan, -1)
		for _, match := range found {
			if n, err := strconv.Atoi(match[1] + match[2] + match[3]); err != nil || n > store.ScanRows {
				t.Errorf("%s: %s in:\n%s", about, match[0], plan)
			}
		}
		if len(found) == 0 || !strings.Contains(plan, w.postgres) || strings.Contains(plan, "Seq Scan on decisions") {
			t.Errorf("%s:\n%s", about, plan)
		}
	}
}
