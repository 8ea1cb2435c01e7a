package httpapi

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"sync"
)

// compressFrom is the size from which an answer is compressed, in bytes. A
// smaller one fits into one packet either way.
const compressFrom = 1 << 10

// Content-Encoding is gzip alone: every client that compresses at all knows it.
var (
	gzipEncoding   = []string{"gzip"}
	varyByEncoding = []string{"Accept-Encoding"}
)

// acceptsGzip reports whether a client takes a compressed answer. One that does
// not speak of it gets none.
func acceptsGzip(r *http.Request) bool {
	named, any := false, false
	for _, line := range r.Header["Accept-Encoding"] {
		for part := range strings.SplitSeq(line, ",") {
			coding, weight, _ := strings.Cut(part, ";")
			wanted := !refusedByWeight(weight)
			switch strings.ToLower(strings.TrimSpace(coding)) {
			case "gzip", "x-gzip":
				if !wanted {
					return false
				}
				named = true
			case "*":
				any = wanted
			}
		}
	}
	return named || any
}

// refusedByWeight reports whether a weight such as "q=0.0" is zero.
func refusedByWeight(weight string) bool {
	name, value, _ := strings.Cut(strings.TrimSpace(weight), "=")
	return strings.EqualFold(name, "q") && value != "" && strings.Trim(value, "0.") == ""
}

// packer is a compressor and where it writes; both are large, and are used
// again.
type packer struct {
	out  bytes.Buffer
	gzip *gzip.Writer
}

var packers = sync.Pool{New: func() any {
	p := &packer{}
	p.gzip, _ = gzip.NewWriterLevel(&p.out, gzip.BestSpeed) // the level is one that there is
	return p
}}

// compressed returns a body as gzip, or nil when that is no smaller.
func compressed(body []byte) []byte {
	p, _ := packers.Get().(*packer)
	defer packers.Put(p)
	p.out.Reset()
	p.gzip.Reset(&p.out)
	_, _ = p.gzip.Write(body) // a buffer takes everything
	_ = p.gzip.Close()
	if p.out.Len() >= len(body) {
		return nil
	}
	return bytes.Clone(p.out.Bytes())
}

// encode chooses the form of an answer: compressed when it is worth it and the
// client takes it. One with a validator goes out as it is, because the validator
// is for these bytes.
func (c *call) encode(body []byte) []byte {
	h := c.w.Header()
	if len(body) < compressFrom || h["Etag"] != nil {
		return body
	}
	h["Vary"] = varyByEncoding
	if !acceptsGzip(c.r) {
		return body
	}
	if packed := compressed(body); packed != nil {
		h["Content-Encoding"] = gzipEncoding
		return packed
	}
	return body
}

// packStream returns a compressor for a file that is written piece by piece, nil
// when the client does not take one. It sets the headers, so it must come before
// they go out.
func (c *call) packStream(out io.Writer) *gzip.Writer {
	h := c.w.Header()
	h["Vary"] = varyByEncoding
	if !acceptsGzip(c.r) {
		return nil
	}
	h["Content-Encoding"] = gzipEncoding
	packed, _ := gzip.NewWriterLevel(out, gzip.BestSpeed) // the level is one that there is
	return packed
}
