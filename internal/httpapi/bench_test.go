package httpapi_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"verdict/internal/httpapi"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
)

// sink is a response writer that counts and discards the body.
type sink struct {
	header http.Header
	status int
	bytes  int
}

func (s *sink) Header() http.Header         { return s.header }
func (s *sink) WriteHeader(status int)      { s.status = status }
func (s *sink) Write(b []byte) (int, error) { s.bytes += len(b); return len(b), nil }

// sender returns a function. Every call of the function sends the same request,
// without the network.
func sender(tb testing.TB, path string) (send func()) {
	tb.Helper()
	plenty := tenant.Rate{Allowance: 1 << 30, Window: time.Second, Burst: 1 << 30}
	plans, err := tenant.DefaultPricePlans().WithQuotas("free=unmetered")
	if err != nil {
		tb.Fatal(err)
	}
	plans = plans.WithRates(tenant.Rates{Decide: plenty, Write: plenty, Backtest: plenty})
	service, err := usecase.New(storetest.Open(tb, storetest.SQLite(tb), store.Options{}),
		usecase.Options{Plans: plans, MasterKey: usecasetest.MasterKey})
	if err != nil {
		tb.Fatal(err)
	}
	api, err := httpapi.New(service, httpapi.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	request := func(path, key, body string) *http.Request {
		r := httptest.NewRequestWithContext(tb.Context(), http.MethodPost, path, bytes.NewReader([]byte(body)))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer "+key)
		return r
	}
	signed := httptest.NewRecorder()
	api.ServeHTTP(signed, request("/api/signup", "", `{
		"email":"bench@example.in","org_name":"Bench","password":"correct horse"
	}`))
	var key struct {
		Text string `json:"api_key"`
	}
	if err := json.Unmarshal(signed.Body.Bytes(), &key); err != nil {
		tb.Fatal(err)
	}
	r := request(path, key.Text, sample)
	body := bytes.NewReader([]byte(sample))
	return func() {
		_, _ = body.Seek(0, io.SeekStart)
		r.Body = io.NopCloser(body)
		w := &sink{header: http.Header{}}
		api.ServeHTTP(w, r)
		if w.status != http.StatusOK {
			tb.Fatalf("status %d", w.status)
		}
	}
}

func benchmark(b *testing.B, path string) {
	b.Helper()
	send := sender(b, path)
	b.ReportAllocs()
	for b.Loop() {
		send()
	}
}

func BenchmarkPreview(b *testing.B)     { benchmark(b, "/v1/decisions/preview") }
func BenchmarkEligibility(b *testing.B) { benchmark(b, "/v1/eligibility") }
func BenchmarkDecide(b *testing.B)      { benchmark(b, "/v1/decisions") }
