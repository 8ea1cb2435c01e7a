package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync/atomic"
	"time"

	"verdict/internal/serving"
)

// Limits that are not configurable.
const (
	readHeaderTimeout = 5 * time.Second
	maxHeaderBytes    = 16 << 10
	maxStreams        = 64 // limit for one HTTP/2 connection
)

// server is an HTTP server with its listener.
type server struct {
	http     *http.Server
	listener net.Listener

	cancelRequests func() // cancels the contexts of all requests

	busy atomic.Int64  // number of requests in progress
	idle chan struct{} // wakes waitIdle when no request is in progress
}

// newServer opens the listener of the API. The server accepts requests only
// after serve is called.
//
// refuse, unless nil, is called for each request before the handler. It is not called
// if the connections are encrypted, because net/http is then the first to see the
// requests.
func newServer(
	ctx context.Context, c Config, handler http.Handler, refuse serving.Refuse, logger *slog.Logger,
) (*server, error) {
	s := &server{idle: make(chan struct{}, 1)}
	base, cutOff := context.WithCancel(context.WithoutCancel(ctx))
	s.cancelRequests = cutOff
	s.http = &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			s.begin()
			defer s.end()
			handler.ServeHTTP(w, r)
		}),
		BaseContext:       func(net.Listener) context.Context { return base },
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       c.ReadTimeout,
		WriteTimeout:      c.WriteTimeout,
		IdleTimeout:       c.IdleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		HTTP2:             &http.HTTP2Config{MaxConcurrentStreams: maxStreams},
		ErrorLog:          slog.NewLogLogger(logger.Handler(), slog.LevelWarn),
	}
	if c.TLSCert != "" {
		certs, err := loadCertificates(c.TLSCert, c.TLSKey, time.Now, logger)
		if err != nil {
			return nil, err
		}
		s.http.TLSConfig = certs.config()
	}
	l, err := listen(ctx, c.Addr, addrSetting)
	if err != nil {
		return nil, err
	}
	limited := limit(l, c.MaxConnections, c.MaxConnectionsEach, serving.Clients(c.TrustedProxies).Trusts, logger)
	if refuse != nil && s.http.TLSConfig == nil {
		limited.wrap = serving.NewEarly(refuse, c.IdleTimeout).Wrap
	}
	s.listener, s.http.ConnState = limited, limited.state
	return s, nil
}

// newMetricsServer opens the listener of the metrics. This listener serves
// nothing else.
func newMetricsServer(ctx context.Context, addr string, metrics http.Handler, logger *slog.Logger) (*server, error) {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", metrics)
	l, err := listen(ctx, addr, metricsAddrSetting)
	if err != nil {
		return nil, fmt.Errorf("metrics: %w", err)
	}
	return &server{
		listener: limit(l, 64, 0, func(netip.Addr) bool { return true }, logger),
		http: &http.Server{
			Handler: mux, ReadHeaderTimeout: readHeaderTimeout, ReadTimeout: 10 * time.Second,
			WriteTimeout: 30 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: maxHeaderBytes,
			ErrorLog: slog.NewLogLogger(logger.Handler(), slog.LevelWarn),
		},
	}, nil
}

// addr returns the listener's address, with the actual port if port 0 was
// configured.
func (s *server) addr() string { return s.listener.Addr().String() }

// serve serves until shutdown is called, and then returns nil.
func (s *server) serve() error {
	var err error
	if s.http.TLSConfig != nil {
		err = s.http.ServeTLS(s.listener, "", "")
	} else {
		err = s.http.Serve(s.listener)
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return fmt.Errorf("serve: %w", err)
}

// shutdown closes the listener and waits for accepted requests. If requests
// take longer than grace, shutdown cancels them and returns an error; their
// work stops at its next checkpoint.
func (s *server) shutdown(grace time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	if err := s.http.Shutdown(ctx); err != nil {
		s.cancelRequests()
		err = errors.Join(fmt.Errorf("requests were cut off after %s of grace: %w", grace, err), s.http.Close())
		s.waitIdle(closeWait)
		return err
	}
	return nil
}

// waitIdle waits for cancelled requests, at most for timeout, because the
// database should not be closed while they use it.
func (s *server) waitIdle(timeout time.Duration) {
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	for s.busy.Load() > 0 {
		select {
		case <-s.idle:
		case <-timer.C:
			return
		}
	}
}

// begin counts a request that starts, and end counts a request that has ended. Both work without a lock, because
// under heavy load every request would have to wait for the lock.
func (s *server) begin() { s.busy.Add(1) }

func (s *server) end() {
	if s.busy.Add(-1) == 0 {
		select {
		case s.idle <- struct{}{}:
		default:
		}
	}
}

// close closes the server and its listener, even if the server never served.
func (s *server) close() error {
	if s.cancelRequests != nil {
		s.cancelRequests()
	}
	return errors.Join(s.http.Close(), ignoreClosed(s.listener.Close()))
}

func ignoreClosed(err error) error {
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}
