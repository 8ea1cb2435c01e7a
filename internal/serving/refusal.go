package serving

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

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
	"an internal error occurred; the request id helps to find it")

// Mapper turns errors into refusals. The API and the console each have a Mapper
// with their own texts.
type Mapper struct {
	Logger   *slog.Logger
	Gone     *fault.Error // the refusal if the client disconnected
	TimedOut *fault.Error // the refusal if the request took too long
}

// Refusal returns the part of an error that a client may see. An error without
// a refusal is logged in full and becomes ErrInternal.
func (m *Mapper) Refusal(r *http.Request, err error, requestID, route string) *fault.Error {
	var refusal *fault.Error
	switch {
	case errors.As(err, &refusal):
		if refusal.Kind == fault.Unavailable || refusal.Kind == fault.Internal {
			m.Logger.Warn("request failed: service unavailable or internal error",
				"request_id", requestID, "route", route, "error", err)
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
