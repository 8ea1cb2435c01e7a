package signon_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"verdict/internal/account"
	"verdict/internal/fault"
	"verdict/internal/signon"
)

// TestErrorsAreBrief checks the error about a provider that answers with a long page: the error must contain only the
// beginning of the page. The error is logged, and anybody can cause it by beginning a sign-in.
func TestErrorsAreBrief(t *testing.T) {
	t.Parallel()
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadGateway)
		_, _ = w.Write([]byte(strings.Repeat("é", 100_000)))
	}))
	defer provider.Close()
	text := strings.Replace(good, "https://id.acme.example", provider.URL, 1)
	list, err := signon.Read([]byte(`{"connections":[`+text+`]}`),
		signon.Options{HTTP: provider.Client(), Now: time.Now}, func(string) string { return "x" })
	if err != nil {
		t.Fatal(err)
	}
	_, err = list[0].Provider.Start(t.Context(), account.Flow{})
	if fault.CodeOf(err) != fault.CodeSignOnUnavailable || len(err.Error()) > 1000 ||
		!strings.Contains(err.Error(), "502") {
		t.Errorf("%d bytes: %.1000v", len(err.Error()), err)
	}
}
