package httpapi_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// TestReadyMeansWritable checks that the service is not ready while the
// database accepts no writes, and is ready again afterwards without a restart.
func TestReadyMeansWritable(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.Postgres(t)
	s := start(t, storetest.Open(t, databaseURL, store.Options{}), stackOptions{})
	m := s.signup()
	address, err := url.Parse(databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimPrefix(address.Path, "/")
	address.Path = "/postgres"
	admin := storetest.Raw(t, address.String())
	readOnly := func(value string) {
		t.Helper()
		for _, statement := range []string{
			"ALTER DATABASE " + name + " SET default_transaction_read_only = " + value,
			"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" + name + "'",
		} {
			if _, err := admin.ExecContext(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
		}
	}
	ready := func(want int) {
		t.Helper()
		s.clock.advance(2 * time.Second)
		s.send("GET", "/readyz", "", "").want(want)
		s.clock.advance(2 * time.Second)
		m.get("/v1/health").want(want)
	}
	ready(http.StatusOK)
	ready(http.StatusOK)
	readOnly("on") // a read-only database, such as a standby, counts as not ready
	ready(http.StatusServiceUnavailable)
	ready(http.StatusServiceUnavailable)
	readOnly("off")
	ready(http.StatusOK)
	m.post("/v1/decisions", sample).want(http.StatusOK)
}
