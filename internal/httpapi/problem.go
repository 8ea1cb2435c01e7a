package httpapi

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"verdict/internal/fault"
	"verdict/internal/reference"
	"verdict/internal/serving"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// What a caller hears, if it still does, of a request that was not done in time.
var (
	errGone     = fault.New(serving.ClientGone, fault.CodeClientGone, "the caller disconnected")
	errTimedOut = fault.New(fault.Unavailable, fault.CodeUnavailable, "the request timed out before it was done")
)

// refuse answers with a problem document. An error that is no refusal of ours
// is logged in full and told as an internal error, without a word of it.
func (c *call) refuse(err error) {
	refusal := c.refusal(err)
	status := serving.Status(refusal)
	c.code = refusal.Code
	h := c.w.Header()
	h["Content-Type"] = []string{"application/problem+json"}
	switch {
	case status == http.StatusUnauthorized:
		h["Www-Authenticate"] = []string{"Bearer"}
	case refusal.Code == fault.CodeQuotaExceeded:
		now := c.api.options.Now()
		period := tenant.PeriodOf(now)
		h["Retry-After"] = []string{strconv.FormatInt(period.SecondsLeft(now), 10)}
		refusal = untilWhen(refusal, period)
	case status == http.StatusServiceUnavailable, refusal.Code == fault.CodeIdempotencyInProgress:
		h["Retry-After"] = []string{"1"}
		if status == http.StatusServiceUnavailable && c.r.Method == http.MethodPost {
			refusal = repeatable(refusal)
		}
	case status == http.StatusRequestTimeout, status == http.StatusRequestEntityTooLarge:
		// The rest of the body is not waited for.
		h["Connection"] = []string{"close"}
	}
	c.slowRefused(status)
	_ = c.send(status, c.problem(refusal, status))
}

// repeatable says how to repeat a request of which the caller cannot know whether
// it was done.
func repeatable(refusal *fault.Error) *fault.Error {
	told := *refusal
	told.Detail += "; repeat the request with the same Idempotency-Key, so that it takes effect at most once"
	return &told
}

// untilWhen says how long a quota stays used up, and who can raise it.
func untilWhen(refusal *fault.Error, period tenant.Period) *fault.Error {
	told := *refusal
	told.Detail += "; the next period begins at " + period.End.Format(time.RFC3339) +
		", and until then the operator of this service can move the tenant to a larger plan (verdict tenant plan)"
	return &told
}

// refusal is what of an error a client may hear.
func (c *call) refusal(err error) *fault.Error {
	var refusal *fault.Error
	switch {
	case errors.Is(err, errFull), errors.Is(err, errShare):
		c.shedded(c.gate())
		errors.As(err, &refusal)
		return refusal
	case errors.Is(err, errExports):
		c.shedded(c.api.node.Exports)
		return errExports
	case errors.Is(err, errMemory):
		c.shedded(c.api.node.Memory)
		return errMemory
	}
	return c.api.mapper.Refusal(c.r, err, c.requestID, c.routeName())
}

// problem is the body of RFC 9457.
func (c *call) problem(e *fault.Error, status int) []byte {
	var w wire.Writer
	w.Object().Key("type").String("/docs/errors/" + e.Code).Key("title").String(reference.Title(e.Code))
	w.Key("status").Int(int64(status)).Key("code").String(e.Code).Key("detail").String(e.Detail)
	w.Key("request_id").String(c.requestID)
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
