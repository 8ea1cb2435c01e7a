//nolint:thelper // what EachURL runs is the test itself: a failure belongs to its own line
package decisioning_test

import (
	"slices"
	"testing"
	"time"

	"verdict/internal/eventdesk"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
)

// TestThresholds uses up a quota. It checks that 80 and 100 percent of the quota are reported once in each period,
// even if two nodes check at the same time or a node starts later.
func TestThresholds(t *testing.T) {
	t.Parallel()
	plans, err := tenant.DefaultPricePlans().WithQuotas("free=5")
	if err != nil {
		t.Fatal(err)
	}
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		clock := usecasetest.NewClock()
		options := usecase.Options{
			Plans: plans, Now: clock.Now, PasswordCost: usecasetest.Cheap, MasterKey: usecasetest.MasterKey,
		}
		db := storetest.Open(t, databaseURL, store.Options{})
		h := usecasetest.Open(t, db, options)
		check := func(want ...string) {
			t.Helper()
			if err := h.Service.Decisions.Usage.CheckThresholds(t.Context()); err != nil {
				t.Fatal(err)
			}
			feed, err := h.Service.Events.Events(t.Context(), h.Caller, 0, eventdesk.MaxLimit)
			if err != nil {
				t.Fatal(err)
			}
			var told []string
			for _, e := range feed.Events {
				if e.Type == "usage.threshold" {
					told = append(told, string(e.Data))
				}
			}
			if !slices.Equal(told, want) {
				t.Errorf("the thresholds are %v, want %v", told, want)
			}
		}
		check()
		for range 3 {
			h.Decided(t, usecasetest.Sample)
		}
		check()
		h.Decided(t, usecasetest.Sample)
		first := `{"percent":80,"period":"2026-11","quota":5,"used":4}`
		check(first)
		check(first)
		h.Decided(t, usecasetest.Sample)
		// A node that has made no decision checks all tenants when it starts.
		other, err := usecase.New(storetest.Open(t, databaseURL, store.Options{}), options)
		if err != nil {
			t.Fatal(err)
		}
		if err := other.Decisions.Usage.CheckThresholds(t.Context()); err != nil {
			t.Fatal(err)
		}
		second := `{"percent":100,"period":"2026-11","quota":5,"used":5}`
		check(first, second)

		clock.Pass(30 * 24 * time.Hour)
		for range 5 {
			h.Decided(t, usecasetest.Sample)
		}
		check(first, second, `{"percent":80,"period":"2026-12","quota":5,"used":5}`,
			`{"percent":100,"period":"2026-12","quota":5,"used":5}`)
		found, err := h.Service.Decisions.Audit.Verify(t.Context(), "", nil)
		if err != nil || found.Failed != 0 {
			t.Errorf("verify finds %+v, %v", found, err)
		}
	})
}
