package httpapi

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
	"sync"

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

// bytes is the body, nil when there was none.
func (b *buffer) bytes() []byte {
	if b == nil {
		return nil
	}
	return b.data
}

// readBody reads and parses the body that a route wants. What is larger than
// the limit is refused before it is read, or as soon as that shows.
func (c *call) readBody() error {
	if c.route.body == noBody {
		return nil
	}
	// What belongs into the body and stands in the query would be passed over.
	if c.r.URL.RawQuery != "" {
		if err := c.query().err(); err != nil {
			return err
		}
	}
	if err := c.mediaType(); err != nil {
		return err
	}
	most := c.api.options.MaxBody
	if c.r.ContentLength > most {
		return tooLarge(most)
	}
	c.buffer, _ = buffers.Get().(*buffer)
	data, err := readAll(io.LimitReader(c.r.Body, most+1), c.buffer.data)
	c.buffer.data = data
	var limit *http.MaxBytesError
	switch {
	case errors.As(err, &limit), int64(len(data)) > most:
		return tooLarge(most)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fault.New(requestTimeout, codeRequestTimeout, "the body did not arrive in time")
	case err != nil:
		return fault.New(fault.Malformed, fault.CodeMalformedJSON, "the body could not be read to its end")
	case len(data) == 0 && c.route.body == optional:
		return nil
	}
	c.body, err = wire.Parse(data)
	return err
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
	if err != nil || kind != "application/json" || charset != "" && !strings.EqualFold(charset, "utf-8") {
		return fault.New(unsupportedMediaType, codeUnsupportedMediaType, "the body must be application/json in UTF-8; set the Content-Type header")
	}
	return nil
}
