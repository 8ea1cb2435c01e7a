package httpapi_test

import (
	"context"
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

// slotless reports, for every body that is written, whether somebody else could
// have the one processor meanwhile: a reader may take all day.
type slotless struct {
	http.ResponseWriter

	processors *admission.Scheduler
	writes     *atomic.Int64
	held       *atomic.Int64
}

func (w *slotless) Write(p []byte) (int, error) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // it does not wait
	w.writes.Add(1)
	if _, slot, err := w.processors.Enter(ctx, "somebody else"); err != nil {
		w.held.Add(1)
	} else {
		slot.Leave()
	}
	return w.ResponseWriter.Write(p)
}

func (w *slotless) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// No answer is sent while its request holds a processor, an export's least of
// all.
func TestNobodyComputesWhileTheCallerReads(t *testing.T) {
	t.Parallel()
	processors := admission.NewScheduler(1, time.Now)
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
	run := m.post("/v1/backtest", `{"csv":"id,score,monthly_income\n`+rows.String()+`","id_column":"id"}`).want(http.StatusOK)
	before := writes.Load()
	m.get("/v1/backtest/" + run.text("backtest_id") + "/rows").want(http.StatusOK)
	if writes.Load() == before || held.Load() > 0 {
		t.Errorf("%d of %d writes held a processor", held.Load(), writes.Load())
	}
}
