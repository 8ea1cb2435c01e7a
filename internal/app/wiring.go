package app

import (
	"context"
	"log/slog"
	"strings"

	"verdict/internal/decisioning"
	"verdict/internal/httpapi"
	"verdict/internal/store"
	"verdict/internal/telemetry"
)

// OpenStore opens the configured database and brings its schema up to date.
func OpenStore(ctx context.Context, c Config) (*store.DB, error) {
	return store.Open(ctx, c.DatabaseURL, c.Store)
}

// NewService makes the use cases over a database.
func NewService(db *store.DB, c Config, logger *slog.Logger, hooks decisioning.Hooks) (*decisioning.Service, error) {
	return decisioning.New(db, decisioning.Options{
		Plans: c.Plans, Passwords: c.Passwords, HashesAtOnce: c.HashesAtOnce, PlanCache: c.PlanCache, Logger: logger, Hooks: hooks,
	})
}

// hooks tell the metrics what was decided.
func (a *App) hooks() decisioning.Hooks {
	return decisioning.Hooks{
		Decided: a.metrics.Decision,
		Rule:    func(r decisioning.RuleCount) { a.metrics.Rule(telemetry.RuleResult(r)) },
	}
}

// newDoor makes the API.
func (a *App) newDoor() (*httpapi.API, error) {
	c := a.config
	return httpapi.New(a.service, httpapi.Options{
		Logger: a.logger, Version: c.Version, Commit: c.Commit, SignupRate: c.SignupRate, MaxBody: c.MaxBody, MaxReport: c.MaxReport, MaxReading: c.MaxReading,
		RequestTimeout: c.WriteTimeout * 2 / 3,
		TrustedProxies: c.TrustedProxies, Observe: a.observe,
	})
}

// observe tells the metrics and the trace of a request that is over.
func (a *App) observe(o httpapi.Observation) {
	method, _, _ := strings.Cut(o.Route, " ")
	a.metrics.Request(telemetry.Request{
		Route: o.Route, Method: method, Status: o.Status, Duration: o.Duration, BytesIn: o.BytesIn, BytesOut: o.BytesOut,
	})
	if o.Code != "" {
		a.metrics.Refused(o.Code)
	}
	telemetry.Annotate(o.Context, o.Route, o.TenantID, o.Environment, o.RequestID)
}
