package serving

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"verdict/internal/admission"
	"verdict/internal/fault"
)

// Kinds of refusals that exist only in HTTP, in addition to the kinds of
// package fault.
const (
	MethodNotAllowed fault.Kind = 200 + iota
	NotAcceptable
	UnsupportedMediaType
	RequestTimeout
	ClientGone
)

// statuses maps each kind of refusal to its HTTP status.
var statuses = map[fault.Kind]int{
	fault.Malformed:       http.StatusBadRequest,
	fault.Unauthenticated: http.StatusUnauthorized,
	fault.Forbidden:       http.StatusForbidden,
	fault.NotFound:        http.StatusNotFound,
	MethodNotAllowed:      http.StatusMethodNotAllowed,
	NotAcceptable:         http.StatusNotAcceptable,
	RequestTimeout:        http.StatusRequestTimeout,
	ClientGone:            statusClientGone,
	fault.Conflict:        http.StatusConflict,
	fault.Gone:            http.StatusGone,
	fault.Precondition:    http.StatusPreconditionFailed,
	fault.TooLarge:        http.StatusRequestEntityTooLarge,
	UnsupportedMediaType:  http.StatusUnsupportedMediaType,
	fault.Invalid:         http.StatusUnprocessableEntity,
	fault.Limited:         http.StatusTooManyRequests,
	fault.Internal:        http.StatusInternalServerError,
	fault.Unavailable:     http.StatusServiceUnavailable,
}

// statusClientGone is the status that other servers use for a request whose
// client disconnected. No client sees it. It appears in metrics and logs, and
// must not look like a failure of the service there.
const statusClientGone = 499

// Status returns the HTTP status of a refusal.
func Status(refusal *fault.Error) int {
	if status := statuses[refusal.Kind]; status != 0 {
		return status
	}
	return http.StatusInternalServerError
}

// ErrInternal is the refusal for an internal error.
var ErrInternal = fault.New(fault.Internal, fault.CodeInternalError,
	"an internal error occurred; give the request id when you report it")

// Mapper turns errors into refusals. The API and the console each have a Mapper
// with their own texts.
type Mapper struct {
	Logger   *slog.Logger
	Requests string       // names the requests in the log, such as "API requests"
	Gone     *fault.Error // the refusal if the client disconnected
	TimedOut *fault.Error // the refusal if the request took too long
}

// Outcome describes the refusal of a request, for the record of the request. It is zero if the request was not refused.
type Outcome struct {
	Code    string // the code of the refusal
	Failure error  // why the service failed; nil if it did not fail, or if Shed is set
	Shed    bool   // refused because the node or the owner's share is full
}

// Refusal returns the part of an error that a client may see. An error without a
// refusal becomes Gone if the context of the request has ended. It becomes TimedOut if
// another context has ended, and otherwise ErrInternal. The Outcome has the whole error
// if the service failed; the caller logs it when it records the request.
//
// If the node has no capacity left, Refusal only counts the refusal, and logs the count
// at intervals.
func (m *Mapper) Refusal(r *http.Request, err error, now time.Time) (*fault.Error, Outcome) {
	refusal := fault.Of(err)
	switch {
	case refusal != nil:
	case r.Context().Err() != nil:
		refusal = m.Gone
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		refusal = m.TimedOut
	default:
		refusal = ErrInternal
	}

	outcome := Outcome{Code: refusal.Code}
	if shortage, is := errors.AsType[*Shortage](err); is {
		return m.Shed(shortage, now)
	}
	if refusal.Kind == fault.Unavailable || refusal.Kind == fault.Internal {
		outcome.Failure = err
	}
	return refusal, outcome
}

// Shed returns the refusal of a request for which the node has no capacity left, and
// counts it. It logs the count at intervals.
func (m *Mapper) Shed(s *Shortage, now time.Time) (*fault.Error, Outcome) {
	m.countShed(s.pool, now)
	return s.refusal, Outcome{Code: s.refusal.Code, Shed: true}
}

func (m *Mapper) countShed(from *admission.Pool, now time.Time) {
	if n := from.Refused(now); n > 0 {
		m.Logger.Warn(m.Requests+" were refused: a capacity limit is reached",
			"refused", n, "capacity", from.Size())
	}
}
