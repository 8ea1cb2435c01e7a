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

// The limits that nobody needs to change.
const (
	readHeaderTimeout = 5 * time.Second
	maxHeaderBytes    = 16 << 10
	maxStreams        = 64 // of one HTTP/2 connection
)

// server is one HTTP listener and what it serves.
type server struct {
	http     *http.Server
	listener net.Listener

	cutOff func() // ends the contexts of all requests

	busy atomic.Int64  // requests that are being answered
	idle chan struct{} // tells settle that there may be none
}

// newServer opens the listener of the API; it serves when serve is called.
func newServer(ctx context.Context, c Config, handler http.Handler, logger *slog.Logger) (*server, error) {
	s := &server{idle: make(chan struct{}, 1)}
	base, cutOff := context.WithCancel(context.WithoutCancel(ctx))
	s.cutOff = cutOff
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
	l, err := listen(ctx, c.Addr)
	if err != nil {
		return nil, err
	}
	limited := limit(l, c.MaxConnections, c.MaxConnectionsEach, serving.Clients(c.TrustedProxies).Trusts, logger)
	s.listener, s.http.ConnState = limited, limited.state
	return s, nil
}

// newMetricsServer opens the listener of the metrics, where nothing else is.
func newMetricsServer(ctx context.Context, addr string, metrics http.Handler, logger *slog.Logger) (*server, error) {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", metrics)
	l, err := listen(ctx, addr)
	if err != nil {
		return nil, fmt.Errorf("metrics: %w", err)
	}
	return &server{
		listener: limit(l, 64, 0, func(netip.Addr) bool { return true }, logger),
		http: &http.Server{
			Handler: mux, ReadHeaderTimeout: readHeaderTimeout, ReadTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second,
			IdleTimeout: 2 * time.Minute, MaxHeaderBytes: maxHeaderBytes,
			ErrorLog: slog.NewLogLogger(logger.Handler(), slog.LevelWarn),
		},
	}, nil
}

// addr is where it listens, with the port that was found for port 0.
func (s *server) addr() string { return s.listener.Addr().String() }

// serve answers until shutdown, which is no error.
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

// shutdown closes the listener and lets what was accepted finish. What takes
// longer than the grace is cut off, which is an error: its context ends, and it
// ends at its next checkpoint.
func (s *server) shutdown(grace time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	if err := s.http.Shutdown(ctx); err != nil {
		s.cutOff()
		err = errors.Join(fmt.Errorf("requests were cut off after %s of grace: %w", grace, err), s.http.Close())
		s.settle(closeWait)
		return err
	}
	return nil
}

// settle waits for requests that were cut off, but for no longer than patience:
// the database should not be closed under them.
func (s *server) settle(patience time.Duration) {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for s.busy.Load() > 0 {
		select {
		case <-s.idle:
		case <-timer.C:
			return
		}
	}
}

// begin and end count without a lock: under a flood each request would queue
// for it, and be woken in turn.
func (s *server) begin() { s.busy.Add(1) }

func (s *server) end() {
	if s.busy.Add(-1) == 0 {
		select {
		case s.idle <- struct{}{}:
		default:
		}
	}
}

// close gives the listener back when it never came to serving.
func (s *server) close() error {
	if s.cutOff != nil {
		s.cutOff()
	}
	return errors.Join(s.http.Close(), ignoreClosed(s.listener.Close()))
}

func ignoreClosed(err error) error {
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}
