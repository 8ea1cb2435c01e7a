package app

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"verdict/internal/admission"
	"verdict/internal/decisioning"
	"verdict/internal/evidencedesk"
	"verdict/internal/filelock"
	"verdict/internal/httpapi"
	"verdict/internal/journal"
	"verdict/internal/mmdb"
	"verdict/internal/operation"
	"verdict/internal/outbound"
	"verdict/internal/place"
	"verdict/internal/policydesk"
	"verdict/internal/sealing"
	"verdict/internal/serving"
	"verdict/internal/signal"
	"verdict/internal/store"
	"verdict/internal/telemetry"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
)

// OpenStore opens the configured database and migrates its schema.
func OpenStore(ctx context.Context, c Config) (*store.DB, error) {
	return store.Open(ctx, c.DatabaseURL, c.Store)
}

// lockFile locks a SQLite database for this process until the returned lock is closed. The service stores what it
// knows about a SQLite database in memory and takes it for its own, so a second service on the same file would, for
// example, fail the uploads that the first one receives. Commands that read or repair the database need no lock.
// lockFile returns nil if the database is not a file, or cannot be one; OpenStore then says why.
func lockFile(c Config) (*filelock.Lock, error) {
	path := databaseFile(c)
	if path == "" {
		return nil, nil
	}
	locked, err := filelock.Take(path + lockSuffix)
	switch {
	case errors.Is(err, filelock.ErrLocked):
		return nil, fmt.Errorf("another process serves the database %s: stop it first, "+
			"or use PostgreSQL, which many processes can serve", path)
	case err != nil:
		return nil, fmt.Errorf("lock the database file: %w", err)
	}
	return locked, nil
}

// lockSuffix follows the path of a database file in the path of its lock.
const lockSuffix = ".lock"

// databaseFile returns the path of the SQLite file, or "" if the database is not a file, or cannot be one.
func databaseFile(c Config) string {
	path, embedded := store.FileOf(c.DatabaseURL)
	if !embedded || path == "" || strings.HasPrefix(path, ":memory:") {
		return ""
	}
	path, err := target(path)
	if err != nil {
		return "" // the folder is missing
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return ""
	}
	return path
}

// target returns the one path of a file that may have several names, because links lead to it. The file may be missing,
// also at the end of a link: SQLite then creates it there. target returns an error if the folder of the file is
// missing.
func target(path string) (string, error) {
	path, err := filepath.Abs(path) // like store.Open
	if err != nil {
		return "", err
	}
	const links = 40 // as many as the system follows
	for range links {
		folder, name := filepath.Split(path)
		if folder, err = filepath.EvalSymlinks(folder); err != nil {
			return "", err
		}
		path = filepath.Join(folder, name)
		next, err := os.Readlink(path)
		if err != nil {
			break // it is not a link
		}
		if path = next; !filepath.IsAbs(next) {
			path = folder + string(filepath.Separator) + next // EvalSymlinks resolves a ".." in it
		}
	}
	return path, nil
}

// Background has the queue and the processors for large backtests, and for batches in the background.
// If it has no queue, they are not available.
type Background struct {
	Queue      operation.ChunkQueue
	Processors *admission.Scheduler // shares processor time with requests
}

// NewService returns the use cases over a database. If log has no key, nothing is signed.
// If master is nil, nothing is encrypted.
func NewService(
	db *store.DB, c Config, logger *slog.Logger, hooks usecase.Hooks, background Background,
	log evidencedesk.Options, master *sealing.Epoch,
) (*usecase.Set, error) {
	if c.Atlas == nil { // New has read it, commands have not
		atlas, err := newAtlas(c.IPCountries)
		if err != nil {
			return nil, err
		}
		c.Atlas = atlas
	}
	var masterKeys journal.KeySource
	if source, ok := c.masterKeySource(); ok && master != nil {
		masterKeys = source
	}
	return usecase.New(db, usecase.Options{
		Atlas: *c.Atlas, ChunkQueue: background.Queue, Processors: background.Processors, Now: c.Now,
		SignupMode: c.Signup, SignupsEachDay: c.SignupsEachDay, Caps: c.Caps, Connections: c.Connections,
		Plans: c.Plans, Passwords: c.Passwords, HashesAtOnce: c.HashesAtOnce, PlanCache: c.PlanCache, Logger: logger,
		Hooks: hooks, Log: log, MasterKey: master, MasterKeys: masterKeys, Node: nodeName(),
		Post: outbound.New(outbound.Options{Allow: c.WebhookAllow}).Post,
	})
}

// nodeName returns a unique name of this process for the operator.
func nodeName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown host"
	}
	return fmt.Sprintf("%s, process %d, %s", host, os.Getpid(), rand.Text()[:6])
}

// newAtlas returns the tables of pincodes and of the countries of addresses.
// Both tables are in the binary; if the operator has configured a table of
// addresses, it replaces the built-in table.
func newAtlas(ipCountries string) (*signal.Atlas, error) {
	atlas := &signal.Atlas{Matches: place.Matches, Country: place.Country}
	if ipCountries == "" {
		return atlas, nil
	}
	data, err := os.ReadFile(ipCountries)
	if err != nil {
		return nil, fmt.Errorf("-ip-countries: %w", err)
	}
	countries, _, err := mmdb.Read(data)
	if err != nil {
		return nil, fmt.Errorf("-ip-countries: %w", err)
	}
	atlas.Country = countries.Lookup
	return atlas, nil
}

// hooks returns the functions that report decisions and results of rules to the
// metrics.
func (a *App) hooks() usecase.Hooks {
	return usecase.Hooks{
		Decided: a.metrics.Decision,
		Rule:    func(r policydesk.RuleCount) { a.metrics.Rule(telemetry.RuleResult(r)) },
	}
}

func (a *App) newHTTPAPI() (*httpapi.API, error) {
	c := a.config
	agents, err := newAgents(a.service, c, a.logger)
	if err != nil {
		return nil, err
	}
	return httpapi.New(a.service, httpapi.Options{
		Agents:         agents,
		Now:            c.Now,
		Logger:         a.logger,
		Version:        c.Version,
		Commit:         c.Commit,
		SignupRate:     c.SignupRate,
		RefusalRate:    c.RefusalRate,
		MaxBody:        c.MaxBody,
		MaxReport:      c.MaxReport,
		MaxInFlight:    c.MaxInFlight,
		RequestTimeout: c.WriteTimeout * 2 / 3,
		Node:           a.node,
		Observe:        a.observe,
	})
}

// newNode returns the resources that the API and the console share.
func newNode(c Config) *serving.Node {
	return serving.NewNode(serving.Limits{
		TrustedProxies: serving.Clients(c.TrustedProxies),
		MaxReading:     c.MaxReading,
		MaxExports:     max(1, c.Store.Connections/2), // leaves the other connections for other reads
		Processors:     admission.NewScheduler(processors(), time.Now),
		StrangerRate:   c.StrangerRate,
	})
}

// observe reports a finished request to the metrics and the trace.
func (a *App) observe(o serving.Observation) {
	method, _, _ := strings.Cut(o.Route, " ")
	a.metrics.Request(telemetry.Request{
		Route: o.Route, Method: method, Status: o.Status, Duration: o.Duration, BytesIn: o.BytesIn,
		BytesOut: o.BytesOut,
	})
	if o.Code != "" {
		a.metrics.Refused(o.Code)
	}
	a.service.Decisions.Statistics.Observed(decisioning.Request{
		TenantID: o.TenantID, Environment: tenant.Environment(o.Environment), Route: o.Route, Duration: o.Duration,
		Code: o.Code,
	})
	telemetry.Annotate(o.Context, o.Route, o.TenantID, o.Environment, o.RequestID)
}
