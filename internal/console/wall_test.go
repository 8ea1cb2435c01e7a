package console_test

import (
	"net/http"
	"strings"
	"testing"

	"verdict/internal/operation"
	"verdict/internal/privacydesk"
	"verdict/internal/tenant"
)

// walls requests every page and form about a single object of the demonstration tenant as the admin of another
// tenant. It also requests every such page as the tenant's own admin in the other environment. Every answer must be
// "not found", and nothing may be changed.
func (f *filled) walls(t *testing.T) {
	t.Helper()
	before := f.trail(t)
	stranger := f.signUp()
	other := map[tenant.Environment]tenant.Environment{tenant.Live: tenant.Sandbox, tenant.Sandbox: tenant.Live}
	refused := 0
	for env, things := range f.ids {
		for pattern, looks := range things {
			for _, l := range looks {
				if !anID.MatchString(l.Path) {
					continue
				}
				across := strings.Replace(l.Path, "/"+string(env)+"/", "/"+string(other[env])+"/", 1)
				f.nothingThere(t, "another tenant", stranger.get(l.Path), l.Path)
				f.nothingThere(t, "the other environment", f.admin.get(across), across)
				refused++
				for _, act := range f.acts(pattern) {
					path, _, _ := strings.Cut(l.Path, "?")
					f.nothingThere(t, "another tenant", stranger.post(path+act, everyField...), path+act)
					refused++
				}
			}
		}
	}
	for path := range f.people(t) {
		f.nothingThere(t, "another tenant", stranger.post(path, everyField...), path)
		refused++
	}
	if refused < 60 {
		t.Errorf("only %d addresses were tried", refused)
	}
	if after := f.trail(t); after != before {
		t.Errorf("%d things were done by those who have nothing to do here", after-before)
	}
}

// everyField has a value for each field that a form validates before it looks
// up its object.
var everyField = []string{
	"confirm", "LIVE", "outcome", "upheld", "note", "mine now", "role", "viewer", "resolution", "false_positive",
	"overlap", "1h", "on", "synthetic", "score", "742", "monthly_income", "50000", "doc", "{}", "act", "check",
}

// nothingThere checks that the answer is "not found" and shows nothing about
// the requested object.
func (f *filled) nothingThere(t *testing.T, who string, a *answer, path string) {
	t.Helper()
	if a.status != http.StatusNotFound {
		t.Errorf("%s: %s is answered with %d", who, path, a.status)
	}
	for _, trace := range []string{"KC-10", "Personal loan 2.1", "Festive season"} {
		if strings.Contains(a.body, trace) {
			t.Errorf("%s: %s shows %s", who, path, trace)
		}
	}
}

// acts returns the paths of the forms below the page with the given pattern. They are relative to the path of that
// page.
func (f *filled) acts(pattern string) (list []string) {
	if !strings.HasSuffix(pattern, "/{id}") {
		return nil
	}
	for _, route := range f.console.Routes() {
		if rest, is := strings.CutPrefix(route, "POST "+pattern+"/"); is {
			list = append(list, "/"+rest)
		}
	}
	return list
}

// people returns the paths of the forms about users, sessions, invitations and
// referred decisions, which have no page of their own. The test fails if the
// path of any other form has an id but lies below no page.
func (f *filled) people(t *testing.T) map[string]bool {
	t.Helper()
	admin := f.admin.who(tenant.Live)
	users, err := f.service.People.List(t.Context(), admin)
	if err != nil {
		t.Fatal(err)
	}
	invited, err := f.service.People.Invitations(t.Context(), admin)
	if err != nil || len(invited) == 0 {
		t.Fatalf("nobody is invited: %v", err)
	}
	token, _ := tenant.ParseToken(f.admin.token())
	session, err := f.service.Access.SessionOf(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	referred, err := f.service.Decisions.Reviews.Referrals(t.Context(), admin, operation.List{Limit: 100})
	if err != nil || len(referred.Data) == 0 {
		t.Fatalf("nothing waits: %v", err)
	}
	holds, err := f.service.Privacy.Holds(t.Context(), admin, privacydesk.HoldFilter{}, operation.List{Limit: 1})
	if err != nil || len(holds.Data) == 0 {
		t.Fatalf("there is no legal hold: %v", err)
	}
	erasures, err := f.service.Privacy.Erasures(t.Context(), admin, operation.List{Limit: 1})
	if err != nil || len(erasures.Data) == 0 {
		t.Fatalf("there is no erasure: %v", err)
	}
	ids := map[string]string{
		"/console/{env}/privacy/holds/{id}":    holds.Data[0].ID,
		"/console/{env}/privacy/erasures/{id}": erasures.Data[0].ID,
		"/console/users/{id}":                  users[len(users)-1].ID,
		"/console/users/invitations/{id}":      invited[0].ID,
		"/console/sso/{id}":                    "acme", "/console/account/sso/{id}": "acme",
		"/console/account/sessions/{id}": session.ID, "/console/{env}/referrals/{id}": referred.Data[0].ID,
	}
	paths := map[string]bool{}
	for _, route := range f.console.Routes() {
		path, post := strings.CutPrefix(route, "POST ")
		head, act, named := strings.Cut(path, "/{id}")
		if !post || !named {
			continue
		}
		if id, known := ids[head+"/{id}"]; known {
			paths[strings.Replace(head, "{env}", "live", 1)+"/"+id+act] = true
		} else if f.ids[tenant.Live][head+"/{id}"] == nil {
			t.Errorf("%s names something that nobody tried: add it", route)
		}
	}
	return paths
}
