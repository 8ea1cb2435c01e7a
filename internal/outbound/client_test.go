package outbound

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// loopback permits connections to servers of the test.
var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}

// TestPost checks what a receiver gets, and that only its status matters.
func TestPost(t *testing.T) {
	t.Parallel()
	var got *http.Request
	var body []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r
		body, _ = io.ReadAll(r.Body)
		w.WriteHeader(http.StatusAccepted)
		_, _ = w.Write(bytes.Repeat([]byte("garbage\x00"), 100_000)) // more than is read
	}))
	defer server.Close()
	client := New(Options{Allow: loopback})
	status, problem := client.Post(t.Context(), server.URL+"/x", map[string]string{"webhook-id": "evt_1"}, []byte(`{}`))
	if status != http.StatusAccepted || problem != "" {
		t.Fatalf("%d, %s", status, problem)
	}
	if got.Method != http.MethodPost || got.URL.Path != "/x" || got.Header.Get("webhook-id") != "evt_1" ||
		string(body) != "{}" || got.Header.Get("Accept-Encoding") != "" {
		t.Errorf("received %+v with the body %q", got, body)
	}
}

// TestBadReceivers sends to receivers that redirect, that hang, that do not speak HTTP, that send endless headers,
// that have another certificate, or that do not exist.
func TestBadReceivers(t *testing.T) {
	t.Parallel()
	var redirected atomic.Bool
	target := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { redirected.Store(true) }))
	defer target.Close()
	redirect := httptest.NewServer(http.RedirectHandler(target.URL, http.StatusTemporaryRedirect))
	defer redirect.Close()
	release := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer slow.Close()
	headers := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Long", strings.Repeat("x", 1<<20))
	}))
	defer headers.Close()
	trickle := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		<-release
	}))
	defer trickle.Close()
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	defer secure.Close()
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()

	defer close(release) // runs before the servers are closed, because closing a server waits for its handlers

	client := New(Options{Allow: loopback, Timeout: time.Minute})
	// The short timeout is only for the receiver that does not answer. The others get a minute, so that they do not
	// time out on a busy machine.
	hanging := New(Options{Allow: loopback, Timeout: time.Second})
	for _, c := range []struct {
		name, url string
		status    int
		problem   string
	}{
		{"redirect", redirect.URL, http.StatusTemporaryRedirect, ""},
		{"slow", slow.URL, 0, ProblemTimeout},
		{"garbage", "http://" + listen(t, "not http\r\n\r\n"), 0, ProblemResponse},
		{"nothing", "http://" + listen(t, ""), 0, ProblemConnection},
		{"long headers", headers.URL, 0, ProblemResponse},
		{"unknown certificate", secure.URL, 0, ProblemTLS},
		{"no TLS", strings.Replace(target.URL, "http:", "https:", 1), 0, ProblemTLS},
		{"closed", closed.URL, 0, ProblemConnection},
		{"not a URL", "http://[::1", 0, ProblemConnection},
	} {
		by := client
		if c.url == slow.URL {
			by = hanging
		}
		if status, problem := by.Post(t.Context(), c.url, nil, nil); status != c.status || problem != c.problem {
			t.Errorf("%s: %d, %q, want %d, %q", c.name, status, problem, c.status, c.problem)
		}
	}
	// The status of an answer whose body does not end counts. On a busy machine the timeout may expire before the
	// status arrives; the test then tries again with a longer timeout.
	status, problem := 0, ProblemTimeout
	for within := time.Second; problem == ProblemTimeout && within < 2*time.Minute; within *= 4 {
		status, problem = New(Options{Allow: loopback, Timeout: within}).Post(t.Context(), trickle.URL, nil, nil)
	}
	if status != http.StatusOK || problem != "" {
		t.Errorf("a body that does not end: %d, %q", status, problem)
	}
	if redirected.Load() {
		t.Error("a redirect was followed")
	}
	roots := x509.NewCertPool()
	roots.AddCert(secure.Certificate())
	trusting := New(Options{Allow: loopback, TLS: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}})
	if status, problem := trusting.Post(t.Context(), secure.URL, nil, nil); status != http.StatusNotFound {
		t.Errorf("a trusted certificate: %d, %s", status, problem)
	}
}

// listen answers every connection with a text and closes it.
func listen(t *testing.T, text string) string {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 4096))
			_, _ = io.WriteString(conn, text)
			_ = conn.Close()
		}
	}()
	return listener.Addr().String()
}

// TestForbiddenAddresses checks that nothing connects to an address inside the operator's network, neither by its
// number in any spelling nor by a name.
func TestForbiddenAddresses(t *testing.T) {
	t.Parallel()
	var reached atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Store(true) }))
	defer server.Close()
	_, port, err := net.SplitHostPort(strings.TrimPrefix(server.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	client := New(Options{Timeout: time.Minute})
	for _, host := range []string{
		"127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "[::]", "localhost", "10.1.2.3", "169.254.169.254",
		"[fe80::1]", "[fd00::1]", "[64:ff9b::7f00:1]", "100.64.0.1", "224.0.0.1",
	} {
		status, problem := client.Post(t.Context(), "http://"+host+":"+port, nil, nil)
		if status != 0 || problem != ProblemForbidden {
			t.Errorf("%s: %d, %s", host, status, problem)
		}
	}
	if reached.Load() {
		t.Error("the server was reached")
	}
}

// TestEnvironmentProxy checks that the proxy of the environment is not used, because it would connect to
// addresses that are forbidden.
func TestEnvironmentProxy(t *testing.T) {
	var proxied atomic.Bool
	proxy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { proxied.Store(true) }))
	defer proxy.Close()
	t.Setenv("HTTP_PROXY", proxy.URL)
	t.Setenv("http_proxy", proxy.URL)
	client := New(Options{Timeout: time.Minute})
	if status, problem := client.Post(t.Context(), "http://10.0.0.1/", nil, nil); status != 0 ||
		problem != ProblemForbidden || proxied.Load() {
		t.Errorf("%d, %s; proxied: %v", status, problem, proxied.Load())
	}
}

// TestRebinding uses a name server that answers with a public address first and with 127.0.0.1 or 169.254.169.254
// afterwards. The client must check the address that it connects to, not the result of an earlier look-up.
func TestRebinding(t *testing.T) {
	t.Parallel()
	var reached atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Store(true) }))
	defer server.Close()
	_, port, err := net.SplitHostPort(strings.TrimPrefix(server.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	for _, inside := range []string{"127.0.0.1", "169.254.169.254"} {
		names := &nameServer{first: netip.MustParseAddr("93.184.216.34"), later: netip.MustParseAddr(inside)}
		resolver := names.resolver(t)
		// This is the look-up that a check before the connection would make.
		if found, err := resolver.LookupNetIP(t.Context(), "ip4", "rebind.example."); err != nil ||
			found[0].Unmap() != names.first {
			t.Fatalf("the first look-up found %v, %v", found, err)
		}
		client := New(Options{Timeout: time.Minute, Resolver: resolver})
		status, problem := client.Post(t.Context(), "http://rebind.example.:"+port+"/", nil, nil)
		if status != 0 || problem != ProblemForbidden {
			t.Errorf("%s: %d, %s", inside, status, problem)
		}
	}
	if reached.Load() {
		t.Error("the server was reached")
	}
}

// nameServer answers queries for IPv4 addresses over UDP: the first with one address, all
// later ones with another.
type nameServer struct {
	first, later netip.Addr
	asked        atomic.Bool
}

func (n *nameServer) resolver(t *testing.T) *net.Resolver {
	t.Helper()
	conn, err := new(net.ListenConfig).ListenPacket(t.Context(), "udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	go func() {
		query := make([]byte, 512)
		for {
			size, from, err := conn.ReadFrom(query)
			if err != nil {
				return
			}
			_, _ = conn.WriteTo(n.answer(query[:size]), from)
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

// answer returns the answer to a query with one question.
func (n *nameServer) answer(query []byte) []byte {
	end := 12 + bytes.IndexByte(query[12:], 0) + 5 // the name, its type and its class
	reply := append([]byte{}, query[:end]...)
	reply[2], reply[3] = 0x84, 0 // an authoritative answer without an error
	binary.BigEndian.PutUint16(reply[6:], 0)
	binary.BigEndian.PutUint16(reply[8:], 0)
	binary.BigEndian.PutUint16(reply[10:], 0)
	const typeA = 1
	if binary.BigEndian.Uint16(query[end-4:]) != typeA {
		return reply
	}
	addr := n.later
	if !n.asked.Swap(true) {
		addr = n.first
	}
	binary.BigEndian.PutUint16(reply[6:], 1)
	reply = append(reply, 0xc0, 12, 0, typeA, 0, 1, 0, 0, 0, 0, 0, 4)
	return append(reply, addr.AsSlice()...)
}

// TestOwnAddress checks that a public address of this machine is refused, and that the
// networks that the operator permits are not.
func TestOwnAddress(t *testing.T) {
	t.Parallel()
	own := func() ([]net.Addr, error) {
		return []net.Addr{&net.IPNet{IP: net.ParseIP("93.184.216.34"), Mask: net.CIDRMask(24, 32)}}, nil
	}
	g := guard{allow: []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16")}, own: own}
	for address, want := range map[string]error{
		"93.184.216.34:443": errForbidden, "93.184.216.35:443": nil, "10.1.2.3:80": nil, "10.2.2.3:80": errForbidden,
		"[2606:4700:4700::1111]:443": nil, "name:443": errForbidden, "": errForbidden,
	} {
		if err := g.address(address); err != want { //nolint:errorlint // the function returns the error itself
			t.Errorf("%s: %v, want %v", address, err, want)
		}
	}
}
