package app

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"verdict/internal/store"
)

// TestKilledUploads starts a service on a database in which an earlier process was killed while it received a backtest
// and a batch. On SQLite both are failed immediately, with a text that says what to do. On PostgreSQL another node may
// still receive them, so they are left alone until an hour has passed.
func TestKilledUploads(t *testing.T) {
	t.Parallel()
	everyDatabase(t, func(t *testing.T, databaseURL string) {
		b := newUploadBench(t, databaseURL)
		scope := b.db.Scope(b.tenant, "sandbox")
		backtest, err := scope.Backtests(t.Context()).Get(b.backtest)
		if err != nil {
			t.Fatal(err)
		}
		batch, err := scope.BatchJobs(t.Context()).Get(b.batch)
		if err != nil {
			t.Fatal(err)
		}
		another := func(id string) string {
			if strings.HasSuffix(id, "0") {
				return id[:len(id)-1] + "1"
			}
			return id[:len(id)-1] + "0"
		}
		backtest.ID, backtest.Status, backtest.FinishedMicros, backtest.UploadKey = another(b.backtest),
			store.BacktestReceiving, 0, 0
		batch.ID, batch.Status, batch.FinishedMicros, batch.UploadKey = another(b.batch), store.BatchJobReceiving, 0, 0
		err = scope.Write(t.Context(), func(tx *store.Tx) error {
			if err := tx.BatchJobs().Insert(batch); err != nil {
				return err
			}
			return tx.Backtests().Insert(backtest)
		})
		if err != nil {
			t.Fatal(err)
		}
		paths := []string{"/v1/backtest/" + backtest.ID, "/v1/batches/" + batch.ID}

		a, _, _ := startApp(t, "-database-url", databaseURL, "-master-key", b.config.MasterKey)
		if b.db.Kind() != "sqlite" {
			for _, path := range paths {
				status, body := b.get(t, a, path)
				if status != http.StatusOK || !strings.Contains(body, `"receiving"`) {
					t.Errorf("%s is %d %s", path, status, body)
				}
			}
			if err := a.failReceiving(t.Context(), time.Now()); err != nil { // as the sweep does after arriveWithin
				t.Fatal(err)
			}
		}
		for _, path := range paths {
			(&node{url: a.URL()}).awaitBatch(t, b.apiKey, path, func(job map[string]any, _ float64) bool {
				return job["status"] == "failed"
			})
			if _, body := b.get(t, a, path); !strings.Contains(body, `"input_incomplete"`) ||
				!strings.Contains(body, "because the client or the service stopped") {
				t.Errorf("%s is %s", path, body)
			}
		}
	})
}
