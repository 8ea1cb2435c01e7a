// Package httpapi is the way in by HTTP: the REST/JSON API, its documentation
// and the probes.
//
// It knows routes, keys, limits, headers and status codes, and nothing about
// credit: a handler turns a request into a call of package decisioning, and the
// answer's bytes come from there. Every refusal passes one mapper, which turns
// it into a problem document and lets nothing internal out.
package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime"
	"sync/atomic"
	"time"

	"verdict/api"
	"verdict/internal/admission"
	"verdict/internal/agent"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
)

// Options are what an API needs besides its use cases. A zero field takes its
// default.
type Options struct {
	Logger          *slog.Logger
	Now             func() time.Time
	Version, Commit string
	// SignupRate is the bucket of each address that signs up.
	SignupRate tenant.Rate
	// MaxBody is the largest body that is read, in bytes; 1 MiB. MaxReport is
	// the same where a bureau report or a bank statement may come; 8 MiB.
	MaxBody   int64
	MaxReport int64
	// MaxReading is the memory that bodies may take while they are read and
	// worked on, all together; 512 MiB. One tenant has at most half of it, as of
	// the other two.
	MaxReading int64
	// MaxInFlight is how many requests are worked on at once; 512. Those beyond
	// are refused immediately. Those that only read count apart.
	MaxInFlight int
	// MaxExports is how many files are sent at once; 4. Those beyond are refused
	// immediately.
	MaxExports int
	// Processors shares processor time among tenants; by default one slot for
	// each processor.
	Processors *admission.Scheduler
	// StrangerRate is how fast an address may send requests without a valid key
	// before each of them is delayed; zero is no bound.
	StrangerRate tenant.Rate
	// RefusalRate is how fast a tenant is refused before each further refusal is
	// delayed; zero is no bound.
	RefusalRate tenant.Rate
	// RequestTimeout bounds the work on one request; 20 s. It should be less
	// than the server's own patience with writing the answer.
	RequestTimeout time.Duration
	// FilePace is the time in which every 256 KiB of a file must arrive; 30 s.
	FilePace time.Duration
	// Agents run on the same use cases; those without a narrator when nil.
	Agents *agent.Service
	// TrustedProxies are the networks whose word on a client's address is
	// taken.
	TrustedProxies []netip.Prefix
	// Observe is told of every request when it is over; it must not block.
	Observe func(Observation)
}

// Observation is one request, for metrics. Nothing in it was sent by a
// stranger: the route is a pattern of ours.
type Observation struct {
	Route    string // such as "POST /v1/decisions"; "unmatched" when there is none
	Status   int
	Code     string // of the refusal, "" when there was none
	Duration time.Duration
	BytesIn  int64
	BytesOut int64

	// Context is the request's, for the trace it is part of; the rest says whose
	// it was, "" when it came without a valid key.
	Context                          context.Context
	RequestID, TenantID, Environment string
}

// API serves HTTP.
type API struct {
	service      *usecase.Set
	agents       *agent.Service
	options      Options
	routes       *router
	ids          *tenant.IDs
	buckets      tenant.Buckets[owner]
	docs         *http.ServeMux
	pages        *docs
	reading      *admission.Pool // bytes
	works, reads *admission.Pool
	exports      *admission.Pool
	delayed      *admission.Pool
	processors   *admission.Scheduler
	probes       readiness
	started      time.Time
	leaving      atomic.Bool
}

const (
	defaultMaxBody   = 1 << 20
	defaultMaxReport = 8 << 20

	defaultMaxReading     = 512 << 20
	defaultMaxInFlight    = 512
	defaultMaxExports     = 4
	defaultRequestTimeout = 20 * time.Second
	defaultFilePace       = 30 * time.Second
)

// New makes the handler of the whole API.
func New(service *usecase.Set, o Options) (*API, error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.MaxBody == 0 {
		o.MaxBody = defaultMaxBody
	}
	if o.MaxReport == 0 {
		o.MaxReport = defaultMaxReport
	}
	if o.MaxReading == 0 {
		o.MaxReading = defaultMaxReading
	}
	if o.MaxInFlight == 0 {
		o.MaxInFlight = defaultMaxInFlight
	}
	if o.MaxExports == 0 {
		o.MaxExports = defaultMaxExports
	}
	if o.RequestTimeout == 0 {
		o.RequestTimeout = defaultRequestTimeout
	}
	if o.FilePace == 0 {
		o.FilePace = defaultFilePace
	}
	if o.SignupRate == (tenant.Rate{}) {
		o.SignupRate = tenant.DefaultSignupRate()
	}
	if o.Processors == nil {
		o.Processors = admission.NewScheduler(runtime.GOMAXPROCS(0), time.Now)
	}
	if o.Agents == nil {
		o.Agents = agent.New(service.Decisions, agent.Options{})
	}
	pages, err := newDocs(api.OpenAPI, o.Version)
	if err != nil {
		return nil, err
	}
	a := &API{
		service: service, agents: o.Agents, options: o, ids: newRequestIDs(), docs: http.NewServeMux(), pages: pages, started: o.Now(),
		reading: admission.NewPool(o.MaxReading), works: admission.NewPool(int64(o.MaxInFlight)), reads: admission.NewPool(int64(o.MaxInFlight)),
		exports: admission.NewPool(int64(o.MaxExports)), delayed: admission.NewPool(maxDelayed), processors: o.Processors,
	}
	pages.register(a.docs)
	a.routes = newRouter(a.table())
	return a, nil
}

// Memory is what bodies may take, all together, wherever they come in.
func (a *API) Memory() *admission.Pool { return a.reading }

// Exports are the places of files that are sent, whoever sends them.
func (a *API) Exports() *admission.Pool { return a.exports }

// Processors shares processor time among tenants, whoever they come in by.
func (a *API) Processors() *admission.Scheduler { return a.processors }

// Leave makes the API say that it is not ready, so that a load balancer sends
// nobody here any more while the last requests are answered.
func (a *API) Leave() { a.leaving.Store(true) }

// table is every route but the documentation's. The first word of a pattern is
// the method; a segment in braces takes any text.
func (a *API) table() []route {
	return []route{
		{pattern: "POST /api/signup", handle: a.signup, public: true, bucket: bucketSignup, body: required},
		{pattern: "GET /livez", handle: a.live, public: true},
		{pattern: "GET /readyz", handle: a.ready, public: true},
		{pattern: "GET /v1/health", handle: a.health, bucket: bucketRead},
		{pattern: "POST /v1/evaluate", handle: a.evaluate, bucket: bucketDecide, body: required, report: true, once: true},
		{pattern: "POST /v1/decisions", handle: a.decide, bucket: bucketDecide, body: required, once: true},
		{pattern: "GET /v1/decisions", handle: a.decisions, bucket: bucketRead},
		{pattern: "POST /v1/decisions/preview", handle: a.preview, bucket: bucketDecide, body: required, report: true},
		{pattern: "GET /v1/decisions/{id}", handle: a.decision, bucket: bucketRead},
		{pattern: "GET /v1/decisions/{id}/features", handle: a.features, bucket: bucketRead},
		{pattern: "POST /v1/decisions/{id}/review", handle: a.review, bucket: bucketWrite, body: required, once: true},
		{pattern: "POST /v1/eligibility", handle: a.eligibility, bucket: bucketDecide, body: required, report: true, once: true},
		{pattern: "GET /v1/policies", handle: a.policies, bucket: bucketRead},
		{pattern: "GET /v1/rule-sets", handle: a.ruleSets, bucket: bucketRead},
		{pattern: "POST /v1/rule-sets", handle: a.createRuleSet, bucket: bucketWrite, body: required, once: true},
		{pattern: "GET /v1/rule-sets/{id}", handle: a.ruleSet, bucket: bucketRead},
		{pattern: "DELETE /v1/rule-sets/{id}", handle: a.deleteRuleSet, bucket: bucketWrite},
		{pattern: "POST /v1/rule-sets/{id}/activate", handle: a.activate, bucket: bucketWrite, body: optional, once: true},
		{pattern: "GET /v1/scorecards", handle: a.scorecards, bucket: bucketRead},
		{pattern: "POST /v1/scorecards", handle: a.scorecard, bucket: bucketDecide, body: required, once: true},
		{pattern: "POST /v1/scorecards/fit", handle: a.fitScorecard, bucket: bucketBacktest, body: required, rows: true, once: true},
		{pattern: "POST /v1/backtest", handle: a.runBacktest, bucket: bucketBacktest, body: required, report: true, stream: true, once: true},
		{pattern: "GET /v1/backtest", handle: a.backtests, bucket: bucketRead},
		{pattern: "GET /v1/backtest/{id}", handle: a.backtest, bucket: bucketRead},
		{pattern: "POST /v1/backtest/{id}/cancel", handle: a.cancelBacktest, bucket: bucketWrite, once: true},
		{pattern: "GET /v1/backtest/{id}/rows", handle: a.backtestRows, bucket: bucketBacktest, only: csvType},
		{pattern: "GET /v1/backtest/{id}/report", handle: a.backtestPage, bucket: bucketBacktest, only: "text/html"},
		{pattern: "GET /v1/credit/backtest", handle: a.runBook, bucket: bucketBacktest},
		{pattern: "POST /v1/agents/underwrite", handle: a.underwrite, bucket: bucketDecide, body: required, report: true, once: true},
		{pattern: "POST /v1/agents/collections", handle: a.collect, bucket: bucketDecide, body: required, once: true},
		{pattern: "GET /v1/agents/collections/strategy", handle: a.strategy, bucket: bucketRead},
		{pattern: "PUT /v1/agents/collections/strategy", handle: a.changeStrategy, bucket: bucketWrite, body: required},
		{pattern: "GET /v1/agents/runs", handle: a.agentRuns, bucket: bucketRead},
		{pattern: "GET /v1/agents/runs/{id}", handle: a.agentRun, bucket: bucketRead},
		{pattern: "GET /v1/usage", handle: a.usage, bucket: bucketRead},
		{pattern: "GET /v1/fraud/config", handle: a.fraudConfig, bucket: bucketRead},
		{pattern: "PUT /v1/fraud/config", handle: a.changeFraudConfig, bucket: bucketWrite, body: required},
		{pattern: "GET /v1/fraud/alerts", handle: a.alerts, bucket: bucketRead},
		{pattern: "GET /v1/fraud/alerts/{id}", handle: a.alert, bucket: bucketRead},
		{pattern: "PATCH /v1/fraud/alerts/{id}", handle: a.moveAlert, bucket: bucketWrite, body: required},
		{pattern: "GET /v1/fraud/alerts/{id}/ring", handle: a.ring, bucket: bucketRead},
		{pattern: "GET /v1/fraud/pincode-risk", handle: a.pincodeRisks, bucket: bucketRead},
		{pattern: "PUT /v1/fraud/pincode-risk", handle: a.setPincodeRisks, bucket: bucketWrite, body: required},
		{pattern: "GET /v1/fraud/blocklist", handle: a.blocklist, bucket: bucketRead},
		{pattern: "POST /v1/fraud/blocklist", handle: a.block, bucket: bucketWrite, body: required, once: true},
		{pattern: "DELETE /v1/fraud/blocklist", handle: a.unblock, bucket: bucketWrite},
		{pattern: "GET /v1/audit", handle: a.audit, bucket: bucketRead, csv: true},
	}
}

// Routes lists the patterns of the API, the documentation's among them, for
// tests that hold them against the contract.
func (a *API) Routes() []string {
	list := []string{"GET /", "GET /openapi.yaml", "GET /openapi.json", "GET /docs", "GET /docs/errors/{code}"}
	for _, r := range a.table() {
		list = append(list, r.pattern)
	}
	return list
}
