package app

import (
	"net/http"
	"strings"

	"verdict/internal/console"
)

// newConsole makes the console. It shares the node with the API, and shows the
// API's reference; the two do not import each other.
func (a *App) newConsole() (*console.Console, error) {
	return console.New(a.service, console.Options{
		Now: a.config.Now, Logger: a.logger, Version: a.config.Version, RequestTimeout: a.config.WriteTimeout * 2 / 3,
		Address: a.node.Clients.Address, Secure: a.node.Clients.Secure, Reference: a.door.Reference,
		MaxInFlight: a.config.MaxInFlight, Memory: a.node.Memory, Exports: a.node.Exports,
		Processors: a.node.Processors, Observe: a.observe,
		Slow: func(r *http.Request) { a.node.SlowStranger(r, a.config.Now()) },
	})
}

// house is everything behind the one listener: the console under its path, and
// the API everywhere else.
func (a *App) house() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if path := r.URL.Path; path == "/console" || strings.HasPrefix(path, "/console/") {
			a.console.ServeHTTP(w, r)
			return
		}
		a.door.ServeHTTP(w, r)
	})
}
