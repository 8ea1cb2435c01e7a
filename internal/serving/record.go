package serving

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"verdict/internal/fault"
)

// Observation describes one finished request for metrics and the log. It contains no text that the client chose,
// with one exception: the error Outcome.Failure may contain such a text, and is written only to the log. The route
// is a pattern of this service.
type Observation struct {
	Outcome

	Route    string // such as "POST /v1/decisions"; "unmatched" if none matches
	Status   int
	Duration time.Duration
	BytesIn  int64
	BytesOut int64

	// Context is the context of the request, with its trace. The tenant and the
	// environment are "" for a request without a valid key or session.
	Context                                 context.Context
	RequestID, TenantID, Environment, KeyID string
}

// Log logs the request in one line. If the service failed, the line contains the error. The line has the level
// Debug if the request succeeded or its client disconnected. It also has this level if the request was refused for
// lack of capacity, because such requests are counted elsewhere.
func (o Observation) Log(logger *slog.Logger) {
	level, message := slog.LevelDebug, "request"
	switch {
	case o.Code == fault.CodeClientGone, o.Shed:
	case o.Failure != nil, o.Status >= http.StatusInternalServerError:
		level, message = slog.LevelError, "request failed"
	case o.Status >= http.StatusBadRequest:
		level = slog.LevelInfo
	}
	if !logger.Enabled(o.Context, level) {
		return
	}

	attributes := []slog.Attr{
		slog.String("request_id", o.RequestID),
		slog.String("route", o.Route),
		slog.Int("status", o.Status),
		slog.String("code", o.Code),
		slog.Duration("took", o.Duration),
		slog.String("tenant_id", o.TenantID),
		slog.String("environment", o.Environment),
		slog.String("key_id", o.KeyID),
	}
	if o.Failure != nil {
		attributes = append(attributes, slog.Any("error", o.Failure))
	}
	if p, is := errors.AsType[*panicked](o.Failure); is {
		attributes = append(attributes, slog.String("stack", string(p.stack)))
	}
	logger.LogAttrs(o.Context, level, message, attributes...)
}

// Abort closes the connection in the middle of an answer, so that the client can
// tell that the answer is incomplete. It panics with a value that Recovered
// understands; cause is recorded as the failure of the request.
func Abort(cause error) { panic(&aborted{cause}) }

// aborted is the value with which Abort panics.
type aborted struct{ cause error }

// panicked is the failure of a request whose handler panicked. It has the stack but
// not the panic's value, which may contain submitted data.
type panicked struct{ stack []byte }

func (*panicked) Error() string { return "the handler panicked" }

// Unwrap returns ErrInternal, which the client gets.
func (*panicked) Unwrap() error { return ErrInternal }

// Recovered returns what a deferred function must do with the result of recover. If
// abort is set, the connection must be closed: the handler has called Abort, it panicked
// with http.ErrAbortHandler, or it panicked after a part of the answer was sent. The
// deferred function must then panic with http.ErrAbortHandler. Otherwise, if failure is
// not nil, the request must be refused with it.
func Recovered(cause any, sent bool) (failure error, abort bool) {
	switch cause := cause.(type) {
	case nil:
		return nil, false
	case *aborted:
		return cause.cause, true
	}
	if err, is := cause.(error); is && errors.Is(err, http.ErrAbortHandler) {
		return nil, true
	}
	return &panicked{[]byte(fault.PanicStack(cause, debug.Stack()))}, sent
}

// Aborted returns the status and the outcome of a request whose connection must be closed
// before the answer is complete. If the client has disconnected, the service did not
// fail.
func Aborted(ctx context.Context, failure error) (status int, o Outcome) {
	var broken *panicked
	if ctx.Err() != nil && !errors.As(failure, &broken) {
		return statusClientGone, Outcome{Code: fault.CodeClientGone}
	}
	return http.StatusInternalServerError, Outcome{Code: fault.CodeInternalError, Failure: failure}
}
