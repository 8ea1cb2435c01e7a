package httpapi

import (
	"compress/gzip"
	"io"

	"verdict/internal/admission"
	"verdict/internal/serving"
)

// Content-Encoding is gzip alone: every client that compresses at all knows it.
var (
	gzipEncoding   = []string{"gzip"}
	varyByEncoding = []string{"Accept-Encoding"}
)

// encode chooses the form of an answer: compressed when it is worth it and the
// client takes it. One with a validator goes out as it is, because the validator
// is for these bytes.
func (c *call) encode(body []byte) []byte {
	h := c.w.Header()
	if len(body) < serving.CompressFrom || h["Etag"] != nil {
		return body
	}
	h["Vary"] = varyByEncoding
	if !serving.AcceptsGzip(c.r) {
		return body
	}
	// If the caller has gone, sending the answer fails.
	if packed := serving.Compressed(body, func() { _ = admission.Checkpoint(c.ctx) }); packed != nil {
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
	if !serving.AcceptsGzip(c.r) {
		return nil
	}
	h["Content-Encoding"] = gzipEncoding
	packed, _ := gzip.NewWriterLevel(out, gzip.BestSpeed) // the level is one that there is
	return packed
}
