package httpapi

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"os"
	"sync"
	"time"

	"verdict/internal/admission"
	"verdict/internal/fault"
	"verdict/internal/serving"
	"verdict/internal/wire"
)

// buffer is reusable memory for a body.
type buffer struct{ data []byte }

var buffers = sync.Pool{New: func() any { return &buffer{data: make([]byte, 0, smallBody)} }}

const (
	// smallBody is the initial size of a buffer, in bytes. A decision request fits
	// into it.
	smallBody = 4 << 10
	// maxKeptBuffer is the size of the largest buffer that is reused. Only smallBody bytes are reserved for a small
	// body, so its buffer must not be much larger than that.
	maxKeptBuffer = 16 << 10
	// maxRead is the maximum number of bytes that are read from a connection before
	// other owners get their turn.
	maxRead = 64 << 10
	// maxGrowth is the maximum factor by which a buffer grows.
	maxGrowth = 8
	// parsedFactor is the approximate ratio of the size of a parsed document to the
	// size of its text.
	parsedFactor = 7
	// maxPublicBody is the maximum size of the body of an operation without a key.
	maxPublicBody = 8 << 10
	// maxRowsBody is the maximum size of a body with many rows that is read into
	// memory.
	maxRowsBody = 64 << 20
	// rowsTimeout is the time in which a body with many rows must arrive, and
	// the time limit for fitting a scorecard to them.
	rowsTimeout = 2 * time.Minute
	// longBody is the size of a body that takes half a millisecond to parse. Parsing
	// a longer body and sending a longer answer need checkpoints.
	longBody = 64 << 10
)

func (b *buffer) release() {
	if b != nil && cap(b.data) <= maxKeptBuffer {
		b.data = b.data[:0]
		buffers.Put(b)
	}
}

// readBody reads and parses the body that the route needs, within its limit. After
// receiving the body and before parsing it, readBody calls admit, because receiving
// a body needs no place among the requests in progress.
func (c *call) readBody() error {
	switch {
	case c.route.body == noBody:
		return c.admit()
	case c.route.stream && isFile(c.r), c.route.lines && isLines(c.r):
		return nil
	}
	// Refuse query parameters, because a member that was sent in the query by mistake
	// would be ignored silently.
	if c.r.URL.RawQuery != "" && !c.route.stream {
		if err := c.query().err(); err != nil {
			return err
		}
	}
	if err := checkMediaType(c.r, c.route); err != nil {
		return err
	}
	if c.route.rows {
		c.extendDeadlines(rowsTimeout)
		c.extendContext(2 * rowsTimeout) // for receiving the body and for the work on it
	}

	limit := c.maxBody()
	if c.r.ContentLength > limit {
		return tooLarge(limit)
	}
	data, err := c.receive(limit)
	switch {
	case serving.IsShortage(err):
		return err
	case int64(len(data)) > limit:
		return tooLarge(limit)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fault.New(serving.RequestTimeout, fault.CodeRequestTimeout, "the body did not arrive in time")
	case err != nil:
		return fault.New(fault.Malformed, fault.CodeMalformedJSON, "the body was incomplete")
	}

	if err := c.admit(); err != nil || len(data) == 0 && c.route.body == optional {
		return err
	}
	return c.parse(data)
}

// maxBody returns the maximum size of a body for the route. It never returns more
// than could be parsed within one tenant's share of the memory, because a larger
// body would be refused at every attempt.
func (c *call) maxBody() int64 {
	limit := c.api.options.MaxBody
	switch {
	case c.route.public:
		return maxPublicBody
	case c.route.rows:
		limit = max(limit, maxRowsBody)
	case c.route.report:
		limit = c.api.options.MaxReport
	}
	return min(limit, c.api.node.Memory.Share()/parsedFactor-smallBody)
}

// receive reads at most limit+1 bytes of the body; the extra byte shows that the
// body is too large. It reserves memory for the body and for its parsed form as the
// bytes arrive. It does not trust the declared length: a sender of one byte
// reserves only smallBody bytes. It reads a large body in parts, in turns with the
// bodies of other owners.
func (c *call) receive(limit int64) ([]byte, error) {
	if err := c.resources.Reserve(smallBody); err != nil {
		return nil, err
	}
	buf, _ := buffers.Get().(*buffer)
	c.buffer = buf
	data, body := buf.data, io.LimitReader(c.r.Body, limit+1)
	for {
		if len(data) == cap(data) {
			size := maxGrowth * cap(data)
			if declared := c.r.ContentLength; declared > 0 {
				size = min(size, int(declared)+1) // one more byte, to read the end without growing again
			}
			size = min(max(size, len(data)+bytes.MinRead), int(limit)+1)
			if err := c.resources.Reserve(int64(size-cap(data)) * parsedFactor); err != nil {
				return data, err
			}
			data = append(make([]byte, 0, size), data...)
		}
		if len(data) > maxRead {
			if err := c.resources.Pace(c.ctx); err != nil {
				return data, err
			}
		}

		n, err := body.Read(data[len(data):min(cap(data), len(data)+maxRead)])
		data = data[:len(data)+n]
		buf.data, c.bodyRead, c.bytesIn = data, true, int64(len(data))
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return data, err
		}
	}
}

// extendDeadlines sets the deadline for receiving the body to timeout from now, and
// the deadline for the answer to twice that. If a deadline cannot be set, the
// server's default applies.
func (c *call) extendDeadlines(timeout time.Duration) {
	control, now := http.NewResponseController(c.response.w), time.Now()
	_ = control.SetReadDeadline(now.Add(timeout))
	_ = control.SetWriteDeadline(now.Add(2 * timeout))
}

// extendContext replaces the context of the work with a context that ends after timeout
// instead of after the timeout of other requests. It must be called before anything uses
// the context.
func (c *call) extendContext(timeout time.Duration) {
	c.cancel()
	c.ctx, c.cancel = context.WithTimeout(c.r.Context(), timeout)
}

// parse parses the body into c.body and releases the buffer, because the parsed
// document does not refer to the buffer. It also stores the hash of the body with
// the Idempotency-Key.
func (c *call) parse(data []byte) error {
	if c.once != nil {
		sum := sha256.Sum256(data)
		c.once.Hash = hex.EncodeToString(sum[:])
	}
	var check func() error
	if len(data) > longBody {
		check = func() error { return admission.Checkpoint(c.ctx) }
	}
	var err error
	c.body, err = wire.ParseUntil(data, check)
	c.buffer.release()
	c.buffer = nil
	return err
}

func tooLarge(limit int64) error {
	return fault.New(fault.TooLarge, fault.CodeRequestTooLarge, "the body is larger than %d bytes", limit)
}
