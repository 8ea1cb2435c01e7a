package httpapi

import (
	"net/http"
	"strconv"
	"time"

	"verdict/internal/fault"
	"verdict/internal/reference"
	"verdict/internal/serving"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// Refusals of a request whose client has disconnected or whose deadline has
// passed.
var (
	errGone     = fault.New(serving.ClientGone, fault.CodeClientGone, "the caller disconnected")
	errTimedOut = fault.New(fault.Unavailable, fault.CodeUnavailable, "the request timed out before it was done")
)

// refuse answers with a problem document. For an error that is not a refusal, the client gets an internal error
// without any detail. The method record logs the error in full.
func (c *call) refuse(err error) {
	refusal, outcome := c.api.mapper.Refusal(c.r, err, c.started)
	status := serving.Status(refusal)
	c.outcome = outcome
	h := c.response.header()
	switch {
	case status == http.StatusUnauthorized:
		h["Www-Authenticate"] = []string{"Bearer"}
	case refusal.Code == fault.CodeQuotaExceeded:
		now := c.api.options.Now()
		h["Retry-After"] = []string{strconv.FormatInt(tenant.PeriodOf(now).SecondsLeft(now), 10)}
	case status == http.StatusServiceUnavailable, refusal.Code == fault.CodeIdempotencyInProgress:
		h["Retry-After"] = []string{"1"}
	case status == http.StatusRequestTimeout, status == http.StatusRequestEntityTooLarge:
		c.closeConnection() // so that the server does not read the rest of the body
	}
	if c.r.ContentLength < 0 && !c.bodyRead && c.r.ProtoMajor == 1 {
		c.closeConnection() // the sender of a stream might wait for the refusal before it ends the body
	}
	c.slowRefused(status)
	c.sendRefusal(c.withAdvice(refusal, status), status)
}

// withAdvice returns the refusal with a text that says what the client can do, if there is such a text.
func (c *call) withAdvice(refusal *fault.Error, status int) *fault.Error {
	switch {
	case refusal.Code == fault.CodeQuotaExceeded:
		return withQuotaAdvice(refusal, tenant.PeriodOf(c.api.options.Now()))
	case status == http.StatusServiceUnavailable && c.r.Method == http.MethodPost:
		return withRetryAdvice(refusal)
	}
	return refusal
}

// withRetryAdvice adds a text to the refusal for a client that cannot know whether
// its request took effect. The text says how to repeat the request. It does not depend on
// whether the request had an Idempotency-Key, because RefuseEarly does not know that.
func withRetryAdvice(refusal *fault.Error) *fault.Error {
	advised := *refusal
	advised.Detail += "; if you repeat it with the same Idempotency-Key, it takes effect at most once; " +
		"without a key it may take effect twice"
	return &advised
}

// withQuotaAdvice adds a text to the refusal. The text says when the next period
// begins, and who can raise the quota.
func withQuotaAdvice(refusal *fault.Error, period tenant.Period) *fault.Error {
	advised := *refusal
	advised.Detail += "; the next period begins at " + period.End.Format(time.RFC3339) +
		", and until then the operator of this service can move the tenant to a larger plan (verdict tenant plan)"
	return &advised
}

// problemBody returns the problem document (RFC 9457) of a refusal.
func problemBody(e *fault.Error, status int, requestID string) []byte {
	var w wire.Writer
	w.Object().Key("type").String("/docs/errors/" + e.Code).Key("title").String(reference.Title(e.Code))
	w.Key("status").Int(int64(status)).Key("code").String(e.Code).Key("detail").String(e.Detail)
	w.Key("request_id").String(requestID)
	if e.OldestSequence > 0 {
		w.Key("oldest_sequence").Int(e.OldestSequence)
	}
	if len(e.Items) > 0 {
		w.Key("errors").Array()
		for _, item := range e.Items {
			w.Object().Key("pointer").String(item.Pointer).Key("code").String(item.Code)
			if item.Nearest != "" {
				w.Key("nearest").String(item.Nearest)
			}
			w.Key("detail").String(item.Detail)
			if item.Key != "" {
				w.Key("key").String(item.Key)
			}
			w.EndObject()
		}
		w.EndArray()
	}
	w.EndObject()
	return w.Buf
}
