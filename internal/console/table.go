package console

import (
	"net/http"
	"strings"

	"verdict/internal/serving"
	"verdict/internal/tenant"
)

// page is one route of the console.
type page struct {
	// pattern is the method and the path. "{env}" matches sandbox and live. Any other name in
	// braces matches one segment of the path, which visit.id returns.
	pattern string
	handle  func(*visit) error
	// scope is the scope that a person needs to see the page; 0 requires only a session. It hides
	// pages that the person could not use. The use cases check permissions themselves.
	scope tenant.Scopes
	// resume continues with a form that arrived after its session had ended, once the same person
	// has signed in again. It is nil for forms that are not kept. resume must not change stored
	// data except the person's own working copy, because nobody has pressed the form's button since.
	// The form names its author, so that nobody continues with another person's form.
	resume func(*visit) error
	// public is set for pages that need no session.
	public bool
	// enrol is set for pages that are open to a person who still has to set up a second factor.
	enrol bool
	// upload is set if the handler reads the body itself, as a stream.
	upload bool
	// export is set if the page sends a file in chunks, as fast as the client reads it.
	export bool
	// secret is set if the answer to a GET request shows a secret, so that the answer is not compressed.
	secret bool
}

// subject is a group of related pages, such as those for policies or for users.
type subject interface {
	routes() []page
}

// subjects returns all subjects, with the use cases that their pages call.
func (c *Console) subjects() []subject {
	set, now := c.service, c.options.Now
	people := directory{accounts: set.People}
	versions := policyVersions{policies: set.Policies}

	signIn := &signInPages{access: set.Access, signOn: set.SignOn, logger: c.options.Logger, resume: c.resumeForm}

	return []subject{
		signIn,
		&signOnPages{signOn: set.SignOn, signIn: signIn},
		&accountPages{access: set.Access, factors: set.Factors, signOn: set.SignOn},
		&factorPages{factors: set.Factors},
		&userPages{accounts: set.People, factors: set.Factors, signOn: set.SignOn, now: now},
		&overviewPages{
			decisions: set.Decisions,
			policies:  set.Policies,
			fraud:     set.Fraud,
			webhooks:  set.Webhooks,
			backtests: set.Backtests,
			now:       now,
		},
		&decisionPages{
			decisions: set.Decisions,
			filters:   set.Filters,
			policies:  set.Policies,
			privacy:   set.Privacy,
			offers:    set.Offers,
			exposures: set.Exposures,
			people:    people,
		},
		&searchPages{decisions: set.Decisions, policies: set.Policies, fraud: set.Fraud},
		&fraudPages{fraud: set.Fraud, decisions: set.Decisions, people: people, now: now},
		&runPages{agents: set.Agents, decisions: set.Decisions, people: people},
		&scorecardPages{
			policies: set.Policies,
			fitting:  set.Fitting,
			people:   people,
		},
		&backtestPages{
			runs:     set.Backtests,
			versions: versions,
			people:   people,
			now:      now,
		},
		&batchPages{batches: set.Batches, versions: versions, people: people},
		&policyPages{
			policies: set.Policies,
			edits:    set.Edits,
			accounts: set.People,
			versions: versions,
			people:   people,
		},
		&editorPages{
			policies:    set.Policies,
			edits:       set.Edits,
			comparisons: set.Comparisons,
			tables:      set.Tables,
			versions:    versions,
			people:      people,
		},
		&samplePages{decisions: set.Decisions, policies: set.Policies, versions: versions},
		&changePages{comparisons: set.Comparisons, versions: versions, now: now},
		&impactPages{runs: set.Backtests, versions: versions, now: now},
		&listPages{lists: set.Lists},
		&tablePages{tables: set.Tables},
		&offerPages{offers: set.Offers, people: people},
		&keyPages{accounts: set.People, people: people, now: now},
		&webhookPages{webhooks: set.Webhooks},
		&privacyPages{privacy: set.Privacy, people: people},
		&usagePages{decisions: set.Decisions},
		&auditPages{accounts: set.People, people: people},
		&referencePages{part: c.options.Reference},
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

// environmentPart is the segment of a pattern that matches an environment.
const environmentPart = "{env}"

// register adds the pages to the mux. It registers a page with an environment once for each
// environment, so that the path of an unknown environment is not found.
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

// path returns the pattern without its method.
func (p *page) path() string {
	_, path, _ := strings.Cut(p.pattern, " ")
	return path
}

// listOf finds the nearest page at or above p whose path contains no id. It returns the path of that page, relative
// to the environment. The link to the other environment leads to that page, because ids exist in one environment
// only.
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
	if c.options.Node.Clients.Secure(r) {
		serving.SetHTTPSOnly(w.Header())
	}
	isAsset := strings.HasPrefix(r.URL.Path, assetPath)
	if isAsset && c.assets.serve(w, r) {
		return
	}
	if _, pattern := c.mux.Handler(r); isAsset || pattern == "" {
		c.visit(w, r, &page{pattern: unmatched, public: true, handle: c.notFound}, "")
		return
	}

	c.mux.ServeHTTP(w, r)
}

// unmatched is the route that is recorded for requests that match no page.
const unmatched = "unmatched"

// notFound refuses a request that matches no page. If the path exists, the answer is 405 with the
// allowed methods; else it is 404.
func (c *Console) notFound(v *visit) error {
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

	return errNotFound
}
