package telemetry

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// scrape returns the metrics page that Prometheus would read.
func scrape(t *testing.T, m *Metrics) string {
	t.Helper()
	answer := httptest.NewRecorder()
	m.Handler().ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	if answer.Code != http.StatusOK {
		t.Fatalf("the metrics answer %d: %s", answer.Code, answer.Body)
	}
	return answer.Body.String()
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	stats := StoreStats{Batches: 3, Writes: 12, Waiting: 5, Aside: 2}
	m := New(
		Options{Version: "1.2.3", Commit: "abc", EngineVersion: "2026.11.1", Store: func() StoreStats { return stats }})
	m.Request(Request{
		Route:    "POST /v1/decisions",
		Method:   "POST",
		Status:   200,
		Duration: 3 * time.Millisecond,
		BytesIn:  100,
		BytesOut: 900,
	})
	m.Request(
		Request{Route: "POST /v1/decisions", Method: "POST", Status: 422, Duration: time.Millisecond, BytesIn: -1})
	m.Request(Request{Method: "BREW", Status: 7})
	m.Refused("rate_limited")
	m.Refused("rate_limited")
	m.Decision("APPROVED")
	m.Rule(RuleResult{
		TenantID:    "ten_1",
		Environment: "live",
		PolicyKey:   "default",
		RuleID:      "KO",
		Evaluated:   10,
		Hit:         3,
		Unknown:     2,
	})
	page := scrape(t, m)
	for _, want := range []string{
		`verdict_http_requests_total{method="POST",route="POST /v1/decisions",status="2xx"} 1`,
		`verdict_http_requests_total{method="POST",route="POST /v1/decisions",status="4xx"} 1`,
		`verdict_http_requests_total{method="other",route="unmatched",status="other"} 1`,
		`verdict_http_request_duration_seconds_bucket` +
			`{method="POST",route="POST /v1/decisions",status="2xx",le="0.005"} 1`,
		`verdict_http_request_duration_seconds_bucket` +
			`{method="POST",route="POST /v1/decisions",status="2xx",le="0.0025"} 0`,
		`verdict_http_received_bytes_total{route="POST /v1/decisions"} 100`,
		`verdict_http_sent_bytes_total{route="POST /v1/decisions"} 900`,
		`verdict_refusals_total{code="rate_limited"} 2`,
		`verdict_decisions_total{status="APPROVED"} 1`,
		`verdict_rule_results_total{environment="live",policy_key="default",result="hit",rule="KO",tenant="ten_1"} 3`,
		`verdict_rule_results_total{environment="live",policy_key="default",result="ran",rule="KO",tenant="ten_1"} 10`,
		`verdict_rule_results_total` +
			`{environment="live",policy_key="default",result="unknown",rule="KO",tenant="ten_1"} 2`,
		`verdict_store_commits_total 3`, `verdict_store_writes_total 12`, `verdict_store_waiting_writes 5`,
		`verdict_store_aside_writes 2`,
		`verdict_build_info{commit="abc",engine_version="2026.11.1",go_version="go`,
		`verdict_metrics_dropped_total 0`, "go_goroutines ", "process_open_fds ",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the metrics have no %s", want)
		}
	}
}

// TestMetricsHaveTheirOwnRegistry checks that two apps in one process, as in
// tests, do not share a registry.
func TestMetricsHaveTheirOwnRegistry(t *testing.T) {
	t.Parallel()
	one, other := New(Options{}), New(Options{})
	one.Refused("not_found")
	if strings.Contains(scrape(t, other), "not_found") {
		t.Error("one registry shows what another counted")
	}
}

// TestRuleSeriesAreBounded checks that the number of series has a limit,
// whatever the number of rules, and that results beyond the limit are counted
// as dropped.
func TestRuleSeriesAreBounded(t *testing.T) {
	t.Parallel()
	m := New(Options{RuleSeries: 10})
	for i := range 25 {
		m.Rule(RuleResult{TenantID: "ten_1", RuleID: fmt.Sprint("KO_", i), Evaluated: 2})
	}
	m.Rule(RuleResult{TenantID: "ten_1", RuleID: "KO_0", Evaluated: 1})
	page := scrape(t, m)
	if n := strings.Count(page, "\nverdict_rule_results_total{"); n != 10 {
		t.Errorf("there are %d series, want 10", n)
	}
	for _, want := range []string{`rule="KO_0",tenant="ten_1"} 3`, "verdict_metrics_dropped_total 30"} {
		if !strings.Contains(page, want) {
			t.Errorf("the metrics have no %s", want)
		}
	}
}
