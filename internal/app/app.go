package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"sync"
	"time"

	"verdict/api"
	"verdict/internal/console"
	"verdict/internal/engine"
	"verdict/internal/filelock"
	"verdict/internal/httpapi"
	"verdict/internal/logkey"
	"verdict/internal/serving"
	"verdict/internal/store"
	"verdict/internal/telemetry"
	"verdict/internal/usecase"
)

// App is the service. New builds it, Run serves until its context ends, and
// Close releases it.
type App struct {
	config        Config
	logger        *slog.Logger
	locked        *filelock.Lock // on a SQLite database; nil on PostgreSQL
	db            *store.DB
	queue         queue
	signed        *logkey.Signed // nil if nothing is signed
	service       *usecase.Set
	node          *serving.Node
	httpAPI       *httpapi.API
	console       *console.Console
	metrics       *telemetry.Metrics
	tracing       *telemetry.Tracing
	apiServer     *server
	metricsServer *server // nil if metrics are off
	close         func() error
	started       time.Time // when New was called
}

// New checks the configuration, opens the database, migrates its schema and opens the listeners, so that configuration
// errors are reported here and not later. If the configuration is refused, New has created nothing. Logs are written to
// the writer "logs". Close releases the resources that New has opened.
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
	a := &App{config: c, logger: logger, started: c.Now()}
	a.close = sync.OnceValue(a.closeAll)
	if err := a.open(ctx); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
}

// open builds the App from the bottom up. If it fails, closeAll releases the
// resources that it has opened.
func (a *App) open(ctx context.Context) (err error) {
	c := a.config
	if err = c.prepare(ctx, a.logger); err != nil {
		return err
	}
	if a.locked, err = lockFile(c); err != nil {
		return err
	}
	if a.db, err = OpenStore(ctx, c); err != nil {
		return err
	}
	a.metrics = telemetry.New(telemetry.Options{
		Version: c.Version, Commit: c.Commit, EngineVersion: engine.Version,
		Statuses:    []string{engine.Approved.String(), engine.Referred.String(), engine.Declined.String()},
		Store:       func() telemetry.StoreStats { return telemetry.StoreStats(a.db.Stats()) },
		NotSigned:   func() int { return a.service.Evidence.Stopped() },
		UnsignedAge: func() time.Duration { return a.service.Evidence.UnsignedAge() },
	})
	if a.queue, err = newQueue(ctx, c, a.db.Kind(), a.logger); err != nil {
		return err
	}
	log, signed, err := openLogKey(ctx, c, a.db, a.logger)
	if err != nil {
		return err
	}
	a.signed = signed
	master, err := openMasterKey(ctx, c, a.db, a.logger)
	if err != nil {
		return err
	}
	a.node = newNode(c)
	background := Background{Queue: a.queue, Processors: a.node.Processors}
	if a.service, err = NewService(a.db, c, a.logger, a.hooks(), background, log, master); err != nil {
		return err
	}
	if _, err = a.service.ApplyErasures(ctx); err != nil {
		return fmt.Errorf("repeat the erasures that were made after the restored backup was taken: %w", err)
	}
	if a.tracing, err = telemetry.NewTracing(ctx, telemetry.TraceOptions{
		Endpoint: c.OTLPEndpoint, Ratio: c.TraceRatio, Version: c.Version, Logger: a.logger,
	}); err != nil {
		return err
	}
	if a.httpAPI, err = a.newHTTPAPI(); err != nil {
		return err
	}
	if a.console, err = a.newConsole(); err != nil {
		return err
	}
	if a.apiServer, err = newServer(ctx, c, a.tracing.Wrap(a.routes()), a.httpAPI.RefuseEarly, a.logger); err != nil {
		return err
	}
	if c.MetricsAddr != "" {
		a.metricsServer, err = newMetricsServer(ctx, c.MetricsAddr, a.metrics.Handler(), a.logger)
	}
	return err
}

// Addr returns the address on which the API listens, with the actual port if
// port 0 was configured.
func (a *App) Addr() string { return a.apiServer.addr() }

// MetricsAddr returns the address of the metrics, or "" if they are off.
func (a *App) MetricsAddr() string {
	if a.metricsServer == nil {
		return ""
	}
	return a.metricsServer.addr()
}

// URL returns the base URL for a client on this machine.
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

// Run serves until ctx ends. When ctx ends, these steps follow in order: the
// readiness probe answers 503, the listener closes, accepted requests finish,
// data collected in memory is stored, and background work stops. Run may be
// called only once.
func (a *App) Run(ctx context.Context) error {
	tune(a.config.MaxReading)
	background, stopBackground := context.WithCancel(context.WithoutCancel(ctx))
	defer stopBackground()
	var backgroundWork sync.WaitGroup
	backgroundWork.Go(func() { a.service.Run(background) })
	backgroundWork.Go(func() { a.runJobs(background) })
	backgroundWork.Go(func() { a.rotateDaily(background) })
	failed := make(chan error, 3)
	backgroundWork.Go(func() {
		if err := a.service.WatchKeys(background); err != nil {
			failed <- err
		}
	})
	for _, s := range []*server{a.apiServer, a.metricsServer} {
		if s != nil {
			go func() { failed <- s.serve() }()
		}
	}
	a.logger.Info("ready", "address", a.Addr(), "metrics", a.MetricsAddr(), "database", a.db.Kind(),
		"version", a.config.Version, "engine", engine.Version, "tls", a.config.TLSCert != "", "traces",
		a.tracing != nil)
	if a.config.unencrypted(a.Addr()) {
		a.logger.Warn("serving without TLS on an address that other machines can reach: keys and applicants' data "+
			"can be read in transit; "+
			"set -tls-cert and -tls-key, or -trusted-proxies if a proxy terminates TLS", "address", a.Addr())
	}
	var err error
	select {
	case <-ctx.Done():
		a.logger.Info("shutting down", "delay", a.config.ShutdownDelay, "grace", a.config.ShutdownGrace)
		a.httpAPI.Leave()
		if a.config.ShutdownDelay > 0 {
			<-time.After(a.config.ShutdownDelay)
		}
	case err = <-failed:
	}
	err = errors.Join(err, a.apiServer.shutdown(a.config.ShutdownGrace))
	stopBackground()
	backgroundWork.Wait()
	a.logger.Info("stopped")
	return err
}

// closeWait limits how long Close waits for the last traces, and how long
// shutdown waits for cancelled requests.
const closeWait = 5 * time.Second

// Close releases all resources, the database last. It may be called twice. If New fails, it calls
// Close itself.
func (a *App) Close() error { return a.close() }

func (a *App) closeAll() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeWait)
	defer cancel()
	var errs []error
	for _, s := range []*server{a.apiServer, a.metricsServer} {
		if s != nil {
			errs = append(errs, s.close())
		}
	}
	errs = append(errs, a.tracing.Close(ctx))
	if a.queue != nil {
		errs = append(errs, a.queue.Close())
	}
	if a.signed != nil {
		errs = append(errs, a.signed.Close())
	}
	if a.db != nil {
		errs = append(errs, a.db.Close())
	}
	if a.locked != nil { // last, so that the next process finds the database closed
		errs = append(errs, a.locked.Close())
	}
	return errors.Join(errs...)
}
