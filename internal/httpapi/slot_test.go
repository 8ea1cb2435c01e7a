package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"verdict/internal/admission"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// slotless counts the writes of response bodies, and the writes during which
// the only processor slot is held. A slow reader must not hold the slot.
type slotless struct {
	http.ResponseWriter

	processors *admission.Scheduler
	writes     *atomic.Int64
	held       *atomic.Int64
}

func (w *slotless) Write(p []byte) (int, error) {
	w.writes.Add(1)
	w.held.Add(int64(w.processors.Held()))
	return w.ResponseWriter.Write(p)
}

// leaping returns a clock that advances a second at every reading, so that
// every computation seems to take long.
func leaping() func() time.Time {
	var seconds atomic.Int64
	return func() time.Time { return time.Unix(seconds.Add(1), 0) }
}

func (w *slotless) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// TestNobodyComputesWhileTheCallerReads checks that no answer, and in
// particular no export, is sent while its request holds a processor slot.
func TestNobodyComputesWhileTheCallerReads(t *testing.T) {
	t.Parallel()
	processors := admission.NewScheduler(1, leaping())
	var writes, held atomic.Int64
	s := start(t, storetest.Open(t, storetest.SQLite(t), store.Options{}), stackOptions{
		processors: processors,
		front: func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				next.ServeHTTP(&slotless{w, processors, &writes, &held}, r)
			})
		},
	})
	m := s.signup()
	var rows strings.Builder
	for i := range 300 {
		fmt.Fprintf(&rows, "%d,720,50000\\n", i)
	}
	run := m.post("/v1/backtest", `{"csv":"id,score,monthly_income\n`+rows.String()+`","id_column":"id"}`).
		want(http.StatusOK)
	before := writes.Load()
	m.get("/v1/backtest/" + run.text("backtest_id") + "/rows").want(http.StatusOK)
	if writes.Load() == before || held.Load() > 0 {
		t.Errorf("%d of %d writes held a processor", held.Load(), writes.Load())
	}
}
