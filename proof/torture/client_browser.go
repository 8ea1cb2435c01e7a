package torture

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
)

// browser is the console session of a person. Keys can be created and revoked
// only in the console. Forms are sent as a browser sends them.
type browser struct {
	mu      sync.Mutex
	session string // session cookie
}

const formType = "application/x-www-form-urlencoded"

// form returns the request that posts a form of the console. If the request
// gets no answer, its outcome is ignored: a key that was never shown gives no
// access.
func form(s *scope, path string, fields url.Values) *request {
	if s.env == "live" {
		fields.Set("confirm", "LIVE")
	}
	return &request{
		scope: s, method: http.MethodPost, path: path, contentType: formType, body: []byte(fields.Encode()),
		page: true, writes: true, unsettling: true, want: []int{http.StatusOK, http.StatusSeeOther},
	}
}

var errNotSignedIn = errors.New("not signed in")

// signIn signs in a lender's browser.
func (w *Workload) signIn(ctx context.Context, s *scope, where func() (string, bool)) error {
	l := s.lender
	r := form(s, "/console/signin", url.Values{"email": {l.email}, "password": {l.password}})
	r.want = []int{http.StatusSeeOther}
	a, ok := w.deliver(ctx, r, where)
	if !ok {
		return errNotSignedIn
	}
	for _, cookie := range (&http.Response{Header: a.header}).Cookies() {
		if cookie.Name == "verdict" && cookie.Value != "" {
			l.browser.mu.Lock()
			l.browser.session = "verdict=" + cookie.Value
			l.browser.mu.Unlock()
			w.secrets.add(cookie.Value)
			return nil
		}
	}
	return errNotSignedIn
}

// submit posts a form as the lender's administrator, and signs in again if the
// session has ended.
func (w *Workload) submit(ctx context.Context, s *scope, r *request, where func() (string, bool)) (answer, bool) {
	for range 2 {
		s.lender.browser.mu.Lock()
		r.cookie = s.lender.browser.session
		s.lender.browser.mu.Unlock()
		a, ok := w.deliver(ctx, r, where)
		if !ok || !strings.HasPrefix(a.header.Get("Location"), "/console/signin") {
			return a, ok
		}
		if w.signIn(ctx, s, where) != nil {
			return answer{}, false
		}
		r = form(s, r.path, fieldsOf(r))
	}
	w.violate("session-holds", "%s: signed in, but sent back to the sign-in page", r)
	return answer{}, false
}

func fieldsOf(r *request) url.Values {
	fields, err := url.ParseQuery(string(r.body))
	if err != nil {
		panic(fmt.Sprintf("a form of ours cannot be read: %v", err))
	}
	return fields
}

var shownKey = regexp.MustCompile(`vk_(?:sandbox|live)_[0-9A-Za-z]{20,}`)

// makeKey creates a key with the given scopes in the environment of s. It
// returns the key's text and id. ok is false if there was no answer or a
// guarantee was violated.
func (w *Workload) makeKey(
	ctx context.Context, s *scope, name string, where func() (string, bool), scopes ...string,
) (key, id string, ok bool) {
	path := "/console/" + s.env + "/keys"
	a, ok := w.submit(ctx, s, form(s, path, url.Values{"name": {name}, "scopes": scopes}), where)
	if !ok {
		return "", "", false
	}
	key = shownKey.FindString(string(a.body))
	if key == "" {
		w.violate("key-shown-once", "%s: no key is shown", s)
		return "", "", false
	}
	w.secrets.add(key)
	id, ok = w.keyID(ctx, s, name, where)
	if ok {
		w.learn(func() { s.did("key.created", id) })
	}
	return key, id, ok
}

// keyID returns the id of the key with the given name, from the console's list
// of keys. It returns false if the list could not be read or does not contain
// the key.
func (w *Workload) keyID(ctx context.Context, s *scope, name string, where func() (string, bool)) (string, bool) {
	s.lender.browser.mu.Lock()
	cookie := s.lender.browser.session
	s.lender.browser.mu.Unlock()
	list := &request{
		scope: s, method: http.MethodGet, path: "/console/" + s.env + "/keys", cookie: cookie, page: true,
		want: []int{http.StatusOK, http.StatusSeeOther},
	}
	a, ok := w.deliver(ctx, list, where)
	if !ok || a.status != http.StatusOK {
		return "", false
	}
	row := regexp.MustCompile(`/keys/(key_[0-9A-Z]{26})"[^>]*>\s*` + regexp.QuoteMeta(name) + `\s*<`)
	found := row.FindStringSubmatch(string(a.body))
	if found == nil {
		w.violate("nothing-lost", "%s: the key %s was shown and is not in the list", s, name)
		return "", false
	}
	return found[1], true
}

// revokeKey revokes a key.
func (w *Workload) revokeKey(ctx context.Context, s *scope, key, id string, where func() (string, bool)) bool {
	_, ok := w.submit(ctx, s, form(s, "/console/"+s.env+"/keys/"+id+"/revoke", url.Values{}), where)
	if ok {
		w.learn(func() {
			s.did("key.revoked", id)
			s.revoked = append(s.revoked, key)
		})
	}
	return ok
}

// learn locks the model and calls the function change, which modifies the model.
func (w *Workload) learn(change func()) {
	w.model.mu.Lock()
	defer w.model.mu.Unlock()
	change()
}
