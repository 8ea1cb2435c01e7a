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
	"slices"
	"time"

	"verdict/api"
	"verdict/internal/account"
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
	access       *account.Access
	options      Options
	table        []route
	routes       *router
	ids          serving.RequestIDs
	node         *serving.Node
	mapper       serving.Mapper
	buckets      tenant.Buckets[owner]
	docs         *http.ServeMux
	pages        *reference.Pages
	works, reads *admission.Pool
	health       *healthHandlers
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
		access:  service.Access,
		options: o,
		ids:     serving.NewRequestIDs(),
		node:    o.Node,
		mapper:  serving.Mapper{Logger: o.Logger, Gone: errGone, TimedOut: errTimedOut},
		docs:    http.NewServeMux(),
		pages:   pages,
		works:   admission.NewPool(int64(o.MaxInFlight)),
		reads:   admission.NewPool(int64(o.MaxInFlight)),
		health: &healthHandlers{
			check:   service.Health,
			now:     o.Now,
			version: o.Version,
			commit:  o.Commit,
			started: o.Now(),
		},
	}
	pages.Register(a.docs)
	a.table = routesOf(service, o.Agents, a.health, o.Now)
	a.routes = newRouter(a.table)
	return a, nil
}

// Leave makes the API say that it is not ready, so that a load balancer sends
// nobody here any more while the last requests are answered.
func (a *API) Leave() { a.health.leaving.Store(true) }

// routesOf lists the routes of all subjects. Those of the documentation are not
// among them: package reference serves its pages itself.
func routesOf(set *usecase.Set, agents *agent.Service, health *healthHandlers, now func() time.Time) []route {
	accounts := &accountHandlers{access: set.Access, people: set.People}
	decisions := &decisionHandlers{decisions: set.Decisions}
	ruleSets := &ruleSetHandlers{policies: set.Policies}
	scorecards := &scorecardHandlers{policies: set.Policies, fitting: set.Fitting}
	backtests := &backtestHandlers{backtests: set.Backtests, now: now}
	agentRuns := &agentHandlers{agents: agents, runs: set.Agents}
	fraud := &fraudHandlers{fraud: set.Fraud, now: now}

	return slices.Concat(
		accounts.routes(),
		health.routes(),
		decisions.routes(),
		ruleSets.routes(),
		scorecards.routes(),
		backtests.routes(),
		agentRuns.routes(),
		fraud.routes(),
	)
}

// Routes lists the patterns of the API and of the documentation, for tests that
// compare them with the contract.
func (a *API) Routes() []string {
	list := []string{"GET /", "GET /openapi.yaml", "GET /openapi.json", "GET /docs", "GET /docs/errors/{code}"}
	for _, r := range a.table {
		list = append(list, r.pattern)
	}
	return list
}
