package store_test

import (
	"fmt"
	"strings"
	"testing"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// manyDecisions inserts 40,000 decisions: 2,000 of one person, and the others of 20,000 people. manyExposures,
// manyRequests and manyRoles insert as many exposures, requests and guarantors.
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
	manyRoles = `INSERT INTO decision_people (tenant_id, environment, decision_id, role, person_ref, facts)
		WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < 40000)
		SELECT 'ten_1', 'sandbox', 'dec_' || (100000 + i), 'guarantor', 'app-' || (i % 20000 + 1), '' FROM numbers`
)

// ownQuery is a statement of Own with parameters after the scope.
type ownQuery struct {
	text    string
	args    []any
	indexes []string
	most    int  // how many rows it may read from a table
	ordered bool // the index has the order of the result
}

func ownQueries() []ownQuery {
	return []ownQuery{
		{
			text: store.SelectHas, args: []any{"often"}, most: 1,
			indexes: []string{"decisions_applicant", "exposures_open", "decision_people_ref"},
		},
		{
			text: store.SelectOwn, args: []any{"often", "dec_1", "k7", int64(0)}, most: store.MaxOwn, ordered: true,
			indexes: []string{"decisions_applicant", "exposures_decision"},
		},
		{
			text: store.SelectOwnOthers, args: []any{"app-7", "dec_1", "k7", int64(0)}, most: 2,
			indexes: []string{"decision_people_ref", "exposures_decision"},
		},
		{
			text: store.SelectOlderOffers, args: []any{"often", "dec_1", "k7", int64(0), "dec_101001"}, most: 50,
			indexes: []string{"decisions_applicant", "exposures_decision"},
		},
		{
			text: store.SelectOlderOthers, args: []any{"app-7", "dec_1", "k7", int64(0), "dec_2"}, most: 2,
			indexes: []string{"decision_people_ref", "exposures_decision"},
		},
		{
			text: store.SelectOpenExposures, args: []any{"app-7"}, most: 2, ordered: true,
			indexes: []string{"exposures_open"},
		},
		{
			text: store.SelectOthersExposures, args: []any{"app-7"}, most: 2,
			indexes: []string{"decision_people_ref", "exposures_decision"},
		},
	}
}

// TestOwnIsBounded checks that both databases read the decisions about a person by an index, at most store.MaxOwn
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
			execAll(t, tx, manyDecisions, manyExposures, manyRequests, manyRoles)
			for _, q := range ownQueries() {
				args := []any{"ten_1", "sandbox"}
				plan := lines(t, tx, "EXPLAIN QUERY PLAN "+q.text, append(args, q.args...)...)
				for _, index := range q.indexes {
					if !strings.Contains(plan, index) {
						t.Errorf("%s is not used:\n%s", index, plan)
					}
				}
				for _, table := range []string{"d", "e", "o", "p", "q", "r", "decisions", "exposures",
					"decision_people"} {
					if strings.Contains(plan, "SCAN "+table+"\n") && !strings.Contains(plan, "CO-ROUTINE "+table+"\n") {
						t.Errorf("SCAN %s in:\n%s", table, plan)
					}
				}
				if q.ordered && strings.Contains(plan, "FOR ORDER BY\n") {
					t.Errorf("the rows are sorted:\n%s", plan)
				}
			}
			return
		}
		execAll(t, tx, "SELECT set_config('verdict.role', 'system', true)", manyDecisions, manyExposures, manyRequests,
			manyRoles, "SET LOCAL plan_cache_mode = force_generic_plan")
		for i, q := range ownQueries() {
			execAll(t, tx, fmt.Sprintf("PREPARE own%d AS %s", i, q.text))
		}
		for _, analysed := range []string{
			"", "ANALYZE decisions", "ANALYZE exposures", "ANALYZE recent_requests", "ANALYZE decision_people",
		} {
			if analysed != "" {
				execAll(t, tx, analysed)
			}
			for i, q := range ownQueries() {
				plan := lines(t, tx, fmt.Sprintf("EXPLAIN (ANALYZE, TIMING OFF) EXECUTE own%d %s", i, literals(q.args)))
				if wantAtMost(t, plan, q.most) == 0 || strings.Contains(plan, "Seq Scan") {
					t.Errorf("%s:\n%s", analysed, plan)
				}
				for _, index := range q.indexes {
					if !strings.Contains(plan, index) {
						t.Errorf("%s: %s is not used:\n%s", analysed, index, plan)
					}
				}
			}
		}
	})
}
