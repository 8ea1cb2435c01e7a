package console

import (
	"html/template"
	"log/slog"
	"net/http"
	"time"

	"verdict/internal/serving"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
)

// Options holds the settings of a Console. Each zero field except Version, Reference and Observe gets a default.
type Options struct {
	Logger  *slog.Logger
	Now     func() time.Time
	Version string
	// MaxForm is the largest form that is read, in bytes; 1 MiB by default.
	MaxForm int64
	// RequestTimeout is the deadline for handling one request; 20 s by default.
	RequestTimeout time.Duration
	// MaxInFlight is the maximum number of requests handled at the same time; 320 by default.
	// Further requests are refused immediately.
	MaxInFlight int
	// Node holds the resources that the console shares with the API; by default the console has a
	// node of its own.
	Node *serving.Node
	// PostRate limits how many forms one person may post; by default 240 a minute with bursts of
	// 120.
	PostRate tenant.Rate
	// Reference returns the part of the API reference with the anchor, and false if there is none. The first part has
	// the anchor "".
	Reference func(anchor string) (ReferencePart, bool, error)
	// Observe is called after every request except those for assets, in the goroutine of the request, so it must not
	// block.
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
	gate      *serving.Gate
	posts     tenant.Buckets[string] // by user id
	menu      []menuGroup
	shown     map[string]bool // path patterns of the GET pages
}

const (
	defaultMaxForm        = 1 << 20
	defaultRequestTimeout = 20 * time.Second
	defaultMaxInFlight    = 320
)

// withDefaults returns the options with defaults in place of zero fields.
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
	if o.Node == nil {
		o.Node = serving.NewNode(serving.Limits{})
	}
	if o.PostRate == (tenant.Rate{}) {
		o.PostRate = tenant.Rate{Allowance: 240, Window: time.Minute, Burst: 120}
	}
	return o
}

// New returns the handler for all paths under /console. It parses all templates, so that a faulty
// template is reported at start and not when somebody opens the page.
func New(service *usecase.Set, o Options) (*Console, error) {
	o = o.withDefaults()
	c := &Console{
		service: service,
		options: o,
		ids:     serving.NewRequestIDs(),
		mapper: serving.Mapper{
			Logger:   o.Logger,
			Requests: "page requests",
			Gone:     errGone,
			TimedOut: errUnavailable,
		},
		mux:   http.NewServeMux(),
		guard: http.NewCrossOriginProtection(),
		gate:  o.Node.NewGate(o.MaxInFlight, capacityTexts),
		shown: map[string]bool{},
	}
	look, err := embeddedLook()
	if err != nil {
		return nil, err
	}
	c.assets, c.templates = look.assets, look.templates
	table := c.table()
	c.register(table)
	c.menu = menuOf(table)
	return c, nil
}

// Routes returns the patterns of all pages, for tests that visit them.
func (c *Console) Routes() []string {
	var list []string
	for _, p := range c.table() {
		list = append(list, p.pattern)
	}
	return list
}
