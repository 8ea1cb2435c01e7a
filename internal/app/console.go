package app

import (
	"net/http"
	"strings"

	"verdict/internal/console"
	"verdict/internal/httpapi"
)

// newConsole makes the console. What it must know as the API knows it, it gets
// from there: the two do not know each other.
func (a *App) newConsole() (*console.Console, error) {
	return console.New(a.service, console.Options{
		Now: a.config.Now, Logger: a.logger, Version: a.config.Version, RequestTimeout: a.config.WriteTimeout * 2 / 3,
		Address: a.door.Address, Secure: a.door.Secure, Reference: a.door.Reference,
		MaxInFlight: a.config.MaxInFlight, Memory: a.door.Memory(), Exports: a.door.Exports(),
		Processors: a.door.Processors(), Slow: a.door.SlowStranger,
		Observe: func(o console.Observation) { a.observe(httpapi.Observation(o)) },
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
