// Package httpapi is the way in by HTTP: the REST/JSON API, its documentation
// and the probes.
//
// It knows routes, keys, limits, headers and status codes, and nothing about
// credit: a handler turns a request into a call of package decisioning, and the
// answer's bytes come from there. Every refusal passes one mapper, which turns
// it into a problem document and lets nothing internal out.
package httpapi

import (
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"verdict/api"
	"verdict/internal/admission"
	"verdict/internal/agent"
	"verdict/internal/reference"
	"verdict/internal/serving"
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
	// MaxInFlight is how many requests are worked on at once; 512. Those beyond
	// are refused immediately. Those that only read count apart.
	MaxInFlight int
	// Node is what the API shares with the other ways in; one of its own by
	// default.
	Node *serving.Node
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
	// Observe is told of every request when it is over; it must not block.
	Observe func(serving.Observation)
}

// API serves HTTP.
type API struct {
	service      *usecase.Set
	agents       *agent.Service
	options      Options
	routes       *router
	ids          serving.RequestIDs
	node         *serving.Node
	mapper       serving.Mapper
	buckets      tenant.Buckets[owner]
	docs         *http.ServeMux
	pages        *reference.Pages
	works, reads *admission.Pool
	probes       readiness
	started      time.Time
	leaving      atomic.Bool
}

const (
	defaultMaxBody   = 1 << 20
	defaultMaxReport = 8 << 20

	defaultMaxInFlight    = 512
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
	if o.MaxInFlight == 0 {
		o.MaxInFlight = defaultMaxInFlight
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
	if o.Node == nil {
		o.Node = serving.NewNode(serving.Limits{})
	}
	if o.Agents == nil {
		o.Agents = agent.New(service.Decisions, service.Agents, agent.Options{})
	}
	pages, err := reference.New(api.OpenAPI, o.Version)
	if err != nil {
		return nil, err
	}
	a := &API{
		service: service,
		agents:  o.Agents,
		options: o,
		ids:     serving.NewRequestIDs(),
		node:    o.Node,
		mapper:  serving.Mapper{Logger: o.Logger, Gone: errGone, TimedOut: errTimedOut},
		docs:    http.NewServeMux(),
		pages:   pages,
		works:   admission.NewPool(int64(o.MaxInFlight)),
		reads:   admission.NewPool(int64(o.MaxInFlight)),
		started: o.Now(),
	}
	pages.Register(a.docs)
	a.routes = newRouter(a.table())
	return a, nil
}

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
