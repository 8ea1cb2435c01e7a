package reference

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"net/http"
	"strings"
	"sync"

	"verdict/internal/serving"
)

// securityPolicy allows the pages to load only stylesheets and images of this server. The pages have no scripts.
const securityPolicy = "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; " +
	"form-action 'none'; frame-ancestors 'none'"

//go:embed html/*.html html/style.css
var embedded embed.FS

// Pages serves the documentation. It is safe for concurrent use.
type Pages struct {
	openapi   servedFile
	json      func() (servedFile, error)
	front     frontPage
	style     servedFile
	templates *template.Template
	// The reference page, its parts, and the pages of the codes are rendered on the
	// first request, because most processes never serve them.
	page   func() (servedFile, error)
	parts  *parts
	errors func() (map[string]servedFile, error)
	// schemas returns the JSON Schemas of documents that people write as files, by name.
	schemas func() (map[string]servedFile, error)
}

// servedFile is a body with its ETag.
type servedFile struct {
	contentType string
	etag        string // without quotes
	body        []byte
	packed      func() []byte // returns the compressed body; compresses it on the first call
}

func newFile(contentType string, body []byte) servedFile {
	sum := sha256.Sum256(body)
	return servedFile{
		contentType: contentType,
		etag:        hex.EncodeToString(sum[:8]),
		body:        body,
		packed:      sync.OnceValue(func() []byte { return serving.Compressed(body, func() {}) }),
	}
}

// New returns the documentation for an OpenAPI document. service is the version of
// the service, which the pages show.
func New(openapi []byte, service string) (*Pages, error) {
	style, err := embedded.ReadFile("html/style.css")
	if err != nil {
		return nil, fmt.Errorf("read the stylesheet: %w", err)
	}
	templates, err := template.New("docs").ParseFS(embedded, "html/*.html")
	if err != nil {
		return nil, fmt.Errorf("parse the templates of the documentation: %w", err)
	}
	d := &Pages{
		openapi:   newFile("application/yaml", openapi),
		style:     newFile("text/css; charset=utf-8", style),
		templates: templates,
	}
	d.json = sync.OnceValues(func() (servedFile, error) {
		body, err := openAPIJSON(openapi)
		return newFile("application/json", body), err
	})
	d.schemas = sync.OnceValues(func() (map[string]servedFile, error) {
		files := map[string]servedFile{}
		for _, name := range SchemaNames() {
			text, err := Schema(openapi, name)
			if err != nil {
				return nil, err
			}
			files[name] = newFile("application/schema+json", text)
		}
		return files, nil
	})
	if d.front, err = newFront(d, service); err != nil {
		return nil, err
	}
	view := sync.OnceValues(func() (*pageView, error) { return newPageView(openapi, service) })
	d.page = sync.OnceValues(func() (servedFile, error) {
		v, err := view()
		if err != nil {
			return servedFile{}, err
		}
		return d.render("page.html", v)
	})
	d.parts = &parts{pages: d, view: view, done: map[string]Part{}}
	d.errors = sync.OnceValues(func() (map[string]servedFile, error) {
		v, err := view()
		if err != nil {
			return nil, err
		}
		return d.renderErrors(v)
	})
	return d, nil
}

// Register adds the paths of the documentation to a mux. If a page cannot be rendered, its handler writes nothing and
// calls fail with the error.
func (d *Pages) Register(mux *http.ServeMux, fail func(http.ResponseWriter, error)) {
	add := func(pattern string, serve func(http.ResponseWriter, *http.Request) error) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			if err := serve(w, r); err != nil {
				fail(w, err)
			}
		})
	}
	mux.HandleFunc("GET /openapi.yaml", d.openapi.serveOK)
	add("GET /openapi.json", d.serveJSON)
	mux.HandleFunc(FrontPattern, d.front.serve)
	mux.HandleFunc("GET /docs/style.css", d.style.serveOK)
	add("GET /docs", d.servePage)
	add("GET /docs/errors/{code}", d.serveError)
	mux.HandleFunc("GET /docs/errors", toErrorList)
	mux.HandleFunc("GET /docs/errors/{$}", toErrorList)
	for _, name := range SchemaNames() {
		add("GET "+schemaFolder+name+".json", d.serveSchema)
	}
}

// schemaFolder is where the JSON Schemas are served. Like the stylesheet, they are files and not operations of the API.
const schemaFolder = "/docs/schemas/"

func (d *Pages) serveSchema(w http.ResponseWriter, r *http.Request) error {
	schemas, err := d.schemas()
	if err != nil {
		return err
	}
	schemas[strings.TrimSuffix(strings.TrimPrefix(r.URL.Path, schemaFolder), ".json")].serve(w, r, http.StatusOK)
	return nil
}

func (d *Pages) serveJSON(w http.ResponseWriter, r *http.Request) error {
	document, err := d.json()
	if err != nil {
		return err
	}
	document.serve(w, r, http.StatusOK)
	return nil
}

func (d *Pages) servePage(w http.ResponseWriter, r *http.Request) error {
	page, err := d.page()
	if err != nil {
		return err
	}
	page.serve(w, r, http.StatusOK)
	return nil
}

// unknownCode is the key of the page for unknown codes. No code has this name.
const unknownCode = "?"

func (d *Pages) serveError(w http.ResponseWriter, r *http.Request) error {
	pages, err := d.errors()
	if err != nil {
		return err
	}
	// httpapi calls the mux's handler without the mux, so r.PathValue is not set.
	if page, ok := pages[strings.TrimPrefix(r.URL.Path, "/docs/errors/")]; ok {
		page.serve(w, r, http.StatusOK)
		return nil
	}
	pages[unknownCode].serve(w, r, http.StatusNotFound)
	return nil
}

// toErrorList redirects to the list of all codes, which is a part of the reference page. It is no operation of the API.
func toErrorList(w http.ResponseWriter, r *http.Request) {
	http.Redirect(w, r, "/docs#errors", http.StatusFound)
}

func (f servedFile) serveOK(w http.ResponseWriter, r *http.Request) { f.serve(w, r, http.StatusOK) }

func (f servedFile) serve(w http.ResponseWriter, r *http.Request, status int) {
	h := w.Header()
	body, etag := f.body, `"`+f.etag+`"`
	h.Add("Vary", "Accept-Encoding")
	packed := len(body) >= serving.CompressFrom && serving.AcceptsGzip(r) && f.packed() != nil
	if packed {
		body, etag = f.packed(), `"`+f.etag+packedSuffix+`"`
	}
	if status == http.StatusOK {
		h.Set("ETag", etag)
	}
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	if strings.HasPrefix(f.contentType, "text/html") {
		h.Set("Content-Security-Policy", securityPolicy)
	}
	if status == http.StatusOK && matches(r.Header.Get("If-None-Match"), f.etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", f.contentType)
	if packed {
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("Content-Length", fmt.Sprint(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // fails only if the client has disconnected
	}
}

// packedSuffix is the end of the ETag of a compressed file. The compressed file
// needs its own ETag, because its bytes differ.
const packedSuffix = "-gzip"

// matches reports whether an If-None-Match header contains the ETag. The header may
// contain the weak form, because a proxy that compresses an answer makes its ETag
// weak.
func matches(header, etag string) bool {
	for candidate := range strings.SplitSeq(header, ",") {
		candidate = strings.TrimSpace(candidate)
		tag := strings.TrimSuffix(strings.Trim(strings.TrimPrefix(candidate, "W/"), `"`), packedSuffix)
		if candidate == "*" || tag == etag {
			return true
		}
	}
	return false
}

func (d *Pages) render(name string, view any) (servedFile, error) {
	var out bytes.Buffer
	if err := d.templates.ExecuteTemplate(&out, name, view); err != nil {
		return servedFile{}, fmt.Errorf("render %s: %w", name, err)
	}
	return newFile("text/html; charset=utf-8", out.Bytes()), nil
}

// renderErrors renders a page for every code, and one for unknown codes.
func (d *Pages) renderErrors(v *pageView) (map[string]servedFile, error) {
	pages := map[string]servedFile{}
	for _, list := range [][]errorView{v.Items, v.Errors, {{}}} {
		for _, e := range list {
			page, err := d.render("error.html", struct {
				*pageView
				Error errorView
			}{v, e})
			if err != nil {
				return nil, err
			}
			code := e.Code
			if code == "" {
				code = unknownCode
			}
			pages[code] = page
		}
	}
	return pages, nil
}
