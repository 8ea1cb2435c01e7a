package httpapi_test

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"verdict/internal/httpapi"
	"verdict/internal/usecase"
)

// TestPageThatCannotBeRendered checks the answer if a page of the documentation cannot be rendered. The answer is a
// problem document, as for every other error, and does not show the cause. The cause is logged once.
func TestPageThatCannotBeRendered(t *testing.T) {
	t.Parallel()
	var logged bytes.Buffer
	api, err := httpapi.New(&usecase.Set{}, httpapi.Options{Logger: slog.New(slog.NewTextHandler(&logged, nil))})
	if err != nil {
		t.Fatal(err)
	}
	api.AddFailingPage("GET /docs/failing", errors.New("the template is broken"))
	w := httptest.NewRecorder()
	api.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/docs/failing", nil))
	body := w.Body.String()
	if w.Code != http.StatusInternalServerError || w.Header().Get("Content-Type") != "application/problem+json" ||
		!strings.Contains(body, `"code":"internal_error"`) || strings.Contains(body, "template") {
		t.Errorf("%d %s: %s", w.Code, w.Header().Get("Content-Type"), body)
	}
	if strings.Count(logged.String(), "the template is broken") != 1 {
		t.Errorf("logged %q", logged.String())
	}
}
