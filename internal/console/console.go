package console

import (
	"cmp"
	"html/template"
	"log/slog"
	"net/http"
	"time"

	"verdict/internal/admission"
	"verdict/internal/serving"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
)

// Options are what a Console needs besides its use cases. A zero field takes
// its default.
type Options struct {
	Logger  *slog.Logger
	Now     func() time.Time
	Version string
	// MaxForm is the largest form that is read, in bytes; 1 MiB.
	MaxForm int64
	// RequestTimeout bounds the work on one request; 20 s.
	RequestTimeout time.Duration
	// MaxInFlight is how many requests are worked on at once; 512. Those beyond
	// are refused immediately.
	MaxInFlight int
	// Memory is what bodies may take, in bytes, and Exports are the places of
	// files that are sent, both all together; by default 512 MiB and 4 of the
	// console's own. Processors shares processor time among tenants.
	Memory     *admission.Pool
	Exports    *admission.Pool
	Processors *admission.Scheduler
	// Slow delays somebody who is not signed in and sends too fast; by default
	// nobody is delayed.
	Slow func(*http.Request)
	// PostRate is how fast one person may send forms; 240 a minute, 120 at once.
	PostRate tenant.Rate
	// Address is where a request comes from and Secure whether it came
	// encrypted, as far as a proxy's word on that is to be trusted. By default
	// no proxy's is.
	Address func(*http.Request) string
	Secure  func(*http.Request) bool
	// Reference is the description of the API as a piece of a page.
	Reference func() (template.HTML, error)
	// Observe is told of every request when it is over; it must not block.
	Observe func(serving.Observation)
}

// Console serves the pages. It is safe for concurrent use.
type Console struct {
	service   *usecase.Set
	options   Options
	ids       serving.RequestIDs
	mapper    serving.Mapper
	assets    *assets
	templates map[string]*template.Template
	mux       *http.ServeMux
	guard     *http.CrossOriginProtection
	places    *admission.Pool
	posts     tenant.Buckets[string] // by user id
	menu      []menuGroup
	shown     map[string]bool // the paths of the pages that can be asked for
}

const (
	defaultMaxForm        = 1 << 20
	defaultRequestTimeout = 20 * time.Second
	defaultMaxInFlight    = 512
)

// withDefaults fills in what is left open.
func (o Options) withDefaults() Options {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.MaxForm == 0 {
		o.MaxForm = defaultMaxForm
	}
	if o.RequestTimeout == 0 {
		o.RequestTimeout = defaultRequestTimeout
	}
	if o.MaxInFlight == 0 {
		o.MaxInFlight = defaultMaxInFlight
	}
	node := serving.NewNode(serving.Limits{})
	o.Memory, o.Exports = cmp.Or(o.Memory, node.Memory), cmp.Or(o.Exports, node.Exports)
	o.Processors = cmp.Or(o.Processors, node.Processors)
	if o.Slow == nil {
		o.Slow = func(*http.Request) {}
	}
	if o.PostRate == (tenant.Rate{}) {
		o.PostRate = tenant.Rate{Allowance: 240, Window: time.Minute, Burst: 120}
	}
	if o.Address == nil {
		o.Address = node.Clients.Address
	}
	if o.Secure == nil {
		o.Secure = node.Clients.Secure
	}
	return o
}

// New makes the handler of everything under /console. A template that cannot
// be read is told here and not when somebody asks for the page.
func New(service *usecase.Set, o Options) (*Console, error) {
	o = o.withDefaults()
	c := &Console{
		service: service, options: o, ids: serving.NewRequestIDs(), mux: http.NewServeMux(),
		guard: http.NewCrossOriginProtection(), places: admission.NewPool(int64(o.MaxInFlight)), shown: map[string]bool{},
		mapper: serving.Mapper{Logger: o.Logger, Gone: errGone, TimedOut: errUnavailable},
	}
	var err error
	if c.assets, err = loadAssets(); err != nil {
		return nil, err
	}
	if c.templates, err = loadTemplates(c.assets); err != nil {
		return nil, err
	}
	table := c.table()
	c.register(table)
	c.menu = menuOf(table)
	return c, nil
}

// Routes lists the patterns of the console, for tests that visit them all.
func (c *Console) Routes() []string {
	var list []string
	for _, p := range c.table() {
		list = append(list, p.pattern)
	}
	return list
}
