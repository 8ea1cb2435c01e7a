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

	"verdict/internal/fault"
	"verdict/internal/serving"
)

// TestRefusal checks that a client sees refusals but no details of other
// errors, and that an internal error is logged in full.
func TestRefusal(t *testing.T) {
	t.Parallel()
	gone := fault.New(serving.ClientGone, fault.CodeClientGone, "gone")
	late := fault.New(fault.Unavailable, fault.CodeUnavailable, "late")
	own := fault.New(fault.NotFound, fault.CodeNotFound, "there is none")
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]struct {
		ctx    context.Context
		err    error
		want   *fault.Error
		status int
		logged string
	}{
		"a refusal":    {t.Context(), fmt.Errorf("find: %w", own), own, http.StatusNotFound, ""},
		"in time":      {t.Context(), context.DeadlineExceeded, late, http.StatusServiceUnavailable, ""},
		"nobody there": {over, errors.New("broken pipe"), gone, 499, ""},
		"our mistake": {t.Context(), errors.New("disk full"), serving.ErrInternal, http.StatusInternalServerError,
			"disk full"},
		"we are full": {t.Context(), late, late, http.StatusServiceUnavailable, "late"},
	} {
		var log strings.Builder
		mapper := serving.Mapper{Logger: slog.New(slog.NewTextHandler(&log, nil)), Gone: gone, TimedOut: late}
		r := httptest.NewRequest(http.MethodGet, "/", nil).WithContext(c.ctx)
		got := mapper.Refusal(r, c.err, "req_1", "GET /")
		if got != c.want || serving.Status(got) != c.status {
			t.Errorf("%s: got %v, status %d", name, got, serving.Status(got))
		}
		if !strings.Contains(log.String(), c.logged) || c.logged == "" && log.Len() > 0 {
			t.Errorf("%s: logged %q", name, log.String())
		}
	}
	if got := serving.Status(&fault.Error{Kind: 99}); got != http.StatusInternalServerError {
		t.Errorf("an unknown kind is answered with %d", got)
	}
}
