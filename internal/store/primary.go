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

// primary tracks which server accepts writes. It is the server with the highest
// timeline seen, because each promotion begins a new timeline. Connections to
// servers with lower timelines are closed, so that the service neither reads from
// nor waits for an old primary that is isolated or frozen.
type primary struct {
	best atomic.Int32 // the index, in the URL, of the host that last accepted a connection or was promoted

	mu       sync.Mutex
	timeline uint64
	seen     time.Time // when a server on the timeline last answered
	open     map[*trackedConn]uint64

	hosts   []*watchedHost // the hosts of the URL if it has several
	end     context.CancelFunc
	watches sync.WaitGroup
}

// believedFor is how long a server with a lower timeline is refused after the
// highest timeline was last seen. The limit is needed because a database
// restored from a backup may begin at a low timeline again.
const believedFor = time.Minute

var errOldPrimary = errors.New("this server is an old primary: another server was promoted after it")

func newPrimary() *primary {
	return &primary{open: map[*trackedConn]uint64{}, end: func() {}}
}

// trackedConn is a connection that primary can close.
type trackedConn struct {
	net.Conn
	of   *primary
	sent atomic.Int64 // the bytes that were written
}

// Write implements net.Conn. It counts the bytes.
func (c *trackedConn) Write(b []byte) (n int, err error) {
	n, err = c.Conn.Write(b)
	c.sent.Add(int64(n))
	return n, err
}

// Close returns nil for a connection that primary has closed before.
func (c *trackedConn) Close() error {
	c.of.mu.Lock()
	delete(c.of.open, c)
	c.of.mu.Unlock()
	if err := c.Conn.Close(); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// dial wraps a dial function so that its connections are tracked.
func (p *primary) dial(dial pgconn.DialFunc) pgconn.DialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &trackedConn{Conn: conn, of: p}, nil
	}
}

// validate extends the check of new connections: a connection to an old primary
// fails the check.
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
	tracked, _ := conn.(*trackedConn) // nil if conn is wrapped in another type
	return tracked
}

// timelineOf returns the timeline that a server writes on. It returns 0 for a
// standby and for a server whose timeline cannot be read.
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
	const digits = 8 // the file's name begins with the timeline in hexadecimal
	name := string(results[0].Rows[0][0])
	if len(name) < digits {
		return 0, nil
	}
	timeline, err := strconv.ParseUint(name[:digits], 16, 64)
	if err != nil {
		return 0, nil //nolint:nilerr // the server names its files differently
	}
	return timeline, nil
}

// admit accepts a connection to a server on the timeline, or returns
// errOldPrimary.
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

// follow records a timeline and closes the connections to servers with lower
// timelines. The caller holds the lock.
func (p *primary) follow(timeline uint64) {
	p.timeline, p.seen = timeline, time.Now()
	for conn, old := range p.open {
		if old < timeline {
			delete(p.open, conn)
			_ = conn.Conn.Close() // the user of the connection gets an error
		}
	}
}

const (
	watchEvery  = 500 * time.Millisecond
	watchWithin = time.Second // the time limit of one query for a host's timeline
	// lookPause is the minimum time between two queries to a host, however many
	// callers wait.
	lookPause = 2 * time.Millisecond
)

// Timeline returns the number of the timeline on which the primary server writes. It grows with each promotion of a
// standby. It is 0 if unknown, and on SQLite.
func (db *DB) Timeline() uint64 {
	if db.primary == nil {
		return 0
	}
	db.primary.mu.Lock()
	defer db.primary.mu.Unlock()
	return db.primary.timeline
}

// watchedHost is a server of the URL. Its fields are guarded by the lock of the
// primary that watches it.
type watchedHost struct {
	config *pgconn.Config
	wake   chan struct{} // wakes watchHost because a caller waits for the next query
	next   chan struct{} // closed at the end of the next query that begins; nil if nobody waits
	away   bool          // the last query failed: nobody waits for the next one
}

// watch queries the timeline of every host until close is called, so that a
// promotion is noticed while statements still wait for a frozen server.
func (p *primary) watch(configs []*pgconn.Config) {
	ctx, end := context.WithCancel(context.Background())
	p.end = end
	for _, config := range configs {
		p.hosts = append(p.hosts, &watchedHost{config: config, wake: make(chan struct{}, 1)})
	}
	for i := range p.hosts {
		p.watches.Go(func() { p.watchHost(ctx, i) })
	}
}

// watchHost queries a host twice a second, and whenever a caller waits for a query.
func (p *primary) watchHost(ctx context.Context, i int) {
	host := p.hosts[i]
	var conn *pgconn.PgConn
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	pause := time.NewTimer(lookPause)
	defer pause.Stop()
	for ctx.Err() == nil {
		pause.Reset(lookPause)
		p.mu.Lock()
		waiting := host.next
		host.next = nil
		p.mu.Unlock()

		conn = p.look(ctx, i, conn)
		if waiting != nil {
			close(waiting)
		}

		select {
		case <-ctx.Done():
		case <-tick.C:
		case <-host.wake:
			<-pause.C
		}
	}
	p.mu.Lock()
	host.away = true
	if host.next != nil {
		close(host.next)
	}
	p.mu.Unlock()
	if conn != nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), watchWithin)
		defer cancel()
		_ = conn.Close(ctx) // the server notices a closed connection anyway
	}
}

// look queries a host for its timeline and calls follow if the timeline is
// higher. It returns the connection for the next query, nil if there is none.
func (p *primary) look(ctx context.Context, i int, conn *pgconn.PgConn) *pgconn.PgConn {
	ctx, cancel := context.WithTimeout(ctx, watchWithin)
	defer cancel()
	timeline, conn, err := p.ask(ctx, p.hosts[i].config, conn)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hosts[i].away = err != nil
	switch {
	case timeline > p.timeline:
		p.best.Store(int32(i)) // the conversion is safe, because a URL has few hosts
		p.follow(timeline)
	case timeline == p.timeline && timeline > 0:
		p.seen = time.Now()
	}
	return conn
}

// ask queries a host for its timeline, over conn or, if conn does not work, over a
// new connection.
func (p *primary) ask(ctx context.Context, host *pgconn.Config, conn *pgconn.PgConn) (uint64, *pgconn.PgConn, error) {
	if conn == nil || conn.IsClosed() {
		var err error
		if conn, err = pgconn.ConnectConfig(ctx, host); err != nil {
			return 0, nil, err
		}
	}
	timeline, err := timelineOf(ctx, conn)
	if err != nil {
		_ = conn.Close(ctx) // the connection cannot be used any more
		return 0, nil, err
	}
	return timeline, conn, nil
}

// primaryCheck finds out whether the primary was still the primary when the check
// began, and so whether data that was read from it is current.
type primaryCheck struct {
	of       *primary
	timeline uint64
	looks    []chan struct{}
}

// check begins a query of every host except the primary itself and the hosts that did
// not answer their last query. passed waits for the answers. If there is no other host,
// check does nothing.
func (p *primary) check() (c primaryCheck) {
	if p == nil || len(p.hosts) == 0 {
		return c
	}
	best := int(p.best.Load())
	p.mu.Lock()
	defer p.mu.Unlock()
	c.of, c.timeline = p, p.timeline
	for i, host := range p.hosts {
		if i == best || host.away {
			continue
		}
		if host.next == nil {
			host.next = make(chan struct{})
			select {
			case host.wake <- struct{}{}:
			default: // the last wake was not received yet
			}
		}
		c.looks = append(c.looks, host.next)
	}
	return c
}

// since returns a copy of the check that begins earlier: when the primary was on the given timeline.
func (c primaryCheck) since(timeline uint64) primaryCheck {
	c.timeline = timeline
	return c
}

// current returns the timeline of the primary, 0 if it is not known.
func (p *primary) current() uint64 {
	if p == nil {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.timeline
}

// passed waits for the queries and reports whether there was no promotion. If
// there was a promotion, the connections to the old primary have been closed.
// passed returns false if ctx ends first.
func (c primaryCheck) passed(ctx context.Context) bool {
	if c.of == nil {
		return true
	}
	for _, look := range c.looks {
		select {
		case <-look:
		case <-ctx.Done():
			return false
		}
	}
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	return c.of.timeline == c.timeline
}

func (p *primary) close() {
	p.end()
	p.watches.Wait()
}
