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
	"sync"

	"verdict/internal/serving"
	"verdict/internal/tenant"
)

//go:embed pages/*.html pieces/*.html
var templateFiles embed.FS

// look holds the files that pages load and the templates that pages are rendered from.
type look struct {
	assets    *assets
	templates map[string]*template.Template
}

// embeddedLook returns the embedded files and templates. All consoles of a process share them,
// because parsing and escaping every page takes longer than the rest of New, and each test makes
// its own console.
var embeddedLook = sync.OnceValues(func() (look, error) {
	a, err := loadAssets()
	if err != nil {
		return look{}, err
	}
	templates, err := loadTemplates(a)
	return look{a, templates}, err
})

// loadTemplates parses each page separately, together with all pieces. A page can thus use any
// piece, and pages cannot redefine each other's templates.
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

// view is the data from which the layout and the pages are rendered.
type view struct {
	Title     string
	Data      any // data of the page itself
	Form      *form
	Flash     string
	Person    *person // nil when nobody is signed in
	Env       tenant.Environment
	Menu      []menuGroup
	Theme     string // "light" or "dark"; "" for the setting of the reader's system
	Here      string // path of this page
	Address   string // address that shows this page again with GET
	Other     tenant.Environment
	OtherPath string // path of the same list in the other environment
	RequestID string
	Version   string
	Status    int
	Begins    string      // id of the control that gets the focus; "" for the top of the page
	Sought    string      // text of the search box
	Faults    []faultLine // faults of the form, which are those of Form
	Part      string      // part of the console that the page belongs to, which selects its stylesheet; "" for none
}

// beginner is implemented by the data of pages that set the focus on a control instead of the top
// of the page.
type beginner interface{ begins() string }

// At returns the address of a page in this environment. Templates call it, as in {{.At "/keys"}}.
func (v *view) At(path string) string { return atEnvironment(v.Env, path) }

// Live reports whether the page belongs to the live environment, which has real applicants.
func (v *view) Live() bool { return v.Env == tenant.Live }

// May reports whether the person's role has a scope. Pages use it to show only the controls that
// the person may use.
func (v *view) May(scope string) (bool, error) {
	wanted, err := tenant.ParseScopes(scope)
	if err != nil {
		return false, err
	}
	return v.Person != nil && v.Person.scopes.Has(wanted), nil
}

// detailPaths holds the path of the page that shows one object, by the kind of its id.
var detailPaths = map[tenant.Kind]string{
	tenant.KindDecision:  "/decisions/",
	tenant.KindPolicy:    "/policies/",
	tenant.KindScorecard: "/scorecards/",
	tenant.KindBacktest:  "/backtests/",
	tenant.KindBatch:     "/batches/",
	tenant.KindAlert:     "/fraud/alerts/",
	tenant.KindRun:       "/runs/",
}

// Thing returns the address of the page that shows the object with the id, or "" if there is no
// such page.
func (v *view) Thing(id string) string {
	for kind, path := range detailPaths {
		if tenant.Valid(kind, id) {
			return v.At(path + id)
		}
	}
	return ""
}

// parts lists the parts of the console that have a stylesheet, each with the first words of the
// names of its pages. A page belongs to at most one part, so that at most one of these stylesheets
// applies to it. assets/console.css applies to all pages.
var parts = map[string][]string{
	"decision": {"decision", "decisions", "features", "referrals", "search"},
	"policy":   {"policies", "policy"},
	"desk": {
		"alert", "backtest", "backtests", "batch", "batches", "fraud", "pincodes", "run", "runs", "scorecard",
		"scorecards",
	},
	"overview":  {"overview"},
	"reference": {"reference"},
}

// partOf returns the part that a page belongs to, or "" if it belongs to none.
func partOf(page string) string {
	first, _, _ := strings.Cut(page, "_")
	for part, words := range parts {
		if slices.Contains(words, first) {
			return part
		}
	}
	return ""
}

// render renders a page and sends it. It renders the whole page into memory first, so that an error
// can still be answered with an error page.
func (v *visit) render(name, title string, data any) error {
	page, shown, err := v.view(name, title, data)
	if err != nil {
		return err
	}

	var out bytes.Buffer
	if err := page.ExecuteTemplate(&out, "layout", shown); err != nil {
		return fmt.Errorf("render %s: %w", name, err)
	}

	v.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	v.send(v.status, out.Bytes())
	return nil
}

// view returns the template of a page and the data for it.
func (v *visit) view(name, title string, data any) (*template.Template, *view, error) {
	page := v.console.templates[name]
	if page == nil {
		return nil, nil, fmt.Errorf("render: no page has the name %s", name)
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
	if strings.HasSuffix(v.page.pattern, searchPath) {
		shown.Sought = v.filters().Value("q")
	}
	if b, is := data.(beginner); is {
		shown.Begins = b.begins()
	}
	if v.form != nil && len(v.form.Faults) > 0 {
		var content bytes.Buffer
		if err := page.ExecuteTemplate(&content, "content", shown); err != nil {
			return nil, nil, fmt.Errorf("render %s: %w", name, err)
		}
		shown.Faults = faultLines(content.String(), v.form.Faults)
	}
	return page, shown, nil
}

// send sends an answer, compressed if that is allowed. It then gives up the processor slot, so that a slow reader does
// not occupy the slot.
func (v *visit) send(status int, body []byte) {
	h := v.w.Header()
	if len(body) >= serving.CompressFrom {
		h.Add("Vary", "Accept-Encoding")
		h.Add("Vary", "Sec-Fetch-Site")
		if v.mayCompress() {
			if packed := serving.CompressedIn(v.ctx, body); packed != nil {
				h.Set("Content-Encoding", "gzip")
				body = packed
			}
		}
	}
	v.w.WriteHeader(status)
	v.resources.Slot.Leave()
	_, _ = v.w.Write(body) // fails only if the client has disconnected
}

// mayCompress reports whether the answer may be compressed. The size of a compressed page shows whether a text in it
// occurs twice. Somebody who sees the encrypted traffic, and can make the person's browser open addresses with chosen
// texts, could thus guess the page's contents letter by letter (BREACH). Almost every page repeats its address, and
// many pages show data of applicants. So an answer is not compressed if
//   - another site has caused the request. Browsers say so in Sec-Fetch-Site. A browser that does not send this header
//     gets uncompressed answers over TLS; without TLS the traffic can be read anyway.
//   - it may show a secret: an API key, the secret of a webhook, an invitation, a recovery code. New secrets are shown
//     only in the answer to a form, and by the pages that set page.secret.
//
// No page contains a token against forged forms, because the console checks the origin of forms instead (see serve).
// No page contains the session token either, which is only in a cookie.
func (v *visit) mayCompress() bool {
	if v.page.secret || v.r.Method == http.MethodPost || !serving.AcceptsGzip(v.r) {
		return false
	}
	switch v.r.Header.Get("Sec-Fetch-Site") {
	case "same-origin", "none": // a link of the console, or a typed or bookmarked address
		return true
	case "":
		return !v.console.options.Node.Clients.Secure(v.r)
	}
	return false
}

func otherEnvironment(env tenant.Environment) tenant.Environment {
	if env == tenant.Live {
		return tenant.Sandbox
	}
	return tenant.Live
}
