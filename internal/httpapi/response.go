package httpapi

import (
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"strconv"

	"verdict/internal/admission"
	"verdict/internal/operation"
	"verdict/internal/serving"
)

// response writes the answer to a request, and counts its bytes.
type response struct {
	w         http.ResponseWriter
	r         *http.Request
	resources *serving.Resources
	status    int // 0 until the headers are sent
	bytes     int64
	// negotiated says that the Accept header determines the format of the answer.
	negotiated bool
}

// These are values of headers. They are shared, so that setting a header does not
// allocate.
var (
	jsonType       = []string{"application/json"}
	textType       = []string{"text/plain; charset=utf-8"}
	noStore        = []string{"no-store"}
	gzipEncoding   = []string{"gzip"} // the only encoding offered; every client that can decompress supports it
	varyByEncoding = []string{"Accept-Encoding"}
	varyByAccept   = []string{"Accept"}
	varyByBoth     = []string{"Accept, Accept-Encoding"}
)

func (out *response) header() http.Header { return out.w.Header() }

// send writes a whole answer, as JSON unless the Content-Type is set. It forbids
// caches to store the answer, because answers contain personal data. It always
// returns nil, so that a handler can return its result.
func (out *response) send(ctx context.Context, status int, body []byte) error {
	h := out.header()
	if h["Content-Type"] == nil {
		h["Content-Type"] = jsonType
	}
	h["Cache-Control"] = noStore
	if out.negotiated {
		h["Vary"] = varyByAccept
	}
	long := len(body) > longBody
	body = out.compressed(ctx, body)
	if long {
		_ = admission.Checkpoint(ctx) // the answer is sent even if the client has disconnected
	}
	out.resources.Slot.Leave() // the client may read slowly
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	out.status, out.bytes = status, int64(len(body))
	out.w.WriteHeader(status)
	_, _ = out.w.Write(body) // fails only if the client has disconnected
	return nil
}

// sendText writes plain text.
func (out *response) sendText(ctx context.Context, status int, text string) error {
	out.header()["Content-Type"] = textType
	return out.send(ctx, status, []byte(text))
}

// sendNoContent writes an answer without a body.
func (out *response) sendNoContent() error {
	out.status = http.StatusNoContent
	out.w.WriteHeader(http.StatusNoContent)
	return nil
}

// sendAnswer writes the encoded answer of an operation.
func (out *response) sendAnswer(ctx context.Context, a operation.Answer) error {
	h := out.header()
	if a.Location != "" {
		h["Location"] = []string{a.Location}
	}
	if a.Replayed {
		h["Idempotent-Replayed"] = []string{"true"}
	}
	if a.Status == operation.StatusNoContent {
		return out.sendNoContent()
	}
	err := out.send(ctx, a.Status, a.Body)
	// Release the bytes only with HTTP/1, because an HTTP/2 connection may still
	// refer to the bytes of a stream that was reset.
	if out.r.ProtoMajor == 1 {
		a.Release()
	}
	return err
}

// compressed returns the body compressed with gzip if the body is long, the
// client accepts gzip, and the result is smaller; otherwise it returns the body
// unchanged. It does not compress a body with an ETag, because the ETag belongs
// to the uncompressed bytes.
func (out *response) compressed(ctx context.Context, body []byte) []byte {
	h := out.header()
	if len(body) < serving.CompressFrom || h["Etag"] != nil {
		return body
	}
	h["Vary"] = varyByEncoding
	if out.negotiated {
		h["Vary"] = varyByBoth
	}
	if !serving.AcceptsGzip(out.r) {
		return body
	}
	if packed := serving.CompressedIn(ctx, body); packed != nil {
		h["Content-Encoding"] = gzipEncoding
		return packed
	}
	return body
}

// compressor returns a compressor for an answer that is written in parts. It
// returns nil if the client does not accept gzip. It sets headers, so it must be
// called before the headers are sent.
func (out *response) compressor(to io.Writer) *gzip.Writer {
	h := out.header()
	h["Vary"] = varyByEncoding
	if !serving.AcceptsGzip(out.r) {
		return nil
	}
	h["Content-Encoding"] = gzipEncoding
	packed, _ := gzip.NewWriterLevel(to, gzip.BestSpeed) // fails only for a level that does not exist
	return packed
}
