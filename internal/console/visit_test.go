package console

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"verdict/internal/fault"
	"verdict/internal/usecase"
)

// TestPanicsStayOurs lets a page panic with text that a user typed, on its own goroutine and on
// another one. The user sees an internal error, and the log shows the place of the panic but not
// the text.
func TestPanicsStayOurs(t *testing.T) {
	t.Parallel()
	const typed, place = "PAN ABCDE1234F", "committer.go:7"
	for _, cause := range []any{typed, &fault.Panic{Value: typed, Stack: []byte(place)}} {
		var log bytes.Buffer
		c, err := New(&usecase.Set{}, Options{Logger: slog.New(slog.NewJSONHandler(&log, nil))})
		if err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/console/broken", nil)
		broken := &page{pattern: "GET /console/broken", public: true, handle: func(*visit) error { panic(cause) }}
		c.visit(w, r, broken, "")
		if w.Code != http.StatusInternalServerError || strings.Contains(w.Body.String(), typed) ||
			strings.Contains(w.Body.String(), place) {
			t.Errorf("the visitor hears %d: %s", w.Code, w.Body)
		}
		if n := strings.Count(log.String(), "\n"); n != 1 {
			t.Errorf("the panic is logged %d times: %s", n, &log)
		}
		said := log.String()
		if strings.Contains(said, typed) || !strings.Contains(said, "visit_test.go") {
			t.Errorf("the log says %s", said)
		}
		if _, again := cause.(*fault.Panic); strings.Contains(said, place) != again {
			t.Errorf("the log says %s", said)
		}
	}
}
