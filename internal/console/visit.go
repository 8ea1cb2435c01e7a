package console

import (
	"context"
	"errors"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"verdict/internal/admission"
	"verdict/internal/fault"
	"verdict/internal/serving"
	"verdict/internal/tenant"
)

// visit is one request on its way through.
type visit struct {
	console   *Console
	w         *serving.Recorder
	cookies   cookies
	r         *http.Request
	ctx       context.Context // of the work for it; ends before the connection's patience does
	page      *page
	env       tenant.Environment // "" on pages without one
	who       *person            // nil when nobody is signed in
	requestID string
	begun     time.Time
	status    int    // of the page that is drawn; 200 unless a form was refused
	code      string // of the refusal
	form      *form
	flashed   bool            // the next page says something
	place     func()          // gives back the place that it has; nil when it has none
	slot      *admission.Slot // on a processor, while it is worked on
	reserved  int64           // of the memory for bodies
	payer     string          // whose memory that is
}

// policy lets a page load our own files and nothing else, and run no script
// that is written into it.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// visit takes a request through the doors to its page.
func (c *Console) visit(w http.ResponseWriter, r *http.Request, p *page, env tenant.Environment) {
	now := c.options.Now()
	v := &visit{
		console: c, w: &serving.Recorder{ResponseWriter: w}, r: r, page: p, env: env, begun: now, status: http.StatusOK,
		requestID: c.ids.New(now), form: &form{},
	}
	ctx, cancel := context.WithTimeout(r.Context(), c.options.RequestTimeout)
	defer cancel()
	v.ctx = ctx
	v.cookies = cookies{w: v.w, r: r, secure: c.options.Secure(r)}
	v.w.Before = func() { v.slot.Leave() } // the browser may read slowly
	defer v.makeRoom()
	defer v.end()
	v.headers()
	if err := v.serve(); err != nil {
		v.refuse(err)
	}
}

// headers are those of every answer. The referrer is kept within the console:
// without any, a browser would hide the origin of our own forms from us.
func (v *visit) headers() {
	h := v.w.Header()
	serving.SetHeaders(h, v.requestID)
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}

// serve opens the doors in the order in which they must be passed: a stranger's
// form is turned away before anything is looked up for it.
func (v *visit) serve() error {
	if v.console.places.Full() {
		return errFull
	}
	if err := v.console.guard.Check(v.r); err != nil {
		return errCrossOrigin
	}
	if err := v.recognise(); err != nil {
		return err
	}
	if v.who == nil {
		v.console.options.Slow(v.r)
	}
	if !v.page.public {
		if v.who == nil {
			return v.askToSignIn()
		}
		if v.page.scope != 0 && !v.who.scopes.Has(v.page.scope) {
			return errRole
		}
		if err := v.limit(); err != nil {
			return err
		}
	}
	if v.r.Method == http.MethodPost && !v.page.upload {
		if err := v.readForm(); err != nil {
			return err
		}
	}
	if err := v.admit(); err != nil {
		return err
	}
	return v.page.handle(v)
}

// caller is who asks, for the use cases: the person, in the environment of the
// address. What belongs to no environment is done, as all that matters is, in
// live.
func (v *visit) caller() tenant.Principal {
	env := v.env
	if env == "" {
		env = tenant.Live
	}
	return v.as(env)
}

// as is who asks, in an environment of choice.
func (v *visit) as(env tenant.Environment) tenant.Principal {
	if v.who == nil {
		return tenant.Principal{}
	}
	return v.who.session.Principal(env)
}

// id is what the path has in the place of a name in braces.
func (v *visit) id(name string) string { return v.r.PathValue(name) }

// query is a parameter of the address.
func (v *visit) query(name string) string { return strings.TrimSpace(v.r.URL.Query().Get(name)) }

// at is the address of a page in this environment: at("/keys").
func (v *visit) at(path string) string { return atEnvironment(v.env, path) }

func atEnvironment(env tenant.Environment, path string) string {
	if env == "" {
		return "/console" + path
	}
	return "/console/" + string(env) + path
}

// see sends the browser on to another page, after a form was posted.
func (v *visit) see(location string) error {
	v.w.Header().Set("Location", location)
	v.w.WriteHeader(http.StatusSeeOther)
	return nil
}

// tell has the next page show a message. A message is for people and has no secret in it.
func (v *visit) tell(message string) {
	v.flashed = true
	v.cookies.flash(message)
}

// done sends the browser on to a page of this environment, which says what was
// done.
func (v *visit) done(message, path string) error {
	v.tell(message)
	return v.see(v.at(path))
}

// confirmed refuses what arms or destroys something in live, unless the word
// was typed that the piece "confirm" asks for.
func (v *visit) confirmed() error {
	if v.env != tenant.Live || v.form.Value("confirm") == confirmWord {
		return nil
	}
	var faults fault.List
	faults.Add("/confirm", fault.CodeRequired, "type %s: this changes what happens to real applicants", confirmWord)
	return faults.Err()
}

const confirmWord = "LIVE"

var errPanicked = errors.New("a page panicked")

// end notes what came of it, and answers when the work broke off.
func (v *visit) end() {
	if cause := recover(); cause != nil {
		if serving.Aborts(cause) {
			panic(cause)
		}
		// The stack says where; what was thrown may hold what somebody typed.
		v.console.options.Logger.Error("a page panicked", "request_id", v.requestID, "route", v.page.pattern, "stack", string(debug.Stack()))
		if v.w.Status != 0 {
			panic(http.ErrAbortHandler) // half a page must not pass for a whole one
		}
		v.refuse(errPanicked)
	}
	observe := v.console.options.Observe
	if observe == nil {
		return
	}
	o := serving.Observation{
		Route: v.page.pattern, Status: v.w.Status, Code: v.code, Duration: v.console.options.Now().Sub(v.begun),
		BytesIn: max(0, v.r.ContentLength), BytesOut: v.w.Bytes, Context: v.r.Context(), RequestID: v.requestID, Environment: string(v.env),
	}
	if v.who != nil {
		o.TenantID = v.who.session.Tenant.ID
	}
	observe(o)
}
