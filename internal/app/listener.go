package app

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"syscall"
	"time"

	"verdict/internal/admission"
	"verdict/internal/tenant"
)

// listen opens a TCP listener on an address. If another program uses the address, the error contains the argument
// setting: the flag and the variable that select another address.
func listen(ctx context.Context, addr, setting string) (net.Listener, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("%w; stop the program that uses it, or choose another port with %s", err, setting)
	}
	return l, err // the error begins with "listen tcp"
}

// connectionRate is the rate at which one address may open connections. A TLS
// handshake costs up to a millisecond of processor time, so the rate limits how
// much processor time one address can use for handshakes.
var connectionRate = tenant.Rate{Allowance: 500, Window: time.Second, Burst: 2048}

// limitedListener is a listener that limits open connections, in total and for each address. A connection beyond
// the limit of its address is closed immediately. If the total is reached, the listener chooses the address with
// the most connections, and closes the connection of this address that has been idle longest. If none of its
// connections is idle, the listener closes the new connection instead. So one address with thousands of connections
// cannot keep out others, including the probes of load balancers.
type limitedListener struct {
	net.Listener
	most    int // limit of all connections
	each    int // limit for one address; 0 for no limit
	trusted func(netip.Addr) bool
	logger  *slog.Logger
	wrap    func(net.Conn) net.Conn // if set, wraps every connection

	rates   tenant.Buckets[netip.Addr]
	refused admission.Refusals

	mu   sync.Mutex
	open int
	held map[netip.Addr]map[*connection]struct{}
}

// limit returns a limited listener. trusted reports whether an address is a proxy. A proxy holds the connections of
// many clients, so the limit and the rate for one address do not apply to it.
func limit(l net.Listener, most, each int, trusted func(netip.Addr) bool, logger *slog.Logger) *limitedListener {
	return &limitedListener{
		Listener: l, most: most, each: each, trusted: trusted, logger: logger,
		held: map[netip.Addr]map[*connection]struct{}{},
	}
}

// connection is an accepted connection that the listener counts.
type connection struct {
	net.Conn
	listener *limitedListener
	from     netip.Addr
	// idleSince is the time at which the connection became idle, zero while a
	// request is being answered. It is guarded by the listener's lock.
	idleSince time.Time
	gone      bool
}

// Accept returns the next connection that is within the limits.
func (l *limitedListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if held := l.admit(c, time.Now()); held != nil {
			return held, nil
		}
		if n := l.refused.Refused(time.Now()); n > 0 {
			l.logger.Warn("refused new connections: a limit is reached, either on all connections or on the "+
				"number or rate of connections from one address",
				"refused", n, "max_connections", l.most, "max_per_address", l.each)
		}
		if tcp, ok := c.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0) // reset, so that no TIME_WAIT entry stays
		}
		_ = c.Close()
	}
}

// admit registers a connection, or returns nil if a limit is reached.
func (l *limitedListener) admit(c net.Conn, now time.Time) *connection {
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
	if l.wrap != nil {
		held.Conn = l.wrap(c)
	}
	if l.held[from] == nil {
		l.held[from] = map[*connection]struct{}{}
	}
	l.held[from][held] = struct{}{}
	l.open++
	return held
}

// evict finds the address with the most connections, and closes the connection of that address that has been idle
// longest. If no address has more connections than the newcomer's address, evict chooses the newcomer's address.
// evict reports whether it closed a connection.
func (l *limitedListener) evict(newcomer netip.Addr) bool {
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

// remove unregisters a connection. The caller holds the listener's lock.
func (l *limitedListener) remove(c *connection) {
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

// state records whether a connection is idle. It is the server's ConnState
// hook.
func (l *limitedListener) state(c net.Conn, state http.ConnState) {
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

// Close closes the connection and unregisters it.
func (c *connection) Close() error {
	c.listener.mu.Lock()
	c.listener.remove(c)
	c.listener.mu.Unlock()
	return c.Conn.Close()
}

// addressOf returns the remote address to which the limits apply. It returns
// the zero address if the remote address cannot be parsed.
func addressOf(c net.Conn) netip.Addr {
	remote, err := netip.ParseAddrPort(c.RemoteAddr().String())
	if err != nil {
		return netip.Addr{}
	}
	return tenant.Network(remote.Addr())
}
