package console

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	"verdict/internal/chart"
	"verdict/internal/serving"
)

// assetPath is the path below which stylesheets, scripts and pictures are served.
const assetPath = "/console/assets/"

// stylesheet is the name of the shared stylesheet. All stylesheets are served as one file under
// this name.
const stylesheet = "console.css"

//go:embed assets
var assetFiles embed.FS

// assets holds the files that pages load. Each file is served under a name that contains the hash
// of its content, so browsers can cache it forever and a changed file gets a new name.
type assets struct {
	names map[string]string // the served name of each file in the folder
	files map[string]asset  // by served name
}

type asset struct {
	contentType string
	body        []byte
	packed      []byte // the body compressed with gzip; nil if that is not smaller
}

var contentTypes = map[string]string{
	".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml",
}

// loadAssets reads the embedded files. It joins all stylesheets into one: first the stylesheet of
// charts, then console.css, then one stylesheet for each part of the console. The stylesheet of a
// part puts all its rules inside ":where(.of-PART)", so that it never styles the pages of another
// part. of-PART is the class of the body of that part's pages. ":where" adds no specificity.
func loadAssets() (*assets, error) {
	a := &assets{names: map[string]string{}, files: map[string]asset{}}
	frame, err := assetFiles.ReadFile("assets/" + stylesheet)
	if err != nil {
		return nil, fmt.Errorf("read the stylesheet: %w", err)
	}
	styles := append([]byte(chart.Style), frame...)
	entries, err := fs.ReadDir(assetFiles, "assets")
	if err != nil {
		return nil, fmt.Errorf("read the assets: %w", err)
	}
	for _, e := range entries {
		body, err := assetFiles.ReadFile("assets/" + e.Name())
		if err != nil {
			return nil, fmt.Errorf("read the assets: %w", err)
		}
		switch {
		case path.Ext(e.Name()) != ".css":
			a.add(e.Name(), body)
		case e.Name() != stylesheet:
			styles = append(append(styles, '\n'), body...)
		}
	}
	a.add(stylesheet, styles)
	return a, nil
}

func (a *assets) add(name string, body []byte) {
	sum := sha256.Sum256(body)
	extension := path.Ext(name)
	served := strings.TrimSuffix(name, extension) + "." + hex.EncodeToString(sum[:6]) + extension
	a.names[name] = served
	a.files[served] = asset{contentTypes[extension], body, serving.Compressed(body, func() {})}
}

// link returns the address of an asset. Templates call it.
func (a *assets) link(name string) (string, error) {
	served, ok := a.names[name]
	if !ok {
		return "", fmt.Errorf("no asset has the name %s", name)
	}
	return assetPath + served, nil
}

// serve answers with an asset. It answers nothing and returns false if there is no such asset.
func (a *assets) serve(w http.ResponseWriter, r *http.Request) bool {
	found, ok := a.files[strings.TrimPrefix(r.URL.Path, assetPath)]
	if !ok || r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	h := w.Header()
	h.Set("Content-Type", found.contentType)
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Vary", "Accept-Encoding")
	if found.packed != nil && serving.AcceptsGzip(r) {
		h.Set("Content-Encoding", "gzip")
		h.Set("Content-Length", strconv.Itoa(len(found.packed)))
		w.WriteHeader(http.StatusOK)
		if r.Method != http.MethodHead {
			_, _ = w.Write(found.packed) // fails only if the client has disconnected
		}
		return true
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(found.body))
	return true
}
