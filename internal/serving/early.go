package serving

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"time"
)

// Refuse returns the whole answer to a request that is refused, and whether the
// connection must be closed after it. It returns nil if net/http must handle the request.
// It may sleep to delay a refusal.
type Refuse func(Head) (answer []byte, closes bool)

// Early refuses requests on connections before net/http reads them. It is meant for connections without encryption.
type Early struct {
	refuse Refuse
	idle   time.Duration // how long a connection may be idle after a refusal; 0 for no limit
}

// NewEarly returns an Early that refuses requests with refuse.
func NewEarly(refuse Refuse, idle time.Duration) *Early { return &Early{refuse: refuse, idle: idle} }

// Wrap returns a connection on which e can refuse requests early.
func (e *Early) Wrap(c net.Conn) net.Conn {
	wrapped := &earlyConn{Conn: c, Early: e}
	wrapped.ended.L = &wrapped.mu
	return wrapped
}

// earlyConn refuses requests before net/http reads them. It looks only at requests that
// arrive whole in one read; everything else reaches net/http unchanged.
//
// net/http reads a connection from one goroutine at a time. While a handler runs, net/http waits in a read of one byte,
// to notice when the client disconnects. It ends that read by setting a deadline in the past. A fast client may send
// its next request before the read has ended. If earlyConn passed the first byte on, it could no longer refuse that
// request, because net/http would have read a part of it. So earlyConn holds the bytes back until the next real read.
type earlyConn struct {
	net.Conn
	*Early

	// rest is the number of bytes of the current request that have not been read.
	// Once inexact is set, it is not certain where the next request begins.
	rest    int64
	inexact bool
	held    []byte           // bytes that were received and not yet read
	buffer  *[heldBytes]byte // contains held; nil if held is empty

	mu    sync.Mutex
	ended sync.Cond // signals that past or shut has become true
	past  bool      // the read deadline is in the past
	shut  bool
}

const (
	// writeTimeout limits how long a client may take to accept a refusal.
	writeTimeout = 10 * time.Second
	// heldBytes is the number of bytes that net/http reads at a time.
	heldBytes = 4 << 10
)

// Read reads from the connection. It answers refused requests itself and continues with the next request.
func (c *earlyConn) Read(p []byte) (int, error) {
	if len(p) == 1 && c.rest == 0 && !c.inexact {
		return 0, c.awaitDisconnect()
	}
	for {
		n, err := c.read(p)
		head, whole := c.follow(p[:n])
		if !whole || err != nil {
			return n, err
		}
		refused, err := c.answer(head)
		if !refused {
			return n, nil
		}
		if err != nil {
			return 0, err
		}
	}
}

// answer sends the refusal of a request, if the request is refused. It returns an error if the connection cannot be
// used any more.
func (c *earlyConn) answer(head Head) (refused bool, err error) {
	answer, closes := c.refuse(head)
	if answer == nil {
		return false, nil
	}
	if err = c.write(answer); err == nil && closes {
		err = io.EOF
	}
	return true, err
}

// awaitDisconnect returns when the client disconnects or the read deadline has passed. If the client sends bytes first,
// awaitDisconnect keeps them for the next call of read. It then waits for the read deadline, or until the connection is
// closed on this side.
func (c *earlyConn) awaitDisconnect() error {
	if c.buffer == nil {
		c.buffer = heldBuffers.Get().(*[heldBytes]byte)
		n, err := c.Conn.Read(c.buffer[:])
		if c.held = c.buffer[:n]; n == 0 {
			c.release()
		}
		if err != nil {
			return err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for !c.past && !c.shut {
		c.ended.Wait()
	}
	return os.ErrDeadlineExceeded
}

// read returns the bytes that were held back. If there are none, it reads from the connection.
func (c *earlyConn) read(p []byte) (int, error) {
	if c.buffer == nil {
		return c.Conn.Read(p)
	}
	n := copy(p, c.held)
	if c.held = c.held[n:]; len(c.held) == 0 {
		c.release()
	}
	return n, nil
}

// release returns the buffer to the pool.
func (c *earlyConn) release() {
	heldBuffers.Put(c.buffer)
	c.buffer, c.held = nil, nil
}

// heldBuffers pools the buffers. A connection uses one only while it holds bytes back.
var heldBuffers = sync.Pool{New: func() any { return new([heldBytes]byte) }}

// follow tracks where requests begin and end. It returns true if data is one whole
// request.
func (c *earlyConn) follow(data []byte) (head Head, whole bool) {
	n := int64(len(data))
	if n == 0 || c.inexact {
		return Head{}, false
	}
	if c.rest >= n { // a part of the body
		c.rest -= n
		return Head{}, false
	}
	head, ok := ParseHead(data)
	if !ok || c.rest > 0 || head.Size < n {
		c.inexact = true
		return Head{}, false
	}
	c.rest = head.Size - n
	return head, c.rest == 0
}

// write sends an answer. It sets new deadlines, because the current deadlines of the connection belong to the last
// request that net/http has read.
func (c *earlyConn) write(answer []byte) error {
	now := time.Now()
	if err := c.SetWriteDeadline(now.Add(writeTimeout)); err != nil {
		return err
	}
	if _, err := c.Conn.Write(answer); err != nil {
		return err
	}
	if c.idle == 0 {
		return nil
	}
	return c.SetReadDeadline(now.Add(c.idle))
}

// SetReadDeadline sets the read deadline.
func (c *earlyConn) SetReadDeadline(t time.Time) error {
	err := c.Conn.SetReadDeadline(t)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.past = !t.IsZero() && !t.After(time.Now()); c.past {
		c.ended.Broadcast()
	}
	return err
}

// SetDeadline sets the deadlines of reads and writes.
func (c *earlyConn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

// Close closes the connection.
func (c *earlyConn) Close() error {
	c.mu.Lock()
	c.shut = true
	c.ended.Broadcast()
	c.mu.Unlock()
	return c.Conn.Close()
}
