// Package serving is what the API and the console share of serving HTTP: who
// sent a request and from where, the places and the memory that all requests of
// a node compete for, the delays of those who send too much, what is recorded
// of a request, and which status and which words an error becomes.
//
// It knows no route, no page and no use case.
package serving

import (
	"context"
	"crypto/rand"
	"errors"
	"math"
	"net/http"
	"strconv"
	"time"

	"verdict/internal/tenant"
)

// RequestIDs mints the ids of requests.
type RequestIDs struct{ ids *tenant.IDs }

// NewRequestIDs returns a mint of its own randomness.
func NewRequestIDs() RequestIDs { return RequestIDs{tenant.NewIDs(rand.Reader)} }

// New returns the id of a request that arrives now.
func (i RequestIDs) New(now time.Time) string { return i.ids.New(tenant.KindRequest, now) }

var (
	noSniff   = []string{"nosniff"}
	httpsOnly = []string{"max-age=31536000"} // a year
)

// SetHeaders sets the headers that every answer has.
func SetHeaders(h http.Header, requestID string) {
	h["X-Request-Id"] = []string{requestID}
	h["X-Content-Type-Options"] = noSniff
}

// SetHTTPSOnly tells a browser that came encrypted to come back only so.
func SetHTTPSOnly(h http.Header) { h["Strict-Transport-Security"] = httpsOnly }

// SetRetryAfter says when to try again, in whole seconds, rounded up.
func SetRetryAfter(h http.Header, wait time.Duration) {
	h["Retry-After"] = []string{strconv.Itoa(int(math.Ceil(wait.Seconds())))}
}

// Observation is one request, for metrics. Nothing in it was sent by a
// stranger: the route is a pattern of ours.
type Observation struct {
	Route    string // such as "POST /v1/decisions"; "unmatched" when there is none
	Status   int
	Code     string // of the refusal, "" when there was none
	Duration time.Duration
	BytesIn  int64
	BytesOut int64

	// Context is the request's, for the trace it is part of; the rest says whose
	// it was, "" when it came without a valid key or session.
	Context                          context.Context
	RequestID, TenantID, Environment string
}

// Recorder notes what a request is answered with.
type Recorder struct {
	http.ResponseWriter
	Status int // 0 until something is sent
	Bytes  int64
	Before func() // called before anything is sent, if it is set
}

// WriteHeader notes the status.
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

// Unwrap lets deadlines be set while a file is received or sent.
func (r *Recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// Aborts reports whether a recovered panic is the one with which a handler cuts
// the connection on purpose.
func Aborts(cause any) bool {
	err, ok := cause.(error)
	return ok && errors.Is(err, http.ErrAbortHandler)
}
