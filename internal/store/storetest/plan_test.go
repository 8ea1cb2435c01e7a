//nolint:thelper // the function passed to EachURL is the test itself: report failures at their own lines
package storetest_test

import (
	"database/sql"
	"strings"
	"testing"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// TestPlans checks that both planners use the index that was made for each query, and read its rows in index
// order. PostgreSQL must find one decision by its key even before the first ANALYZE of the new table. SQLite's
// tables are never analysed.
func TestPlans(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		kind := storetest.Open(t, databaseURL, store.Options{}).Kind()
		tx, err := storetest.Raw(t, databaseURL).BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = tx.Rollback() }()
		explain, key := "EXPLAIN QUERY PLAN ", "sqlite_autoindex_decisions_1"
		if kind == "postgres" {
			explain, key = "EXPLAIN ", "decisions_pkey"
			execIn(t, tx, "SELECT set_config('verdict.role', 'system', true)")
			execIn(t, tx, "SET LOCAL enable_sort = off") // without this, it would sort, because there are few rows
		}
		execIn(t, tx, manyDecisions)
		for _, c := range []struct {
			where, index string
			analysed     bool
		}{
			{"AND id = 'dec_100007'", key, false},
			{"AND id = 'dec_100007'", key, true},
			{"AND id < 'dec_109000' ORDER BY id DESC LIMIT 51", key, true},
			{"AND created_micros >= 7000 AND id >= 'dec_107000' AND id > 'dec_109000' ORDER BY id LIMIT 51", key, true},
			{"AND actor <> '' AND id < 'dec_109000' ORDER BY id DESC LIMIT 51", key, true},
			{"AND status = 'REFERRED' ORDER BY id DESC LIMIT 51", "decisions_status", true},
			{"AND status = 'REFERRED' AND id < 'dec_109000' ORDER BY id DESC LIMIT 51", "decisions_status", true},
			{"AND grade = 'A' AND id < 'dec_109000' ORDER BY id DESC LIMIT 51", "decisions_grade", true},
			{"AND policy_id = 'pol_2' ORDER BY id DESC LIMIT 51", "decisions_policy", true},
			{"AND applicant_ref <> '' AND applicant_ref = 'app-7' ORDER BY id DESC LIMIT 51",
				"decisions_applicant", true},
			{"AND applicant_ref <> '' AND applicant_ref >= 'app-4' AND applicant_ref < 'app-4~' " +
				"ORDER BY applicant_ref DESC, id DESC LIMIT 51", "decisions_applicant", true},
			{"AND applicant_ref <> '' AND applicant_ref >= 'app-4' AND applicant_ref < 'app-4~' " +
				"AND (applicant_ref, id) < ('app-450', 'dec_109000') AND (applicant_ref, id) >= ('app-42', " +
				"'dec_100500') AND coalesce(status, '') = 'REFERRED' ORDER BY applicant_ref DESC, id DESC LIMIT 51",
				"decisions_applicant", true},
			{"AND id >= 'dec_105' AND id < 'dec_105ZZZ' ORDER BY id DESC LIMIT 51", key, true},
			{"AND substr(actor, 1, 4) = 'usr_' AND actor = 'usr_1' AND id < 'dec_109000' ORDER BY id DESC LIMIT 51",
				"decisions_person", true},
			{"AND grade = 'B' AND coalesce(status, '') = 'REFERRED' AND id >= 'dec_105000' AND id < 'dec_109000' " +
				"ORDER BY id DESC LIMIT 51", "decisions_grade", false},
			{"AND status = 'REFERRED' AND coalesce(policy_id, '') = 'pol_1' AND id >= 'dec_105000' ORDER BY id DESC " +
				"LIMIT 51", "decisions_status", true},
		} {
			if c.analysed && kind == "postgres" {
				execIn(t, tx, "ANALYZE decisions")
			}
			plan := planOf(t, tx,
				explain+"SELECT id, hash FROM decisions WHERE tenant_id = 'ten_1' AND environment = 'sandbox' "+c.where)
			if !strings.Contains(plan, c.index) || strings.Contains(plan, "Sort") || strings.Contains(plan,
				"TEMP B-TREE") {
				t.Errorf("%s is answered without %s:\n%s", c.where, c.index, plan)
			}
		}
	})
}

// manyDecisions inserts decisions of three tenants, a few of them referred.
const manyDecisions = `INSERT INTO decisions (tenant_id, environment, id, created_micros, applicant_ref, status, grade,
		policy_key, policy_id, policy_version, endpoint, engine_version, hash, response, facts, actor, leaf)
	WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < 20000)
	SELECT 'ten_' || (i % 3), 'sandbox', 'dec_' || (100000 + i), i, 'app-' || (i % 500),
		CASE WHEN i % 500 = 0 THEN 'REFERRED' ELSE 'APPROVED' END,
		CASE WHEN i % 400 = 0 THEN 'A' ELSE 'B' END, 'default',
		CASE WHEN i % 300 = 0 THEN 'pol_2' ELSE 'pol_1' END, 1, 'e', 'v', 'h', 'r', 'f', 'key_1', i
	FROM numbers`

func execIn(t *testing.T, tx *sql.Tx, statement string) {
	t.Helper()
	if _, err := tx.ExecContext(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}

// planOf returns the plan of a query: the last column of every row that the database
// returns.
func planOf(t *testing.T, tx *sql.Tx, explain string) string {
	t.Helper()
	rows, err := tx.QueryContext(t.Context(), explain)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for rows.Next() {
		dest := make([]any, len(columns))
		for i := range dest {
			dest[i] = new(any)
		}
		var line string
		dest[len(dest)-1] = &line
		if err := rows.Scan(dest...); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}
