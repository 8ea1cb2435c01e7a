package serving_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"verdict/internal/fault"
	"verdict/internal/serving"
)

// TestRefusal checks that a client sees refusals but no details of other errors,
// and that the whole error is kept for the log if the service failed. A lack of
// capacity is only counted.
func TestRefusal(t *testing.T) {
	t.Parallel()
	gone := fault.New(serving.ClientGone, fault.CodeClientGone, "gone")
	late := fault.New(fault.Unavailable, fault.CodeUnavailable, "late")
	own := fault.New(fault.NotFound, fault.CodeNotFound, "there is none")
	disk := errors.New("disk full")
	over, cancel := context.WithCancel(t.Context())
	cancel()
	held := serving.NewNode(serving.Limits{}).NewGate(0, serving.Texts{Full: "full"}).Request()
	full := held.CheckFull()
	for name, c := range map[string]struct {
		ctx     context.Context
		err     error
		want    *fault.Error
		status  int
		failure error
		logged  string
	}{
		"a refusal":    {t.Context(), fmt.Errorf("find: %w", own), own, http.StatusNotFound, nil, ""},
		"in time":      {t.Context(), context.DeadlineExceeded, late, 503, context.DeadlineExceeded, ""},
		"nobody there": {over, errors.New("broken pipe"), gone, 499, nil, ""},
		"our mistake":  {t.Context(), disk, serving.ErrInternal, http.StatusInternalServerError, disk, ""},
		"not reached":  {t.Context(), late, late, http.StatusServiceUnavailable, late, ""},
		"we are full": {t.Context(), full, fault.Of(full), http.StatusServiceUnavailable, nil,
			"page requests were refused: a capacity limit is reached"},
	} {
		var log strings.Builder
		mapper := serving.Mapper{
			Logger:   slog.New(slog.NewTextHandler(&log, nil)),
			Requests: "page requests",
			Gone:     gone,
			TimedOut: late,
		}
		r := httptest.NewRequest(http.MethodGet, "/", nil).WithContext(c.ctx)
		now := time.Unix(1_700_000_000, 0)
		got, outcome := mapper.Refusal(r, c.err, now)
		if got != c.want || serving.Status(got) != c.status {
			t.Errorf("%s: got %v, status %d", name, got, serving.Status(got))
		}
		want := serving.Outcome{Code: c.want.Code, Failure: c.failure, Shed: c.logged != ""}
		if outcome != want {
			t.Errorf("%s: the outcome is %v, want %v", name, outcome, want)
		}
		_, _ = mapper.Refusal(r, c.err, now) // a repetition within the same second is not logged
		if !strings.Contains(log.String(), c.logged) || strings.Count(log.String(), "\n") != min(1, len(c.logged)) {
			t.Errorf("%s: logged %q", name, log.String())
		}
	}
	if got := serving.Status(&fault.Error{Kind: 99}); got != http.StatusInternalServerError {
		t.Errorf("an unknown kind is answered with %d", got)
	}
}
