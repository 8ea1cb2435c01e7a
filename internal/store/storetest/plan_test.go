package storetest_test

import (
	"strings"
	"testing"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// TestPlans holds PostgreSQL's planner to the index each question was given
// one for; finding one decision must not even wait for the new table's first
// analysis. SQLite keeps to the unique key by itself.
func TestPlans(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.Postgres(t)
	storetest.Open(t, databaseURL, store.Options{})
	raw := storetest.Raw(t, databaseURL)
	tx, err := raw.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	for _, statement := range []string{
		"SELECT set_config('verdict.role', 'system', true)",
		`INSERT INTO decisions SELECT 'ten_' || i % 3, 'sandbox', 'dec_' || i, i, 'app-' || i % 500,
			CASE WHEN i % 500 = 0 THEN 'REFERRED' ELSE 'APPROVED' END, 'B', 'default', 'pol_1', 1, 'e', 'v', 'h', 'r', 'f'
			FROM generate_series(1, 20000) AS i`,
	} {
		if _, err := tx.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		where, index string
		analysed     bool
	}{
		{"AND id = 'dec_7'", "decisions_pkey", false},
		{"AND id = 'dec_7'", "decisions_pkey", true},
		{"AND (created_micros, id) < (9000, 'dec_9000') ORDER BY created_micros DESC, id DESC LIMIT 51", "decisions_page", true},
		{"AND status = 'REFERRED' ORDER BY created_micros DESC, id DESC LIMIT 51", "decisions_status", true},
		{"AND applicant_ref <> '' AND applicant_ref = 'app-7' ORDER BY created_micros DESC, id DESC LIMIT 51", "decisions_applicant", true},
	} {
		if c.analysed {
			if _, err := tx.ExecContext(t.Context(), "ANALYZE decisions"); err != nil {
				t.Fatal(err)
			}
		}
		plan := strings.Join(texts(t, tx, "EXPLAIN SELECT id FROM decisions WHERE tenant_id = 'ten_1' AND environment = 'sandbox' "+c.where), "\n")
		if !strings.Contains(plan, c.index) {
			t.Errorf("%s is answered without %s:\n%s", c.where, c.index, plan)
		}
	}
}
