package decisioning_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"verdict/internal/application"
	"verdict/internal/decisioning"
	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
)

// TestStatistics decides applications on two days, and reads the counts by hour and by day.
func TestStatistics(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, time.November, 14, 20, 0, 0, 0, time.UTC) // half past one on 15 November in India
	h := usecasetest.Open(t, storetest.Open(t, storetest.MigratedSQLite(t), store.Options{}),
		usecase.Options{Now: func() time.Time { return at }})
	decide := func(score int) {
		t.Helper()
		body := usecasetest.Parse(t, fmt.Sprintf(`{"applicant":{"monthly_income":85000,"foir":0.32,
			"requested_amount":300000},"bureau_report":{"score":%d,"enquiries_6m":0,"active_tradelines":4,
			"max_dpd_12m":0}}`, score))
		if _, err := h.Service.Decisions.Decide(
			t.Context(), h.Caller, application.DecisionRequest(body), nil,
		); err != nil {
			t.Fatal(err)
		}
	}
	decide(400)
	decide(790)
	at = at.Add(-24 * time.Hour)
	decide(790)
	at = at.Add(24 * time.Hour)
	for _, took := range []time.Duration{time.Millisecond, 3 * time.Millisecond, 40 * time.Millisecond} {
		h.Service.Decisions.Statistics.Observed(decisioning.Request{
			TenantID: h.Caller.TenantID, Environment: h.Caller.Environment, Route: decisioning.EndpointDecisions,
			Duration: took,
		})
	}
	for _, other := range []decisioning.Request{
		{TenantID: h.Caller.TenantID, Environment: h.Caller.Environment, Route: "GET /v1/usage"},
		{Route: decisioning.EndpointDecisions, Code: "unauthorized"},
	} {
		h.Service.Decisions.Statistics.Observed(other)
	}
	h.Service.Decisions.Statistics.Observed(decisioning.Request{
		TenantID: h.Caller.TenantID, Environment: h.Caller.Environment, Route: decisioning.EndpointEvaluate,
		Code: "validation_failed",
	})

	// A flush that fails loses nothing.
	ended, end := context.WithCancel(t.Context())
	end()
	h.Service.Decisions.Statistics.Flush(ended)
	h.Service.Decisions.Statistics.Flush(t.Context())

	for _, r := range decisioning.Ranges() {
		got, err := h.Service.Decisions.Statistics.In(t.Context(), h.Caller, r)
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Slots) != r.Slots || len(got.Before) != r.Slots {
			t.Errorf("%d slots and %d before, not %d", len(got.Slots), len(got.Before), r.Slots)
		}
		last := got.Slots[r.Slots-1]
		if last.Approved != 1 || last.Declined != 1 || last.Offers != 1 || last.LimitPaise <= 0 || last.RateBP <= 0 ||
			last.Errors != 1 || last.Requests() != 4 {
			t.Errorf("the last slot of %v is %+v", r, last)
		}
		if within, ok := last.Within(75); !ok || within != 5*time.Millisecond {
			t.Errorf("75 %% are answered within %s, %v", within, ok)
		}
		if within, ok := last.Within(95); !ok || within != 50*time.Millisecond {
			t.Errorf("95 %% are answered within %s, %v", within, ok)
		}
		earlier := decisioning.Sum(append(got.Before, got.Slots[:r.Slots-1]...))
		if earlier.Decisions() != 1 || earlier.Approved != 1 {
			t.Errorf("the other slots of %v are %+v", r, earlier)
		}
		wantNames(t, got.Errors, "validation_failed")
		if len(got.Reasons) != 1 || got.Reasons[0].Count != 1 || got.Reasons[0].Name == "" {
			t.Errorf("the reasons are %v", got.Reasons)
		}
	}
	wantNothing(t, h)
	wantPurged(t, h, &at)
}

func wantNames(t *testing.T, got []decisioning.Named, names ...string) {
	t.Helper()
	var list []string
	for _, n := range got {
		list = append(list, n.Name)
	}
	if diff := cmp.Diff(names, list); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}

// wantNothing checks that the other environment has no counts, and that a range that is not counted is refused.
func wantNothing(t *testing.T, h *usecasetest.House) {
	t.Helper()
	live := h.Caller
	live.Environment = tenant.Live
	got, err := h.Service.Decisions.Statistics.In(t.Context(), live, decisioning.Ranges()[0])
	if err != nil {
		t.Fatal(err)
	}
	empty := decisioning.Counts{}
	sum := decisioning.Sum(got.Slots)
	if diff := cmp.Diff(empty, sum, cmpopts.IgnoreUnexported(empty)); diff != "" || sum.Requests() != 0 {
		t.Errorf("live has counts:\n%s", diff)
	}
	var refusal *fault.Error
	_, err = h.Service.Decisions.Statistics.In(t.Context(), live, decisioning.Range{Slots: 1})
	if !errors.As(err, &refusal) || refusal.Kind != fault.Invalid {
		t.Errorf("an unknown range returns %v", err)
	}
}

// wantPurged checks that the counts of old hours are deleted, and that the counts of their days stay.
func wantPurged(t *testing.T, h *usecasetest.House, at *time.Time) {
	t.Helper()
	*at = at.AddDate(0, 0, 5)
	h.Service.Decisions.Statistics.Purge(t.Context())
	*at = at.AddDate(0, 0, -5)
	for i, want := range []int64{0, 3} {
		got, err := h.Service.Decisions.Statistics.In(t.Context(), h.Caller, decisioning.Ranges()[i])
		if err != nil {
			t.Fatal(err)
		}
		sum := decisioning.Sum(append(got.Before, got.Slots...))
		if sum.Decisions() != want {
			t.Errorf("%d decisions are counted after the purge, not %d", sum.Decisions(), want)
		}
	}
}
