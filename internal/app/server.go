package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"time"
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
}

// newServer opens the listener of the API; it serves when serve is called.
func newServer(ctx context.Context, c Config, handler http.Handler, logger *slog.Logger) (*server, error) {
	s := &server{}
	s.http = &http.Server{
		Handler:           handler,
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
	limited := limit(l, c.MaxConnections, c.MaxConnectionsEach, c.trusts, logger)
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
// longer than the grace is cut off, which is an error.
func (s *server) shutdown(grace time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	if err := s.http.Shutdown(ctx); err != nil {
		return errors.Join(fmt.Errorf("requests were cut off after %s of grace: %w", grace, err), s.http.Close())
	}
	return nil
}

// close gives the listener back when it never came to serving.
func (s *server) close() error { return errors.Join(s.http.Close(), ignoreClosed(s.listener.Close())) }

func ignoreClosed(err error) error {
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}
