package console_test

import (
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"verdict/internal/app"
	"verdict/internal/console"
	"verdict/internal/console/browsertest"
	"verdict/internal/demo"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
)

// shotsVariable names the folder for the pictures of all pages; without it there
// are none.
const shotsVariable = "VERDICT_SHOTS"

const demoPassword = "a long password"

// stage is the whole service with a demonstration in it, and a browser.
type stage struct {
	url     string
	service *usecase.Set // beside the one that serves, for looking up ids
	made    demo.Filled
	browser *browsertest.Browser
	lens    browsertest.Lens
}

// TestBrowser drives the console in Chromium: every page is looked at in both
// themes and at both widths, and somebody new walks through what the console
// is for. One Chromium and one service serve all parts, each in a window of its
// own.
func TestBrowser(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for name, part := range map[string]func(*testing.T){
		"door": s.door, "pages": s.everyPage, "answers": s.answers, "reference": s.reference,
		"first screens": s.firstScreens, "edit": s.edit, "walk": s.walk,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			part(t)
		})
	}
}

func newStage(t *testing.T) *stage {
	t.Helper()
	folder := os.Getenv(shotsVariable)
	s := &stage{lens: browsertest.Lens{Axe: browsertest.Axe(t), Folder: folder, Tall: folder != ""}}
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
	s.made, err = demo.Fill(t.Context(), db, quickDemo(120))
	if err != nil {
		t.Fatal(err)
	}
	if s.service, err = usecase.New(db, usecase.Options{}); err != nil {
		t.Fatal(err)
	}
	s.url = serve(t, config)
	s.browser = browsertest.Open(t)
	return s
}

// hostileDemo are texts such as strangers send, in every place of a
// demonstration that holds one. Nothing of them may come alive in a page, in a
// spreadsheet or on a terminal.
var hostileDemo = demo.Texts{
	OrgName:    `Kaveri Capital <script>alert("org")</script>`,
	PolicyName: `Festive season "try-out" <i>draft</i>`,
	Message:    `The phone is "rooted" <b>& unlocked</b>: ask for another, don't guess`,
	KeyName:    `Branch "app" <b>v2</b>`,
	Browser:    `Mozilla/5.0 (Linux; Android 14) Chrome/140 <svg onload=alert(1)>`,
	Note:       `</textarea><script>alert('note')</script> called twice; says "it wasn't me" & hung up`,
	Narration:  `NEFT SALARY <img src=x onerror=alert("narration")> INFOTECH LTD`,
	Phone:      `<b onmouseover=alert(1)>Moto G</b>`,
	Purpose:    `wedding <b>& "gold"</b>`,
	Reason:     `"><img src=x onerror=alert(1)>`,
	Branch:     `<svg onload=alert("csv")>`,
	Reference:  `=cmd|' /C calc'!A0`,
}

// quickDemo is a demonstration with hostile texts, whose passwords cost little
// to look at.
func quickDemo(decisions int) demo.Options {
	return demo.Options{
		Now: newClock().now(), Decisions: decisions, Password: tenant.NewSecret(demoPassword), PasswordCost: tenant.Cost{MemoryKiB: 64, Passes: 1, Lanes: 1},
		Texts: hostileDemo,
	}
}

// serve runs the service until the test is over. Its clock stands still.
func serve(t *testing.T, config app.Config) string {
	t.Helper()
	config.Now = newClock().now
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

// caller looks up ids in the demonstration.
func (s *stage) caller(env tenant.Environment) tenant.Principal {
	return tenant.Principal{TenantID: s.made.TenantID, Environment: env, UserID: s.made.People[0].ID, Scopes: tenant.RoleAdmin.Scopes()}
}

// signIn is a tab in which somebody of the demonstration is signed in.
func (s *stage) signIn(t *testing.T, email string) *browsertest.Tab {
	t.Helper()
	tab := s.browser.Tab(t, s.url)
	tab.Go("/console/signin")
	tab.Fill("[name=email]", email, "[name=password]", demoPassword)
	tab.Press("Sign in")
	tab.Sees("Overview")
	return tab
}

// door looks at the pages for those who are not signed in.
func (s *stage) door(t *testing.T) {
	_, token, err := s.service.Account.Invite(t.Context(), s.caller(tenant.Live), "guest@kaveri.example", tenant.RoleViewer)
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

// everyPage visits all that can be asked for, as somebody who may see it.
func (s *stage) everyPage(t *testing.T) {
	tab := s.signIn(t, s.made.People[0].Email)
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
			pages = []look{{path: strings.ReplaceAll(path, "{env}", "live")}}
		} else if !listed {
			t.Errorf("%s is a page that nobody looks at: list it in paths", path)
		}
		for _, p := range pages {
			tab.Go(p.path)
			tab.Shaped()
			if p.cut != "" {
				tab.Cut(p.cut)
			}
			tab.Inspect(s.lens, p.file(path))
		}
	}
	tab.Expect(404)
	tab.Go("/console/live/nowhere")
	tab.Inspect(s.lens, "nowhere")
}
