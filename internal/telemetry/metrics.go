package telemetry

import (
	"net/http"
	"runtime"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Options configures the metrics.
type Options struct {
	Version, Commit, EngineVersion string
	// Statuses are the outcomes of decisions. Each has a counter from the start, with the value 0.
	Statuses []string
	// Store reads the counters of the store; nil if there is none.
	Store func() StoreStats
	// NotSigned returns the number of decision logs that cannot be signed. It is nil if nothing is signed.
	NotSigned func() int
	// UnsignedAge returns the age of the oldest log entry that could not be signed. It is nil if nothing is
	// signed.
	UnsignedAge func() time.Duration
	// RuleSeries is the maximum number of series for rule results (default
	// 10,000). Tenants choose the names of rules, so without this limit they
	// would determine how much memory this process and Prometheus need.
	RuleSeries int
}

// StoreStats are the counters of the committer since the database was opened.
type StoreStats struct {
	Batches int64 // transactions committed
	Writes  int64 // writes in those transactions
	Waiting int   // writes in the queue now
	Aside   int   // writes of scopes that wait for a lock of another transaction
}

// Metrics holds the metrics of the service, on its own registry. Its methods are
// safe for concurrent use and cheap enough for every request.
type Metrics struct {
	registry  *prometheus.Registry
	requests  *prometheus.CounterVec
	durations *prometheus.HistogramVec
	received  *prometheus.CounterVec
	sent      *prometheus.CounterVec
	refusals  *prometheus.CounterVec
	decisions *prometheus.CounterVec
	rules     *ruleResults
}

// durationBuckets range from the duration of a preview that is answered from
// memory to the duration of a request that times out.
var durationBuckets = []float64{.00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}

// New creates the metrics and registers them.
func New(o Options) *Metrics {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: counter("verdict_http_requests_total",
			"Requests answered, by route pattern, method and status class.", "route", "method", "status"),
		durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "verdict_http_request_duration_seconds", Help: "Time from the first byte read to the answer written.",
			Buckets: durationBuckets,
		}, []string{"route", "method", "status"}),
		received: counter("verdict_http_received_bytes_total", "Bytes of request bodies read.", "route"),
		sent:     counter("verdict_http_sent_bytes_total", "Bytes of answers written.", "route"),
		refusals: counter("verdict_refusals_total",
			"Requests refused, by error code: unauthenticated, rate_limited, quota_exceeded and the rest.", "code"),
		decisions: counter("verdict_decisions_total", "Decisions stored, by status.", "status"),
		rules:     newRuleResults(o.RuleSeries),
	}
	// Create the counters now. For Prometheus, a counter that does not exist yet is not 0, so an alert about decisions
	// that stop, or about approvals, would be silent after a restart.
	for _, status := range o.Statuses {
		m.decisions.WithLabelValues(status)
	}
	m.registry.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		m.requests, m.durations, m.received, m.sent, m.refusals, m.decisions, m.rules.vec, m.rules.dropped,
		buildInfo(o),
	)
	if o.NotSigned != nil {
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "verdict_logs_not_signed",
			Help: "Logs of decisions that are not signed, because the database contains less than what was signed.",
		}, func() float64 { return float64(o.NotSigned()) }))
	}
	if o.UnsignedAge != nil {
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "verdict_log_oldest_unsigned_seconds",
			Help: "Age of the oldest entry of a log that could not be signed, found once a minute; 0 if there is none.",
		}, func() float64 { return o.UnsignedAge().Seconds() }))
	}
	if o.Store != nil {
		m.registry.MustRegister(storeCollectors(o.Store)...)
	}
	return m
}

func buildInfo(o Options) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "verdict_build_info", Help: "Always 1; the labels name the running version.",
		ConstLabels: prometheus.Labels{
			"version": o.Version, "commit": o.Commit, "engine_version": o.EngineVersion,
			"go_version": runtime.Version(),
		},
	}, func() float64 { return 1 })
}

func storeCollectors(stats func() StoreStats) []prometheus.Collector {
	return []prometheus.Collector{
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "verdict_store_commits_total", Help: "Transactions committed by the group committer.",
		}, func() float64 { return float64(stats().Batches) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "verdict_store_writes_total",
			Help: "Writes committed. Divided by verdict_store_commits_total, this is the average batch size.",
		}, func() float64 { return float64(stats().Writes) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "verdict_store_waiting_writes", Help: "Writes that are waiting for the committer.",
		}, func() float64 { return float64(stats().Waiting) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "verdict_store_aside_writes",
			Help: "Writes set aside because another transaction has locked rows of the same tenant and environment.",
		}, func() float64 { return float64(stats().Aside) }),
	}
}

// Handler serves the metrics to Prometheus.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		MaxRequestsInFlight: 4, Timeout: 10 * time.Second, Registry: m.registry,
	})
}

// Request is one answered request.
type Request struct {
	Route             string // the pattern of the route, never a path; "" if no route matched
	Method            string
	Status            int
	Duration          time.Duration
	BytesIn, BytesOut int64
}

// Request counts an answered request.
func (m *Metrics) Request(r Request) {
	route, method, status := r.Route, knownMethod(r.Method), statusClass(r.Status)
	if route == "" {
		route = "unmatched"
	}
	m.requests.WithLabelValues(route, method, status).Inc()
	m.durations.WithLabelValues(route, method, status).Observe(r.Duration.Seconds())
	m.received.WithLabelValues(route).Add(float64(max(r.BytesIn, 0)))
	m.sent.WithLabelValues(route).Add(float64(max(r.BytesOut, 0)))
}

// Refused counts a refusal by its stable code. The set of codes is fixed, so the
// number of series is limited.
func (m *Metrics) Refused(code string) { m.refusals.WithLabelValues(code).Inc() }

// Decision counts a decision that was stored.
func (m *Metrics) Decision(status string) { m.decisions.WithLabelValues(status).Inc() }

// knownMethod returns "other" for an unusual method, because invented methods
// would create series without bound.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodOptions:
		return method
	}
	return "other"
}

func statusClass(status int) string {
	if status < 100 || status > 599 {
		return "other"
	}
	return [...]string{"1xx", "2xx", "3xx", "4xx", "5xx"}[status/100-1]
}
