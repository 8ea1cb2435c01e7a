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

// The pages load one stylesheet of our own and nothing else; there is no
// script, and the policy below keeps it so.
const securityPolicy = "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; " +
	"form-action 'none'; frame-ancestors 'none'"

//go:embed html/*.html html/style.css
var embedded embed.FS

// Pages serves the documentation: the OpenAPI document as it is and as JSON, the
// same as a page, a page for each error code, and the page that leads to all of
// these.
type Pages struct {
	openapi   servedFile
	json      func() (servedFile, error)
	front     frontPage
	style     servedFile
	templates *template.Template
	// page and errors are rendered when somebody first asks: most processes
	// serve no reader at all.
	page   func() (servedFile, error)
	errors func() (map[string]servedFile, error)
	// piece is what the page says, without the frame around it.
	piece func() (servedFile, error)
}

// servedFile is a body with its validator.
type servedFile struct {
	contentType string
	etag        string // without its quotes
	body        []byte
	packed      func() []byte // the body compressed, made when somebody first asks
}

func newFile(contentType string, body []byte) servedFile {
	sum := sha256.Sum256(body)
	return servedFile{contentType, hex.EncodeToString(sum[:8]), body, sync.OnceValue(func() []byte { return serving.Compressed(body, func() {}) })}
}

// Piece returns what the reference page says, without the frame around it.
func (d *Pages) Piece() (template.HTML, error) {
	piece, err := d.piece()
	return template.HTML(piece.body), err // made by a template of ours, which escaped what is in it
}

// New prepares the documentation of an OpenAPI document, as served by this
// version of the service.
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
	d.piece = sync.OnceValues(func() (servedFile, error) {
		v, err := view()
		if err != nil {
			return servedFile{}, err
		}
		return d.render("reference", v)
	})
	d.errors = sync.OnceValues(func() (map[string]servedFile, error) {
		v, err := view()
		if err != nil {
			return nil, err
		}
		return d.renderErrors(v)
	})
	return d, nil
}

// register adds the documentation's paths.
func (d *Pages) Register(mux *http.ServeMux) {
	mux.HandleFunc("GET /openapi.yaml", func(w http.ResponseWriter, r *http.Request) { d.openapi.serve(w, r, http.StatusOK) })
	mux.HandleFunc("GET /openapi.json", d.serveJSON)
	mux.HandleFunc(FrontPattern, d.front.serve)
	mux.HandleFunc("GET /docs/style.css", func(w http.ResponseWriter, r *http.Request) { d.style.serve(w, r, http.StatusOK) })
	mux.HandleFunc("GET /docs", d.servePage)
	mux.HandleFunc("GET /docs/errors/{code}", d.serveError)
}

func (d *Pages) serveJSON(w http.ResponseWriter, r *http.Request) {
	document, err := d.json()
	if err != nil {
		broken(w)
		return
	}
	document.serve(w, r, http.StatusOK)
}

func (d *Pages) servePage(w http.ResponseWriter, r *http.Request) {
	page, err := d.page()
	if err != nil {
		broken(w)
		return
	}
	page.serve(w, r, http.StatusOK)
}

// unknownCode is the name of the page for a code that there is not; no code is
// spelt so.
const unknownCode = "?"

func (d *Pages) serveError(w http.ResponseWriter, r *http.Request) {
	pages, err := d.errors()
	if err != nil {
		broken(w)
		return
	}
	// The path and not its value in the pattern: whoever asked the mux for the
	// handler alone has not set that.
	if page, ok := pages[strings.TrimPrefix(r.URL.Path, "/docs/errors/")]; ok {
		page.serve(w, r, http.StatusOK)
		return
	}
	pages[unknownCode].serve(w, r, http.StatusNotFound)
}

// broken answers when the pages cannot be rendered, which a test rules out.
func broken(w http.ResponseWriter) {
	http.Error(w, "The documentation cannot be shown. The document itself is at /openapi.yaml.", http.StatusInternalServerError)
}

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
		_, _ = w.Write(body) // a reader who has gone away needs no page
	}
}

// packedSuffix tells the validator of a compressed file from that of the file:
// they are not the same bytes.
const packedSuffix = "-gzip"

// matches reports whether a reader holds this version already. A proxy that
// compresses makes the validator a weak one.
func matches(held, etag string) bool {
	for candidate := range strings.SplitSeq(held, ",") {
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

// renderErrors renders a page for every code, and the one for all others.
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
