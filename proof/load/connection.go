package load

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"time"
)

// job is one request with its kind, its tenant, and the time when it is due.
type job struct {
	kind   Kind
	tenant int
	page   int // index into the book
	due    time.Time
}

// connection sends one request at a time.
type connection struct {
	generator *Generator
	record    *recorder
	conn      net.Conn
	reader    *bufio.Reader
	memory    []byte
	work      chan job
}

func newConnection(g *Generator, r *recorder) *connection {
	return &connection{generator: g, record: r, work: make(chan job, 1)}
}

// do sends a request and counts the result. After a failure, the next request
// opens a new connection.
func (c *connection) do(ctx context.Context, j job) {
	a, err := c.exchange(ctx, j)
	at := time.Now()
	if err != nil {
		c.close()
		c.generator.lost(j)
		c.record.note(func(r *Result) { r.Lost++ })
		return
	}
	c.memory = a.body
	c.generator.answered(j, &a)
	c.record.answered(&a, j.kind, j.due, at)
	if a.closes {
		c.close()
	}
}

// lateMargin is how long after the timeout an answer is still read, to
// distinguish a late answer from no answer.
const lateMargin = 2 * time.Second

func (c *connection) exchange(ctx context.Context, j job) (answer, error) {
	if c.conn == nil {
		target := &c.generator.target
		conn, err := dialer(target.From, j.due.Add(c.record.timeout+lateMargin)).DialContext(ctx, "tcp", target.Addr)
		if err != nil {
			return answer{}, fmt.Errorf("connect: %w", err)
		}
		c.conn, c.reader = conn, bufio.NewReaderSize(conn, 8<<10)
	}
	if err := c.conn.SetDeadline(j.due.Add(c.record.timeout + lateMargin)); err != nil {
		return answer{}, err
	}
	if _, err := c.conn.Write(c.generator.bytes(j)); err != nil {
		return answer{}, fmt.Errorf("send: %w", err)
	}
	return readAnswer(c.reader, c.memory)
}

func (c *connection) close() {
	if c.conn != nil {
		_ = c.conn.Close() // the connection is not used any more
		c.conn = nil
	}
}
