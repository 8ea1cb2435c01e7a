package app

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// startServer serves a handler on a free port until the test ends.
func startServer(t *testing.T, c Config, handler http.Handler) *server {
	t.Helper()
	c.Addr = "127.0.0.1:0"
	if c.MaxConnections == 0 {
		c.MaxConnections = 100
	}
	if handler == nil {
		handler = http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	}
	s, err := newServer(t.Context(), c, handler, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- s.serve() }()
	t.Cleanup(func() {
		_ = s.close()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return s
}

// fetch returns the status and the body of a URL.
func fetch(ctx context.Context, url string) (int, string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, "", err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	return answer.StatusCode, string(body), err
}

// TestShutdownFinishesWhatWasAccepted checks that a request in progress is
// answered completely during a shutdown, and that new connections are refused.
func TestShutdownFinishesWhatWasAccepted(t *testing.T) {
	t.Parallel()
	begun, finish := make(chan struct{}), make(chan struct{})
	s := startServer(t, Config{}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			close(begun)
			<-finish
			_, _ = io.WriteString(w, "the whole answer")
		}
	}))
	base := "http://" + s.addr()
	type result struct {
		status int
		body   string
		err    error
	}
	answered := make(chan result, 1)
	go func() {
		status, body, err := fetch(context.Background(), base+"/slow")
		answered <- result{status, body, err}
	}()
	<-begun
	ended := make(chan error, 1)
	go func() { ended <- s.shutdown(time.Minute) }()
	for { // wait until the listener is closed
		c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", s.addr())
		if err != nil {
			break
		}
		_ = c.Close()
	}
	select {
	case err := <-ended:
		t.Fatalf("the end did not wait: %v", err)
	default:
	}
	close(finish)
	if got := <-answered; got.err != nil || got.body != "the whole answer" {
		t.Errorf("the request under way got %+v", got)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestShutdownGraceIsALimit checks that a request that never finishes does not
// block the shutdown.
func TestShutdownGraceIsALimit(t *testing.T) {
	t.Parallel()
	begun := make(chan struct{})
	s := startServer(t, Config{}, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(begun)
		<-r.Context().Done()
	}))
	go func() { _, _, _ = fetch(context.Background(), "http://"+s.addr()) }()
	<-begun
	if err := s.shutdown(time.Millisecond); err == nil || !strings.Contains(err.Error(), "cut off") {
		t.Errorf("the end says %v", err)
	}
}

// TestShutdownEndsWhatItCutsOff checks that the work of a cancelled request has
// ended when shutdown returns, even if nothing reads from the connection.
func TestShutdownEndsWhatItCutsOff(t *testing.T) {
	t.Parallel()
	begun := make(chan struct{})
	var over atomic.Bool
	s := startServer(t, Config{}, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(begun)
		for r.Context().Err() == nil { // a computation with checkpoints
			runtime.Gosched()
		}
		over.Store(true)
	}))
	go func() {
		// The body is never read to its end, so the server does not notice a
		// closed connection.
		request, err := http.NewRequestWithContext(context.Background(), http.MethodPost, "http://"+s.addr(),
			strings.NewReader(strings.Repeat("x", 1<<20)))
		if err == nil {
			if answer, err := http.DefaultClient.Do(request); err == nil {
				_ = answer.Body.Close()
			}
		}
	}()
	<-begun
	if err := s.shutdown(time.Millisecond); err == nil || !over.Load() {
		t.Errorf("over: %v, %v", over.Load(), err)
	}
}

// TestHeadersAreBounded checks that a header that is too large or too slow is
// not read to its end.
func TestHeadersAreBounded(t *testing.T) {
	t.Parallel()
	s := startServer(t, Config{}, nil)
	if s.http.ReadHeaderTimeout != 5*time.Second {
		t.Errorf("the header's timeout is %s", s.http.ReadHeaderTimeout)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.addr(), nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-Large", strings.Repeat("x", 64<<10))
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("a header of 64 KiB gets %d", answer.StatusCode)
	}
}
