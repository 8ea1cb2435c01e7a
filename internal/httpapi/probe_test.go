package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"verdict/internal/httpapi"
	"verdict/internal/serving"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
)

// TestProbesBeyondTheRateAreDelayed checks that probes beyond the rate limit of
// an address are answered a second late. Probes from another address are not
// delayed, and neither are probes from an address that exceeds the limit on
// other paths.
func TestProbesBeyondTheRateAreDelayed(t *testing.T) {
	t.Parallel()
	service, err := usecase.New(storetest.Open(t, storetest.SQLite(t), store.Options{}), usecase.Options{})
	if err != nil {
		t.Fatal(err)
	}
	api, err := httpapi.New(service, httpapi.Options{
		Node: serving.NewNode(serving.Limits{StrangerRate: tenant.Rate{Allowance: 1, Window: time.Hour, Burst: 3}}),
		Now:  func() time.Time { return time.Unix(1_800_000_000, 0) },
	})
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		for i, c := range []struct {
			path, from string
			want       time.Duration
		}{
			{"/docs", "192.0.2.1:80", 0},
			{"/docs", "192.0.2.1:80", 0},
			{"/docs", "192.0.2.1:80", 0},
			{"/docs", "192.0.2.1:80", time.Second},
			{"/livez", "192.0.2.1:80", 0},
			{"/livez", "192.0.2.1:80", 0},
			{"/livez", "192.0.2.1:80", 0},
			{"/livez", "192.0.2.1:80", time.Second},
			{"/livez", "192.0.2.2:80", 0},
		} {
			r := httptest.NewRequest(http.MethodGet, c.path, nil)
			r.RemoteAddr = c.from
			w, begun := httptest.NewRecorder(), time.Now()
			api.ServeHTTP(w, r)
			if took := time.Since(begun); took != c.want || w.Code != http.StatusOK {
				t.Errorf("request %d, of %s: %d after %s, want %d after %s", i, c.path, w.Code,
					took, http.StatusOK, c.want)
			}
		}
	})
}
