package telemetry

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/sdk/trace"
	oteltrace "go.opentelemetry.io/otel/trace"
)

const (
	callersTrace  = "4bf92f3577b34da6a3ce929d0e0e4736"
	callersParent = "00-" + callersTrace + "-00f067aa0ba902b7-01"
)

// gathered stores the exported spans for the test.
type gathered struct{ spans []map[string]string }

func (g *gathered) ExportSpans(_ context.Context, spans []trace.ReadOnlySpan) error {
	for _, s := range spans {
		span := map[string]string{
			"name":   s.Name(),
			"trace":  s.SpanContext().TraceID().String(),
			"parent": s.Parent().SpanID().String(),
		}
		for _, a := range s.Attributes() {
			span[string(a.Key)] = a.Value.String()
		}
		for _, e := range s.Events() {
			span["event"] = e.Name
		}
		span["status"] = s.Status().Description
		g.spans = append(g.spans, span)
	}
	return nil
}

func (*gathered) Shutdown(context.Context) error { return nil }

// TestTraceTellsOnlyWhatIsAllowed checks that the path, the query, the caller's
// address and error texts are not exported, and that the caller's trace is
// continued.
func TestTraceTellsOnlyWhatIsAllowed(t *testing.T) {
	t.Parallel()
	var out gathered
	tracing := newTracing(&out, TraceOptions{Ratio: 1})
	handler := tracing.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		oteltrace.SpanFromContext(r.Context()).AddEvent("ABCDE1234F")
		Annotate(r.Context(), "GET /v1/decisions/{id}", "ten_1", "live", "req_1")
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v1/decisions/ABCDE1234F?pan=ABCDE1234F", nil)
	r.Header.Set("Traceparent", callersParent)
	r.Header.Set("User-Agent", "ABCDE1234F")
	handler.ServeHTTP(httptest.NewRecorder(), r)
	if err := tracing.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := []map[string]string{{
		"name": "GET /v1/decisions/{id}", "trace": callersTrace, "parent": "00f067aa0ba902b7", "status": "",
		"http.request.method": "GET", "http.route": "GET /v1/decisions/{id}", "http.response.status_code": "503",
		"verdict.tenant_id": "ten_1", "verdict.environment": "live", "verdict.request_id": "req_1",
	}}
	if diff := cmp.Diff(want, out.spans); diff != "" {
		t.Errorf("the span (-want +got):\n%s", diff)
	}
}

// TestTraceReachesACollector checks that a span is sent to the collector's HTTP
// endpoint.
func TestTraceReachesACollector(t *testing.T) {
	t.Parallel()
	paths := make(chan string, 4)
	collector := httptest.NewServer(
		http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { paths <- r.URL.Path }))
	defer collector.Close()
	tracing, err := NewTracing(t.Context(), TraceOptions{Endpoint: collector.URL, Ratio: 1, Version: "1.0.0"})
	if err != nil {
		t.Fatal(err)
	}
	tracing.Wrap(http.NotFoundHandler()).ServeHTTP(httptest.NewRecorder(),
		httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
	if err := tracing.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := <-paths; got != "/v1/traces" {
		t.Errorf("the span went to %s", got)
	}
}

func TestWithoutACollector(t *testing.T) {
	t.Parallel()
	tracing, err := NewTracing(t.Context(), TraceOptions{})
	if tracing != nil || err != nil {
		t.Fatalf("got %v, %v", tracing, err)
	}
	var out bytes.Buffer
	logger, err := NewLogger(&out, "json", slog.LevelInfo)
	if err != nil {
		t.Fatal(err)
	}
	handler := tracing.Wrap(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		Annotate(r.Context(), "GET /", "ten_1", "live", "req_1")
		logger.With("a", 1).InfoContext(r.Context(), "answered")
	}))
	for _, c := range []struct{ header, want string }{
		{callersParent, callersTrace}, {"", ""}, {"00-nonsense", ""},
		{"00-" + strings.Repeat("0", 32) + "-00f067aa0ba902b7-01", ""},
	} {
		out.Reset()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		r.Header.Set("Traceparent", c.header)
		handler.ServeHTTP(httptest.NewRecorder(), r)
		var line map[string]any
		if err := json.Unmarshal(out.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		if got, _ := line["trace_id"].(string); got != c.want {
			t.Errorf("traceparent %q: the log's trace_id is %q, want %q", c.header, got, c.want)
		}
	}
	if err := tracing.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestCollectorURL(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ endpoint, want string }{
		{"http://localhost:4318", "http://localhost:4318/v1/traces"},
		{"https://otel.example.in/", "https://otel.example.in/v1/traces"},
		{"https://otel.example.in/own/path", "https://otel.example.in/own/path"},
		{"localhost:4318", ""}, {"ftp://x", ""}, {"http://", ""}, {"::", ""},
	} {
		got, err := CollectorURL(c.endpoint)
		if got != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%q gives %q, %v", c.endpoint, got, err)
		}
	}
}

func TestLogger(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	logger, err := NewLogger(&out, "text", slog.LevelWarn)
	if err != nil {
		t.Fatal(err)
	}
	logger.Info("unheard")
	logger.WithGroup("g").Warn("heard", "a", 1)
	if got := out.String(); !strings.Contains(got, "level=WARN msg=heard g.a=1\n") || strings.Contains(got, "unheard") {
		t.Errorf("the log says %q", got)
	}
	if _, err := NewLogger(&out, "xml", slog.LevelInfo); err == nil {
		t.Error("a log in XML is not refused")
	}
}
