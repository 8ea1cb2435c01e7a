package serving

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"verdict/internal/admission"
)

// TestExportLetsOthersCompute sends a long file while another owner has a request in progress. The export must rest
// three times as long as it computes.
func TestExportLetsOthersCompute(t *testing.T) {
	t.Parallel()
	const parts, computing = 50, 2 * time.Millisecond
	send := func(t *testing.T, beside bool) (took time.Duration) {
		t.Helper()
		processors := admission.NewScheduler(1, time.Now)
		if beside {
			_, other := processors.Enter(t.Context(), "other")
			other.Pause() // the request is in progress and waits for the committer
			defer other.Leave()
		}
		ctx, slot := processors.Enter(t.Context(), "exporter")
		defer slot.Leave()
		slot.Background()
		begun := time.Now()
		export := Export{
			Request: httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil),
			Out:     httptest.NewRecorder(),
			Slot:    slot,
			Start:   func(to io.Writer) io.Writer { return to },
		}
		err := export.Send(func(out io.Writer, pause func()) error {
			for range parts {
				time.Sleep(computing) // simulates computing, in the fake time of synctest
				if _, err := io.WriteString(out, "row\n"); err != nil {
					return err
				}
				pause()
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		return time.Since(begun)
	}
	synctest.Test(t, func(t *testing.T) {
		if took := send(t, false); took != parts*computing {
			t.Errorf("alone it took %s", took)
		}
		if took := send(t, true); took < 4*(parts-1)*computing {
			t.Errorf("beside another owner it took %s", took)
		}
	})
}
