package httpapi

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"time"

	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/reference"
	"verdict/internal/serving"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// call is one request from its arrival to the end of its answer.
type call struct {
	api       *API
	r         *http.Request
	ctx       context.Context // the context of the work; it ends before the connection's write timeout
	cancel    context.CancelFunc
	route     *route
	id        string // the part of the path that matched the segment in braces
	requestID string
	caller    tenant.Principal
	body      wire.Value
	once      *operation.Idempotency // nil if the request has no Idempotency-Key
	csv       bool                   // the client asked for CSV
	html      bool                   // the client asked for HTML; then a refusal is a page too
	started   time.Time
	outcome   serving.Outcome
	bodyRead  bool // something was read from the body, perhaps only its end
	bytesIn   int64
	buffer    *buffer // holds the body while it is received
	resources serving.Resources
	response  response
}

// ServeHTTP answers every request.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	now := a.options.Now()
	c := &call{api: a, r: r, ctx: r.Context(), started: now, requestID: a.ids.New(now)}
	c.resources = a.gate(r.Method).Request()
	c.response = response{w: w, r: r, resources: &c.resources}
	defer c.end()

	h := c.response.header()
	serving.SetHeaders(h, c.requestID)
	if a.node.Clients.Secure(r) {
		serving.SetHTTPSOnly(h)
	}

	if err := c.checkCapacity(); err != nil {
		c.refuse(err)
		return
	}

	// The work has a deadline, so that a request that takes too long is refused
	// while its connection still accepts an answer.
	c.ctx, c.cancel = context.WithTimeout(r.Context(), a.options.RequestTimeout)
	defer func() { c.cancel() }()
	if err := c.serve(); err != nil {
		c.refuse(err)
	}
}

// serve checks the request step by step and runs its handler. The key is checked
// before the path, so that a client without a key cannot learn which paths exist.
func (c *call) serve() error {
	path := c.r.URL.EscapedPath() // not decoded: every path has only one spelling
	if c.r.URL.RawQuery != "" && keyInQuery(c.r.URL.RawQuery) {
		return errKeyInURL()
	}
	if needsKey(path) || needsKey(c.r.URL.Path) {
		if err := c.authenticate(); err != nil {
			c.slowStranger()
			return err
		}
		c.resources.Owner = c.caller.TenantID
	} else {
		c.slowStranger()
		c.resources.Owner = c.address()
	}

	var allowed []string
	if c.route, c.id, allowed = c.api.routes.find(c.r.Method, path); c.route == nil {
		if allowed != nil {
			return c.notAllowed(allowed...)
		}
		return c.documentation()
	}

	c.response.negotiated = c.route.page
	other, err := answersOther(c.r, c.route)
	if err != nil {
		return err
	}
	c.csv, c.html = other && c.route.csv, other && c.route.page
	if err := c.checkShare(); err != nil {
		return err
	}
	if err := c.takeToken(c.route.bucket); err != nil {
		return err
	}
	if c.route.once {
		if c.once, err = idempotencyKey(c.r); err != nil {
			return err
		}
	}
	if err := c.readBody(); err != nil {
		return err
	}
	return c.route.handle(c)
}

// needsKey reports whether a path needs an API key. Every path under /v1 does,
// whether it exists or not.
func needsKey(path string) bool { return path == "/v1" || strings.HasPrefix(path, "/v1/") }

// address returns the network address of the client.
func (c *call) address() string { return c.api.node.Clients.Address(c.r) }

// authenticate identifies the caller by the API key.
func (c *call) authenticate() error {
	key, ok := bearerKey(c.r)
	if !ok {
		return tenant.Unauthenticated()
	}
	var err error
	c.caller, err = c.api.access.Authenticate(c.ctx, key)
	return err
}

func (c *call) notAllowed(allowed ...string) error {
	c.response.header().Set("Allow", strings.Join(allowed, ", "))
	return fault.New(serving.MethodNotAllowed, fault.CodeMethodNotAllowed,
		"this path does not support this method; the Allow header lists the supported ones")
}

// documentation serves the pages of package reference, and refuses all other
// paths.
func (c *call) documentation() error {
	handler, pattern := c.api.docs.Handler(c.r)
	// The mux cleans paths, so "//" would lead to the front page.
	if pattern == reference.FrontPattern && c.r.URL.EscapedPath() != "/" {
		return errNoSuchPath()
	}
	if pattern == "" {
		asGet := *c.r
		asGet.Method = http.MethodGet
		if _, page := c.api.docs.Handler(&asGet); page != "" {
			return c.notAllowed("GET", "HEAD")
		}
		return errNoSuchPath()
	}

	c.route = &route{pattern: pattern}
	page := &pageWriter{Recorder: serving.Recorder{ResponseWriter: c.response.w}}
	handler.ServeHTTP(page, c.r)
	if page.failure != nil {
		return page.failure
	}
	c.response.status, c.response.bytes = cmp.Or(page.Status, http.StatusOK), page.Bytes
	return nil
}

// pageWriter writes a page of the documentation. failure is the error if the page
// could not be rendered; then nothing was written.
type pageWriter struct {
	serving.Recorder
	failure error
}

// pageFailed stores the error of a documentation page. call.documentation returns it later.
func pageFailed(w http.ResponseWriter, err error) {
	if page, ok := w.(*pageWriter); ok {
		page.failure = err
	}
}

func errNoSuchPath() error {
	return fault.New(fault.NotFound, fault.CodeNotFound, "there is nothing at this path; /docs lists the operations")
}

// query parses the query of the URL.
func (c *call) query() *query { return newQuery(c.r) }

// strict reports whether the client wants unknown members to be refused. If so, it
// sets the header that confirms this.
func (c *call) strict() bool {
	if !prefers(c.r, "handling", "strict") {
		return false
	}
	c.response.header()["Preference-Applied"] = []string{"handling=strict"}
	return true
}

// end releases the resources of the request and records the request. It also
// recovers a panic of the handler. The client then gets an internal error or, if
// part of the answer has been sent already, a closed connection.
func (c *call) end() {
	failure, abort := serving.Recovered(recover(), c.response.status != 0)
	switch {
	case abort:
		c.response.status, c.outcome = serving.Aborted(c.r.Context(), failure)
	case failure != nil:
		c.refuse(failure)
	}
	c.buffer.release()
	c.resources.Release()
	c.record(c.api.options.Now().Sub(c.started))
	if abort {
		panic(http.ErrAbortHandler)
	}
}

func (c *call) record(took time.Duration) {
	c.api.record(serving.Observation{
		Outcome:     c.outcome,
		Route:       c.routeName(),
		Status:      c.response.status,
		Duration:    took,
		BytesIn:     c.bytesIn,
		BytesOut:    c.response.bytes,
		Context:     c.r.Context(),
		RequestID:   c.requestID,
		TenantID:    c.caller.TenantID,
		Environment: string(c.caller.Environment),
		KeyID:       c.caller.KeyID,
	})
}

// record passes a finished request to Options.Observe and logs it.
func (a *API) record(o serving.Observation) {
	if observe := a.options.Observe; observe != nil {
		observe(o)
	}
	o.Log(a.options.Logger)
}

// routeName returns the pattern of the route. It never returns the path, because
// the client chose the path.
func (c *call) routeName() string {
	if c.route == nil {
		return "unmatched"
	}
	return c.route.pattern
}
