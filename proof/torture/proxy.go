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

// Mode is what the network between the nodes and the database does.
type Mode int

// The modes. Each begins at once, for connections that are there too.
const (
	Pass      Mode = iota // nothing of its own
	Refuse                // every connection is reset, and every new one too
	BlackHole             // bytes vanish; when it ends, connections that lost some are reset
	Stall                 // bytes wait; when it ends they arrive after all, late
	Slow                  // every piece takes its time
	HalfWay               // every connection is reset in the middle of an answer
)

func (m Mode) String() string {
	return [...]string{"pass", "refuse", "black-hole", "stall", "slow", "half-way"}[m]
}

// slowness is what every piece waits in Slow.
const slowness = 15 * time.Millisecond

// halfWayMost is how many bytes of answers a connection still gets in HalfWay,
// at most.
const halfWayMost = 400

// Proxy passes bytes between the nodes and the database, as well as the mode
// lets it.
type Proxy struct {
	listener net.Listener
	socket   string // of the database
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
	left int  // bytes of answers before the cut, in HalfWay
	lost bool // bytes have vanished
}

// NewProxy listens at a free port for a database at a socket.
func NewProxy(ctx context.Context, socket string, rng *rand.Rand) (*Proxy, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	p := &Proxy{listener: listener, socket: socket, rng: rng, changed: make(chan struct{}), links: map[*link]struct{}{}}
	p.busy.Go(p.accept)
	return p, nil
}

// URL is how to reach a database of a role through the proxy.
func (p *Proxy) URL(role, database string) string {
	return fmt.Sprintf("postgres://%s@%s/%s?sslmode=disable", role, p.listener.Addr(), database)
}

// Set changes what the network does.
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

// Cut resets every connection there is; new ones pass.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.links {
		l.cut()
	}
}

// Close ends it and all its connections.
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
			return // closed
		}
		p.busy.Go(func() { p.serve(near) })
	}
}

// serve carries one connection to its end.
func (p *Proxy) serve(near net.Conn) {
	l := &link{near: near, cutOff: make(chan struct{})}
	if mode, _ := p.state(); mode == Refuse {
		reset(near)
		return
	}
	far, err := (&net.Dialer{}).DialContext(context.Background(), "unix", p.socket)
	if err != nil {
		reset(near) // nobody is there
		return
	}
	l.far = far
	l.cut = sync.OnceFunc(func() {
		close(l.cutOff)
		reset(near)
		_ = far.Close() // a socket in the file system knows no reset
	})
	p.mu.Lock()
	l.left = 1 + p.rng.IntN(halfWayMost)
	p.links[l] = struct{}{}
	refused := p.mode == Refuse // it may have come meanwhile
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

// pump carries one direction. The end of one is the end of both: neither side
// of this protocol closes one half.
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

// carry brings one piece to the other side; false ends the connection.
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
			continue // it has ended meanwhile
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

// swallow notes that a connection has lost bytes, so that it is reset at the end
// of the black hole: TCP loses none of a connection that goes on.
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

// linger keeps the other half from hearing of an end while nothing comes
// through.
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

// half writes what is left before the cut.
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

// reset closes a connection so that the other side hears of a reset and not of
// an end.
func reset(c net.Conn) {
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	if err := c.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		return // it was gone already
	}
}
