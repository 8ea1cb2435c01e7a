//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package study_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/study"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
)

// TestPopulationIsBounded checks that counting applications ends at its row limit, at its time limit, and when
// its caller is cancelled. It also checks that counting needs one of the tenant's slots.
func TestPopulationIsBounded(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		clock := usecasetest.NewClock()
		h := usecasetest.Open(t, db, usecase.Options{Now: clock.Now})
		begun := clock.Now()
		const days, each = 15, 8
		for range days {
			for n := range each {
				age := 20 + n%2*14 // every second applicant is 20, whom the active version declines
				h.Decided(t, fmt.Sprintf(`{"applicant":{"age":%d,"monthly_income":85000,"foir":0.3,
					"requested_amount":300000},"bureau_report":{"score":780,"enquiries_6m":1,"active_tradelines":4,
					"max_dpd_12m":0}}`, age))
			}
			clock.Pass(24 * time.Hour)
		}
		draft, err := h.Service.Policies.CreateRuleSet(t.Context(), h.Caller, usecasetest.Draft(t, `{"name":"younger",
			"patch":{"knockouts":{"set":[{"id":"KO_AGE_RANGE","reason_code":"AGE_RANGE",
			"condition_ast":{"op":"lt","field":"age","value":19}}]}}}`), nil)
		if err != nil {
			t.Fatal(err)
		}
		comparisons := h.Service.Comparisons
		request := study.DiffRequest{Population: &study.Population{Replay: &study.Replay{From: begun}}}
		diff := func(ctx context.Context) (study.Difference, error) {
			return comparisons.Diff(ctx, h.Caller, draft.ID, request)
		}

		all, err := diff(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if n := all.Population.Rows; n != days*each || !all.Counted.Complete {
			t.Errorf("%d applications were counted, complete: %v", n, all.Counted.Complete)
		}
		if got := all.Population.Tally(&all.Result); got.All != days*each/2 || got.Better != got.All {
			t.Errorf("of %d applications: %+v", days*each, got)
		}

		comparisons.CountAtMost(5 * each)
		some, err := diff(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if n := some.Population.Rows; n < 5*each || n >= days*each || some.Counted.Complete {
			t.Errorf("at most %d: %d applications were counted, complete: %v", 5*each, n, some.Counted.Complete)
		}
		comparisons.CountAtMost(days * each)
		exact, err := diff(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if n := exact.Population.Rows; n != days*each || !exact.Counted.Complete {
			t.Errorf("at most %d: %d applications were counted, complete: %v", days*each, n, exact.Counted.Complete)
		}
		comparisons.CountAtMost(study.MaxPopulation)

		// Let the time run out after the first applications were counted.
		request.Progress = func(p study.Progress) {
			if p.Counting {
				clock.Pass(10 * time.Second)
			}
		}
		if some, err = diff(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := some.Population.Rows; n == 0 || n >= days*each || some.Counted.Complete {
			t.Errorf("in no time: %d applications were counted, complete: %v", n, some.Counted.Complete)
		}

		gone, cancel := context.WithCancel(t.Context())
		request.Progress = func(p study.Progress) {
			if p.Counting {
				cancel()
			}
		}
		if _, err := diff(gone); !errors.Is(err, context.Canceled) {
			t.Errorf("without a caller: %v", err)
		}
		request.Progress = nil
		for range 4 {
			if taken, back := h.Service.Backtests.Hold(h.Caller.TenantID, 1); taken {
				defer back()
			}
		}
		if _, err := diff(t.Context()); fault.KindOf(err) != fault.Unavailable {
			t.Errorf("beside as many backtests as the tenant may run: %v", err)
		}
	})
}
