package app

import (
	"database/sql"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/store/storetest"
)

// largeBook has several chunks of rows, more than are processed synchronously.
const largeBook = `{"synthetic":{"n":400000,"seed":7}}`

// TestBacktestNodeKilled runs a backtest on two nodes and kills one, the
// leader, in the middle. The report must equal that of a single process for the
// same book.
func TestBacktestNodeKilled(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.Postgres(t)
	first := startNode(t, databaseURL)
	second := startNode(t, databaseURL)
	key := signUp(t, first)
	id := beginBacktest(t, first, key)
	first.await(t, key, id, func(run map[string]any) bool {
		progress, _ := run["progress"].(map[string]any)
		done, _ := progress["rows_done"].(float64)
		return done > 0
	})
	raw := storetest.Raw(t, databaseURL)
	var leader string
	if err := raw.QueryRowContext(t.Context(), "SELECT leader_id FROM river.river_leader").Scan(&leader); err != nil {
		t.Fatal(err)
	}
	first.kill()
	expire(t, raw, "UPDATE river.river_leader SET elected_at = elected_at - interval '1 minute', expires_at = "+
		"elected_at WHERE leader_id = $1", leader)
	survived := second.await(t, key, id, func(run map[string]any) bool {
		// Repeat this, because the last requests of the dead node may take
		// effect after its end.
		expire(t, raw, `UPDATE river.river_job SET attempted_at = attempted_at - interval '1 minute'
			WHERE state = 'running' AND attempt = 1 AND attempted_by[1] = $1
			AND attempted_at > now() - interval '1 minute'`,
			leader)
		return over(run)
	})

	alone := startNode(t, storetest.SQLite(t))
	key = signUp(t, alone)
	single := alone.await(t, key, beginBacktest(t, alone, key), over)
	if diff := cmp.Diff(reportOf(t, single), reportOf(t, survived)); diff != "" {
		t.Errorf("the reports differ (-alone +survived):\n%s", diff)
	}
}

// TestLargeReplay makes the queue of each database split a range of stored
// decisions into chunks and run them.
func TestLargeReplay(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		t.Helper()
		n := startNodeWith(t, databaseURL, "off") // not encrypted: the copies of a ciphertext could not be decrypted
		key := signUp(t, n)
		status, one, _ := n.call("POST", "/v1/decisions", key, "", `{"bureau_report":{"score":742}}`)
		if status != http.StatusOK {
			t.Fatalf("decide: %d %v", status, one)
		}
		copyDecision(t, databaseURL, 24_999)
		status, run, _ := n.call("POST", "/v1/backtest", key, "",
			`{"decisions":{"from":"2020-01-01T00:00:00Z","policy_key":"default"}}`)
		id, _ := run["backtest_id"].(string)
		if status != http.StatusAccepted || run["status"] != "receiving" {
			t.Fatalf("begin: %d %v", status, run)
		}
		report, _ := n.await(t, key, id, over)["report"].(map[string]any)
		if report["rows_evaluated"] != 25_000.0 || report["rows_failed"] != 0.0 {
			t.Errorf("the report is %v", report)
		}
	})
}

// copyDecision stores copies of the only decision. The ids of the copies have
// the same millisecond as its id and sort before it.
func copyDecision(t *testing.T, databaseURL string, times int) {
	t.Helper()
	tx, err := storetest.Raw(t, databaseURL).BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	copied := `INSERT INTO decisions (tenant_id, environment, id, created_micros, applicant_ref, status, grade,
			policy_key, policy_id, policy_version, endpoint, engine_version, hash, response, facts, actor, leaf)
		WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < ` + strconv.Itoa(times) +
		`)
		SELECT tenant_id, environment, substr(id, 1, 14) || '0000000000' || (100000 + i),
			created_micros, applicant_ref, status, grade,
			policy_key, policy_id, policy_version, endpoint, engine_version, hash, response, facts, actor, leaf
		FROM decisions, numbers`
	statements := []string{copied}
	if !strings.HasPrefix(databaseURL, "sqlite") {
		statements = []string{"SELECT set_config('verdict.role', 'system', true)", copied}
	}
	for _, statement := range statements {
		if _, err := tx.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
}

// expire makes the rows that a dead node left behind one minute older.
func expire(t *testing.T, raw *sql.DB, statement, who string) {
	t.Helper()
	if _, err := raw.ExecContext(t.Context(), statement, who); err != nil {
		t.Fatal(err)
	}
}

func beginBacktest(t *testing.T, n *node, key string) (id string) {
	t.Helper()
	status, answer, ok := n.call("POST", "/v1/backtest", key, "", largeBook)
	if !ok || status != http.StatusAccepted {
		t.Fatalf("begin: %d %v", status, answer)
	}
	id, _ = answer["backtest_id"].(string)
	return id
}

func over(run map[string]any) bool { return run["finished_at"] != nil }

// await reads a run until wanted returns true. The limit is generous, because a
// busy machine with the race detector is slow.
func (n *node) await(t *testing.T, key, id string, wanted func(run map[string]any) bool) map[string]any {
	t.Helper()
	for began := time.Now(); ; <-time.After(20 * time.Millisecond) {
		status, run, ok := n.call("GET", "/v1/backtest/"+id, key, "", "")
		switch {
		case ok && status == http.StatusOK && wanted(run):
			return run
		case time.Since(began) > 2*time.Minute:
			t.Fatalf("after %s the run is %d %v", time.Since(began), status, run)
		}
	}
}

// reportOf returns the report of a run without the members that differ in every
// run.
func reportOf(t *testing.T, run map[string]any) string {
	t.Helper()
	report, ok := run["report"].(map[string]any)
	if !ok || run["status"] != "succeeded" {
		t.Fatalf("the run is %v", run)
	}
	for _, name := range []string{"backtest_id", "rule_set_id", "duration_ms", "created_at"} {
		delete(report, name)
	}
	text, err := json.MarshalIndent(report, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
