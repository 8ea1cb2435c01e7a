package httpapi

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"verdict/internal/admission"
	"verdict/internal/fault"
	"verdict/internal/serving"
	"verdict/internal/wire"
)

// buffer is a body's memory, used again and again.
type buffer struct{ data []byte }

var buffers = sync.Pool{New: func() any { return &buffer{data: make([]byte, 0, smallBody)} }}

const (
	// smallBody is the memory that a body begins with; it holds a decision request.
	smallBody = 4 << 10
	// keepBuffer is how large a buffer may have grown to be kept. Larger ones
	// would end up with senders of small bodies, who pay for smallBody.
	keepBuffer = 16 << 10
	// readAtOnce is the most that is copied from a connection before others get
	// their turn.
	readAtOnce = 64 << 10
	// growth is by which factor a buffer grows at most.
	growth = 8
	// parsedFactor is about how many times its bytes a parsed document takes.
	parsedFactor = 7
	// publicBody is the largest body of an operation without a key.
	publicBody = 8 << 10
)

func (b *buffer) release() {
	if b != nil && cap(b.data) <= keepBuffer {
		b.data = b.data[:0]
		buffers.Put(b)
	}
}

// readBody reads and parses the body that a route wants. What is larger than
// the limit is refused before it is read, or as soon as that shows. Between the
// two a place is taken: what follows is work.
func (c *call) readBody() error {
	switch {
	case c.route.body == noBody:
		return c.admit()
	case c.route.stream && c.streams():
		return nil
	}
	// What belongs into the body and stands in the query would be passed over.
	if c.r.URL.RawQuery != "" && !c.route.stream {
		if err := c.query().err(); err != nil {
			return err
		}
	}
	if err := c.mediaType(); err != nil {
		return err
	}
	if c.route.rows {
		c.wait(rowsPatience)
	}
	most := c.mostBody()
	if c.r.ContentLength > most {
		return tooLarge(most)
	}
	data, err := c.receive(most)
	switch {
	case errors.Is(err, errMemory):
		return err
	case int64(len(data)) > most:
		return tooLarge(most)
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

// mostBody returns the largest body that the route takes. One that could not be
// parsed within the tenant's share of the memory is too large however often it
// is sent.
func (c *call) mostBody() int64 {
	most := c.api.options.MaxBody
	switch {
	case c.route.public:
		return publicBody
	case c.route.rows:
		most = max(most, maxRowsBody)
	case c.route.report:
		most = c.api.options.MaxReport
	}
	return min(most, c.api.node.Memory.Share()/parsedFactor-smallBody)
}

// reserve takes memory from the tenant's share, or refuses.
func (c *call) reserve(bytes int64) error {
	if !c.api.node.Memory.Take(c.owner(), bytes) {
		return errMemory
	}
	c.reserved += bytes
	return nil
}

// receive reads the body. Its memory, and that of what it will be parsed to, is
// taken as the bytes arrive, whatever length was announced: a sender of one byte
// holds smallBody. A large body is read in turns with those of other owners.
func (c *call) receive(most int64) ([]byte, error) {
	if err := c.reserve(smallBody); err != nil {
		return nil, err
	}
	c.buffer, _ = buffers.Get().(*buffer)
	data, body := c.buffer.data, io.LimitReader(c.r.Body, most+1)
	for {
		if len(data) == cap(data) {
			size := growth * cap(data)
			if known := c.r.ContentLength; known > 0 {
				size = min(size, int(known)+1) // one more, to find the end without growing again
			}
			size = min(max(size, len(data)+bytes.MinRead), int(most)+1)
			if err := c.reserve(int64(size-cap(data)) * parsedFactor); err != nil {
				return data, err
			}
			data = append(make([]byte, 0, size), data...)
		}
		if len(data) > readAtOnce {
			if err := c.api.node.Processors.Pace(c.ctx, c.owner()); err != nil {
				return data, err
			}
		}
		n, err := body.Read(data[len(data):min(cap(data), len(data)+readAtOnce)])
		data = data[:len(data)+n]
		c.buffer.data, c.bytesIn = data, int64(len(data))
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return data, err
		}
	}
}

// maxRowsBody bounds a body with many rows that is read whole, and rowsPatience
// the time it may take to arrive.
const (
	maxRowsBody  = 64 << 20
	rowsPatience = 2 * time.Minute
)

// wait gives the connection more time than it usually has, for the body and as
// much again for the answer. One that cannot be told keeps its own.
func (c *call) wait(patience time.Duration) {
	control, now := http.NewResponseController(c.w), time.Now()
	_ = control.SetReadDeadline(now.Add(patience))
	_ = control.SetWriteDeadline(now.Add(2 * patience))
}

// longBody is how long a body takes half a millisecond to parse.
const longBody = 64 << 10

// parse reads the bytes, and gives their memory back: the document has its
// own.
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

var errMemory = fault.New(fault.Unavailable, fault.CodeUnavailable,
	"the request bodies in progress use all the memory available to this organisation; send fewer at a time, or try again later")

func tooLarge(most int64) error {
	return fault.New(fault.TooLarge, fault.CodeRequestTooLarge, "the body is larger than %d bytes", most)
}

// mediaType refuses a body that does not claim to be JSON. One that claims
// nothing is read: it either is JSON or is refused as malformed.
func (c *call) mediaType() error {
	if encoding := c.r.Header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return fault.New(serving.UnsupportedMediaType, fault.CodeUnsupportedMediaType,
			"send the body without a Content-Encoding")
	}
	given := c.r.Header.Get("Content-Type")
	if given == "" || given == "application/json" {
		return nil
	}
	kind, params, err := mime.ParseMediaType(given)
	charset := params["charset"]
	if c.route.stream && (err != nil || kind != "application/json") {
		return fault.New(serving.UnsupportedMediaType, fault.CodeUnsupportedMediaType,
			"the body must be application/json, text/csv or multipart/form-data; save a workbook as CSV, and set the Content-Type header")
	}
	if err != nil || kind != "application/json" || charset != "" && !strings.EqualFold(charset, "utf-8") {
		return fault.New(serving.UnsupportedMediaType, fault.CodeUnsupportedMediaType,
			"the body must be application/json in UTF-8; set the Content-Type header")
	}
	return nil
}
