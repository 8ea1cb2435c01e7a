package service

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// loadOrder describes a load: the server, the requests and the duration.
type loadOrder struct {
	Address     string
	Path        string
	Key         string // bearer key; "" if the server requires none
	Connections int
	Warm, Lap   time.Duration
	Answers     int // stop after this number of answers, regardless of the time; 0 for no limit
	Server      int // process id of the server, to measure its CPU time
	Database    int // process id of the database, measured with its children; 0 for none
}

type loadResult struct {
	Answers  int // all answers, including those before and after the lap
	Counted  int // answers within the lap
	Elapsed  time.Duration
	P50, P99 time.Duration
	Server   time.Duration // CPU time of the server within the lap
	Database time.Duration // CPU time of the database within the lap
	Bytes    float64       // mean size of an answer's body
}

// generator sends prepared requests on persistent connections, all from one thread. It
// shares a small machine with the server, so it must use as little CPU time as possible.
// Each connection has one request in flight.
type generator struct {
	order    loadOrder
	requests [][]byte
	next     int
	epoll    int
	conns    []connection
	start    time.Time
	phase    phase
	begun    snapshot
	ended    snapshot
	underWay int
	answers  int
	bytes    int
	latency  []time.Duration
	ids      []byte // the ids of all decisions, concatenated
}

type phase uint8

const (
	warming phase = iota
	measuring
	finishing // no more requests are sent
)

type connection struct {
	fd     int
	sent   time.Duration
	filled int
	buffer []byte
	body   []byte
}

const idLength = len(EmptyDecisionID)

// answerTimeout limits the wait for an answer, in milliseconds.
const answerTimeout = 15_000

func runLoad(ctx context.Context, order loadOrder) (loadResult, error) {
	runtime.GOMAXPROCS(1)
	runtime.LockOSThread()
	debug.SetGCPercent(-1) // turn garbage collection off; a lap allocates only a few megabytes
	g := &generator{
		order:    order,
		requests: requests(order),
		latency:  make([]time.Duration, 0, 1<<20),
		ids:      make([]byte, 0, 32<<20),
	}
	if err := g.connect(); err != nil {
		return loadResult{}, err
	}
	g.start = time.Now()
	for i := range g.conns {
		if err := g.send(&g.conns[i]); err != nil {
			return loadResult{}, err
		}
	}
	events := make([]unix.EpollEvent, order.Connections)
	for g.underWay > 0 {
		n, err := unix.EpollWait(g.epoll, events, answerTimeout)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return loadResult{}, fmt.Errorf("wait for answers: %w", err)
		case n == 0:
			return loadResult{}, fmt.Errorf("timeout: no answer within %d ms", answerTimeout)
		case ctx.Err() != nil:
			return loadResult{}, ctx.Err()
		}
		for _, event := range events[:n] {
			if err := g.receive(&g.conns[event.Fd]); err != nil {
				return loadResult{}, err
			}
		}
	}
	return g.result()
}

func (g *generator) send(c *connection) error {
	request := g.requests[g.next]
	g.next = (g.next + 1) % len(g.requests)
	c.filled, c.sent = 0, time.Since(g.start)
	n, err := unix.Write(c.fd, request)
	if err != nil || n != len(request) {
		return fmt.Errorf("send a request: %d of %d bytes (%v)", n, len(request), err)
	}
	g.underWay++
	return nil
}

func (g *generator) receive(c *connection) error {
	n, err := unix.Read(c.fd, c.buffer[c.filled:])
	switch {
	case errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EINTR):
		return nil
	case err != nil:
		return fmt.Errorf("read an answer: %w", err)
	case n == 0:
		return fmt.Errorf("the connection was closed after %q", c.buffer[:c.filled])
	}
	c.filled += n
	body, whole, err := readAnswer(c.buffer[:c.filled], c.body)
	switch {
	case err != nil:
		return err
	case whole:
		return g.answered(c, body)
	case c.filled == len(c.buffer):
		return errors.New("an answer is too long")
	}
	return nil
}

// answered checks and counts an answer, and sends the next request unless the
// load ends.
func (g *generator) answered(c *connection, body []byte) error {
	now := time.Since(g.start)
	if err := g.check(body); err != nil {
		return err
	}
	g.underWay--
	g.answers++
	g.bytes += len(body)
	if err := g.turn(now); err != nil {
		return err
	}
	if g.phase == measuring {
		g.latency = append(g.latency, now-c.sent)
	}
	if g.phase == finishing || g.order.Answers > 0 && g.answers+g.underWay >= g.order.Answers {
		return nil
	}
	return g.send(c)
}

// check records the id of the decision. For a preview, it only checks that the answer
// is a preview.
func (g *generator) check(body []byte) error {
	if g.order.Path == pathPreview {
		if !isPreview(body) {
			return fmt.Errorf("the answer is not a preview: %s", body)
		}
		return nil
	}
	id := decisionID(body)
	if len(id) != idLength {
		return fmt.Errorf("the answer has no decision id: %s", body)
	}
	g.ids = append(g.ids, id...)
	return nil
}

// turn begins or ends the lap when its time has come.
func (g *generator) turn(now time.Duration) (err error) {
	switch {
	case g.phase == warming && now >= g.order.Warm:
		g.phase = measuring
		g.begun, err = g.snapshot()
	case g.phase == measuring && now-g.begun.at >= g.order.Lap:
		g.phase = finishing
		g.ended, err = g.snapshot()
	}
	return err
}

func (g *generator) result() (loadResult, error) {
	seen := make(map[string]struct{}, len(g.ids)/idLength)
	for id := range slices.Chunk(g.ids, idLength) {
		seen[string(id)] = struct{}{}
	}
	if len(seen) != len(g.ids)/idLength {
		return loadResult{}, errors.New(strconv.Itoa(len(g.ids)/idLength-len(seen)) + " decision ids are not unique")
	}
	r := loadResult{Answers: g.answers, Bytes: float64(g.bytes) / float64(g.answers)}
	if len(g.latency) == 0 || g.phase != finishing {
		return r, nil // the limit order.Answers ended the load before the lap was over
	}
	slices.Sort(g.latency)
	r.Counted, r.Elapsed = len(g.latency), g.ended.at-g.begun.at
	r.P50, r.P99 = g.latency[len(g.latency)/2], g.latency[len(g.latency)*99/100]
	r.Server = g.ended.server - g.begun.server
	r.Database = since(g.begun.database, g.ended.database)
	return r, nil
}
