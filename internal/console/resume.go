package console

import (
	"compress/flate"
	"net/http"
	"net/url"
	"strings"

	"verdict/internal/account"
	"verdict/internal/tenant"
)

// Names of the sign-in form's fields for a kept form, which is a form that was posted after its
// session had ended.
const (
	formKept  = "kept"  // the kept form, compressed
	formRoute = "route" // address to which the kept form was posted
)

// signInView is the data of the sign-in page.
type signInView struct {
	Next  string
	Kept  string // compressed form that arrived after its session had ended
	Route string // address to which that form was posted

	Connections []account.Connection // the identity providers that the page shows
}

// Settle returns an address for the browser's history. There, the address replaces the page with a kept form, so
// that going back does not post the kept form again.
func (s signInView) Settle() string {
	if s.Kept == "" {
		return ""
	}
	return "/console/signin?" + url.Values{"next": {s.Next}}.Encode()
}

// keepForm renders the sign-in page with the posted form inside. The form goes back to the browser
// that sent it and is not stored. Anybody may post a form, so keepForm takes a place in the pool
// of requests (see admit) before it compresses the form, and uses the fastest compression.
func (v *visit) keepForm() error {
	if err := v.readForm(); err != nil {
		return err
	}
	if err := v.admit(); err != nil {
		return err
	}
	kept := pack([]byte(v.form.values.Encode()), flate.BestSpeed)
	page := cameFrom(v.r)
	v.form, v.status = &form{}, http.StatusUnauthorized
	return v.render("signin", "Sign in", signInView{
		Next:        page,
		Kept:        kept,
		Route:       v.r.URL.Path,
		Connections: v.console.service.SignOn.Listed(),
	})
}

// resumeForm continues with the form that the sign-in page contained, if the form belongs to this
// person. The form's address must match a page that can resume, and the person must have the scope
// of that page.
func (c *Console) resumeForm(v *visit, session account.Session) error {
	page, env, ids := c.resumable(v.form.Value(formRoute))
	data, err := unpack(v.form.Value(formKept), c.options.MaxForm)
	if err := v.resources.Reserve(formFactor * int64(len(data))); err != nil { // decompressed, so it may be large
		return err
	}
	values, err2 := url.ParseQuery(string(data))
	if page == nil || err != nil || err2 != nil || values.Get(formAuthor) != session.User.ID {
		if page != nil && err == nil && err2 == nil {
			v.setFlash("The edit that was open here belongs to another person, so it was discarded.")
		}
		return v.redirect("/console")
	}
	if session.MustEnrol {
		v.setFlash("Set up your second factor first. The stored part of your edit is kept.")
		return v.redirect(factorPath)
	}
	v.who = &person{session, session.Scopes()}
	if !v.who.scopes.Has(page.scope) {
		return errRole
	}
	for name, id := range ids {
		v.r.SetPathValue(name, id)
	}
	v.page, v.env, v.form = page, env, &form{values: values}
	return page.resume(v)
}

// resumable returns the page that matches a path and has a resume function, with the environment
// and the values of the names in braces. It returns nil if there is no such page.
func (c *Console) resumable(path string) (*page, tenant.Environment, map[string]string) {
	parts := strings.Split(path, "/")
	for _, p := range c.table() {
		wanted := strings.Split(p.path(), "/")
		if p.resume == nil || len(wanted) != len(parts) {
			continue
		}
		env, ids, same := tenant.Environment(""), map[string]string{}, true
		for i, part := range wanted {
			switch {
			case part == environmentPart:
				env = tenant.Environment(parts[i])
				same = same && (env == tenant.Sandbox || env == tenant.Live)
			case strings.HasPrefix(part, "{"):
				ids[strings.Trim(part, "{}")] = parts[i]
			default:
				same = same && part == parts[i]
			}
		}
		if same {
			return &p, env, ids
		}
	}
	return nil, "", nil
}
