package console

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strings"

	"verdict/internal/tenant"
)

//go:embed pages/*.html pieces/*.html
var templateFiles embed.FS

// loadTemplates reads each page together with all pieces, so that a page can
// use any of them and two pages cannot disturb each other.
func loadTemplates(a *assets) (map[string]*template.Template, error) {
	pieces, err := template.New("pieces").Funcs(functions(a)).Option("missingkey=error").
		ParseFS(templateFiles, "pieces/*.html")
	if err != nil {
		return nil, fmt.Errorf("parse the pieces: %w", err)
	}

	names, err := fs.Glob(templateFiles, "pages/*.html")
	if err != nil {
		return nil, fmt.Errorf("list the pages: %w", err)
	}

	all := map[string]*template.Template{}
	for _, name := range names {
		own, err := pieces.Clone()
		if err != nil {
			return nil, fmt.Errorf("clone the pieces: %w", err)
		}
		if own, err = own.ParseFS(templateFiles, name); err != nil {
			return nil, fmt.Errorf("parse %s: %w", name, err)
		}

		all[strings.TrimSuffix(path.Base(name), ".html")] = own
	}

	return all, nil
}

// view is what a page is drawn from.
type view struct {
	Title     string
	Data      any // the page's own
	Form      *form
	Flash     string
	Person    *person // nil when nobody is signed in
	Env       tenant.Environment
	Menu      []menuGroup
	Theme     string // light, dark, or "" for what the reader's system has
	Here      string // the path of this page
	Address   string // where this page is asked for again
	Other     tenant.Environment
	OtherPath string // of this page, or the list it belongs to, in the other environment
	RequestID string
	Version   string
	Status    int
	Begins    string // the id of the control at which the page begins, "" for its top
	Part      string // the part of the console that the page belongs to: its stylesheet, "" for none
}

// beginner is the data of a page that begins elsewhere than at its top.
type beginner interface{ begins() string }

// At is the address of a page in this environment: {{.At "/keys"}}.
func (v *view) At(path string) string { return atEnvironment(v.Env, path) }

// Live reports whether this is about real applicants.
func (v *view) Live() bool { return v.Env == tenant.Live }

// May reports whether the person's role has a scope, by its name: what nobody
// may press is not shown.
func (v *view) May(scope string) (bool, error) {
	wanted, err := tenant.ParseScopes(scope)
	if err != nil {
		return false, err
	}
	return v.Person != nil && v.Person.scopes.Has(wanted), nil
}

// things are where the pages of things are, by the kind of their ids.
var things = map[tenant.Kind]string{
	tenant.KindDecision:  "/decisions/",
	tenant.KindPolicy:    "/policies/",
	tenant.KindScorecard: "/scorecards/",
	tenant.KindBacktest:  "/backtests/",
	tenant.KindAlert:     "/fraud/alerts/",
	tenant.KindRun:       "/runs/",
}

// Thing is the address of the page about what an id names in this environment,
// "" when there is none.
func (v *view) Thing(id string) string {
	for kind, path := range things {
		if tenant.Valid(kind, id) {
			return v.At(path + id)
		}
	}
	return ""
}

// parts are the stylesheets of the parts of the console, with the first words
// of the names of their pages. A page belongs to one part at most, so that no
// two of these stylesheets ever apply to the same page; assets/console.css
// applies to all.
var parts = map[string][]string{
	"decision":  {"decision", "decisions", "features", "referrals"},
	"policy":    {"policies", "policy"},
	"desk":      {"alert", "backtest", "backtests", "fraud", "pincodes", "run", "runs", "scorecard", "scorecards"},
	"reference": {"reference"},
}

// partOf returns the part that a page belongs to, "" for none.
func partOf(page string) string {
	first, _, _ := strings.Cut(page, "_")
	for part, words := range parts {
		if slices.Contains(words, first) {
			return part
		}
	}
	return ""
}

// render draws a page. It is drawn whole before the first byte goes out, so
// that what breaks is answered with a page that says so.
func (v *visit) render(name, title string, data any) error {
	page := v.console.templates[name]
	if page == nil {
		return fmt.Errorf("render: there is no page %s", name)
	}

	shown := &view{
		Title:     title,
		Data:      data,
		Form:      v.form,
		Flash:     v.cookies.takeFlash(),
		Person:    v.who,
		Env:       v.env,
		Menu:      menuFor(v.who, v.env, v.r.URL.Path, v.console.menu),
		Theme:     v.cookies.theme(),
		Here:      v.r.URL.Path,
		RequestID: v.requestID,
		Version:   v.console.options.Version,
		Status:    v.status,
		Part:      partOf(name),
	}
	if shown.Address = v.r.URL.RequestURI(); v.r.Method == http.MethodPost {
		shown.Address = shown.Here
	}
	if v.env != "" {
		shown.Other = otherEnvironment(v.env)
		shown.OtherPath = atEnvironment(shown.Other, v.console.listOf(v.page))
	}
	if b, is := data.(beginner); is {
		shown.Begins = b.begins()
	}

	var out bytes.Buffer
	if err := page.ExecuteTemplate(&out, "layout", shown); err != nil {
		return fmt.Errorf("render %s: %w", name, err)
	}

	v.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	v.w.WriteHeader(v.status)
	v.send(out.Bytes())
	return nil
}

// send sends the body of an answer. Nobody computes while a reader takes it in.
func (v *visit) send(body []byte) {
	v.slot.Leave()
	_, _ = v.w.Write(body) // a reader who has gone away needs no answer
}

func otherEnvironment(env tenant.Environment) tenant.Environment {
	if env == tenant.Live {
		return tenant.Sandbox
	}
	return tenant.Live
}
