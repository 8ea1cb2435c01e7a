//nolint:thelper // the function passed to EachURL is the test itself: report failures at their own lines
package storetest_test

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"testing"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// walled lists the tables with a tenant and an environment, personal lists those
// with a tenant only, and shared lists all other tables.
var (
	walled = []string{
		"api_keys", "series", "rule_sets", "scorecards", "decisions", "usage_totals", "usage_counters", "audit_log",
		"decision_reviews", "decision_features", "decision_people", "decision_stats", "rule_stats", "idempotency_keys",
		"fraud_configs", "fraud_changes", "fraud_pincode_risks", "fraud_entities", "fraud_links", "fraud_pincode_hours",
		"fraud_alerts", "fraud_alert_evidence", "fraud_alert_events", "fraud_rings", "fraud_ring_people",
		"backtests", "backtest_chunks", "agent_runs", "collections_strategies", "referrals", "journal",
		"log_tiles", "log_checkpoints", "log_cosigned", "usage_thresholds", "erasures",
		"legal_holds", "lender_profiles", "retention_settings", "retention_progress",
		"webhooks", "webhook_retries", "webhook_ranges", "webhook_deliveries",
		"lists", "deleted_lists", "list_chunks", "rule_set_lists", "exposures", "recent_requests",
		"batches", "batch_chunks", "batch_exclusions",
		"lookup_tables", "deleted_lookup_tables", "lookup_table_documents", "rule_set_tables",
		"stored_bytes", "guarantee_proofs", "policy_edits", "policy_edit_steps", "saved_filters",
	}
	personal = []string{"tenants", "users", "sessions", "invitations", "key_trees", "user_identities", "second_factors"}
	shared   = []string{"schema_migrations", "installation", "signup_codes", "key_epochs", "key_holders"}
	// locks is a table that only PostgreSQL has. Its primary key is only the scope.
	locks = "journal_heads"
)

// TestKeysLead checks that the tenant and the environment are the first columns of the
// primary key of every table that has both, including tables of later migrations.
func TestKeysLead(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		db := storetest.Open(t, databaseURL, store.Options{})
		raw := storetest.Raw(t, databaseURL)
		tables := "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
		keys := "SELECT name FROM pragma_table_info($1) WHERE pk > 0 ORDER BY pk"
		if db.Kind() == "postgres" {
			tables = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
			keys = `SELECT a.attname FROM pg_index i JOIN pg_attribute a
				ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
				WHERE i.indrelid = $1::regclass AND i.indisprimary
				ORDER BY array_position(i.indkey::int[], a.attnum::int)`
		}
		found := texts(t, raw, tables)
		for _, table := range walled {
			if !slices.Contains(found, table) {
				t.Errorf("there is no table %s", table)
			}
		}
		for _, table := range found {
			if slices.Contains(shared, table) || table == locks {
				continue
			}
			if slices.Contains(personal, table) {
				if key := texts(t, raw, keys, table); table != "tenants" && (len(key) != 2 || key[0] != "tenant_id") {
					t.Errorf("%s has the key %v", table, key)
				}
				continue
			}
			if !slices.Contains(walled, table) {
				t.Errorf("table %s is not in the list of this test", table)
			}
			if key := texts(t, raw, keys, table); len(key) < 2 || key[0] != "tenant_id" || key[1] != "environment" {
				t.Errorf("%s has the key %v", table, key)
			}
		}
	})
}

// querier is a connection pool or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

func texts(t *testing.T, raw querier, query string, args ...any) []string {
	t.Helper()
	rows, err := raw.QueryContext(t.Context(), query, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	var found []string
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			t.Fatal(err)
		}
		found = append(found, text)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return found
}

// TestSecondWall checks, bypassing package store, that PostgreSQL itself shows no rows of a tenant to some sessions:
// a session that has set no scope for row-level security, and a session that has set the scope of another tenant or
// environment.
func TestSecondWall(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.Postgres(t)
	db := storetest.Open(t, databaseURL, store.Options{})
	scope := signUp(t, db, "ten_A")
	signUp(t, db, "ten_B")
	fill(t, db, scope)
	raw := storetest.Raw(t, databaseURL)
	var bypasses bool
	if err := raw.QueryRowContext(t.Context(), "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = "+
		"current_user").Scan(&bypasses); err != nil || bypasses {
		t.Fatalf("the role of the tests bypasses row-level security (%v): %s must name one that does not",
			err, storetest.EnvURL)
	}
	for _, table := range slices.Concat(personal, walled, []string{locks}) {
		for _, c := range []struct {
			name, tenant, environment string
			sees                      bool
		}{
			{"nobody", "", "", false},
			{"its owner", "ten_A", sandbox, true},
			{"another tenant", "ten_C", sandbox, false},
			{"no environment", "ten_A", "", slices.Contains(personal, table)},
		} {
			if n := countAs(t, raw, table, c.tenant, c.environment); (n > 0) != c.sees {
				t.Errorf("%s shows %s %d rows", table, c.name, n)
			}
		}
	}
	if n := countAs(t, raw, "decisions", "ten_A", live); n != 0 {
		t.Errorf("live sees %d of the sandbox's decisions", n)
	}
	tx := announced(t, raw, "ten_B", sandbox)
	_, err := tx.ExecContext(t.Context(),
		`INSERT INTO usage_totals (tenant_id, environment, period, used) VALUES ('ten_A', 'sandbox', '2026-12', 1)`)
	if err == nil || !strings.Contains(err.Error(), "row-level security") {
		t.Errorf("writing for another tenant: %v", err)
	}
	if err := tx.Rollback(); err != nil {
		t.Error(err)
	}
}

func announced(t *testing.T, raw *sql.DB, tenant, environment string) *sql.Tx {
	t.Helper()
	tx, err := raw.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if tenant != "" {
		if _, err := tx.ExecContext(t.Context(), "SELECT set_config('verdict.tenant', $1, true), "+
			"set_config('verdict.environment', $2, true)", tenant, environment); err != nil {
			t.Fatal(err)
		}
	}
	return tx
}

func countAs(t *testing.T, raw *sql.DB, table, tenant, environment string) int {
	t.Helper()
	tx := announced(t, raw, tenant, environment)
	defer func() { _ = tx.Rollback() }()
	var n int
	if err := tx.QueryRowContext(t.Context(), "SELECT count(*) FROM "+table).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestAppendOnly checks, bypassing package store, that the database refuses to change
// append-only rows.
func TestAppendOnly(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		db := storetest.Open(t, databaseURL, store.Options{})
		fill(t, db, signUp(t, db, "ten_A"))
		raw := storetest.Raw(t, databaseURL)
		for _, change := range []string{
			"UPDATE decisions SET status = 'DECLINED'", "UPDATE decisions SET leaf = 7",
			"UPDATE decisions SET plain = ''",
			"UPDATE decisions SET applicant_ref = ''", "UPDATE journal SET entries = ''",
			"UPDATE audit_log SET actor = 'nobody'",
			"DELETE FROM audit_log", "UPDATE decision_reviews SET outcome = 'APPROVED'", "DELETE FROM decision_reviews",
			"UPDATE decision_reviews SET leaf = 7", "UPDATE decision_reviews SET salt = ''",
			"UPDATE collections_strategies SET leaf = 7",
			"UPDATE decision_features SET hash = 'sha256:other'",
			"UPDATE fraud_alert_evidence SET ref = 'another'", "DELETE FROM fraud_alert_evidence",
			"UPDATE fraud_alert_events SET actor = 'nobody'", "DELETE FROM fraud_alert_events",
			"UPDATE agent_runs SET outcome = 'APPROVE'", "UPDATE collections_strategies SET updated_by = 'nobody'",
		} {
			err := errOf(t.Context(), raw, db.Kind(), change)
			if err == nil || !strings.Contains(err.Error(), "only added to") && !strings.Contains(err.Error(),
				"never changed") {
				t.Errorf("%s: %v", change, err)
			}
		}
	})
}

func errOf(ctx context.Context, raw *sql.DB, kind, statement string) error {
	tx, err := raw.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	if kind == "postgres" {
		if _, err := tx.ExecContext(ctx, "SELECT set_config('verdict.role', 'system', true)"); err != nil {
			return err
		}
	}
	_, err = tx.ExecContext(ctx, statement)
	return err
}
