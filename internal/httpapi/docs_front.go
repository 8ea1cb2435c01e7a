package httpapi

import (
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"strings"
)

// frontPattern is the route of the front page.
const frontPattern = "GET /{$}"

// docsFront answers at "/": it leads a reader and a program to the rest.
type docsFront struct{ page, document docsFile }

// frontLinks are where it leads to.
type frontLinks struct {
	Service       string `json:"service"`
	Version       string `json:"version"`
	Documentation string `json:"documentation"`
	OpenAPI       string `json:"openapi"`
	Console       string `json:"console"`
	Signup        string `json:"signup"`
}

func newDocsFront(d *docs, version string) (docsFront, error) {
	links := frontLinks{"verdict", version, "/docs", "/openapi.json", "/console", "/api/signup"}
	page, err := d.render("front.html", links)
	if err != nil {
		return docsFront{}, err
	}
	document, err := json.Marshal(links)
	if err != nil {
		return docsFront{}, fmt.Errorf("write the links: %w", err)
	}
	return docsFront{page, newDocsFile("application/json", document)}, nil
}

// serve answers a browser, which asks for HTML by name, with the page and
// everybody else with JSON.
func (f docsFront) serve(w http.ResponseWriter, r *http.Request) {
	w.Header().Add("Vary", "Accept")
	file := f.document
	if wantsHTML(r.Header["Accept"]) {
		file = f.page
	}
	file.serve(w, r, http.StatusOK)
}

func wantsHTML(accept []string) bool {
	for part := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		kind, params, err := mime.ParseMediaType(part)
		if err == nil && kind == "text/html" && !refusedByWeight("q="+params["q"]) {
			return true
		}
	}
	return false
}
