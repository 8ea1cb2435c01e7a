package console_test

import (
	"crypto/tls"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/tenant"
)

// TestForeignFormsAreRefused checks that a form that a browser posts from
// another site is refused.
func TestForeignFormsAreRefused(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	b := h.signUp()
	for _, route := range h.console.Routes() {
		path, is := strings.CutPrefix(route, "POST ")
		if !is {
			continue
		}
		path = regexp.MustCompile(`\{[a-z]+\}`).ReplaceAllString(strings.Replace(path, "{env}", "live", 1), "x")
		for name, values := range map[string][2]string{
			"by origin": {"Origin", "https://evil.example"}, "by fetch metadata": {"Sec-Fetch-Site", "cross-site"},
			"from a sibling": {"Sec-Fetch-Site", "same-site"}, "from nowhere": {"Origin", "null"},
		} {
			request := b.form(path, "name", "x")
			request.Header.Set(values[0], values[1])
			if a := b.do(request); a.status != http.StatusForbidden || !strings.Contains(a.body, "another site") {
				t.Errorf("%s, %s: status %d", route, name, a.status)
			}
		}
	}
	b.get("/console/account").want(http.StatusOK)
}

// TestEveryPageAsksForASession checks that every page and form that is not
// public requires a session.
func TestEveryPageAsksForASession(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	public := map[string]bool{
		"GET /console/signin":          true,
		"POST /console/signin":         true,
		"POST /console/signout":        true,
		"GET /console/signup":          true,
		"POST /console/signup":         true,
		"GET /console/invite/{token}":  true,
		"POST /console/invite/{token}": true,
		"POST /console/theme":          true,

		"POST /console/signin/code":      true,
		"GET /console/sso/{id}":          true,
		"POST /console/sso/{id}":         true,
		"GET /console/sso/{id}/callback": true,
	}
	b := h.newBrowser()
	for _, route := range h.console.Routes() {
		if public[route] {
			continue
		}
		method, path, _ := strings.Cut(route, " ")
		path = regexp.MustCompile(`/?\{[a-z$]+\}`).ReplaceAllString(strings.Replace(path, "{env}", "live", 1), "/x")
		a := b.get(path)
		if method == http.MethodPost {
			a = b.post(path)
		}
		if path == "/console/x" {
			continue // made from /console/{$}, which matches only /console/
		}
		if route == "POST /console/{env}/policies/{id}/edit" { // the sign-in page keeps the edit
			a.want(http.StatusUnauthorized).has("Your session has ended", `action="/console/signin"`)
			continue
		}
		if a.status != http.StatusSeeOther || !strings.HasPrefix(a.header.Get("Location"), "/console/signin") {
			t.Errorf("%s: status %d, to %q", route, a.status, a.header.Get("Location"))
		}
	}
}

func TestHostileNamesAreEscaped(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	b := h.newBrowser()
	b.email, b.password = "mallory@example.in", "correct horse battery"
	const hostile = `<img src=x onerror=alert(1)>"'&`
	b.post("/console/signup", "org_name", hostile, "email", b.email, "password", b.password).want(http.StatusOK).
		hasNot("<img").has("&lt;img")
	b.post("/console/sandbox/keys", "name", hostile, "scopes", "read").want(http.StatusOK).hasNot("<img")
	b.decide(tenant.Sandbox, hostile)
	for _, path := range []string{
		"/console/sandbox", "/console/sandbox/keys", "/console/sandbox/audit", "/console/account", "/console/users",
	} {
		b.get(path).want(http.StatusOK).has("&lt;img").hasNot("<img src=x")
	}
	b.get("/console/sandbox/audit?actor=%3Cimg%20src%3Dx%3E&from=%3Cimg").
		want(http.StatusOK).hasNot("<img src", `"<img`)
	b.get("/console/<img src=x>").want(http.StatusNotFound).hasNot("<img src")
}

func TestRefusalsStandInTheFrame(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	b := h.signUp()
	b.get("/console/nowhere").want(http.StatusNotFound).has("Not found", "Your account", "req_")
	b.get("/console/staging/keys").want(http.StatusNotFound)
	a := b.get("/console/signout").want(http.StatusMethodNotAllowed)
	if got := a.header.Get("Allow"); got != "POST" {
		t.Errorf("Allow: %q", got)
	}
	h.newBrowser().get("/console/nowhere").want(http.StatusNotFound).hasNot("Your account")
	b.post("/console/sandbox/keys", "name", strings.Repeat("x", 2<<20)).want(http.StatusRequestEntityTooLarge)
}

func TestAssetsKeepForGood(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	b := h.newBrowser()
	page := b.get("/console/signin").body
	found := regexp.MustCompile(`/console/assets/[a-z.0-9]+`).FindAllString(page, -1)
	if len(found) < 3 {
		t.Fatalf("the page loads %v", found)
	}
	for _, path := range found {
		a := b.get(path).want(http.StatusOK)
		if got := a.header.Get("Cache-Control"); !strings.Contains(got, "immutable") {
			t.Errorf("%s: Cache-Control %q", path, got)
		}
		if strings.HasSuffix(path, ".css") {
			a.has("--chart-blue", "--accent").hasNot("@import", "url(http", "url(//")
		}
	}
	b.get("/console/assets/console.css").want(http.StatusNotFound).has("<title>Not found")
	b.post("/console/assets/console.css").want(http.StatusNotFound).has("<title>Not found")
	b.get("/console/assets/../console.go").want(http.StatusNotFound)
}

func TestSwitchLeadsToTheSamePage(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	b := h.signUp()
	b.get("/console/sandbox/audit").has(`href="/console/live/audit"`).hasNot("Real applicants")
	b.get("/console/live/audit").has(`href="/console/sandbox/audit"`, "<title>LIVE · Audit trail", "Real applicants")
	key, _ := tenant.ParseKey(b.key)
	p, err := h.service.Access.Authenticate(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	b.get("/console/sandbox/keys/" + p.KeyID).has(`<a href="/console/live/keys">Live</a>`)
}

// TestBrowsersComeBackByTLS checks that every answer to an encrypted request has
// the Strict-Transport-Security header, and that no other answer has it.
func TestBrowsersComeBackByTLS(t *testing.T) {
	t.Parallel()
	for _, secure := range []bool{true, false} {
		h := houseOver(t, storetest.Open(t, storetest.SQLite(t), store.Options{}))
		h.behind(func(w http.ResponseWriter, r *http.Request) {
			if secure {
				r.TLS = &tls.ConnectionState{}
			}
			h.console.ServeHTTP(w, r)
		})
		for _, path := range []string{
			"/console/signin", "/console", "/console/nowhere", "/console/assets/nothing.css",
		} {
			got := h.newBrowser().get(path).header.Get("Strict-Transport-Security")
			if (got == "max-age=31536000") != secure {
				t.Errorf("%s, encrypted %t: %q", path, secure, got)
			}
		}
	}
}
