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

// docs serves the documentation: the OpenAPI document as it is, the same as a
// page, and a page for each error code.
type docs struct {
	openapi   docsFile
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
	etag        string
	body        []byte
}

func newDocsFile(contentType string, body []byte) docsFile {
	sum := sha256.Sum256(body)
	return docsFile{contentType, `"` + hex.EncodeToString(sum[:8]) + `"`, body}
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
	mux.HandleFunc("GET /docs/style.css", func(w http.ResponseWriter, r *http.Request) { d.style.serve(w, r, http.StatusOK) })
	mux.HandleFunc("GET /docs", d.servePage)
	mux.HandleFunc("GET /docs/errors/{code}", d.serveError)
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
	if status == http.StatusOK {
		h.Set("ETag", f.etag)
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
	h.Set("Content-Length", fmt.Sprint(len(f.body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(f.body) // a reader who has gone away needs no page
	}
}

// docsMatch reports whether a reader holds this version already. A proxy that
// compresses makes the validator a weak one.
func docsMatch(held, etag string) bool {
	for candidate := range strings.SplitSeq(held, ",") {
		candidate = strings.TrimSpace(candidate)
		if candidate == "*" || strings.TrimPrefix(candidate, "W/") == etag {
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
