package console_test

import (
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"verdict/internal/account"
	"verdict/internal/console/consoletest"
	"verdict/internal/decisioning"
	"verdict/internal/demo"
	"verdict/internal/demo/demotest"
	"verdict/internal/operation"
	"verdict/internal/privacydesk"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/tenant"
)

// TestFilledConsole visits every page of a tenant that has at least one object of every
// kind. It checks the links, forms and filters, that other tenants see nothing, and
// that hostile texts are escaped.
func TestFilledConsole(t *testing.T) {
	t.Parallel()
	f := newFilled(t)
	// This test does not run in parallel with the others. Some pages, such as the page of an applicant, add an entry
	// to the audit trail when they are read, and walls counts the entries.
	t.Run("others", func(t *testing.T) { f.walls(t) }) //nolint:paralleltest // see above
	f.sizes(t)
	t.Run("links", func(t *testing.T) {
		t.Parallel()
		f.links(t)
	})
	t.Run("forms", func(t *testing.T) {
		t.Parallel()
		f.forms(t)
	})
	t.Run("hostile texts", func(t *testing.T) {
		t.Parallel()
		f.escapes(t)
	})
	t.Run("filters", func(t *testing.T) {
		t.Parallel()
		f.filters(t)
	})
}

// filled is a demonstration tenant with every page fetched once.
type filled struct {
	*house
	admin *browser
	pages map[string]string // the bodies, by address
	sent  map[string]int    // the lengths of the bodies as they were sent
	ids   map[tenant.Environment]map[string][]consoletest.Page
}

func newFilled(t *testing.T) *filled {
	t.Helper()
	db := storetest.Open(t, storetest.SQLite(t), store.Options{})
	h := houseOver(t, db)
	made, err := demo.Fill(t.Context(), db, demotest.Hostile(newClock().now(), 90))
	if err != nil {
		t.Fatal(err)
	}
	for _, env := range tenant.Environments() {
		fillPast(t, &past{db: db, made: made, env: env, decisions: 150})
	}
	// One user waits to be confirmed.
	_, err = h.service.Operator.CreateUser(t.Context(), made.TenantID, "fresh@kaveri.example",
		tenant.NewSecret(demotest.Password), tenant.RoleRisk)
	if err != nil {
		t.Fatal(err)
	}
	f := &filled{
		house: h,
		admin: h.newBrowser(),
		pages: map[string]string{},
		sent:  map[string]int{},
		ids:   map[tenant.Environment]map[string][]consoletest.Page{},
	}
	f.admin.post("/console/signin", "email", "asha@kaveri.example", "password", demotest.Password).
		want(http.StatusSeeOther)
	for _, env := range tenant.Environments() {
		f.deferErasure(t, env)
		f.ids[env] = consoletest.NewExamples(h.service, f.admin.who(env)).Pages(t)
		for _, l := range f.ids[env]["/console/{env}/decisions/{id}"] {
			f.admin.post(l.Path+"/review", "outcome", "more_information", "note", hostileTexts[0]).
				want(http.StatusSeeOther)
		}
		f.admin.upload("/console/"+string(env)+"/lists/file", "value\nAcme\n", "name", "employers", "type", "text",
			"confirm", "LIVE").want(http.StatusSeeOther)
		f.admin.upload("/console/"+string(env)+"/tables/file", "monthly_income.gte,segment\n0,A\n", "name", "segments",
			"keys", "monthly_income:range", "columns", "segment:text", "confirm", "LIVE").want(http.StatusSeeOther)
		decisions := "/console/" + string(env) + "/decisions"
		f.admin.post(decisions+"/filters?grade=B", "name", "Grade B").want(http.StatusSeeOther)
		f.ids[env]["/console/{env}/decisions"] = []consoletest.Page{{Path: decisions}, {Path: decisions + "?grade=B"}}
		for _, route := range h.console.Routes() {
			pattern, get := strings.CutPrefix(route, "GET ")
			looks, named := f.ids[env][pattern]
			switch {
			case !get || pattern == "/console/invite/{token}" || strings.HasPrefix(pattern, "/console/sso/"):
				continue
			case !named && strings.Contains(strings.NewReplacer("{env}", "", "{$}", "").Replace(pattern), "{"):
				t.Errorf("%s names something, and there is no example of it: add one to consoletest", pattern)
			case !named:
				looks = []consoletest.Page{
					{Path: strings.NewReplacer("{env}", string(env), "{$}", "").Replace(pattern)},
				}
			}
			for _, l := range looks {
				if shown := f.admin.get(l.Path); shown.status == http.StatusOK {
					f.pages[l.Path], f.sent[l.Path] = shown.body, shown.sent
				} else if shown.status != http.StatusSeeOther {
					t.Errorf("%s is answered with %d", l.Path, shown.status)
				}
			}
		}
	}
	return f
}

// deferErasure places a legal hold on an applicant, and asks for an erasure, which then waits.
func (f *filled) deferErasure(t *testing.T, env tenant.Environment) {
	t.Helper()
	who := f.admin.who(env)
	page, err := f.service.Decisions.Decisions(t.Context(), who, decisioning.DecisionFilter{}, operation.List{Limit: 1})
	if err != nil || len(page.Data) == 0 {
		t.Fatalf("there is no decision: %v", err)
	}
	ref := page.Data[0].ApplicantRef
	if _, err := f.service.Privacy.PlaceHold(t.Context(), who,
		privacydesk.NewHold{ApplicantRef: ref, Reason: "audit"}, nil); err != nil {
		t.Fatal(err)
	}
	e, err := f.service.Privacy.Erase(t.Context(), who,
		privacydesk.NewErasure{ApplicantRef: ref, Reason: "other"}, nil)
	if err != nil || e.State != privacydesk.Deferred {
		t.Fatalf("the erasure is %+v, %v", e, err)
	}
}

// mostBytes is the maximum size of a page as it is sent.
const mostBytes = 100_000

// sizes checks that every page is small enough as it is sent. CSV files have no limit, because people ask for all rows.
func (f *filled) sizes(t *testing.T) {
	t.Helper()
	for at, sent := range f.sent {
		if sent > mostBytes && !strings.Contains(at, ".csv") {
			t.Errorf("%s is sent with %d bytes, of %d", at, sent, len(f.pages[at]))
		}
	}
}

var (
	anID   = regexp.MustCompile(`[a-z]+_[0-9A-HJKMNP-TV-Z]{26}`)
	aQuery = regexp.MustCompile(`=[^&]*`)
)

// sameLinks is the maximum number of links that are followed if they differ only in ids and
// query values.
const sameLinks = 4

// links follows the links of all pages and checks that their targets exist, including the
// element that a fragment names.
func (f *filled) links(t *testing.T) {
	t.Helper()
	followed := map[string]int{}
	for at, body := range f.pages {
		if strings.HasSuffix(at, ".html") || strings.Contains(at, ".csv") {
			continue // a file has no links
		}
		for link := range tags(body, "a") {
			to, place, _ := strings.Cut(link.member("href"), "#")
			target := body
			if to != "" {
				kind := aQuery.ReplaceAllString(anID.ReplaceAllString(to, "*"), "=*") + "#" + place
				if followed[kind]++; followed[kind] > sameLinks || !strings.HasPrefix(to, "/console") {
					continue
				}
				shown := f.admin.get(to)
				if shown.status != http.StatusOK && shown.status != http.StatusSeeOther {
					t.Errorf("%s leads to %s, where the answer is %d", at, to, shown.status)
				}
				target = shown.body
			}
			if place != "" && !strings.Contains(target, `id="`+html.EscapeString(place)+`"`) {
				t.Errorf("%s leads to %s#%s, and that is not there", at, to, place)
			}
		}
	}
	if len(followed) < 60 {
		t.Errorf("%d kinds of links were found", len(followed))
	}
}

// byScript lists the forms that are on no page: those that a script posts, and those of
// buttons that the demonstration never shows. The values give the reason.
var byScript = map[string]string{
	"POST /console/{env}/policies/condition":      "the editor's script",
	"POST /console/{env}/policies/{id}/edit/keep": "the editor's script",
	"POST /console/signin":                        "somebody is signed in",
	"POST /console/signup":                        "somebody is signed in",
	"POST /console/invite/{token}":                "somebody is signed in",

	// TestSecondFactor and TestSignOnLink post these.
	"POST /console/signin/code":                    "somebody is signed in",
	"POST /console/sso/{id}":                       "there is no connection",
	"POST /console/account/sso/{id}":               "there is no connection",
	"POST /console/account/sso/{id}/unlink":        "there is no connection",
	"POST /console/account/second-factor/confirm":  "nobody sets up a second factor",
	"POST /console/account/second-factor/codes":    "nobody has a second factor",
	"POST /console/account/second-factor/remove":   "nobody has a second factor",
	"POST /console/users/{id}/second-factor/reset": "nobody has a second factor",
	"POST /console/{env}/backtests/{id}/cancel":    "nothing is running",
}

// forms posts every form of the pages as if a page of another site had posted it, and checks that each form is
// refused. It also checks that every POST route has a form on some page.
func (f *filled) forms(t *testing.T) {
	t.Helper()
	posted := map[string]bool{}
	for at, body := range f.pages {
		for form := range postForms(body) {
			to, _, _ := strings.Cut(form.member("action"), "#")
			if posted[to] {
				continue
			}
			posted[to] = true
			request := f.admin.form(to, "name", "x")
			request.Header.Set("Origin", "https://evil.example")
			if a := f.admin.do(request); a.status != http.StatusForbidden || !strings.Contains(a.body, "another site") {
				t.Errorf("the form to %s on %s is answered with %d", to, at, a.status)
			}
		}
	}
	for _, route := range f.console.Routes() {
		path, is := strings.CutPrefix(route, "POST ")
		if !is || byScript[route] != "" {
			continue
		}
		pattern := regexp.MustCompile("^" + regexp.MustCompile(`\\\{[a-z]+\\\}`).
			ReplaceAllString(regexp.QuoteMeta(path), "[^/]+") + `(\?.*)?$`)
		there := false
		for to := range posted {
			there = there || pattern.MatchString(to)
		}
		if !there {
			t.Errorf("%s is on no page", route)
		}
	}
}

// hostileTexts are parts of the texts of demotest.Hostile. The first text is the note of
// a review.
var hostileTexts = []string{
	`</textarea><script>alert('note')`, `<script>alert("org")`, `<img src=x onerror=alert(`, `<svg onload=alert(`,
	`<b>v2</b>`, `<i>draft</i>`,
}

// escapes checks that each hostile text is shown on some page, and is escaped on every page.
func (f *filled) escapes(t *testing.T) {
	t.Helper()
	shown := map[string]bool{}
	for at, body := range f.pages {
		for _, text := range hostileTexts {
			if strings.Contains(body, text) && !strings.Contains(at, ".csv") {
				t.Errorf("%s has %s in it", at, text)
			}
			if strings.Contains(html.UnescapeString(body), text) {
				shown[text] = true
			}
		}
	}
	for _, text := range hostileTexts {
		if !shown[text] {
			t.Errorf("%s is shown nowhere, so nothing was proved", text)
		}
	}
}

// filters requests every list with each of its filters, and the next page of each result.
func (f *filled) filters(t *testing.T) {
	t.Helper()
	house, admin := *f.house, *f.admin
	house.T, admin.house = t, &house
	(&size{browser: &admin, fetches: 1}).measure(t)
}

// trail returns the number of audit entries. The number grows with every change, so it shows
// whether a request changed something.
func (f *filled) trail(t *testing.T) (entries int) {
	t.Helper()
	for _, env := range tenant.Environments() {
		for l := (operation.List{Limit: operation.MaxLimit}); ; {
			page, err := f.service.People.Audit(t.Context(), f.admin.who(env), account.AuditFilter{}, l)
			if err != nil {
				t.Fatal(err)
			}
			entries += len(page.Data)
			if l.Cursor = page.NextCursor; l.Cursor == "" {
				break
			}
		}
	}
	return entries
}
