package httpapi

import (
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

	"verdict/internal/fault"
	"verdict/internal/wire"
)

// buffer is a body's memory, used again and again.
type buffer struct{ data []byte }

var buffers = sync.Pool{New: func() any { return &buffer{data: make([]byte, 0, 4<<10)} }}

// keepBuffer is how large a buffer may have grown to be kept.
const keepBuffer = 1 << 20

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
	most := c.api.options.MaxBody
	if c.route.report {
		most = c.api.options.MaxReport
	}
	if c.route.rows {
		most = max(most, maxRowsBody)
		c.wait(rowsPatience)
	}
	length := c.r.ContentLength
	if length > most {
		return tooLarge(most)
	}
	if length < 0 {
		length = most // nobody knows
	}
	var ok bool
	if c.reserved, ok = c.api.reading.Reserve(length); !ok {
		return noMemory()
	}
	c.buffer, _ = buffers.Get().(*buffer)
	data, err := readAll(io.LimitReader(c.r.Body, most+1), c.buffer.data)
	c.buffer.data = data
	c.bytesIn = int64(len(data))
	switch {
	case int64(len(data)) > most:
		return tooLarge(most)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fault.New(requestTimeout, codeRequestTimeout, "the body did not arrive in time")
	case err != nil:
		return fault.New(fault.Malformed, fault.CodeMalformedJSON, "the body could not be read to its end")
	}
	if err := c.admit(); err != nil || len(data) == 0 && c.route.body == optional {
		return err
	}
	return c.parse(data)
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

// parse reads the bytes, and gives their memory back: the document has its
// own.
func (c *call) parse(data []byte) error {
	if c.once != nil {
		sum := sha256.Sum256(data)
		c.once.Hash = hex.EncodeToString(sum[:])
	}
	var err error
	c.body, err = wire.Parse(data)
	c.buffer.release()
	c.buffer = nil
	return err
}

func noMemory() error {
	return fault.New(fault.Unavailable, codeUnavailable, "too many large bodies are being read at once; try again later")
}

func tooLarge(most int64) error {
	return fault.New(fault.TooLarge, codeTooLarge, "the body is larger than %d bytes", most)
}

// readAll appends everything to data, whose memory is used first.
func readAll(r io.Reader, data []byte) ([]byte, error) {
	for {
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
		n, err := r.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return data, err
		}
	}
}

// mediaType refuses a body that does not claim to be JSON. One that claims
// nothing is read: it either is JSON or is refused as malformed.
func (c *call) mediaType() error {
	if encoding := c.r.Header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return fault.New(unsupportedMediaType, codeUnsupportedMediaType, "send the body without a Content-Encoding")
	}
	given := c.r.Header.Get("Content-Type")
	if given == "" || given == "application/json" {
		return nil
	}
	kind, params, err := mime.ParseMediaType(given)
	charset := params["charset"]
	if c.route.stream && (err != nil || kind != "application/json") {
		return fault.New(unsupportedMediaType, codeUnsupportedMediaType,
			"the body must be application/json, text/csv or multipart/form-data; save a workbook as CSV, and set the Content-Type header")
	}
	if err != nil || kind != "application/json" || charset != "" && !strings.EqualFold(charset, "utf-8") {
		return fault.New(unsupportedMediaType, codeUnsupportedMediaType, "the body must be application/json in UTF-8; set the Content-Type header")
	}
	return nil
}
