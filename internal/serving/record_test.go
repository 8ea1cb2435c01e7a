package serving_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"verdict/internal/fault"
	"verdict/internal/serving"
)

// TestLog checks that each request has one line in the log, and that only the
// line of a failure contains the error.
func TestLog(t *testing.T) {
	t.Parallel()
	disk := errors.New("disk full")
	for name, c := range map[string]struct {
		status  int
		outcome serving.Outcome
		want    string // the beginning of the line
	}{
		"an answer":     {http.StatusOK, serving.Outcome{}, `level=DEBUG msg=request `},
		"a refusal":     {http.StatusNotFound, serving.Outcome{Code: fault.CodeNotFound}, `level=INFO msg=request `},
		"no capacity":   {http.StatusServiceUnavailable, serving.Outcome{Shed: true}, `level=DEBUG msg=request `},
		"a client left": {499, serving.Outcome{Code: fault.CodeClientGone}, `level=DEBUG msg=request `},
		"a failure": {http.StatusServiceUnavailable, serving.Outcome{Failure: disk},
			`level=ERROR msg="request failed" `},
		"a failed page": {http.StatusUnprocessableEntity, serving.Outcome{Failure: disk},
			`level=ERROR msg="request failed" `},
		"not ready": {http.StatusServiceUnavailable, serving.Outcome{}, `level=ERROR msg="request failed" `},
	} {
		var log strings.Builder
		o := serving.Observation{Context: t.Context(), RequestID: "req_1", Status: c.status, Outcome: c.outcome}
		o.Log(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{
			Level: slog.LevelDebug,
			ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
				if a.Key == slog.TimeKey {
					return slog.Attr{}
				}
				return a
			},
		})))
		got := log.String()
		if !strings.HasPrefix(got, c.want) || strings.Count(got, "\n") != 1 {
			t.Errorf("%s: logged %q, want one line with %s", name, got, c.want)
		}
		if told := strings.Contains(got, `error="disk full"`); told != (c.outcome.Failure != nil) {
			t.Errorf("%s: the error is told: %t: %s", name, told, got)
		}
	}
}

// TestRecovered checks what happens after each kind of panic. The log has the
// stack of a panic but not its value.
func TestRecovered(t *testing.T) {
	t.Parallel()
	lost := errors.New("the connection was lost")
	for name, c := range map[string]struct {
		handler func()
		sent    bool
		failure string
		abort   bool
	}{
		"no panic":           {func() {}, true, "", false},
		"before the answer":  {func() { panic("PAN ABCDE1234F") }, false, "the handler panicked", false},
		"within the answer":  {func() { panic("PAN ABCDE1234F") }, true, "the handler panicked", true},
		"aborted":            {func() { serving.Abort(lost) }, true, lost.Error(), true},
		"aborted by the lib": {func() { panic(fmt.Errorf("proxy: %w", http.ErrAbortHandler)) }, true, "", true},
	} {
		var failure error
		var abort bool
		func() {
			defer func() { failure, abort = serving.Recovered(recover(), c.sent) }()
			c.handler()
		}()
		if abort != c.abort || failure == nil && c.failure != "" || failure != nil && failure.Error() != c.failure {
			t.Errorf("%s: got %v and abort %t", name, failure, abort)
		}
		var log strings.Builder
		o := serving.Observation{Context: t.Context(), Outcome: serving.Outcome{Failure: failure}}
		o.Log(slog.New(slog.NewTextHandler(&log, nil)))
		stack := strings.Contains(log.String(), "record_test.go")
		if stack != strings.Contains(c.failure, "panicked") || strings.Contains(log.String(), "ABCDE1234F") {
			t.Errorf("%s: logged %s", name, &log)
		}
	}
}

// TestAborted checks that a request whose client has disconnected is not recorded as a
// failure of the service, unless the handler panicked.
func TestAborted(t *testing.T) {
	t.Parallel()
	gone, leave := context.WithCancel(t.Context())
	leave()
	broken := errors.New("broken pipe")
	panicked, _ := serving.Recovered("a panic", true)
	for _, c := range []struct {
		name    string
		ctx     context.Context
		failure error
		want    int
		code    string
	}{
		{"the client left", gone, broken, 499, fault.CodeClientGone},
		{"the service failed", t.Context(), broken, 500, fault.CodeInternalError},
		{"a panic after the client left", gone, panicked, 500, fault.CodeInternalError},
	} {
		if status, o := serving.Aborted(c.ctx, c.failure); status != c.want || o.Code != c.code {
			t.Errorf("%s: %d %+v", c.name, status, o)
		}
	}
}
