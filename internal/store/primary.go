package store

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// primary knows which server takes writes, by the highest timeline that a
// server was seen on: a promotion begins a new one. Connections to servers of
// lower timelines are cut, so that an old primary, forgotten or frozen, is
// neither read from nor waited for.
type primary struct {
	best atomic.Int32 // the host that took writes last, as an index into those of the URL

	mu       sync.Mutex
	timeline uint64
	seen     time.Time // when a server on that timeline last answered
	open     map[*trackedConn]uint64

	end     context.CancelFunc
	watches sync.WaitGroup
}

// believedFor is how long an old primary is refused after the new one was last
// seen. A database restored from a backup may begin at a low timeline again.
const believedFor = time.Minute

var errOldPrimary = errors.New("another server was promoted since: this one is an old primary")

func newPrimary() *primary {
	return &primary{open: map[*trackedConn]uint64{}, end: func() {}}
}

// trackedConn is a connection that can be cut from outside.
type trackedConn struct {
	net.Conn
	of *primary
}

// Close succeeds for a connection that was cut before.
func (c *trackedConn) Close() error {
	c.of.mu.Lock()
	delete(c.of.open, c)
	c.of.mu.Unlock()
	if err := c.Conn.Close(); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// dial tracks the connections of another dial function.
func (p *primary) dial(dial pgconn.DialFunc) pgconn.DialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &trackedConn{Conn: conn, of: p}, nil
	}
}

// validate adds to a check of new connections that the server is no old
// primary.
func (p *primary) validate(check pgconn.ValidateConnectFunc) pgconn.ValidateConnectFunc {
	return func(ctx context.Context, conn *pgconn.PgConn) error {
		if check != nil {
			if err := check(ctx, conn); err != nil {
				return err
			}
		}
		timeline, err := timelineOf(ctx, conn)
		if err != nil {
			return err
		}
		return p.admit(trackedOf(conn.Conn()), timeline)
	}
}

func trackedOf(conn net.Conn) *trackedConn {
	if secure, ok := conn.(*tls.Conn); ok {
		conn = secure.NetConn()
	}
	tracked, _ := conn.(*trackedConn) // nil if somebody has wrapped it
	return tracked
}

// timelineOf is the timeline that a server writes on, 0 for a standby and for a
// server that does not tell.
func timelineOf(ctx context.Context, conn *pgconn.PgConn) (uint64, error) {
	results, err := conn.Exec(ctx,
		"SELECT CASE WHEN pg_is_in_recovery() THEN '' ELSE pg_walfile_name(pg_current_wal_lsn()) END").ReadAll()
	var refused *pgconn.PgError
	if errors.As(err, &refused) && !conn.IsClosed() {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	const digits = 8 // of the file's name, in hexadecimal, are the timeline
	name := string(results[0].Rows[0][0])
	if len(name) < digits {
		return 0, nil
	}
	timeline, err := strconv.ParseUint(name[:digits], 16, 64)
	if err != nil {
		return 0, nil //nolint:nilerr // a server that names its files otherwise
	}
	return timeline, nil
}

// admit takes a connection to a server on a timeline, or refuses it.
func (p *primary) admit(conn *trackedConn, timeline uint64) error {
	if timeline == 0 {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if timeline < p.timeline && time.Since(p.seen) < believedFor {
		return errOldPrimary
	}
	p.follow(timeline)
	if conn != nil {
		p.open[conn] = timeline
	}
	return nil
}

// follow cuts the connections to older primaries. The caller holds the lock.
func (p *primary) follow(timeline uint64) {
	p.timeline, p.seen = timeline, time.Now()
	for conn, old := range p.open {
		if old < timeline {
			delete(p.open, conn)
			_ = conn.Conn.Close() // whoever uses it is told, and tries another
		}
	}
}

const (
	watchEvery  = 500 * time.Millisecond
	watchWithin = time.Second // what one look may take
)

// watch looks at every host until close, so that a promotion is noticed while
// statements still wait for a frozen server.
func (p *primary) watch(hosts []*pgconn.Config) {
	ctx, end := context.WithCancel(context.Background())
	p.end = end
	for i, host := range hosts {
		p.watches.Go(func() {
			var conn *pgconn.PgConn
			tick := time.NewTicker(watchEvery)
			defer tick.Stop()
			for ctx.Err() == nil {
				conn = p.look(ctx, i, host, conn)
				select {
				case <-ctx.Done():
				case <-tick.C:
				}
			}
			if conn != nil {
				ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), watchWithin)
				defer cancel()
				_ = conn.Close(ctx) // the server notices anyway
			}
		})
	}
}

// look asks a host for its timeline and follows it. It returns the connection
// to ask on the next time, nil if there is none.
func (p *primary) look(ctx context.Context, i int, host *pgconn.Config, conn *pgconn.PgConn) *pgconn.PgConn {
	ctx, cancel := context.WithTimeout(ctx, watchWithin)
	defer cancel()
	if conn == nil || conn.IsClosed() {
		var err error
		if conn, err = pgconn.ConnectConfig(ctx, host); err != nil {
			return nil
		}
	}
	timeline, err := timelineOf(ctx, conn)
	if err != nil {
		_ = conn.Close(ctx) // it is of no use any more
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case timeline > p.timeline:
		p.best.Store(int32(i)) //nolint:gosec // a URL has few hosts
		p.follow(timeline)
	case timeline == p.timeline && timeline > 0:
		p.seen = time.Now()
	}
	return conn
}

func (p *primary) close() {
	p.end()
	p.watches.Wait()
}
