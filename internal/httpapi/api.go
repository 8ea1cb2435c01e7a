// Package httpapi serves the JSON API, its documentation and the probes over HTTP.
//
// It implements routes, keys, limits, headers and status codes, and contains no
// credit logic. A handler reads the request into Go values with package document,
// calls one operation of a use-case package, such as decisioning, and writes the
// result, again with document. The handlers of one subject are the methods of one
// type, such as decisionHandlers, which also lists their routes. A value of type
// call holds one request: it runs the checks and then the handler. One function,
// call.refuse, turns every error into a problem document without internal details.
package httpapi

import (
	"log/slog"
	"net/http"
	"slices"
	"time"

	"verdict/api"
	"verdict/internal/account"
	"verdict/internal/agent"
	"verdict/internal/reference"
	"verdict/internal/serving"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
)

// Options configures an API. A zero field gets its default, if it has one.
type Options struct {
	Logger          *slog.Logger
	Now             func() time.Time
	Version, Commit string
	// SignupRate is the rate limit of sign-ups from one address.
	SignupRate tenant.Rate
	// MaxBody is the maximum size of a body in bytes (default 1 MiB). MaxReport is the
	// maximum size of a body with a bureau report or a bank statement (default 8 MiB).
	MaxBody   int64
	MaxReport int64
	// MaxInFlight is how many requests may be in progress (default 320). Requests that
	// only read are counted separately. Requests beyond the limit are refused
	// immediately.
	MaxInFlight int
	// Node holds the resources that the API shares with the console (default: a node of
	// its own).
	Node *serving.Node
	// RefusalRate is the rate of refusals to a tenant above which each further refusal
	// is delayed. Zero means that no refusal is delayed.
	RefusalRate tenant.Rate
	// RequestTimeout limits the work on one request (default 20 s). It should be
	// less than the server's write timeout.
	RequestTimeout time.Duration
	// FilePace is the time in which every 256 KiB of a file must arrive (default 30 s).
	FilePace time.Duration
	// FileTimeout is the time in which a whole file or stream must arrive (default 50 minutes). It must be less than
	// the hour after which an unfinished upload counts as abandoned.
	FileTimeout time.Duration
	// AnswerTimeout is the time in which the client of a stream must read the answers that were sent together (default
	// serving.PartTimeout).
	AnswerTimeout time.Duration
	// Agents runs the agents (default: a service without a narrator).
	Agents *agent.Service
	// Observe is called at the end of every request, in the goroutine of the request,
	// so it must not block.
	Observe func(serving.Observation)
}

// API is the HTTP handler of the JSON API. It is safe for concurrent use.
type API struct {
	options Options
	access  *account.Access
	health  *healthHandlers
	table   []route
	routes  *router
	early   map[string]*route // the routes of RefuseEarly, by path
	pages   *reference.Pages
	docs    *http.ServeMux // serves the pages of the documentation
	ids     serving.RequestIDs
	node    *serving.Node
	mapper  serving.Mapper
	buckets tenant.Buckets[bucketOwner]
	left    chan struct{} // closed by Leave, so that streams end
	reads   *serving.Gate // for requests that only read
	writes  *serving.Gate // for all other requests
}

const (
	defaultMaxBody   = 1 << 20
	defaultMaxReport = 8 << 20

	defaultMaxInFlight    = 320
	defaultRequestTimeout = 20 * time.Second
	defaultFilePace       = 30 * time.Second
	defaultFileTimeout    = 50 * time.Minute
)

// New returns the API over the use cases.
func New(service *usecase.Set, o Options) (*API, error) {
	o = o.withDefaults(service)
	pages, err := reference.New(api.OpenAPI, o.Version)
	if err != nil {
		return nil, err
	}
	a := &API{
		options: o,
		access:  service.Access,
		health: &healthHandlers{
			check:     service.Health,
			notSigned: service.Evidence.Stopped,
			now:       o.Now,
			version:   o.Version,
			commit:    o.Commit,
			started:   o.Now(),
		},
		left:  make(chan struct{}),
		pages: pages,
		docs:  http.NewServeMux(),
		ids:   serving.NewRequestIDs(),
		node:  o.Node,
		mapper: serving.Mapper{
			Logger:   o.Logger,
			Requests: "API requests",
			Gone:     errGone,
			TimedOut: errTimedOut,
		},
		reads:  o.Node.NewGate(o.MaxInFlight, capacityTexts),
		writes: o.Node.NewGate(o.MaxInFlight, capacityTexts),
	}
	pages.Register(a.docs, pageFailed)
	a.table = routesOf(service, o.Agents, a.health, o.Now)
	a.routes = newRouter(a.table)
	a.early = earlyRoutes(a.table)
	return a, nil
}

// withDefaults returns the options with zero fields set to their defaults.
func (o Options) withDefaults(service *usecase.Set) Options {
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
	if o.FileTimeout == 0 {
		o.FileTimeout = defaultFileTimeout
	}
	if o.AnswerTimeout == 0 {
		o.AnswerTimeout = serving.PartTimeout
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
	return o
}

// Leave makes the readiness probe fail, so that load balancers send no new requests while the last requests are
// answered. It also ends streams of applications. Applications that were already read are still decided and answered.
func (a *API) Leave() {
	if !a.health.leaving.Swap(true) {
		close(a.left)
	}
}

// routesOf lists the routes of all subjects. The routes of the documentation are not
// among them, because package reference serves its pages itself.
func routesOf(set *usecase.Set, agents *agent.Service, health *healthHandlers, now func() time.Time) []route {
	accounts := &accountHandlers{access: set.Access, people: set.People}
	decisions := &decisionHandlers{decisions: set.Decisions, batches: set.Batches}
	batches := &batchHandlers{batches: set.Batches}
	ruleSets := &ruleSetHandlers{policies: set.Policies, comparisons: set.Comparisons, now: now}
	scorecards := &scorecardHandlers{policies: set.Policies, fitting: set.Fitting}
	backtests := &backtestHandlers{backtests: set.Backtests, now: now}
	agentRuns := &agentHandlers{agents: agents, runs: set.Agents}
	fraud := &fraudHandlers{fraud: set.Fraud, now: now}
	evidence := &evidenceHandlers{evidence: set.Evidence}
	events := &eventHandlers{events: set.Events}
	webhooks := &webhookHandlers{webhooks: set.Webhooks}
	privacy := &privacyHandlers{privacy: set.Privacy}
	lists := &listHandlers{lists: set.Lists}
	exposures := &exposureHandlers{exposures: set.Exposures}
	tables := &tableHandlers{tables: set.Tables}
	offers := &offerHandlers{offers: set.Offers}

	return slices.Concat(
		accounts.routes(),
		health.routes(),
		decisions.routes(),
		batches.routes(),
		ruleSets.routes(),
		scorecards.routes(),
		backtests.routes(),
		agentRuns.routes(),
		fraud.routes(),
		evidence.routes(),
		events.routes(),
		webhooks.routes(),
		privacy.routes(),
		lists.routes(),
		exposures.routes(),
		tables.routes(),
		offers.routes(),
	)
}

// Routes lists the route patterns of the API and of the documentation. It leaves out the stylesheet of the
// documentation, the JSON Schemas and the redirect to the list of error codes. Tests compare the list with the OpenAPI
// document.
func (a *API) Routes() []string {
	list := []string{"GET /", "GET /openapi.yaml", "GET /openapi.json", "GET /docs", "GET /docs/errors/{code}"}
	for _, r := range a.table {
		list = append(list, r.pattern)
	}
	return list
}
