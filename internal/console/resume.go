package console

import (
	"compress/flate"
	"net/http"
	"net/url"
	"strings"

	"verdict/internal/account"
	"verdict/internal/tenant"
)

// Names of what the sign-in page holds for a form that is kept.
const (
	formKept  = "kept"  // the form, packed
	formRoute = "route" // the address it was posted to
)

// signInView is what the sign-in page is drawn from.
type signInView struct {
	Next  string
	Kept  string // a form that arrived after its session had ended, packed
	Route string // the address that it was posted to
}

// Settle returns the address that stands in the browser's history for a page
// that holds a form, so that going back to it does not post that form again.
func (s signInView) Settle() string {
	if s.Kept == "" {
		return ""
	}
	return "/console/signin?" + url.Values{"next": {s.Next}}.Encode()
}

// keepForm asks for the password on a page that holds the posted form. The form
// goes back to the browser that sent it and is kept nowhere else. Anybody may
// post one, so it takes a place among the requests that are worked on before it
// is packed, and is packed fast.
func (v *visit) keepForm() error {
	if err := v.readForm(); err != nil {
		return err
	}
	if err := v.admit(); err != nil {
		return err
	}
	kept := pack([]byte(v.form.values.Encode()), flate.BestSpeed)
	page := v.cameFrom()
	v.form, v.status = &form{}, http.StatusUnauthorized
	return v.render("signin", "Sign in", signInView{Next: page, Kept: kept, Route: v.r.URL.Path})
}

// resumeForm goes on with the form that the sign-in page held, if it was this
// person's. The address is looked up among the pages as any other; its scope
// and its environment count as they do for a request.
func (c *Console) resumeForm(v *visit, session account.Session) error {
	page, env, ids := c.resumable(v.form.Value(formRoute))
	data, err := unpack(v.form.Value(formKept), c.options.MaxForm)
	values, err2 := url.ParseQuery(string(data))
	if page == nil || err != nil || err2 != nil || values.Get(formAuthor) != session.User.ID {
		if page != nil && err == nil && err2 == nil {
			v.tell("The edit that was open here belongs to another person, so it was discarded.")
		}
		return v.see("/console")
	}
	v.who = &person{session, session.Role().Scopes()}
	if !v.who.scopes.Has(page.scope) {
		return errRole
	}
	for name, id := range ids {
		v.r.SetPathValue(name, id)
	}
	v.page, v.env, v.form = page, env, &form{values: values}
	return page.resume(v)
}

// resumable finds the page whose forms are kept and that is at a path, with the
// environment and the names in braces. nil for none.
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
