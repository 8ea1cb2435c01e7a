package console

import (
	"net/http"
	"strings"

	"verdict/internal/serving"
	"verdict/internal/tenant"
)

// page is one address of the console and what is done there.
type page struct {
	// pattern is method and path; {env} stands for sandbox and live, any other
	// name in braces for one segment of the path, read with visit.id.
	pattern string
	handle  func(*visit) error
	// scope is what a person must be allowed to; 0 asks for a session alone. It
	// keeps a page from being shown that could not be used: who may do what is
	// decided by the use cases.
	scope tenant.Scopes
	// resume goes on with a form that arrived after its session had ended, once
	// the same person has signed in again; nil for forms that are not kept. It
	// must change nothing that is stored: nobody has pressed a button since. The
	// form names its author, so that nobody goes on with another person's.
	resume func(*visit) error
	// public pages need no session.
	public bool
	// upload leaves the body to the handler, which reads it as it comes in.
	upload bool
	// export sends a file piece by piece, at its reader's pace.
	export bool
}

// subject is the pages of one subject.
type subject interface {
	routes() []page
}

// subjects returns every subject, with the use cases that its pages call.
func (c *Console) subjects() []subject {
	set, now, processors := c.service, c.options.Now, c.options.Processors
	people := directory{accounts: set.People}
	versions := policyVersions{policies: set.Policies}

	return []subject{
		&signInPages{access: set.Access, logger: c.options.Logger, resume: c.resumeForm},
		&accountPages{access: set.Access},
		&userPages{accounts: set.People, now: now},
		&overviewPages{
			decisions: set.Decisions,
			policies:  set.Policies,
			fraud:     set.Fraud,
			now:       now,
		},
		&decisionPages{decisions: set.Decisions, policies: set.Policies, people: people},
		&fraudPages{fraud: set.Fraud, people: people, now: now},
		&runPages{agents: set.Agents, decisions: set.Decisions, people: people},
		&scorecardPages{
			policies:   set.Policies,
			fitting:    set.Fitting,
			people:     people,
			processors: processors,
		},
		&backtestPages{
			runs:       set.Backtests,
			versions:   versions,
			people:     people,
			now:        now,
			processors: processors,
		},
		&policyPages{
			policies: set.Policies,
			accounts: set.People,
			versions: versions,
			people:   people,
		},
		&editorPages{policies: set.Policies, access: set.Access, versions: versions},
		&samplePages{decisions: set.Decisions, versions: versions},
		&impactPages{runs: set.Backtests, versions: versions, now: now},
		&keyPages{accounts: set.People, people: people, now: now},
		&usagePages{decisions: set.Decisions},
		&auditPages{accounts: set.People, people: people},
		&referencePages{text: c.options.Reference},
	}
}

// table lists the pages of all subjects.
func (c *Console) table() []page {
	var list []page
	for _, s := range c.subjects() {
		list = append(list, s.routes()...)
	}
	return list
}

// environmentPart is what stands for an environment in a pattern.
const environmentPart = "{env}"

// register hands the pages to the mux. A page with an environment is there
// twice, so that a third environment is a path there is not.
func (c *Console) register(table []page) {
	for i := range table {
		p := &table[i]
		if strings.HasPrefix(p.pattern, "GET ") {
			c.shown[p.path()] = true
		}
		if !strings.Contains(p.pattern, environmentPart) {
			c.mux.HandleFunc(p.pattern, func(w http.ResponseWriter, r *http.Request) { c.visit(w, r, p, "") })
			continue
		}

		for _, env := range tenant.Environments() {
			pattern := strings.Replace(p.pattern, environmentPart, string(env), 1)
			c.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { c.visit(w, r, p, env) })
		}
	}
}

// path is the pattern without its method.
func (p *page) path() string {
	_, path, _ := strings.Cut(p.pattern, " ")
	return path
}

// listOf is the nearest page at or above a page that names nothing in
// particular: where the same thing of the other environment is looked for.
func (c *Console) listOf(p *page) string {
	rest, _ := strings.CutPrefix(p.path(), "/console/"+environmentPart)
	if at := strings.Index(rest, "/{"); at >= 0 {
		rest = rest[:at]
	}

	for rest != "" && !c.shown["/console/"+environmentPart+rest] {
		rest = rest[:strings.LastIndex(rest, "/")]
	}

	return rest
}

// ServeHTTP answers every request under /console.
func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if c.options.Secure(r) {
		serving.SetHTTPSOnly(w.Header())
	}
	if strings.HasPrefix(r.URL.Path, assetPath) {
		c.assets.serve(w, r)
		return
	}
	if _, pattern := c.mux.Handler(r); pattern == "" {
		c.visit(w, r, &page{pattern: unmatched, public: true, handle: c.nowhere}, "")
		return
	}

	c.mux.ServeHTTP(w, r)
}

// unmatched is the route of requests that no page is for.
const unmatched = "unmatched"

// nowhere refuses a path or a method that there is not.
func (c *Console) nowhere(v *visit) error {
	var allowed []string
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		asked := *v.r
		asked.Method = method
		if _, pattern := c.mux.Handler(&asked); pattern != "" {
			allowed = append(allowed, method)
		}
	}
	if len(allowed) > 0 {
		v.w.Header().Set("Allow", strings.Join(allowed, ", "))
		return errMethod
	}

	return errNowhere
}
