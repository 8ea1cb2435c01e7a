package app

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"verdict/internal/journal"
	"verdict/internal/sealing"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// uploadBench is a service with a backtest over two uploaded rows and a batch of two rows.
type uploadBench struct {
	*keysBench
	backtest, batch string // the ids of the backtest and the batch
}

// uploadBody is a backtest whose first row has canaryRef.
const uploadBody = `{"rows":[
	{"applicant_id":"` + canaryRef + `","score":742,"monthly_income":85000,"foir":0.32,"requested_amount":600000},
	{"applicant_id":"A-2","score":655,"monthly_income":41000,"foir":0.48,"requested_amount":200000}]}`

func newUploadBench(t *testing.T, databaseURL string) *uploadBench {
	t.Helper()
	b := &uploadBench{keysBench: newKeysBench(t, databaseURL)}
	a, _, stop := startApp(t, "-database-url", databaseURL, "-master-key", b.config.MasterKey)
	status, answer, err := post(t.Context(), a.URL()+"/v1/backtest", b.apiKey, uploadBody)
	if err != nil || status != http.StatusOK {
		t.Fatalf("backtest: %d %v %v", status, answer, err)
	}
	b.backtest, _ = answer["backtest_id"].(string)
	n := &node{url: a.URL()}
	path := beginBatch(t, n, b.apiKey, 2)
	n.awaitBatch(t, b.apiKey, path,
		func(batch map[string]any, _ float64) bool { return batch["status"] == "completed" })
	b.batch = strings.TrimPrefix(path, "/v1/batches/")
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	return b
}

// ended returns the time when the later of the backtest and the batch ended.
func (b *uploadBench) ended(t *testing.T) time.Time {
	t.Helper()
	scope := b.db.Scope(b.tenant, "sandbox")
	backtest, err := scope.Backtests(t.Context()).Get(b.backtest)
	if err != nil {
		t.Fatal(err)
	}
	batch, err := scope.BatchJobs(t.Context()).Get(b.batch)
	if err != nil {
		t.Fatal(err)
	}
	return time.UnixMicro(max(backtest.FinishedMicros, batch.FinishedMicros))
}

// sweep runs the periodic purge of the service with a clock that shows the time "later" after the jobs ended.
func (b *uploadBench) sweep(t *testing.T, later time.Duration) {
	t.Helper()
	c, now := b.config, b.ended(t).Add(later)
	c.Now = func() time.Time { return now }
	if err := (&App{db: b.db, config: c}).purge(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// get returns the answer of a running service.
func (b *uploadBench) get(t *testing.T, a *App, path string) (status int, body string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, a.URL()+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+b.apiKey)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

// wantAnswers fails the test unless the service returns the rows of the backtest or, if deleted is true, says that
// they were deleted. All other data about the jobs must stay readable.
func (b *uploadBench) wantAnswers(t *testing.T, a *App, deleted bool) {
	t.Helper()
	path := "/v1/backtest/" + b.backtest
	status, rows := b.get(t, a, path+"/rows")
	switch {
	case deleted && (status != http.StatusNotFound || !strings.Contains(rows, `"backtest_expired"`) ||
		!strings.Contains(rows, "deleted 7 days after it had ended") || strings.Contains(rows, "row,applicant_id")):
		t.Errorf("the rows are %d %s", status, rows)
	case !deleted && (status != http.StatusOK || !strings.Contains(rows, canaryRef)):
		t.Errorf("the rows are %d %s", status, rows)
	}
	for path, want := range map[string]string{
		path:                                  `"rows_evaluated":2`,
		path + "/report":                      "<!doctype html>",
		"/v1/batches/" + b.batch:              `"completed"`,
		"/v1/batches/" + b.batch + "/results": `"decision_id"`,
	} {
		if status, body := b.get(t, a, path); status != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("%s is %d %s", path, status, body)
		}
	}
}

// uploads returns the number of keys of uploads.
func (b *uploadBench) uploads(t *testing.T) (keys int) {
	t.Helper()
	trees, err := b.db.Secrets().KeyTreesToWrap(t.Context(), []byte("no key"), store.TreeSize{}, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, tree := range trees {
		if tree.Number <= store.LastUploadKey {
			keys++
		}
	}
	return keys
}

// opens reads the uploaded rows of a backtest with the keys of a database.
func (b *uploadBench) opens(t *testing.T, db *store.DB, source string, stored []byte) ([]byte, error) {
	t.Helper()
	c := b.config
	c.MasterKey = source
	held, _ := c.masterKeySource()
	all, err := held.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	keys := journal.NewKeys(db, sealing.NewEpoch(all[len(all)-1]), nil, strings.NewReader(""), time.Now)
	return keys.OpenBacktest(t.Context(), journal.Scope{Tenant: b.tenant, Environment: "sandbox"}, b.backtest, 1,
		stored)
}

// TestUploadKeysAreDestroyed uploads rows for a backtest and a batch. The keys of the rows must be destroyed 7
// days after both jobs have ended. Every node must then answer that the rows were deleted, and the reports must
// stay. The newest keys must not decrypt the ciphertext in an older copy of the database.
func TestUploadKeysAreDestroyed(t *testing.T) {
	t.Parallel()
	everyDatabase(t, func(t *testing.T, databaseURL string) {
		b := newUploadBench(t, databaseURL)
		stored, err := b.db.Scope(b.tenant, "sandbox").Backtests(t.Context()).Chunk(b.backtest, 1)
		if err != nil || !sealing.Sealed(stored.Input) {
			t.Fatalf("the stored rows are %x, %v", stored.Input, err)
		}
		data, _ := b.backUp(t)

		b.sweep(t, 7*24*time.Hour-time.Hour)
		if n := b.uploads(t); n != 2 {
			t.Errorf("%d keys are left an hour too early", n)
		}
		if rows, err := b.opens(t, b.db, b.config.MasterKey, stored.Input); err != nil || len(rows) == 0 {
			t.Errorf("the rows cannot be read too early: %v", err)
		}
		var nodes []*App
		var ends []func() error
		begin := func() *App {
			a, _, stop := startApp(t, "-database-url", databaseURL, "-master-key", b.config.MasterKey)
			nodes, ends = append(nodes, a), append(ends, stop)
			return a
		}
		end := func() {
			t.Helper()
			for _, stop := range ends {
				if err := stop(); err != nil {
					t.Fatal(err)
				}
			}
			nodes, ends = nil, nil
		}
		b.wantAnswers(t, begin(), false)
		if b.db.Kind() == "sqlite" {
			end() // a service on SQLite has only one process
		} else {
			b.wantAnswers(t, begin(), false)
		}
		b.sweep(t, 7*24*time.Hour+time.Hour)
		if n := b.uploads(t); n != 0 {
			t.Errorf("%d keys are left", n)
		}
		if len(nodes) == 0 {
			begin()
		}
		for _, a := range nodes {
			b.wantAnswers(t, a, true)
		}
		end()
		if rows, err := b.opens(t, b.db, b.config.MasterKey, stored.Input); err == nil {
			t.Errorf("the rows can still be read: %x", rows)
		}
		b.wantOlderCopyUnreadable(t, data, stored.Input)
	})
}

// wantOlderCopyUnreadable restores an older copy of the data with the newest keys, and fails the test if somebody can
// read the uploaded rows there.
func (b *uploadBench) wantOlderCopyUnreadable(t *testing.T, data, stored []byte) {
	t.Helper()
	if due, err := b.db.System().ErasedSince(t.Context(), b.ended(t).UnixMicro()); err != nil || !due {
		t.Errorf("the master key is not replaced after keys were destroyed: %v", err)
	}
	if _, err := RotateMasterKey(context.WithoutCancel(t.Context()), b.config, b.db, RotateOptions{}); err != nil {
		t.Fatal(err)
	}
	_, keys := b.backUp(t)
	target := storetest.SQLite(t)
	source, err := b.restored(t, target, data, keys, false)
	if err != nil {
		t.Fatal(err)
	}
	older := storetest.Open(t, target, store.Options{})
	again, err := older.Scope(b.tenant, "sandbox").Backtests(t.Context()).Chunk(b.backtest, 1)
	if err != nil || !bytes.Equal(again.Input, stored) {
		t.Fatalf("the older copy has other rows: %v", err)
	}
	if rows, err := b.opens(t, older, source, again.Input); err == nil {
		t.Errorf("the rows can be read in an older copy: %x", rows)
	}
	if err := older.Close(); err != nil {
		t.Fatal(err)
	}
	a, _, _ := startApp(t, "-database-url", target, "-master-key", source)
	b.wantAnswers(t, a, true)
}

// TestKeysOfNewerUploadsAreDropped restores older data with newer keys. One of these keys belongs to an upload that
// the data does not have. Nothing else would ever destroy this key, so the restore must destroy it.
func TestKeysOfNewerUploadsAreDropped(t *testing.T) {
	t.Parallel()
	b := newUploadBench(t, storetest.MigratedSQLite(t))
	data, _ := b.backUp(t)
	a, _, stop := startApp(t, "-database-url", b.config.DatabaseURL, "-master-key", b.config.MasterKey)
	status, answer, err := post(t.Context(), a.URL()+"/v1/backtest", b.apiKey, uploadBody)
	if err != nil || status != http.StatusOK {
		t.Fatalf("backtest: %d %v %v", status, answer, err)
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	if n := b.uploads(t); n != 3 {
		t.Fatalf("%d keys are stored", n)
	}
	_, keys := b.backUp(t)
	target := storetest.SQLite(t)
	source, err := b.restored(t, target, data, keys, false)
	if err != nil {
		t.Fatal(err)
	}
	b.config.DatabaseURL, b.db = target, storetest.Open(t, target, store.Options{})
	if n := b.uploads(t); n != 2 {
		t.Errorf("%d keys are restored", n)
	}
	if err := b.db.Close(); err != nil {
		t.Fatal(err)
	}
	restored, _, _ := startApp(t, "-database-url", target, "-master-key", source)
	b.wantAnswers(t, restored, false)
}

// TestUnfinishedUploadsOfAnOlderCopy restores a copy of the database in which a backtest and a batch still wait. The
// restored keys are newer: both jobs had ended, and their keys were destroyed. Both jobs must end with a clear error,
// and nothing may be decided.
func TestUnfinishedUploadsOfAnOlderCopy(t *testing.T) {
	t.Parallel()
	everyDatabase(t, func(t *testing.T, databaseURL string) {
		b := newUploadBench(t, databaseURL)
		raw := storetest.Raw(t, databaseURL)
		stored, err := b.db.Scope(b.tenant, "sandbox").Backtests(t.Context()).Chunk(b.backtest, 1)
		if err != nil {
			t.Fatal(err)
		}
		tx, err := raw.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		statements := []string{
			"DELETE FROM key_trees WHERE number < " + fmt.Sprint(int64(store.LastUploadKey)),
			`UPDATE backtests SET status = 'queued', finished_micros = 0, chunks_done = 0, rows_done = 0,
				report = substr(report, 1, 0)`,
			"UPDATE backtest_chunks SET done = 0, result = substr(result, 1, 0)",
			`UPDATE batches SET status = 'queued', finished_micros = 0, chunks_done = 0, rows_done = 0,
				counts = substr(counts, 1, 0)`,
			"DELETE FROM idempotency_keys",
		}
		if b.db.Kind() == "postgres" {
			statements = append([]string{"SELECT set_config('verdict.role', 'system', true)"}, statements...)
		}
		for _, statement := range statements {
			if _, err := tx.ExecContext(t.Context(), statement); err != nil {
				t.Fatal(statement, err)
			}
		}
		if _, err := tx.ExecContext(
			t.Context(), "UPDATE batch_chunks SET done = 0, input = $1", stored.Input,
		); err != nil {
			t.Fatal(err)
		}
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
		a, _, _ := startApp(t, "-database-url", databaseURL, "-master-key", b.config.MasterKey)
		n := &node{url: a.URL()}
		n.awaitBatch(t, b.apiKey, "/v1/backtest/"+b.backtest, func(run map[string]any, _ float64) bool {
			return run["status"] == "failed"
		})
		if status, body := b.get(t, a, "/v1/backtest/"+b.backtest); !strings.Contains(body, `"backtest_expired"`) ||
			!strings.Contains(body, "upload them again") {
			t.Errorf("the backtest is %d %s", status, body)
		}
		n.awaitBatch(t, b.apiKey, "/v1/batches/"+b.batch, func(batch map[string]any, _ float64) bool {
			return batch["status"] == "completed"
		})
		if status, body := b.get(t, a, "/v1/batches/"+b.batch+"/results"); strings.Contains(body, `"decision_id"`) ||
			strings.Count(body, `"erased"`) != 2 || !strings.Contains(body, "send it again") {
			t.Errorf("the results are %d %s", status, body)
		}
	})
}
