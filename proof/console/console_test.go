package console_test

import (
	"context"
	"errors"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"verdict/internal/app"
	"verdict/internal/console"
	"verdict/internal/console/consoletest"
	"verdict/internal/demo"
	"verdict/internal/demo/demotest"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
	"verdict/proof/browser"
)

// shotsVariable is the environment variable with the folder for screenshots of
// all pages. If it is not set, no screenshots are stored.
const shotsVariable = "VERDICT_SHOTS"

// now is the fixed time of the service's clock.
var now = time.Date(2026, time.November, 15, 6, 30, 0, 0, time.UTC)

// stage is the service with the demonstration data, and a browser.
type stage struct {
	url     string
	service *usecase.Set // a second service besides the server's, to look up ids and to invite
	made    demo.Filled
	browser *browser.Browser
	lens    browser.Lens

	mu   sync.Mutex
	asha *browser.Tab // a tab whose cookies are those of the first person; nil before the first sign-in
}

// TestBrowser drives the console in Chromium. It checks every page in both
// themes and at both widths, and does the main tasks as a new user. All parts
// share one Chromium and one service, each in its own window.
func TestBrowser(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("left out with -short: browser")
	}
	s := newStage(t)
	for name, part := range map[string]func(*testing.T){
		"door": s.door, "pages": s.everyPage, "answers": s.answers, "changes": s.changes, "reference": s.reference,
		"first screens": s.firstScreens, "edit": s.edit, "walk": s.walk, "sign-on": s.signOn, "desk": s.desk,
		"guarantees": s.guarantees, "bench": s.bench, "tools": s.tools, "replaced pages": s.replacedPages,
		"tasks": s.tasks, "tasks without scripts": s.plainTasks,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			part(t)
		})
	}
}

// replacedPages checks that a test can wait for a page that replaces the present
// one. In the editor, a button waits for the form to be stored, so the next page
// may begin at any time after the click.
func (s *stage) replacedPages(t *testing.T) {
	pages := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/next" {
			_, _ = io.WriteString(w,
				`<!doctype html><title>Next</title><main><input id="name" autofocus>the next page</main>`)
			return
		}
		_, _ = io.WriteString(w, `<!doctype html><title>First</title><link rel="icon" href="data:,">
			<main>the first page<button>Store</button></main><script>
			const leave = () => setTimeout(() => location.replace("/next"), 300);
			const button = document.querySelector("button");
			button.onclick = () => { history.replaceState(null, "", "?stored"); leave() };
			if (location.search === "") leave()</script>`)
	}))
	t.Cleanup(pages.Close)
	tab := s.browser.Tab(t, pages.URL)
	for _, wait := range []func(){
		func() { tab.Sees("the next page") },
		func() { tab.BeginsAt("name") },
		func() { tab.Fill("#name", "a name") },
		func() { tab.Arrives("/next") },
	} {
		tab.Go("/")
		wait()
	}
	tab.Go("/?stays")
	tab.Follow("button") // the script changes the address 300 ms before the next page
	var title string
	if tab.Ask(`document.title`, &title); title != "Next" {
		t.Errorf("Follow ends at the page %q", title)
	}
	tab.Quiet()
}

func newStage(t *testing.T) *stage {
	t.Helper()
	folder := os.Getenv(shotsVariable)
	s := &stage{lens: browser.Lens{Axe: browser.Axe(t), Folder: folder, Tall: folder != ""}}
	config, err := app.Bind(flag.NewFlagSet("", flag.ContinueOnError)).Load(func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	config.Addr, config.DatabaseURL = "127.0.0.1:0", "sqlite:"+filepath.Join(t.TempDir(), "verdict.db")
	db, err := store.Open(t.Context(), config.DatabaseURL, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	s.made, err = demo.Fill(t.Context(), db, demotest.Hostile(now, 120))
	if err != nil {
		t.Fatal(err)
	}
	s.url = serve(t, config) // creates the master key
	key, err := config.ReadMasterKey(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	accepts := func(context.Context, string, map[string]string, []byte) (int, string) { return 200, "" }
	if s.service, err = usecase.New(db, usecase.Options{
		MasterKey: key, Post: accepts, ChunkQueue: consoletest.Queue{},
	}); err != nil {
		t.Fatal(err)
	}
	s.browser = browser.Open(t)
	return s
}

// serve runs the service until the test ends. Each reading of its clock is 250 microseconds after the one before,
// because a page that looks at what was decided before the present millisecond must find what a test has just sent.
func serve(t *testing.T, config app.Config) string {
	t.Helper()
	var readings atomic.Int64
	config.Now = func() time.Time { return now.Add(time.Duration(readings.Add(1)) * 250 * time.Microsecond) }
	service, err := app.New(t.Context(), config, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	over := make(chan error, 1)
	go func() { over <- service.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := errors.Join(<-over, service.Close()); err != nil {
			t.Errorf("the service ends with %v", err)
		}
	})
	return service.URL()
}

// caller returns an admin of the demonstration's tenant.
func (s *stage) caller(env tenant.Environment) tenant.Principal {
	plan, _ := tenant.DefaultPricePlans().Get(tenant.FreePlan)
	return tenant.Principal{
		TenantID:    s.made.TenantID,
		Environment: env,
		UserID:      s.made.People[0].ID,
		Scopes:      tenant.RoleAdmin.Scopes(),
		Plan:        plan,
	}
}

// signedIn returns a tab in which the first person of the demonstration is signed in. All its tabs have one session, so
// nothing may sign it out.
func (s *stage) signedIn(t *testing.T) *browser.Tab {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asha == nil {
		s.asha = s.signIn(t, s.made.People[0].Email)
		return s.asha
	}
	return s.browser.Share(t, s.asha)
}

// signIn returns a tab in which a user of the demonstration is signed in, with a session of its own.
func (s *stage) signIn(t *testing.T, email string) *browser.Tab {
	t.Helper()
	tab := s.browser.Tab(t, s.url)
	tab.Go("/console/signin")
	tab.Fill("[name=email]", email, "[name=password]", demotest.Password)
	tab.Press("Sign in")
	tab.Sees("Overview")
	return tab
}

// door checks the pages that visitors see before they sign in.
func (s *stage) door(t *testing.T) {
	_, token, err := s.service.People.Invite(t.Context(), s.caller(tenant.Live), "guest@kaveri.example",
		tenant.RoleViewer)
	if err != nil {
		t.Fatal(err)
	}
	tab := s.browser.Tab(t, s.url)
	for _, p := range []struct{ name, path string }{
		{"signin", "/console/signin"}, {"signup", "/console/signup"}, {"invite", "/console/invite/" + token.Reveal()},
	} {
		tab.Go(p.path)
		tab.Inspect(s.lens, p.name)
	}
	tab.Go("/console/signin")
	tab.Fill("[name=email]", "nobody@kaveri.example", "[name=password]", "not the password")
	tab.Expect(401)
	tab.Press("Sign in")
	tab.Sees("password")
	tab.Inspect(s.lens, "signin-refused")
}

// everyPage checks every page that is for signed-in users, and a page that does
// not exist.
func (s *stage) everyPage(t *testing.T) {
	tab := s.signedIn(t)
	known, err := console.New(s.service, console.Options{})
	if err != nil {
		t.Fatal(err)
	}
	paths := s.paths(t)
	for _, route := range known.Routes() {
		path, get := strings.CutPrefix(route, "GET ")
		if !get || strings.HasSuffix(path, ".csv") || strings.HasSuffix(path, "/report.html") {
			continue // a form, or a file
		}
		pages, listed := paths[path]
		if !listed && !strings.Contains(strings.ReplaceAll(path, "{env}", ""), "{") {
			pages = []consoletest.Page{{Path: strings.ReplaceAll(path, "{env}", "live")}}
		} else if !listed {
			t.Errorf("%s is a page that nobody looks at: list it in paths", path)
		}
		for _, p := range pages {
			tab.Go(p.Path)
			if at := tab.At(); at != p.Path {
				t.Errorf("%s leads to %s, so it was not checked", p.Path, at)
				continue
			}
			tab.Shaped()
			if p.Cut != "" {
				tab.Cut(p.Cut)
			}
			tab.Inspect(s.lens, fileOf(p, path))
		}
	}
	tab.Expect(404)
	tab.Go("/console/live/nowhere")
	tab.Inspect(s.lens, "nowhere")
}
