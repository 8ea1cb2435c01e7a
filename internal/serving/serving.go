// Package serving holds the code that the API and the console share for serving
// HTTP: client addresses and request ids, the capacity and memory for which all
// requests of a node compete, delays for senders that exceed their rate, files that
// are sent and received in parts, the record of a request, and the status and text
// for an error.
//
// Its code does not depend on routes, pages or use cases.
package serving

import (
	"crypto/rand"
	"math"
	"net/http"
	"strconv"
	"time"

	"verdict/internal/tenant"
)

// RequestIDs generates request ids.
type RequestIDs struct{ ids *tenant.IDs }

// NewRequestIDs returns a generator that uses crypto/rand.
func NewRequestIDs() RequestIDs { return RequestIDs{tenant.NewIDs(rand.Reader)} }

// New returns the id of a request that arrived at the time now.
func (i RequestIDs) New(now time.Time) string { return i.ids.New(tenant.KindRequest, now) }

var (
	noSniff   = []string{"nosniff"}
	httpsOnly = []string{"max-age=31536000"} // a year
)

// SetHeaders sets the headers of every answer.
func SetHeaders(h http.Header, requestID string) {
	h["X-Request-Id"] = []string{requestID}
	h["X-Content-Type-Options"] = noSniff
}

// SetHTTPSOnly tells a browser to use only HTTPS from now on.
func SetHTTPSOnly(h http.Header) { h["Strict-Transport-Security"] = httpsOnly }

// SetRetryAfter sets Retry-After to wait, rounded up to whole seconds.
func SetRetryAfter(h http.Header, wait time.Duration) {
	h["Retry-After"] = []string{strconv.Itoa(int(math.Ceil(wait.Seconds())))}
}

// Recorder records the status and size of an answer.
type Recorder struct {
	http.ResponseWriter
	Status int // 0 until something is sent
	Bytes  int64
	Before func() // if set, called before each part of the answer is sent
}

// WriteHeader records the status and sends it.
func (r *Recorder) WriteHeader(status int) {
	if r.Before != nil {
		r.Before()
	}
	r.Status = status
	r.ResponseWriter.WriteHeader(status)
}

func (r *Recorder) Write(b []byte) (int, error) {
	if r.Before != nil {
		r.Before()
	}
	if r.Status == 0 {
		r.Status = http.StatusOK
	}
	n, err := r.ResponseWriter.Write(b)
	r.Bytes += int64(n)
	return n, err
}

// Unwrap returns the underlying writer, so that http.ResponseController can set
// deadlines while a file is received or sent.
func (r *Recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
