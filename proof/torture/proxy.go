package torture

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"time"
)

// Mode is the behaviour of the network between the nodes and the database.
type Mode int

// The modes. Each mode takes effect immediately, even for existing connections.
const (
	Pass      Mode = iota // passes all bytes
	Refuse                // resets existing and new connections
	BlackHole             // drops bytes; when the mode ends, connections that lost bytes are reset
	Stall                 // delays bytes until the mode ends
	Slow                  // delays every chunk
	HalfWay               // resets every connection in the middle of an answer
)

func (m Mode) String() string {
	return [...]string{"pass", "refuse", "black-hole", "stall", "slow", "half-way"}[m]
}

// slowness is the delay of every chunk in mode Slow.
const slowness = 15 * time.Millisecond

// halfWayMost is the maximum number of bytes of answers that a connection still
// receives in mode HalfWay.
const halfWayMost = 400

// Proxy passes bytes between the nodes and the database, subject to the mode.
type Proxy struct {
	listener net.Listener
	socket   string // path of the database's socket
	busy     sync.WaitGroup

	mu      sync.Mutex
	rng     *rand.Rand
	mode    Mode
	changed chan struct{} // closed when the mode changes
	links   map[*link]struct{}
}

// link is one connection through the proxy.
type link struct {
	near, far net.Conn
	cut       func()
	cutOff    chan struct{}

	mu   sync.Mutex
	left int  // bytes of answers to pass before the reset, in mode HalfWay
	lost bool // whether bytes were dropped
}

// NewProxy listens on a free port and connects to a database's socket.
func NewProxy(ctx context.Context, socket string, rng *rand.Rand) (*Proxy, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	p := &Proxy{listener: listener, socket: socket, rng: rng, changed: make(chan struct{}), links: map[*link]struct{}{}}
	p.busy.Go(p.accept)
	return p, nil
}

// URL returns the URL of a database for a role, through the proxy.
func (p *Proxy) URL(role, database string) string {
	return fmt.Sprintf("postgres://%s@%s/%s?sslmode=disable", role, p.listener.Addr(), database)
}

// Set changes the mode.
func (p *Proxy) Set(mode Mode) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mode = mode
	for l := range p.links {
		l.mu.Lock()
		lost := l.lost
		l.left = 1 + p.rng.IntN(halfWayMost)
		l.mu.Unlock()
		if mode == Refuse || lost {
			l.cut()
		}
	}
	close(p.changed)
	p.changed = make(chan struct{})
}

// Cut resets all existing connections. It does not change the mode.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.links {
		l.cut()
	}
}

// Close closes the proxy and all its connections.
func (p *Proxy) Close() error {
	err := p.listener.Close()
	p.Set(Refuse)
	p.busy.Wait()
	return err
}

func (p *Proxy) accept() {
	for {
		near, err := p.listener.Accept()
		if err != nil {
			return // the listener was closed
		}
		p.busy.Go(func() { p.serve(near) })
	}
}

// serve passes the bytes of one connection until the connection ends.
func (p *Proxy) serve(near net.Conn) {
	l := &link{near: near, cutOff: make(chan struct{})}
	if mode, _ := p.state(); mode == Refuse {
		reset(near)
		return
	}
	far, err := (&net.Dialer{}).DialContext(context.Background(), "unix", p.socket)
	if err != nil {
		reset(near) // the database is down
		return
	}
	l.far = far
	l.cut = sync.OnceFunc(func() {
		close(l.cutOff)
		reset(near)
		_ = far.Close() // a Unix socket cannot be reset
	})
	p.mu.Lock()
	l.left = 1 + p.rng.IntN(halfWayMost)
	p.links[l] = struct{}{}
	refused := p.mode == Refuse // the mode may have changed since the connection was accepted
	p.mu.Unlock()
	if refused {
		l.cut()
	}
	var both sync.WaitGroup
	both.Go(func() { p.pump(l, far, near, false) })
	both.Go(func() { p.pump(l, near, far, true) })
	both.Wait()
	l.cut()
	p.mu.Lock()
	delete(p.links, l)
	p.mu.Unlock()
}

// pump passes one direction of a connection. If one direction ends, both end, because in the PostgreSQL protocol
// each side always closes the whole connection.
func (p *Proxy) pump(l *link, to, from net.Conn, answers bool) {
	defer l.cut()
	piece := make([]byte, 32<<10)
	for {
		n, err := from.Read(piece)
		if n > 0 && !p.carry(l, to, piece[:n], answers) {
			return
		}
		if err != nil {
			p.linger(l)
			return
		}
	}
}

// carry passes one chunk to the other side. It returns false if the connection
// must end.
func (p *Proxy) carry(l *link, to net.Conn, piece []byte, answers bool) bool {
	for {
		mode, changed := p.state()
		switch mode {
		case Pass:
		case Refuse:
			return false
		case Slow:
			select {
			case <-time.After(slowness):
			case <-l.cutOff:
				return false
			}
		case BlackHole:
			if p.swallow(l) {
				return true
			}
			continue // the mode has changed in the meantime
		case Stall:
			select {
			case <-changed:
				continue
			case <-l.cutOff:
				return false
			}
		case HalfWay:
			if answers {
				return l.half(to, piece)
			}
		}
		_, err := to.Write(piece)
		return err == nil
	}
}

// swallow records that a connection has lost bytes, or returns false if the
// mode is no longer BlackHole. It records the loss so that the connection is
// reset when BlackHole ends: a TCP connection that continues never loses bytes.
func (p *Proxy) swallow(l *link) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.mode != BlackHole {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lost = true
	return true
}

// linger waits while the mode is BlackHole or Stall, so that the other side
// does not see the end of the connection.
func (p *Proxy) linger(l *link) {
	for {
		mode, changed := p.state()
		if mode != BlackHole && mode != Stall {
			return
		}
		select {
		case <-changed:
		case <-l.cutOff:
			return
		}
	}
}

// half passes the bytes that the connection may still receive before the reset.
func (l *link) half(to net.Conn, piece []byte) bool {
	l.mu.Lock()
	n := min(l.left, len(piece))
	l.left -= n
	over := l.left == 0
	l.mu.Unlock()
	_, err := to.Write(piece[:n])
	return err == nil && !over
}

func (p *Proxy) state() (Mode, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.mode, p.changed
}

// reset closes a connection with a TCP reset.
func reset(c net.Conn) {
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	if err := c.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		return // the connection has failed already
	}
}
