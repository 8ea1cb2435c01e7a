package console

import (
	"context"
	"net/http"
	"strings"
	"time"

	"verdict/internal/fault"
	"verdict/internal/serving"
	"verdict/internal/tenant"
)

// visit holds one request and everything that its handler needs.
type visit struct {
	console   *Console
	w         *serving.Recorder
	cookies   cookies
	r         *http.Request
	ctx       context.Context // has the deadline of the request
	page      *page
	env       tenant.Environment // "" on pages without an environment
	who       *person            // nil when nobody is signed in
	requestID string
	begun     time.Time
	status    int // status of the rendered page; 200 unless the request was refused
	outcome   serving.Outcome
	form      *form
	flashed   bool // whether the next page shows a message
	resources serving.Resources
}

// policy is the Content-Security-Policy. A page loads files only from this server and runs no
// inline script.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// visit handles one request: it checks and admits the request and runs its page.
func (c *Console) visit(w http.ResponseWriter, r *http.Request, p *page, env tenant.Environment) {
	now := c.options.Now()
	v := &visit{
		console:   c,
		w:         &serving.Recorder{ResponseWriter: w},
		r:         r,
		page:      p,
		env:       env,
		requestID: c.ids.New(now),
		begun:     now,
		status:    http.StatusOK,
		form:      &form{},
		resources: c.gate.Request(),
	}
	ctx, cancel := context.WithTimeout(r.Context(), c.options.RequestTimeout)
	defer cancel()
	v.ctx = ctx
	v.cookies = cookies{w: v.w, r: r, secure: c.options.Node.Clients.Secure(r)}
	v.w.Before = func() { // do not hold the slot while the browser reads
		if !p.export { // an export gives up the slot itself, and needs it again
			v.resources.Slot.Leave()
		}
	}
	defer v.resources.Release()
	defer v.end()
	v.headers()
	if err := v.serve(); err != nil {
		v.refuse(err)
	}
}

// headers sets the headers of every answer. The Referrer-Policy is "same-origin", because with
// "no-referrer" browsers would hide the origin of the console's own forms.
func (v *visit) headers() {
	h := v.w.Header()
	serving.SetHeaders(h, v.requestID)
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}

// serve runs the checks in order and then the page. It refuses a cross-origin form before it looks
// up anything for the form.
func (v *visit) serve() error {
	if err := v.resources.CheckFull(); err != nil {
		return err
	}
	if err := v.console.guard.Check(v.r); err != nil {
		return errCrossOrigin
	}
	if err := v.recognise(); err != nil {
		return err
	}
	v.resources.Owner = v.owner() // the owner stays the same if this request signs a person in
	if v.who == nil && !v.console.options.Node.DelayUnauthenticated(v.r, v.begun) {
		v.w.Header().Set("Connection", "close")
	}
	if !v.page.public {
		if v.who == nil {
			return v.askToSignIn()
		}
		if v.who.session.MustEnrol && !v.page.enrol {
			return v.redirect(factorPath)
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

// caller returns the principal for use cases: the person, in the environment of the address. Pages
// without an environment use live.
func (v *visit) caller() tenant.Principal {
	env := v.env
	if env == "" {
		env = tenant.Live
	}
	return v.as(env)
}

// as returns the principal for use cases in the environment env.
func (v *visit) as(env tenant.Environment) tenant.Principal {
	if v.who == nil {
		return tenant.Principal{}
	}
	return v.who.session.Principal(env)
}

// id returns the path segment that matches the name in braces.
func (v *visit) id(name string) string { return v.r.PathValue(name) }

// query returns a query parameter without surrounding spaces.
func (v *visit) query(name string) string { return strings.TrimSpace(v.r.URL.Query().Get(name)) }

// at returns the address of a page in this environment, such as at("/keys").
func (v *visit) at(path string) string { return atEnvironment(v.env, path) }

func atEnvironment(env tenant.Environment, path string) string {
	if env == "" {
		return "/console" + path
	}
	return "/console/" + string(env) + path
}

// redirect sends the browser to another page with 303 See Other.
func (v *visit) redirect(location string) error {
	v.w.Header().Set("Location", location)
	v.w.WriteHeader(http.StatusSeeOther)
	return nil
}

// setFlash makes the next page show a message. The message must not contain a secret, because a
// cookie stores it unencrypted.
func (v *visit) setFlash(message string) {
	v.flashed = true
	v.cookies.flash(message)
}

// carryOut carries out an action that must be confirmed, and then redirects like done. If the action is refused, it
// renders the page again with the refusal.
func (v *visit) carryOut(action func() error, page func(*visit) error, message, path string) error {
	err := v.confirmed()
	if err == nil {
		err = action()
	}
	if err != nil {
		return v.redraw(err, page)
	}
	return v.done(message, path)
}

// done redirects to a page of this environment, which shows the message once.
func (v *visit) done(message, path string) error {
	v.setFlash(message)
	return v.redirect(v.at(path))
}

// confirmed refuses an action in live unless the person typed the word that the template piece
// "confirm" asks for.
func (v *visit) confirmed() error {
	if v.env != tenant.Live || v.form.Value("confirm") == confirmWord {
		return nil
	}
	var faults fault.List
	faults.Add("/confirm", fault.CodeRequired, "type %s: this changes what happens to real applicants", confirmWord)
	return faults.Err()
}

const confirmWord = "LIVE"

// end recovers from a panic, answers if nothing was sent yet, and records the request. It logs the
// request only if the service failed.
func (v *visit) end() {
	failure, abort := serving.Recovered(recover(), v.w.Status != 0)
	switch {
	case abort:
		v.w.Status, v.outcome = serving.Aborted(v.r.Context(), failure)
	case failure != nil:
		v.refuse(failure)
	}
	o := serving.Observation{
		Outcome:     v.outcome,
		Route:       v.page.pattern,
		Status:      v.w.Status,
		Duration:    v.console.options.Now().Sub(v.begun),
		BytesIn:     max(0, v.r.ContentLength),
		BytesOut:    v.w.Bytes,
		Context:     v.r.Context(),
		RequestID:   v.requestID,
		Environment: string(v.env),
	}
	if v.who != nil {
		o.TenantID = v.who.session.Tenant.ID
	}
	if observe := v.console.options.Observe; observe != nil {
		observe(o)
	}
	if v.outcome.Failure != nil {
		o.Log(v.console.options.Logger)
	}
	if abort {
		panic(http.ErrAbortHandler)
	}
}
