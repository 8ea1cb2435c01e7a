package serving

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"verdict/internal/fault"
)

// Kinds of refusals that only HTTP has, beyond those of package fault.
const (
	MethodNotAllowed fault.Kind = 200 + iota
	NotAcceptable
	UnsupportedMediaType
	RequestTimeout
	ClientGone
)

// statuses is the one table of the status that each kind of refusal becomes.
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
	fault.Precondition:    http.StatusPreconditionFailed,
	fault.TooLarge:        http.StatusRequestEntityTooLarge,
	UnsupportedMediaType:  http.StatusUnsupportedMediaType,
	fault.Invalid:         http.StatusUnprocessableEntity,
	fault.Limited:         http.StatusTooManyRequests,
	fault.Internal:        http.StatusInternalServerError,
	fault.Unavailable:     http.StatusServiceUnavailable,
}

// statusClientGone is what others use for a request whose caller went away. No
// caller sees it; metrics and logs do, so that it is not taken for our failure.
const statusClientGone = 499

// Status returns the status of a refusal.
func Status(refusal *fault.Error) int {
	if status := statuses[refusal.Kind]; status != 0 {
		return status
	}
	return http.StatusInternalServerError
}

// ErrInternal refuses a request because of a mistake of ours.
var ErrInternal = fault.New(fault.Internal, fault.CodeInternalError,
	"an internal error occurred; the request id helps to find it")

// Mapper turns errors into refusals, in the words of one way in.
type Mapper struct {
	Logger   *slog.Logger
	Gone     *fault.Error // the caller disconnected
	TimedOut *fault.Error // the request was not done in time
}

// Refusal returns as much of an error as a client may see. An error that is no
// refusal is logged in full and becomes ErrInternal.
func (m *Mapper) Refusal(r *http.Request, err error, requestID, route string) *fault.Error {
	var refusal *fault.Error
	switch {
	case errors.As(err, &refusal):
		if refusal.Kind == fault.Unavailable || refusal.Kind == fault.Internal {
			m.Logger.Warn("refused", "request_id", requestID, "route", route, "error", err)
		}
		return refusal
	case r.Context().Err() != nil:
		return m.Gone
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return m.TimedOut
	}
	m.Logger.Error("internal error", "request_id", requestID, "route", route, "error", err)
	return ErrInternal
}
