package serving

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

const earlyAnswer = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 5\r\n\r\nearly"

// serveEarly starts a server whose handler answers with the method and the body of each request, and returns a
// connection to it. The server calls refuse before the handler.
func serveEarly(t *testing.T, refuse Refuse, handler http.Handler) net.Conn {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute, IdleTimeout: time.Minute}
	early := NewEarly(refuse, time.Minute)
	done := make(chan error, 1)
	go func() { done <- server.Serve(&wrapped{l, early}) }()
	t.Cleanup(func() {
		_ = server.Close()
		<-done
	})
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(2 * time.Minute)); err != nil {
		t.Fatal(err)
	}
	return conn
}

type wrapped struct {
	net.Listener
	early *Early
}

func (w *wrapped) Accept() (net.Conn, error) {
	c, err := w.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return w.early.Wrap(c), nil
}

var echo = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	fmt.Fprintf(w, "%s %d %x", r.Method, len(body), hashOf(body))
})

func hashOf(b []byte) (sum uint64) {
	for _, c := range b {
		sum = sum*31 + uint64(c)
	}
	return sum
}

// TestEarlyStreams sends random streams of requests over one connection, split at random positions, while requests are
// refused at random. Every request must get its own answer, in order. The bodies look like requests, so the test
// notices if a body is read as a request.
func TestEarlyStreams(t *testing.T) {
	t.Parallel()
	var early atomic.Int64
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 1))
		coins := rand.New(rand.NewPCG(seed, 2))
		conn := serveEarly(t, func(h Head) ([]byte, bool) {
			if string(h.Method) != "POST" || coins.IntN(2) == 0 {
				return nil, false
			}
			early.Add(1)
			return []byte(earlyAnswer), false
		}, echo)
		reader := bufio.NewReader(conn)
		for range 30 {
			requests, want := randomRequests(random)
			sendInParts(t, conn, requests, random)
			for _, want := range want {
				got, err := http.ReadResponse(reader, nil)
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				body, err := io.ReadAll(got.Body)
				if err != nil {
					t.Fatal(err)
				}
				_ = got.Body.Close()
				refused := strings.HasPrefix(want, "POST") && string(body) == "early" && got.StatusCode == 503
				if !refused && string(body) != want {
					t.Fatalf("seed %d: %d %q, want %q", seed, got.StatusCode, body, want)
				}
			}
		}
		_ = conn.Close()
	}
	if early.Load() < 100 {
		t.Errorf("%d requests were refused early", early.Load())
	}
}

// randomRequests returns the text of a request, and the answer that the handler gives to it. Sometimes it returns
// several requests and answers; the client sends them all before it reads the first answer.
func randomRequests(random *rand.Rand) (requests string, answers []string) {
	for {
		body := strings.Repeat(plainRequest, random.IntN(2)*random.IntN(60))
		switch random.IntN(100) {
		case 0, 1, 2, 3, 4, 5, 6, 7, 8, 9:
			requests += "GET /v1/a HTTP/1.1\r\nHost: a\r\n\r\n"
			answers = append(answers, "GET 0 0")
		case 10:
			requests += fmt.Sprintf("POST /v1/a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"+
				"%x\r\n%s\r\n0\r\n\r\n", len(plainRequest), plainRequest)
			answers = append(answers, fmt.Sprintf("POST %d %x", len(plainRequest), hashOf([]byte(plainRequest))))
		default:
			requests += fmt.Sprintf("POST /v1/a HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
			answers = append(answers, fmt.Sprintf("POST %d %x", len(body), hashOf([]byte(body))))
		}
		if random.IntN(50) > 0 {
			return requests, answers
		}
	}
}

func sendInParts(t *testing.T, conn net.Conn, data string, random *rand.Rand) {
	t.Helper()
	for len(data) > 0 {
		n := len(data)
		if random.IntN(20) == 0 {
			n = 1 + random.IntN(n)
		}
		if _, err := io.WriteString(conn, data[:n]); err != nil {
			t.Fatal(err)
		}
		data = data[n:]
	}
}

// TestEarlyDisconnect checks that a handler still learns when its client disconnects,
// and that a client that sends its next request early does not look disconnected.
func TestEarlyDisconnect(t *testing.T) {
	t.Parallel()
	begun, ended := make(chan struct{}), make(chan error, 1)
	first := make(chan struct{})
	calls := 0
	conn := serveEarly(t, func(Head) ([]byte, bool) { return nil, false },
		http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			if calls++; calls == 1 {
				close(begun)
				<-first
				ended <- r.Context().Err()
				return
			}
			begun <- struct{}{}
			<-r.Context().Done()
			ended <- r.Context().Err()
		}))
	request := "POST /v1/a HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n"
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	<-begun
	begun = make(chan struct{})
	if _, err := io.WriteString(conn, request); err != nil { // before the first answer
		t.Fatal(err)
	}
	close(first)
	if err := <-ended; err != nil {
		t.Errorf("the first request: %v", err)
	}
	<-begun
	_ = conn.Close()
	if err := <-ended; err == nil {
		t.Error("the second handler did not learn that its client disconnected")
	}
}

// TestEarlyClose checks that the connection is closed after a refusal if refuse says so.
func TestEarlyClose(t *testing.T) {
	t.Parallel()
	conn := serveEarly(t, func(Head) ([]byte, bool) { return []byte(earlyAnswer), true }, echo)
	if _, err := io.WriteString(conn, plainRequest); err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(conn)
	if err != nil || string(got) != earlyAnswer {
		t.Errorf("%v: %q", err, got)
	}
}
