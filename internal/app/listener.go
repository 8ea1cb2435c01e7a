package app

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"verdict/internal/admission"
	"verdict/internal/serving"
	"verdict/internal/tenant"
)

// listen opens an address.
func listen(ctx context.Context, addr string) (net.Listener, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	return l, nil
}

// connectionRate is how fast one address may open connections. A TLS handshake
// costs up to a millisecond of processor time, so this bounds what one address
// can spend on them.
var connectionRate = tenant.Rate{Allowance: 500, Window: time.Second, Burst: 2048}

// limited is a listener that bounds the connections it holds, in all and for
// each address. A connection beyond the bound of its address is closed
// immediately. When all are taken, a newcomer gets the place of the connection
// that has been idle longest among those of the address that holds most; so one
// address with thousands of connections shuts nobody out, probes included.
type limited struct {
	net.Listener
	most    int // connections in all
	each    int // connections of one address; 0 for no bound
	trusted func(netip.Addr) bool
	logger  *slog.Logger

	rates   tenant.Buckets[netip.Addr]
	refused admission.Refusals

	mu   sync.Mutex
	open int
	held map[netip.Addr]map[*connection]struct{}
}

// limit bounds a listener. Addresses that are trusted are proxies, which hold
// the connections of many clients: the bound of one address is not for them.
func limit(l net.Listener, most, each int, trusted func(netip.Addr) bool, logger *slog.Logger) *limited {
	return &limited{
		Listener: l, most: most, each: each, trusted: trusted, logger: logger,
		held: map[netip.Addr]map[*connection]struct{}{},
	}
}

// connection is one that the listener holds.
type connection struct {
	net.Conn
	listener *limited
	from     netip.Addr
	// idleSince is when it had last nothing to do, zero while a request is being
	// answered. It is guarded by the listener's lock.
	idleSince time.Time
	gone      bool
}

// Accept returns the next connection that is within the bounds.
func (l *limited) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if held := l.admit(c, time.Now()); held != nil {
			return held, nil
		}
		if n := l.refused.Refused(time.Now()); n > 0 {
			l.logger.Warn("closed connections beyond the limits", "connections", n, "most", l.most, "each", l.each)
		}
		if tcp, ok := c.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0) // leave nothing behind
		}
		_ = c.Close()
	}
}

// admit takes a connection in, or returns nil.
func (l *limited) admit(c net.Conn, now time.Time) *connection {
	from := addressOf(c)
	proxy := l.trusted(from)
	if !proxy {
		if _, _, ok := l.rates.Take(from, connectionRate, now); !ok {
			return nil
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !proxy && l.each > 0 && len(l.held[from]) >= l.each {
		return nil
	}
	if l.open >= l.most && !l.evict(from) {
		return nil
	}
	held := &connection{Conn: c, listener: l, from: from, idleSince: now}
	if l.held[from] == nil {
		l.held[from] = map[*connection]struct{}{}
	}
	l.held[from][held] = struct{}{}
	l.open++
	return held
}

// evict closes the longest idle connection of the address that holds most,
// unless the newcomer's own address holds as many. It reports whether it did.
func (l *limited) evict(newcomer netip.Addr) bool {
	largest := newcomer
	for from, held := range l.held {
		if len(held) > len(l.held[largest]) {
			largest = from
		}
	}
	var oldest *connection
	for c := range l.held[largest] {
		if !c.idleSince.IsZero() && (oldest == nil || c.idleSince.Before(oldest.idleSince)) {
			oldest = c
		}
	}
	if oldest == nil {
		return false
	}
	l.remove(oldest)
	_ = oldest.Conn.Close()
	return true
}

// remove forgets a connection; the lock is held.
func (l *limited) remove(c *connection) {
	if c.gone {
		return
	}
	c.gone = true
	l.open--
	delete(l.held[c.from], c)
	if len(l.held[c.from]) == 0 {
		delete(l.held, c.from)
	}
}

// state notes whether a connection is idle; it is the server's ConnState.
func (l *limited) state(c net.Conn, state http.ConnState) {
	if secure, ok := c.(*tls.Conn); ok {
		c = secure.NetConn()
	}
	held, ok := c.(*connection)
	if !ok {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch state {
	case http.StateActive:
		held.idleSince = time.Time{}
	case http.StateIdle:
		held.idleSince = time.Now()
	case http.StateNew, http.StateHijacked, http.StateClosed:
	}
}

// count returns how many connections are open.
func (l *limited) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.open
}

// Close closes the connection and makes room for another.
func (c *connection) Close() error {
	c.listener.mu.Lock()
	c.listener.remove(c)
	c.listener.mu.Unlock()
	return c.Conn.Close()
}

// addressOf returns where a connection comes from, as limits count it.
func addressOf(c net.Conn) netip.Addr {
	remote, err := netip.ParseAddrPort(c.RemoteAddr().String())
	if err != nil {
		return netip.Addr{}
	}
	return serving.Network(remote.Addr())
}
