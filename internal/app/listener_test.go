package app

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"testing"
)

// dial opens a connection from a local address, which may be any 127.x.y.z. If the server resets the connection
// immediately, opening may fail; dial then returns a closed connection.
func dial(t *testing.T, from, to string) net.Conn {
	t.Helper()
	local := &net.TCPAddr{IP: net.ParseIP(from)}
	c, err := (&net.Dialer{LocalAddr: local}).DialContext(t.Context(), "tcp", to)
	if errors.Is(err, syscall.ECONNRESET) {
		refused, _ := net.Pipe()
		_ = refused.Close()
		return refused
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// answers reports whether a request over the connection is answered.
func answers(c net.Conn, path string) bool {
	if _, err := fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: x\r\n\r\n", path); err != nil {
		return false
	}
	response, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return false
	}
	_, _ = io.Copy(io.Discard, response.Body)
	_ = response.Body.Close()
	return response.StatusCode == http.StatusOK
}

// closed reports whether the server has closed the connection.
func closed(c net.Conn) bool {
	_, err := c.Read(make([]byte, 1))
	return err != nil
}

func TestConnectionsOfOneAddressAreBounded(t *testing.T) {
	t.Parallel()
	s := startServer(t, Config{
		MaxConnections:     10,
		MaxConnectionsEach: 2,
		TrustedProxies:     []netip.Prefix{netip.MustParsePrefix("127.0.3.0/24")},
	}, nil)
	first, second := dial(t, "127.0.1.1", s.addr()), dial(t, "127.0.1.1", s.addr())
	if !answers(first, "/") || !answers(second, "/") {
		t.Fatal("two connections of an address are not served")
	}
	if !closed(dial(t, "127.0.1.1", s.addr())) {
		t.Error("a third connection of the address is held")
	}
	if !answers(dial(t, "127.0.1.2", s.addr()), "/") {
		t.Error("another address is not served")
	}
	_ = first.Close()
	for !answers(dial(t, "127.0.1.1", s.addr()), "/") { // until the server has noticed the close
	}
	for range 4 {
		if !answers(dial(t, "127.0.3.1", s.addr()), "/") {
			t.Error("a trusted proxy is bounded like a client")
		}
	}
}

// TestIdleConnectionsMakeRoom checks that if all connections are in use, the
// address with the most connections loses idle connections, and never a
// connection with a request in progress.
func TestIdleConnectionsMakeRoom(t *testing.T) {
	t.Parallel()
	begun, finish := make(chan struct{}), make(chan struct{})
	s := startServer(t, Config{MaxConnections: 4}, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			begun <- struct{}{}
			<-finish
		}
	}))
	busy := dial(t, "127.0.1.1", s.addr())
	answered := make(chan bool)
	go func() { answered <- answers(busy, "/slow") }()
	<-begun
	silent := []net.Conn{dial(t, "127.0.1.1", s.addr()), dial(t, "127.0.1.1", s.addr()), dial(t, "127.0.1.1", s.addr())}
	probe := dial(t, "127.0.2.1", s.addr())
	if !answers(probe, "/") {
		t.Fatal("a newcomer found no room among idle connections")
	}
	if !closed(silent[0]) {
		t.Error("the longest idle connection is not the one that made room")
	}
	if !answers(dial(t, "127.0.2.2", s.addr()), "/") || !answers(dial(t, "127.0.2.3", s.addr()), "/") {
		t.Error("others found no room")
	}
	if !answers(probe, "/") {
		t.Error("the connection of an address that holds one made room")
	}
	close(finish)
	if !<-answered {
		t.Error("a connection that was being answered made room")
	}
}
