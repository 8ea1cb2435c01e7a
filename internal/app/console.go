package app

import (
	"net/http"
	"strings"

	"verdict/internal/console"
)

// newConsole returns the console. It shares the node with the API and shows the
// API's reference. The node and the reference are passed to it here, because
// packages console and httpapi do not import each other.
func (a *App) newConsole() (*console.Console, error) {
	return console.New(a.service, console.Options{
		Now:            a.config.Now,
		Logger:         a.logger,
		Version:        a.config.Version,
		MaxInFlight:    a.config.MaxInFlight,
		RequestTimeout: a.config.WriteTimeout * 2 / 3,
		Node:           a.node,
		Reference: func(anchor string) (console.ReferencePart, bool, error) {
			part, found, err := a.httpAPI.ReferencePart(anchor)
			return console.ReferencePart(part), found, err
		},
		Observe: a.observe,
	})
}

// routes returns the handler of the listener: the console under /console, and
// the API for all other paths.
func (a *App) routes() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if path := r.URL.Path; path == "/console" || strings.HasPrefix(path, "/console/") {
			a.console.ServeHTTP(w, r)
			return
		}
		a.httpAPI.ServeHTTP(w, r)
	})
}
