package httpapi

import (
	"cmp"
	"context"
	"log/slog"
	"mime"
	"net/http"
	"net/url"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"verdict/internal/admission"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/reference"
	"verdict/internal/serving"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// call is one request on its way through.
type call struct {
	api       *API
	w         http.ResponseWriter
	r         *http.Request
	ctx       context.Context // of the work for it; ends before the connection's patience does
	route     *route
	id        string // what the path has in the place of the braces
	requestID string
	caller    tenant.Principal
	body      wire.Value
	once      *operation.Once
	csv       bool // the answer is wanted as CSV
	buffer    *buffer
	begun     time.Time
	status    int
	code      string
	slot      *admission.Slot // on a processor, while it is worked on
	reserved  int64           // of the memory for bodies
	admitted  bool            // has a place among those that are worked on
	exporting bool            // has one among those that are sent
	shed      bool            // was refused for want of one
	bytesIn   int64
	bytesOut  int64
}

// ServeHTTP answers every request.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	now := a.options.Now()
	c := &call{api: a, w: w, r: r, begun: now, requestID: a.ids.New(now)}
	defer c.end()
	h := w.Header()
	serving.SetHeaders(h, c.requestID)
	if a.node.Clients.Secure(r) {
		serving.SetHTTPSOnly(h)
	}
	if err := c.crowded(); err != nil {
		c.refuse(err)
		return
	}
	// Nobody waits without end: a request that cannot be done is told so while
	// its connection still takes an answer.
	var cancel context.CancelFunc
	c.ctx, cancel = context.WithTimeout(r.Context(), a.options.RequestTimeout)
	defer cancel()
	if err := c.serve(); err != nil {
		c.refuse(err)
	}
}

// serve takes the request through the doors, in the order in which they must
// be passed: nobody without a key learns which paths there are.
func (c *call) serve() error {
	path := c.r.URL.EscapedPath() // as it was sent: there is one way to say a path
	if c.r.URL.RawQuery != "" && keyInQuery(c.r.URL.RawQuery) {
		return keyInAddress()
	}
	if inside(path) || inside(c.r.URL.Path) {
		if err := c.authenticate(); err != nil {
			c.slowStranger()
			return err
		}
	} else {
		c.slowStranger()
	}
	var allowed []string
	if c.route, c.id, allowed = c.api.routes.find(c.r.Method, path); c.route == nil {
		if allowed != nil {
			return c.notAllowed(allowed...)
		}
		return c.documentation()
	}
	if err := c.acceptable(); err != nil {
		return err
	}
	if err := c.crowdedOut(); err != nil {
		return err
	}
	if err := c.limit(); err != nil {
		return err
	}
	if err := c.readOnce(); err != nil {
		return err
	}
	if err := c.readBody(); err != nil {
		return err
	}
	return c.route.handle(c)
}

// inside reports whether a path lies where a key is asked for.
func inside(path string) bool { return path == "/v1" || strings.HasPrefix(path, "/v1/") }

func (c *call) notAllowed(allowed ...string) error {
	c.w.Header().Set("Allow", strings.Join(allowed, ", "))
	return fault.New(serving.MethodNotAllowed, fault.CodeMethodNotAllowed,
		"this path does not support this method; the Allow header lists the supported ones")
}

// documentation serves the pages that are no operation of the API.
func (c *call) documentation() error {
	handler, pattern := c.api.docs.Handler(c.r)
	// The mux would lead "//" and the like to the front page; there is one way to
	// say a path.
	if pattern == reference.FrontPattern && c.r.URL.EscapedPath() != "/" {
		return fault.New(fault.NotFound, fault.CodeNotFound,
			"there is nothing at this path; /docs lists the operations")
	}
	if pattern == "" {
		asked := *c.r
		asked.Method = http.MethodGet
		if _, page := c.api.docs.Handler(&asked); page != "" {
			return c.notAllowed("GET", "HEAD")
		}
		return fault.New(fault.NotFound, fault.CodeNotFound,
			"there is nothing at this path; /docs lists the operations")
	}
	c.route = &route{pattern: pattern}
	recorder := &serving.Recorder{ResponseWriter: c.w}
	handler.ServeHTTP(recorder, c.r)
	c.status, c.bytesOut = cmp.Or(recorder.Status, http.StatusOK), recorder.Bytes
	return nil
}

// keyInQuery reports whether a key is in a URL, where it would end up in
// histories and logs.
func keyInQuery(raw string) bool {
	if tenant.LooksLikeKey(raw) {
		return true
	}
	// Pair by pair, so that one that cannot be read does not hide the others.
	for pair := range strings.SplitSeq(raw, "&") {
		if plain, err := url.QueryUnescape(pair); err == nil && tenant.LooksLikeKey(plain) {
			return true
		}
	}
	return false
}

// keyInAddress is the refusal of a request with a key in its address, whatever
// its header says. It does not say whether the key is valid.
func keyInAddress() error {
	return fault.New(fault.Unauthenticated, fault.CodeUnauthenticated,
		"the URL has a query parameter that looks like an API key, and URLs end up in logs: "+
			"send the key only in the header Authorization: Bearer <API_KEY>, and replace the key that was in the URL")
}

// authenticate finds the caller by the bearer key.
func (c *call) authenticate() error {
	headers := c.r.Header["Authorization"]
	if len(headers) != 1 {
		return tenant.Unauthenticated()
	}
	scheme, text, _ := strings.Cut(headers[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return tenant.Unauthenticated()
	}
	key, ok := tenant.ParseKey(strings.TrimLeft(text, " "))
	if !ok {
		return tenant.Unauthenticated()
	}
	var err error
	c.caller, err = c.api.access.Authenticate(c.ctx, key)
	return err
}

// acceptable refuses a request for a form that no answer has, and chooses CSV
// where that is asked for by name and JSON is not.
func (c *call) acceptable() error {
	accept := c.r.Header["Accept"]
	if len(accept) == 0 {
		return nil
	}
	if c.route.only != "" {
		return c.acceptsOnly(strings.Join(accept, ","))
	}
	json, csv := false, false
	for part := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		kind, params, err := mime.ParseMediaType(part)
		if err != nil || strings.Trim(params["q"], "0.") == "" && params["q"] != "" { // not wanted
			continue
		}
		switch kind {
		case "*/*", "application/*", "application/json", "application/problem+json":
			json = true
		case "text/csv", "text/*":
			csv = csv || c.route.csv
		case "text/plain":
			json = json || c.route.public
		}
	}
	c.csv = csv && !json
	if !json && !csv {
		return fault.New(serving.NotAcceptable, fault.CodeNotAcceptable, "answers are application/json")
	}
	return nil
}

// acceptsOnly refuses a request for another form than the one there is.
func (c *call) acceptsOnly(accept string) error {
	family, _, _ := strings.Cut(c.route.only, "/")
	for part := range strings.SplitSeq(accept, ",") {
		kind, params, err := mime.ParseMediaType(part)
		unwanted := params["q"] != "" && strings.Trim(params["q"], "0.") == ""
		if err == nil && !unwanted && (kind == "*/*" || kind == family+"/*" || kind == c.route.only) {
			return nil
		}
	}
	return fault.New(serving.NotAcceptable, fault.CodeNotAcceptable, "the answer is %s", c.route.only)
}

// maxOnceKey bounds an Idempotency-Key.
const maxOnceKey = 255

// readOnce reads the Idempotency-Key, with or without the quotes of a
// structured header.
func (c *call) readOnce() error {
	if !c.route.once {
		return nil
	}
	given := c.r.Header["Idempotency-Key"]
	if len(given) == 0 {
		return nil
	}
	key := given[0]
	if len(key) >= 2 && key[0] == '"' && key[len(key)-1] == '"' {
		key = key[1 : len(key)-1]
	}
	if len(given) > 1 || key == "" || len(key) > maxOnceKey || strings.ContainsFunc(key, func(r rune) bool { return r < ' ' || r > '~' }) {
		return fault.New(fault.Invalid, fault.CodeInvalidField, "the Idempotency-Key header must be given once, with 1 to %d printable ASCII characters", maxOnceKey)
	}
	c.once = &operation.Once{Route: c.route.method + " " + c.r.URL.Path, Key: key}
	return nil
}

// end closes the books of a request. A panic is our mistake: the caller hears
// of an internal error, or of none when part of an answer is out already and
// the connection is cut; the log tells where it was, without any value.
func (c *call) end() {
	p := recover()
	aborted := serving.Aborts(p)
	if p != nil && !aborted {
		c.api.options.Logger.ErrorContext(c.r.Context(), "a handler panicked",
			"request_id", c.requestID, "route", c.routeName(), "stack", string(debug.Stack()))
		if aborted = c.status != 0; !aborted {
			c.refuse(serving.ErrInternal)
		}
	}
	if aborted {
		c.status, c.code = http.StatusInternalServerError, fault.CodeInternalError
	}
	c.leave()
	c.tell(c.api.options.Now().Sub(c.begun))
	if aborted {
		panic(http.ErrAbortHandler)
	}
}

// tell notes the request for metrics and in the log.
func (c *call) tell(took time.Duration) {
	if observe := c.api.options.Observe; observe != nil {
		observe(serving.Observation{
			Route: c.routeName(), Status: c.status, Code: c.code, Duration: took, BytesIn: c.bytesIn, BytesOut: c.bytesOut,
			Context: c.r.Context(), RequestID: c.requestID, TenantID: c.caller.TenantID, Environment: string(c.caller.Environment),
		})
	}
	level := slog.LevelDebug
	switch {
	case c.code == fault.CodeClientGone, c.shed:
	case c.status >= 500:
		level = slog.LevelError
	case c.status >= 400:
		level = slog.LevelInfo
	}
	log := c.api.options.Logger
	if !log.Enabled(c.r.Context(), level) {
		return
	}
	log.LogAttrs(c.r.Context(), level, "request",
		slog.String("request_id", c.requestID), slog.String("route", c.routeName()), slog.Int("status", c.status),
		slog.String("code", c.code), slog.Duration("took", took), slog.String("tenant", c.caller.TenantID),
		slog.String("environment", string(c.caller.Environment)), slog.String("key", c.caller.KeyID))
}

// routeName is the pattern, never the path: that a stranger wrote.
func (c *call) routeName() string {
	if c.route == nil {
		return "unmatched"
	}
	return c.route.pattern
}

var jsonType = []string{"application/json"}

// noStore keeps answers out of caches: they are about people.
var noStore = []string{"no-store"}

// send writes an answer.
func (c *call) send(status int, body []byte) error {
	h := c.w.Header()
	if h["Content-Type"] == nil {
		h["Content-Type"] = jsonType
	}
	h["Cache-Control"] = noStore
	long := len(body) > longBody
	body = c.encode(body)
	if long {
		_ = admission.Checkpoint(c.ctx) // it is sent whether the caller has gone or not
	}
	c.slot.Leave() // the client may read slowly
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	c.status, c.bytesOut = status, int64(len(body))
	c.w.WriteHeader(status)
	_, _ = c.w.Write(body) // a client that has gone away hears nothing either way
	return nil
}

// answer writes what a use case answered.
func (c *call) answer(a operation.Answer, err error) error {
	if err != nil {
		return err
	}
	h := c.w.Header()
	if a.Location != "" {
		h["Location"] = []string{a.Location}
	}
	if a.Replayed {
		h["Idempotent-Replayed"] = []string{"true"}
	}
	err = c.send(a.Status, a.Body)
	// An HTTP/2 connection may still hold the bytes of a stream that was reset.
	if c.r.ProtoMajor == 1 {
		a.Release()
	}
	return err
}
