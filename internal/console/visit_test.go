package console

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"verdict/internal/usecase"
)

// TestPanicsStayOurs lets a page panic with text that a user typed. The user
// sees an internal error, and the log shows the stack of the panic but not the
// text.
func TestPanicsStayOurs(t *testing.T) {
	t.Parallel()
	const typed = "PAN ABCDE1234F"
	var log bytes.Buffer
	c, err := New(&usecase.Set{}, Options{Logger: slog.New(slog.NewJSONHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/console/broken", nil)
	c.visit(w, r, &page{pattern: "GET /console/broken", public: true, handle: func(*visit) error { panic(typed) }}, "")
	if w.Code != http.StatusInternalServerError || strings.Contains(w.Body.String(), typed) {
		t.Errorf("the visitor hears %d: %s", w.Code, w.Body)
	}
	if n := strings.Count(log.String(), "\n"); n != 1 {
		t.Errorf("the panic is logged %d times: %s", n, &log)
	}
	if said := log.String(); strings.Contains(said, typed) || !strings.Contains(said, "visit_test.go") {
		t.Errorf("the log says %s", said)
	}
}
