package httpapi

import (
	"io"
	"net/http"
)

// consoleNotice is what stands at the console's address until there is one.
const consoleNotice = `The console is not part of this version yet.

Keys are made by the operator:  verdict tenant key create
The API is described at         /docs
`

func serveConsoleNotice(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.WriteString(w, consoleNotice) // a client that has gone away hears nothing either way
}
