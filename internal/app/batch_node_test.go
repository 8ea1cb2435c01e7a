package app

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"verdict/internal/proof"
	"verdict/internal/store/storetest"
)

// batchRowsVariable is the environment variable with the number of rows of the batches in these tests.
const batchRowsVariable = "VERDICT_BATCH_ROWS"

// batchRows returns the number of rows of a batch: the argument long if VERDICT_LONG is set, otherwise the argument
// usual. The variable batchRowsVariable overrides both. The batch has several chunks.
func batchRows(t *testing.T, usual, long int) int {
	t.Helper()
	if text := os.Getenv(batchRowsVariable); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < usual {
			t.Fatalf("%s is %q; it must be a number of at least %d", batchRowsVariable, text, usual)
		}
		return n
	}
	if os.Getenv("VERDICT_LONG") != "" {
		return long
	}
	return usual
}

// batchRow returns the application in a row of a batch.
func batchRow(i int) string {
	return fmt.Sprintf(`{"applicant":{"id":"A-%d","monthly_income":85000,"foir":0.32},"bureau_report":{"score":742}}`,
		i)
}

// beginBatch starts a batch as a job and returns its path.
func beginBatch(t *testing.T, n *node, key string, rows int) (path string) {
	t.Helper()
	reader, writer := io.Pipe()
	go func() {
		lines := bufio.NewWriter(writer)
		for i := range rows {
			_, _ = lines.WriteString(batchRow(i) + "\n") // Flush returns the error
		}
		_ = writer.CloseWithError(lines.Flush()) // CloseWithError never returns an error
	}()
	answer := n.ask(t, http.MethodPost, "/v1/decisions/batch", key, &readerOf{reader})
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

// awaitBatch reads a batch until wanted returns true. It fails if no row is decided for four minutes.
func (n *node) awaitBatch(t *testing.T, key, path string, wanted func(batch map[string]any, done float64) bool) {
	t.Helper()
	before := 0.0
	for since := time.Now(); ; <-time.After(20 * time.Millisecond) {
		status, batch, ok := n.call("GET", path, key, "", "")
		progress, _ := batch["progress"].(map[string]any)
		done, _ := progress["rows_done"].(float64)
		switch {
		case ok && status == http.StatusOK && wanted(batch, done):
			return
		case done > before:
			before, since = done, time.Now()
		case time.Since(since) > 4*time.Minute:
			t.Fatalf("%s after the last progress the batch is %d %v", time.Since(since), status, batch)
		}
	}
}

// resultsAtOnce is the number of results that one request reads.
const resultsAtOnce = 100_000

// readResults returns the number of results of a batch and the number of different decisions in them.
func readResults(t *testing.T, n *node, key, path string) (results, decisions int) {
	t.Helper()
	// Remember hashes of 64 bits, because ten million ids would take a gigabyte. The probability that two of the ids
	// have the same hash is 1 in 370,000.
	seed, seen := maphash.MakeSeed(), map[uint64]struct{}{}
	for read := true; read; {
		answer := n.ask(t, http.MethodGet,
			fmt.Sprintf("%s/results?from=%d&limit=%d", path, results, resultsAtOnce), key, nil)
		lines := bufio.NewScanner(answer.Body)
		for read = false; lines.Scan(); results++ {
			read = true
			var row struct {
				Index      int    `json:"index"`
				DecisionID string `json:"decision_id"`
			}
			if err := json.Unmarshal(lines.Bytes(), &row); err != nil || row.Index != results || row.DecisionID == "" {
				t.Fatalf("result %d is %s, %v", results, lines.Bytes(), err)
			}
			seen[maphash.String(seed, row.DecisionID)] = struct{}{}
		}
		_ = answer.Body.Close()
	}
	return results, len(seen)
}

// wantEachOnce checks that each row of a batch has one decision of its own, that no other decision is stored, and that
// each was billed once.
func wantEachOnce(t *testing.T, n *node, databaseURL, key, path string, rows int) {
	t.Helper()
	results, decisions := readResults(t, n, key, path)
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
	if results != rows || decisions != rows || stored != rows || usage["used"] != float64(rows) {
		t.Errorf("%d rows have %d results with %d decisions of %d stored, %v units used", rows, results, decisions,
			stored, usage["used"])
	}
}

// TestBatchNodeKilled runs a batch on two nodes and kills one in the middle of a chunk. The other node must continue
// the chunk, and every row must be decided and billed once. The long form has a million rows, or ten million in a run
// of its own, and compares the rate of the batch with that of concurrent callers.
func TestBatchNodeKilled(t *testing.T) {
	t.Parallel()
	const usual, long = 6_000, 1_000_000
	rows := batchRows(t, usual, long)
	databaseURL := storetest.Postgres(t)
	first, second := startNode(t, databaseURL), startNode(t, databaseURL)
	key := signUp(t, first)
	begun := time.Now()
	path := beginBatch(t, first, key, rows)
	queued := time.Now()
	first.awaitBatch(t, key, path, func(_ map[string]any, done float64) bool {
		return done >= float64(rows)/6
	})
	raw := storetest.Raw(t, databaseURL)
	var leader, killed string
	err := raw.QueryRowContext(t.Context(), "SELECT leader_id, now()::text FROM river.river_leader").
		Scan(&leader, &killed)
	if err != nil {
		t.Fatal(err)
	}
	first.kill()
	expire(t, raw, "UPDATE river.river_leader SET elected_at = elected_at - interval '1 minute', expires_at = "+
		"elected_at WHERE leader_id = $1", leader)
	second.awaitBatch(t, key, path, func(batch map[string]any, _ float64) bool {
		// The last requests of the dead node may take effect after its end.
		expire(t, raw, `UPDATE river.river_job SET attempted_at = attempted_at - interval '1 minute'
			WHERE state = 'running' AND attempt = 1 AND attempted_by[1] = $1
			AND attempted_at > now() - interval '1 minute'
			AND attempted_at < timestamptz '`+killed+`' + interval '5 seconds'`, leader)
		return over(batch)
	})
	took := time.Since(queued)
	wantEachOnce(t, second, databaseURL, key, path, rows)
	if rows > usual && !t.Failed() {
		compareRates(t, second, key, rows, queued.Sub(begun), took)
	}
}

// compareRates prints the rate of a batch next to the rate of concurrent callers on the node that is left. Each
// caller sends its next application when the last one was answered. If the result is written to a document, the batch
// must have at least 0.8 of the callers' rate.
func compareRates(t *testing.T, n *node, key string, rows int, arrived, took time.Duration) {
	t.Helper()
	const decisions = 50_000
	batch, closed := float64(rows)/took.Seconds(), decisions/n.closedLoop(t, key, rows, decisions).Seconds()
	text := proof.Origin(t.Context(), time.Now(), fmt.Sprintf("make batch ROWS=%d", rows)) + "\n" +
		proof.Table([][]string{
			{"rows, each decided and billed once", "arrived in", "decided in, one of two nodes killed", "rows a second",
				fmt.Sprintf("decisions a second of %d callers on the other node", streamCallers), "ratio"},
			{fmt.Sprint(rows), arrived.Round(time.Second).String(), took.Round(time.Second).String(),
				fmt.Sprintf("%.0f", batch), fmt.Sprintf("%.0f", closed), fmt.Sprintf("%.2f", batch/closed)},
		})
	t.Log(text)
	document := os.Getenv(proof.Variable)
	if document != "" && batch < 0.8*closed {
		t.Errorf("the batch decides %.0f rows a second, and %d callers decide %.0f", batch, streamCallers, closed)
	}
	if err := proof.Write(document, "batch", text); err != nil {
		t.Error(err)
	}
}

// decide sends an application and returns the status of the answer, or 0 if there is none.
func (n *node) decide(ctx context.Context, client *http.Client, key, body string) int {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, n.url+"/v1/decisions", strings.NewReader(body))
	if err != nil {
		return 0
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+key)
	response, err := client.Do(request)
	if err != nil {
		return 0
	}
	_, err = io.Copy(io.Discard, response.Body)
	if errors.Join(err, response.Body.Close()) != nil {
		return 0
	}
	return response.StatusCode
}

// TestBatchRestart kills the only node of a SQLite database in the middle of a chunk. The node continues after its
// restart.
func TestBatchRestart(t *testing.T) {
	t.Parallel()
	const usual = 6_000
	rows := batchRows(t, usual, usual)
	databaseURL := storetest.SQLite(t)
	first := startNode(t, databaseURL)
	key := signUp(t, first)
	path := beginBatch(t, first, key, rows)
	first.awaitBatch(t, key, path, func(_ map[string]any, done float64) bool { return done > 0 })
	first.kill()
	second := startNode(t, databaseURL)
	second.awaitBatch(t, key, path, func(batch map[string]any, _ float64) bool { return over(batch) })
	wantEachOnce(t, second, databaseURL, key, path, rows)
}
