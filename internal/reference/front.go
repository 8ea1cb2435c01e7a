package reference

import (
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"strings"

	"verdict/internal/serving"
)

// FrontPattern is the route of the front page.
const FrontPattern = "GET /{$}"

// frontPage serves "/" as a page or as JSON, with links to the rest of the
// documentation.
type frontPage struct{ page, document servedFile }

// frontLinks holds the links of the front page.
type frontLinks struct {
	Service       string `json:"service"`
	Version       string `json:"version"`
	Documentation string `json:"documentation"`
	OpenAPI       string `json:"openapi"`
	Console       string `json:"console"`
	Signup        string `json:"signup"`
}

func newFront(d *Pages, version string) (frontPage, error) {
	links := frontLinks{
		Service:       "verdict",
		Version:       version,
		Documentation: "/docs",
		OpenAPI:       "/openapi.json",
		Console:       "/console",
		Signup:        "/api/signup",
	}
	page, err := d.render("front.html", links)
	if err != nil {
		return frontPage{}, err
	}
	document, err := json.Marshal(links)
	if err != nil {
		return frontPage{}, fmt.Errorf("write the links: %w", err)
	}
	return frontPage{page, newFile("application/json", document)}, nil
}

// serve answers with the page if the client's Accept header contains text/html,
// as the header of browsers does, and with JSON otherwise.
func (f frontPage) serve(w http.ResponseWriter, r *http.Request) {
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
		if err == nil && kind == "text/html" && !serving.RefusedByWeight("q="+params["q"]) {
			return true
		}
	}
	return false
}
