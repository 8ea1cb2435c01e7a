package serving

import (
	"bytes"
	"compress/gzip"
	"context"
	"net/http"
	"strings"
	"sync"

	"verdict/internal/admission"
)

// CompressFrom is the minimum size of an answer that is compressed, in bytes. A
// smaller answer fits into one packet even without compression.
const CompressFrom = 1 << 10

// AcceptsGzip reports whether a client accepts a compressed answer. If the client
// sends no Accept-Encoding, it returns false.
func AcceptsGzip(r *http.Request) bool {
	named, any := false, false
	for _, line := range r.Header["Accept-Encoding"] {
		for part := range strings.SplitSeq(line, ",") {
			coding, weight, _ := strings.Cut(part, ";")
			wanted := !RefusedByWeight(weight)
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

// RefusedByWeight reports whether a weight such as "q=0.0" is zero.
func RefusedByWeight(weight string) bool {
	name, value, _ := strings.Cut(strings.TrimSpace(weight), "=")
	return strings.EqualFold(name, "q") && value != "" && strings.Trim(value, "0.") == ""
}

// packer holds a compressor and its output buffer. Both are large, so they are
// reused.
type packer struct {
	out  bytes.Buffer
	gzip *gzip.Writer
}

var packers = sync.Pool{New: func() any {
	p := &packer{}
	p.gzip, _ = gzip.NewWriterLevel(&p.out, gzip.BestSpeed) // fails only for an invalid level
	return p
}}

// Compressed returns a body as gzip, or nil if the result would not be smaller. It
// calls checkpoint between pieces of 64 KiB, each of which takes about half a
// millisecond.
func Compressed(body []byte, checkpoint func()) []byte {
	p, _ := packers.Get().(*packer)
	defer packers.Put(p)
	p.out.Reset()
	p.gzip.Reset(&p.out)
	const step = 64 << 10
	rest := body
	for len(rest) > step {
		_, _ = p.gzip.Write(rest[:step]) // writing to a buffer cannot fail
		rest = rest[step:]
		checkpoint()
	}
	_, _ = p.gzip.Write(rest)
	_ = p.gzip.Close()
	if p.out.Len() >= len(body) {
		return nil
	}
	return bytes.Clone(p.out.Bytes())
}

// CompressedIn returns a body like Compressed. Between pieces of the body it lets other requests compute, if the
// context belongs to a request that has entered a Gate.
func CompressedIn(ctx context.Context, body []byte) []byte {
	// If the client has disconnected, sending the answer fails later, so the error is ignored here.
	return Compressed(body, func() { _ = admission.Checkpoint(ctx) })
}
