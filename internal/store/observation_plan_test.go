package store_test

import (
	"database/sql"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// manyLinks inserts links of two thousand devices with few applicants, and of one
// account, one agent and one pincode that all applicants share: 20,000 applicants
// before the window and 20,000 within it. manyHours inserts ten years of hourly
// counts of one pincode.
const (
	manyLinks = `INSERT INTO fraud_links (tenant_id, environment, member, kind, entity_key,
			first_micros, previous_micros, last_micros, decision_id)
		WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < 40000)
		SELECT 'ten_1', 'sandbox', 'app-' || i, kinds.kind,
			CASE WHEN kinds.kind = 'device' THEN 'small' || (i % 2000) ELSE 'large' END,
			i, 0, 1000000000000000 + i, 'dec_' || i
		FROM numbers, (SELECT 'account' AS kind UNION ALL SELECT 'agent' UNION ALL SELECT 'agent_pincode'
			UNION ALL SELECT 'pincode'
			UNION ALL SELECT 'device') AS kinds`
	manyHours = `INSERT INTO fraud_pincode_hours (tenant_id, environment, entity_key, hour, applicants)
		WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < 87600)
		SELECT 'ten_1', 'sandbox', 'large', 200000 + i, i FROM numbers`
)

// TestCountingIsBounded checks that both databases use the index by time, and
// that PostgreSQL reads a limited number of rows. This must hold even with a plan
// made before the parameters are known and before any ANALYZE.
func TestCountingIsBounded(t *testing.T) {
	t.Parallel()
	const now = 1_000_000_000_040_000
	o := store.Observation{ApplicantRef: "app-7", NowMicros: now, Entities: []store.ObservedEntity{
		{Kind: "account", Key: "large"}, {Kind: store.KindAgent, Key: "large"}, {Kind: store.KindPincode, Key: "large"},
		{Kind: "device", Key: "small7", Older: "small8"},
	}}
	w := store.Windows{
		BaselineDays: 365,
		Micros: map[string]int64{
			"account":         20_000,
			store.KindAgent:   20_000,
			store.KindPincode: 20_000,
			"device":          20_000,
		},
	}
	text, args := store.CountText(o, w)
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		t.Helper()
		kind := storetest.Open(t, databaseURL, store.Options{}).Kind()
		tx, err := storetest.Raw(t, databaseURL).BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = tx.Rollback() }()
		if kind == "sqlite" {
			execAll(t, tx, manyLinks, manyHours)
			plan := lines(t, tx, "EXPLAIN QUERY PLAN "+text, append([]any{"ten_1", "sandbox"}, args...)...)
			steps := strings.Split(plan, "\n")
			for i, step := range steps {
				// The members of two keys are sorted after the limits are applied, so that each
				// member is counted once.
				sorted := strings.Contains(step, "TEMP B-TREE") &&
					!strings.Contains(steps[i-1], "SCAN newer") && !strings.Contains(steps[i-1], "SCAN older")
				if strings.Contains(step, "SCAN fraud_") || sorted ||
					strings.Contains(step, "fraud_links") && !strings.Contains(step,
						"COVERING INDEX fraud_links_recent") {
					t.Errorf("%s in:\n%s", step, plan)
				}
			}
			return
		}
		execAll(t, tx, "SELECT set_config('verdict.role', 'system', true)", manyLinks, manyHours,
			"SET LOCAL plan_cache_mode = force_generic_plan", "PREPARE counting AS "+text)
		for _, analysed := range []string{"", "ANALYZE fraud_links", "ANALYZE fraud_pincode_hours"} {
			if analysed != "" {
				execAll(t, tx, analysed)
			}
			wantFewRows(t, analysed, lines(t, tx, "EXPLAIN (ANALYZE, TIMING OFF) EXECUTE counting "+literals(args)))
		}
	})
}

var rowCounts = regexp.MustCompile(`actual rows=(\d+)|Rows Removed by Filter: (\d+)|Heap Fetches: (\d+)`)

// wantAtMost fails the test if a step of a plan has read more rows than the limit most. It returns the number of steps
// in the plan.
func wantAtMost(t *testing.T, plan string, most int) (steps int) {
	t.Helper()
	found := rowCounts.FindAllStringSubmatch(plan, -1)
	for _, match := range found {
		if n, err := strconv.Atoi(match[1] + match[2] + match[3]); err != nil || n > most {
			t.Errorf("%s in:\n%s", match[0], plan)
		}
	}
	return len(found)
}

func wantFewRows(t *testing.T, when, plan string) {
	t.Helper()
	if wantAtMost(t, plan, store.MaxCounted) == 0 || !strings.Contains(plan, "fraud_links_recent") ||
		strings.Contains(plan, "Seq Scan on fraud") {
		t.Errorf("%s:\n%s", when, plan)
	}
}

func literals(args []any) string {
	parts := []string{"'ten_1'", "'sandbox'"}
	for _, arg := range args {
		if text, isText := arg.(string); isText {
			arg = "'" + text + "'"
		}
		parts = append(parts, fmt.Sprint(arg))
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

func execAll(t *testing.T, tx *sql.Tx, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		if _, err := tx.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
}

// lines returns the last column of every row of a plan.
func lines(t *testing.T, tx *sql.Tx, query string, args ...any) string {
	t.Helper()
	rows, err := tx.QueryContext(t.Context(), query, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var all []string
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
		all = append(all, line)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, "\n")
}
