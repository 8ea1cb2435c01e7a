package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"verdict/internal/tenant"
)

// zeros is an endless body.
type zeros struct{}

func (zeros) Read(into []byte) (int, error) {
	clear(into)
	return len(into), nil
}

// TestServiceIsNotRunning checks that a command whose service does not answer says, before it waits, what to check and
// that it tries again.
func TestServiceIsNotRunning(t *testing.T) {
	t.Parallel()
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	var notes []string
	service := &remote{
		url:        "http://127.0.0.1:" + freePort(t),
		client:     newClient(),
		readWithin: answerWithin,
		note: func(format string, args ...any) {
			notes = append(notes, fmt.Sprintf(format, args...))
			interrupt()
		},
	}
	err := service.get(ctx, "/v1/rule-sets", nil)
	const want = "it may not be running, or -service may not be its address"
	if !errors.Is(err, context.Canceled) || len(notes) != 1 || !strings.Contains(notes[0], want) ||
		!strings.Contains(notes[0], "trying again for 30 seconds") {
		t.Errorf("the notes are %q, and the error is %v", notes, err)
	}
}

// TestGiveUp calls a service that does not answer until the command gives up. The last error must not repeat the advice
// of the note.
func TestGiveUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var notes []string
		service := &remote{
			url: "http://service",
			client: &http.Client{Transport: &http.Transport{
				DialContext: func(context.Context, string, string) (net.Conn, error) {
					return nil, &net.OpError{Op: "dial", Err: errors.New("connection refused")}
				},
			}},
			readWithin: answerWithin,
			note:       func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) },
		}
		err := service.get(t.Context(), "/v1/rule-sets", nil)
		const want = "gave up after 30 seconds: the service at http://service cannot be reached"
		if err == nil || err.Error() != want || len(notes) != 1 {
			t.Errorf("the notes are %q, and the error is %v", notes, err)
		}
	})
}

// TestLocalhostWithoutResolver calls services on both loopback addresses by a name that no resolver knows, as
// localhost on a machine without /etc/hosts.
func TestLocalhostWithoutResolver(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"127.0.0.1:0", "[::1]:0"} {
		listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", address)
		if err != nil {
			t.Logf("this machine has no %s: %v", address, err)
			continue
		}
		server := httptest.NewUnstartedServer(http.NotFoundHandler())
		_ = server.Listener.Close()
		server.Listener = listener
		server.Start()
		t.Cleanup(server.Close)
		_, port, _ := net.SplitHostPort(listener.Addr().String())
		status, _, err := probe(t.Context(), "http://verdict.localhost:"+port)
		if err != nil || status != http.StatusNotFound {
			t.Errorf("%s, health: %d, %v", address, status, err)
		}
		var refused *errRefused
		service := &remote{url: "http://verdict.localhost:" + port, client: newClient()}
		//nolint:bodyclose // there is no answer with a body
		if _, err := service.send(t.Context(), http.MethodGet, "/", nil, nil); !errors.As(err, &refused) {
			t.Errorf("%s: %v", address, err)
		}
	}
	for host, want := range map[string]bool{"localhost": true, "LOCALHOST.": true, "a.localhost": true,
		"localhost.example": false, "mylocalhost": false, "127.0.0.1": false} {
		if isLocalhost(host) != want {
			t.Errorf("%q is localhost: %v", host, !want)
		}
	}
}

// TestUploadOfAStalledService uploads to a service that stops reading. The command must give up. Otherwise the
// connection would stay open forever.
func TestUploadOfAStalledService(t *testing.T) {
	t.Parallel()
	end := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadFull(r.Body, make([]byte, 1<<10)) // the rest is never read
		<-end
	}))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(end) })
	service := &remote{url: server.URL, client: newClient(), readWithin: 50 * time.Millisecond}
	answer, err := service.send(t.Context(), http.MethodPut, "/v1/lists/a", zeros{}, nil)
	if err == nil {
		_ = answer.Body.Close()
	}
	if !errors.Is(err, errStalled) {
		t.Errorf("the upload ended with %v", err)
	}
}

// slowReader returns its text after a delay.
type slowReader struct {
	delay time.Duration
	text  io.Reader
}

func (r *slowReader) Read(into []byte) (int, error) {
	time.Sleep(r.delay) // in the fake time of synctest
	return r.text.Read(into)
}

// pipeListener accepts the server's end of one pipe.
type pipeListener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (*pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "unix"} }

// TestUploadOfASlowSource uploads from a source that takes longer than the time limit for the service. The upload
// must succeed, because the time of the source does not count.
func TestUploadOfASlowSource(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		listener := &pipeListener{conns: make(chan net.Conn), closed: make(chan struct{})}
		server := &http.Server{
			Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				text, _ := io.ReadAll(r.Body)
				_, _ = w.Write(text)
			}),
			ReadHeaderTimeout: time.Minute,
		}
		go func() { _ = server.Serve(listener) }()
		client := &http.Client{Transport: &http.Transport{
			DisableKeepAlives: true,
			DialContext: func(context.Context, string, string) (net.Conn, error) {
				near, far := net.Pipe()
				listener.conns <- far
				return near, nil
			},
		}}
		service := &remote{url: "http://service", client: client, readWithin: answerWithin}
		source := &slowReader{delay: 2 * answerWithin, text: strings.NewReader("value\nAcme\n")}
		answer, err := service.send(t.Context(), http.MethodPut, "/v1/lists/a", source, nil)
		if err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(answer.Body); err != nil || string(text) != "value\nAcme\n" {
			t.Errorf("the service received %q, %v", text, err)
		}
		_ = answer.Body.Close()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestUnreachable calls a service that does not run, and one that closes the connection. The errors must name the
// address and must not show a request.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	closing := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		panic(http.ErrAbortHandler)
	}))
	t.Cleanup(closing.Close)
	stopped := httptest.NewServer(http.NotFoundHandler())
	stopped.Close()
	for url, want := range map[string]string{
		stopped.URL: "the service at " + stopped.URL +
			" cannot be reached: it may not be running, or -service may not be its address",
		closing.URL: "the connection to the service at " + closing.URL + " failed: EOF",
	} {
		service := &remote{url: url, client: newClient()}
		//nolint:bodyclose // there is no answer
		_, err := service.send(t.Context(), http.MethodGet, "/v1/lists", nil, nil)
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "/v1/lists") {
			t.Errorf("%v", err)
		}
	}
}

// TestWrongScheme calls an http service with an https address, and an https service with an http address. The command
// must say immediately what to write.
func TestWrongScheme(t *testing.T) {
	t.Parallel()
	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close)
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	for _, c := range []struct{ address, speaks, url string }{
		{"https://" + plain.Listener.Addr().String(), "http", plain.URL},
		{"http://" + secure.Listener.Addr().String(), "https", secure.URL},
	} {
		service := &remote{url: c.address, client: newClient(), note: func(format string, args ...any) {
			t.Errorf("the command tries again: "+format, args...)
		}}
		err := service.get(t.Context(), "/v1/rule-sets", nil)
		if err == nil || !strings.HasSuffix(err.Error(), " speaks "+c.speaks+": write -service "+c.url) {
			t.Errorf("%s: %v", c.address, err)
		}
	}
}

// TestUnknownKey calls a service that does not know the key. The error must say where the command has found the key.
func TestUnknownKey(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, `{"code":"unauthenticated","detail":"a valid API key is required"}`)
	}))
	t.Cleanup(server.Close)
	key, err := tenant.MintKey("live", rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		key.Reveal(): "verdict policy push: the service at " + server.URL +
			" does not know the key in the file key.txt, or the key was revoked or has expired; " +
			"create one with \"verdict tenant key create\", or on the API keys page of the console\n",
		"vk_live_of": "verdict policy push: the text in the file key.txt is not an API key",
	} {
		service := &remote{url: server.URL, key: text, keyFrom: "the file key.txt", client: newClient()}
		var complaints strings.Builder
		c := &command{name: "policy push", stderr: &complaints}
		code := c.unanswered(service.get(t.Context(), "/v1/rule-sets", nil))
		if said := complaints.String(); code != exitRefused || !strings.HasPrefix(said, want) ||
			strings.Contains(said, text) {
			t.Errorf("exit %d: %s", code, said)
		}
	}
}

// TestPlaceholders gives commands a placeholder of the documentation instead of an id or a key. The commands must say
// so before they call the service. They must not repeat a key of which the end is missing.
func TestPlaceholders(t *testing.T) {
	const id = "pol_01ARYZ6S41TSV4RRFFQ69G5FAV"
	for _, c := range []struct {
		key  string
		args []string
		want string
	}{
		{"", []string{"policy", "activate", "pol_…"}, `"pol_…" is a placeholder`},
		{"", []string{"policy", "activate", "pol_..."}, `"pol_..." is a placeholder`},
		{"", []string{"policy", "activate", "pol_01ARYZ6S41"}, `"pol_01ARYZ6S41" is not the id of a version`},
		{"", []string{"tenant", "key", "create", "-tenant", "ten_…"}, `"ten_…" is a placeholder`},
		{"", []string{"policy", "activate", "vk_live_Zebra7…"}, `"vk_…" is a placeholder`},
		{"vk_sandbox_…", []string{"policy", "activate", id}, "VERDICT_KEY has a placeholder or a shortened key"},
		{"vk_sandbox_...", []string{"policy", "activate", id}, "VERDICT_KEY has a placeholder or a shortened key"},
		{"vk_live_Zebra7…", []string{"policy", "activate", id}, tenant.KeyForm},
	} {
		t.Setenv(keyVariable, c.key)
		args := c.args
		if args[0] == "policy" {
			args = append(args, "-service", "http://127.0.0.1:1") // nothing listens on this port
		}
		var out, errs bytes.Buffer
		code := run(args, nil, &out, &errs)
		if code != exitUsage || !strings.Contains(errs.String(), c.want) || strings.Contains(errs.String(), "Zebra7") {
			t.Errorf("%v with the key %q: exit %d, %s", c.args, c.key, code, &errs)
		}
	}
	for _, text := range []string{"", "…", "...", "notes...", "a_b...", "pol_", id, "../vk_...x"} {
		if isPlaceholder(text) {
			t.Errorf("%q is taken for a placeholder", text)
		}
	}
}
