package app

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"sync"
	"time"

	"verdict/api"
	"verdict/internal/console"
	"verdict/internal/engine"
	"verdict/internal/httpapi"
	"verdict/internal/serving"
	"verdict/internal/store"
	"verdict/internal/telemetry"
	"verdict/internal/usecase"
)

// App is the whole service: built by New, answering while Run runs, and done
// with after Close.
type App struct {
	config  Config
	logger  *slog.Logger
	db      *store.DB
	queue   queue
	service *usecase.Set
	node    *serving.Node
	door    *httpapi.API
	console *console.Console
	metrics *telemetry.Metrics
	tracing *telemetry.Tracing
	api     *server
	scrape  *server // nil when metrics are off
	close   func() error
}

// New opens the database, brings its schema up to date and opens the
// listeners, so that a wrong configuration is told here and not under way. Logs
// go to the writer. What New has opened, Close closes.
func New(ctx context.Context, c Config, logs io.Writer) (*App, error) {
	logger, err := telemetry.NewLogger(logs, c.LogFormat, c.LogLevel)
	if err != nil {
		return nil, err
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Version == "" {
		c.Version = api.Version
	}
	a := &App{config: c, logger: logger}
	a.close = sync.OnceValue(a.closeAll)
	if err := a.open(ctx); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
}

// open fills the App from the bottom up; closeAll undoes what it got done.
func (a *App) open(ctx context.Context) (err error) {
	c := a.config
	if a.db, err = OpenStore(ctx, c); err != nil {
		return err
	}
	a.metrics = telemetry.New(telemetry.Options{
		Version: c.Version, Commit: c.Commit, EngineVersion: engine.Version,
		Store: func() telemetry.StoreStats { return telemetry.StoreStats(a.db.Stats()) },
	})
	if a.queue, err = newQueue(ctx, c, a.db.Kind(), a.logger); err != nil {
		return err
	}
	if a.service, err = NewService(a.db, c, a.logger, a.hooks(), a.queue); err != nil {
		return err
	}
	if a.tracing, err = telemetry.NewTracing(ctx, telemetry.TraceOptions{
		Endpoint: c.OTLPEndpoint, Ratio: c.TraceRatio, Version: c.Version, Logger: a.logger,
	}); err != nil {
		return err
	}
	a.node = newNode(c)
	if a.door, err = a.newDoor(); err != nil {
		return err
	}
	if a.console, err = a.newConsole(); err != nil {
		return err
	}
	if a.api, err = newServer(ctx, c, a.tracing.Wrap(a.house()), a.logger); err != nil {
		return err
	}
	if c.MetricsAddr != "" {
		a.scrape, err = newMetricsServer(ctx, c.MetricsAddr, a.metrics.Handler(), a.logger)
	}
	return err
}

// Addr is where the API listens, with the port that was found for port 0.
func (a *App) Addr() string { return a.api.addr() }

// MetricsAddr is where the metrics are read, "" when they are off.
func (a *App) MetricsAddr() string {
	if a.scrape == nil {
		return ""
	}
	return a.scrape.addr()
}

// URL is the address as a client on this machine writes it.
func (a *App) URL() string {
	scheme := "http"
	if a.config.TLSCert != "" {
		scheme = "https"
	}
	host, port, err := net.SplitHostPort(a.Addr())
	if err != nil {
		return scheme + "://" + a.Addr()
	}
	if ip := net.ParseIP(host); ip == nil || ip.IsUnspecified() {
		host = "localhost"
	}
	return scheme + "://" + net.JoinHostPort(host, port)
}

// Run answers until ctx ends, and then in this order: readiness turns 503, the
// listener closes, what was accepted is finished, what was gathered in memory
// is stored and background work is put down. It may be called once.
func (a *App) Run(ctx context.Context) error {
	tune(a.config.MaxReading)
	background, stopBackground := context.WithCancel(context.WithoutCancel(ctx))
	defer stopBackground()
	var behind sync.WaitGroup
	behind.Go(func() { a.service.Run(background) })
	behind.Go(func() { a.runJobs(background) })
	failed := make(chan error, 2)
	for _, s := range []*server{a.api, a.scrape} {
		if s != nil {
			go func() { failed <- s.serve() }()
		}
	}
	a.logger.Info("ready", "address", a.Addr(), "metrics", a.MetricsAddr(), "database", a.db.Kind(),
		"version", a.config.Version, "engine", engine.Version, "tls", a.config.TLSCert != "", "traces", a.tracing != nil)
	if a.config.unencrypted(a.Addr()) {
		a.logger.Warn("serving without TLS on an address that other machines can reach: keys and applicants' data can be read in transit; "+
			"set tls-cert and tls-key, or trusted-proxies if a proxy terminates TLS", "address", a.Addr())
	}
	var err error
	select {
	case <-ctx.Done():
		a.logger.Info("shutting down", "delay", a.config.ShutdownDelay, "grace", a.config.ShutdownGrace)
		a.door.Leave()
		if a.config.ShutdownDelay > 0 {
			<-time.After(a.config.ShutdownDelay)
		}
	case err = <-failed:
	}
	err = errors.Join(err, a.api.shutdown(a.config.ShutdownGrace))
	stopBackground()
	behind.Wait()
	a.logger.Info("stopped")
	return err
}

// closeWait bounds how long the last traces and the last scrape may take.
const closeWait = 5 * time.Second

// Close gives everything back, the database last. It may be called twice, and
// after a New that failed half way.
func (a *App) Close() error { return a.close() }

func (a *App) closeAll() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeWait)
	defer cancel()
	var errs []error
	for _, s := range []*server{a.api, a.scrape} {
		if s != nil {
			errs = append(errs, s.close())
		}
	}
	errs = append(errs, a.tracing.Close(ctx))
	if a.queue != nil {
		errs = append(errs, a.queue.Close())
	}
	if a.db != nil {
		errs = append(errs, a.db.Close())
	}
	return errors.Join(errs...)
}
