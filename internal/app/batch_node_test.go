package app

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"verdict/internal/store/storetest"
)

// batchRows is the number of rows of a batch that has several chunks.
const batchRows = 6000

// beginBatch starts a batch of batchRows rows as a job and returns its path.
func beginBatch(t *testing.T, n *node, key string) (path string) {
	t.Helper()
	var rows strings.Builder
	for i := range batchRows {
		_, _ = fmt.Fprintf(&rows, `{"applicant":{"id":"A-%d","monthly_income":85000,"foir":0.32},`+
			`"bureau_report":{"score":742}}`+"\n", i)
	}
	answer := n.ask(t, http.MethodPost, "/v1/decisions/batch", key, &readerOf{strings.NewReader(rows.String())})
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusAccepted {
		body, _ := io.ReadAll(answer.Body)
		t.Fatalf("begin: %d %s", answer.StatusCode, body)
	}
	return answer.Header.Get("Location")
}

// readerOf hides the length of a body, so that it is sent in chunks.
type readerOf struct{ io.Reader }

// ask sends a request with lines and returns the answer, whose body the caller must close.
func (n *node) ask(t *testing.T, method, path, key string, body io.Reader) *http.Response {
	t.Helper()
	request, err := http.NewRequestWithContext(context.Background(), method, n.url+path, body)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+key)
	request.Header.Set("Content-Type", "application/x-ndjson")
	request.Header.Set("Prefer", "respond-async")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// awaitBatch reads a batch until wanted returns true.
func (n *node) awaitBatch(t *testing.T, key, path string, wanted func(batch map[string]any, done float64) bool) {
	t.Helper()
	for began := time.Now(); ; <-time.After(20 * time.Millisecond) {
		status, batch, ok := n.call("GET", path, key, "", "")
		progress, _ := batch["progress"].(map[string]any)
		done, _ := progress["rows_done"].(float64)
		switch {
		case ok && status == http.StatusOK && wanted(batch, done):
			return
		case time.Since(began) > 4*time.Minute:
			t.Fatalf("after %s the batch is %d %v", time.Since(began), status, batch)
		}
	}
}

// wantEachOnce checks that each row of a batch has one decision of its own, that no other decision is stored, and that
// each was billed once.
func wantEachOnce(t *testing.T, n *node, databaseURL, key, path string) {
	t.Helper()
	answer := n.ask(t, http.MethodGet, path+"/results", key, nil)
	defer func() { _ = answer.Body.Close() }()
	decisions := map[string]bool{}
	lines := bufio.NewScanner(answer.Body)
	index := 0
	for ; lines.Scan(); index++ {
		var row struct {
			Index      int    `json:"index"`
			DecisionID string `json:"decision_id"`
		}
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil || row.Index != index || row.DecisionID == "" {
			t.Fatalf("result %d is %s, %v", index, lines.Bytes(), err)
		}
		decisions[row.DecisionID] = true
	}
	tx, err := storetest.Raw(t, databaseURL).BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	if !strings.HasPrefix(databaseURL, "sqlite") {
		if _, err := tx.ExecContext(t.Context(), "SELECT set_config('verdict.role', 'system', true)"); err != nil {
			t.Fatal(err)
		}
	}
	var stored int
	row := tx.QueryRowContext(t.Context(), "SELECT count(*) FROM decisions")
	if err := row.Scan(&stored); err != nil {
		t.Fatal(err)
	}
	_, usage, _ := n.call("GET", "/v1/usage", key, "", "")
	if index != batchRows || len(decisions) != batchRows || stored != batchRows || usage["used"] != float64(batchRows) {
		t.Errorf("%d results with %d decisions of %d stored, %v units used", index, len(decisions), stored, usage["used"])
	}
}

// TestBatchNodeKilled runs a batch on two nodes and kills one in the middle of a chunk. The other node takes the chunk
// over; every row is decided and billed once.
func TestBatchNodeKilled(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.Postgres(t)
	first, second := startNode(t, databaseURL), startNode(t, databaseURL)
	key := signUp(t, first)
	path := beginBatch(t, first, key)
	first.awaitBatch(t, key, path, func(_ map[string]any, done float64) bool { return done > 0 })
	raw := storetest.Raw(t, databaseURL)
	var leader string
	if err := raw.QueryRowContext(t.Context(), "SELECT leader_id FROM river.river_leader").Scan(&leader); err != nil {
		t.Fatal(err)
	}
	first.kill()
	expire(t, raw, "UPDATE river.river_leader SET elected_at = elected_at - interval '1 minute', expires_at = "+
		"elected_at WHERE leader_id = $1", leader)
	second.awaitBatch(t, key, path, func(batch map[string]any, _ float64) bool {
		expire(t, raw, `UPDATE river.river_job SET attempted_at = attempted_at - interval '1 minute'
			WHERE state = 'running' AND attempt = 1 AND attempted_by[1] = $1
			AND attempted_at > now() - interval '1 minute'`, leader)
		return over(batch)
	})
	wantEachOnce(t, second, databaseURL, key, path)
}

// TestBatchRestart kills the only node of a SQLite database in the middle of a chunk. The node continues after its
// restart.
func TestBatchRestart(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.SQLite(t)
	first := startNode(t, databaseURL)
	key := signUp(t, first)
	path := beginBatch(t, first, key)
	first.awaitBatch(t, key, path, func(_ map[string]any, done float64) bool { return done > 0 })
	first.kill()
	second := startNode(t, databaseURL)
	second.awaitBatch(t, key, path, func(batch map[string]any, _ float64) bool { return over(batch) })
	wantEachOnce(t, second, databaseURL, key, path)
}
