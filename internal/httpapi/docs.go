package httpapi

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
)

// The pages load one stylesheet of our own and nothing else; there is no
// script, and the policy below keeps it so.
const docsPolicy = "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; " +
	"form-action 'none'; frame-ancestors 'none'"

//go:embed docs/*.html docs/style.css
var docsFiles embed.FS

// docs serves the documentation: the OpenAPI document as it is and as JSON, the
// same as a page, a page for each error code, and the page that leads to all of
// these.
type docs struct {
	openapi   docsFile
	json      func() (docsFile, error)
	front     docsFront
	style     docsFile
	templates *template.Template
	// page and errors are rendered when somebody first asks: most processes
	// serve no reader at all.
	page   func() (docsFile, error)
	errors func() (map[string]docsFile, error)
	// piece is what the page says, without the frame around it.
	piece func() (docsFile, error)
}

// docsFile is a body with its validator.
type docsFile struct {
	contentType string
	etag        string // without its quotes
	body        []byte
	packed      func() []byte // the body compressed, made when somebody first asks
}

func newDocsFile(contentType string, body []byte) docsFile {
	sum := sha256.Sum256(body)
	return docsFile{contentType, hex.EncodeToString(sum[:8]), body, sync.OnceValue(func() []byte { return compressed(body) })}
}

// newDocs prepares the documentation of an OpenAPI document, as served by this
// version of the service.
func newDocs(openapi []byte, service string) (*docs, error) {
	style, err := docsFiles.ReadFile("docs/style.css")
	if err != nil {
		return nil, fmt.Errorf("read the stylesheet: %w", err)
	}
	templates, err := template.New("docs").ParseFS(docsFiles, "docs/*.html")
	if err != nil {
		return nil, fmt.Errorf("parse the templates of the documentation: %w", err)
	}
	d := &docs{
		openapi:   newDocsFile("application/yaml", openapi),
		style:     newDocsFile("text/css; charset=utf-8", style),
		templates: templates,
	}
	d.json = sync.OnceValues(func() (docsFile, error) {
		body, err := openAPIJSON(openapi)
		return newDocsFile("application/json", body), err
	})
	if d.front, err = newDocsFront(d, service); err != nil {
		return nil, err
	}
	view := sync.OnceValues(func() (*docsView, error) { return newDocsView(openapi, service) })
	d.page = sync.OnceValues(func() (docsFile, error) {
		v, err := view()
		if err != nil {
			return docsFile{}, err
		}
		return d.render("page.html", v)
	})
	d.piece = sync.OnceValues(func() (docsFile, error) {
		v, err := view()
		if err != nil {
			return docsFile{}, err
		}
		return d.render("reference", v)
	})
	d.errors = sync.OnceValues(func() (map[string]docsFile, error) {
		v, err := view()
		if err != nil {
			return nil, err
		}
		return d.renderErrors(v)
	})
	return d, nil
}

// register adds the documentation's paths.
func (d *docs) register(mux *http.ServeMux) {
	mux.HandleFunc("GET /openapi.yaml", func(w http.ResponseWriter, r *http.Request) { d.openapi.serve(w, r, http.StatusOK) })
	mux.HandleFunc("GET /openapi.json", d.serveJSON)
	mux.HandleFunc(frontPattern, d.front.serve)
	mux.HandleFunc("GET /docs/style.css", func(w http.ResponseWriter, r *http.Request) { d.style.serve(w, r, http.StatusOK) })
	mux.HandleFunc("GET /docs", d.servePage)
	mux.HandleFunc("GET /docs/errors/{code}", d.serveError)
}

func (d *docs) serveJSON(w http.ResponseWriter, r *http.Request) {
	document, err := d.json()
	if err != nil {
		docsBroken(w)
		return
	}
	document.serve(w, r, http.StatusOK)
}

func (d *docs) servePage(w http.ResponseWriter, r *http.Request) {
	page, err := d.page()
	if err != nil {
		docsBroken(w)
		return
	}
	page.serve(w, r, http.StatusOK)
}

// unknownCode is the name of the page for a code that there is not; no code is
// spelt so.
const unknownCode = "?"

func (d *docs) serveError(w http.ResponseWriter, r *http.Request) {
	pages, err := d.errors()
	if err != nil {
		docsBroken(w)
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

// docsBroken answers when the pages cannot be rendered, which a test rules out.
func docsBroken(w http.ResponseWriter) {
	http.Error(w, "The documentation cannot be shown. The document itself is at /openapi.yaml.", http.StatusInternalServerError)
}

func (f docsFile) serve(w http.ResponseWriter, r *http.Request, status int) {
	h := w.Header()
	body, etag := f.body, `"`+f.etag+`"`
	h.Add("Vary", "Accept-Encoding")
	packed := len(body) >= compressFrom && acceptsGzip(r) && f.packed() != nil
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
		h.Set("Content-Security-Policy", docsPolicy)
	}
	if status == http.StatusOK && docsMatch(r.Header.Get("If-None-Match"), f.etag) {
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

// docsMatch reports whether a reader holds this version already. A proxy that
// compresses makes the validator a weak one.
func docsMatch(held, etag string) bool {
	for candidate := range strings.SplitSeq(held, ",") {
		candidate = strings.TrimSpace(candidate)
		tag := strings.TrimSuffix(strings.Trim(strings.TrimPrefix(candidate, "W/"), `"`), packedSuffix)
		if candidate == "*" || tag == etag {
			return true
		}
	}
	return false
}

func (d *docs) render(name string, view any) (docsFile, error) {
	var out bytes.Buffer
	if err := d.templates.ExecuteTemplate(&out, name, view); err != nil {
		return docsFile{}, fmt.Errorf("render %s: %w", name, err)
	}
	return newDocsFile("text/html; charset=utf-8", out.Bytes()), nil
}

// renderErrors renders a page for every code, and the one for all others.
func (d *docs) renderErrors(v *docsView) (map[string]docsFile, error) {
	pages := map[string]docsFile{}
	for _, list := range [][]docsError{v.Items, v.Errors, {{}}} {
		for _, e := range list {
			page, err := d.render("error.html", struct {
				*docsView
				Error docsError
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
