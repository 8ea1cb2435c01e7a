package console_test

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"verdict/internal/admission"
	"verdict/internal/console"
	"verdict/internal/serving"
)

// slotless counts the writes of response bodies, and the writes during which
// the request holds its processor slot. A slot must not be held during a write,
// because the reader may be slow.
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

// leaping returns a clock that advances by a second on every call, so that
// every computation appears to take long.
func leaping() func() time.Time {
	var seconds atomic.Int64
	return func() time.Time { return time.Unix(seconds.Add(1), 0) }
}

func (w *slotless) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// TestNobodyComputesWhileTheReaderReads checks that no page is sent while its request holds a processor slot.
func TestNobodyComputesWhileTheReaderReads(t *testing.T) {
	t.Parallel()
	processors := admission.NewScheduler(1, leaping())
	var writes, held atomic.Int64
	h := houseWith(t, sqlite(t), console.Options{
		Node: serving.NewNode(serving.Limits{Processors: processors}),
	})
	h.behind(func(w http.ResponseWriter, r *http.Request) {
		h.console.ServeHTTP(&slotless{w, processors, &writes, &held}, r)
	})
	b := h.signUp()
	for _, path := range []string{"/console/sandbox/policies", "/console/sandbox/decisions", "/console/sandbox/audit"} {
		b.get(path).want(http.StatusOK)
	}
	if writes.Load() == 0 || held.Load() > 0 {
		t.Errorf("%d of %d writes held the processor", held.Load(), writes.Load())
	}
}
