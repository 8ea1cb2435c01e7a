//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package policydesk_test

import (
	"context"
	"errors"
	"testing"

	"verdict/internal/fault"
	"verdict/internal/policydesk"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
)

// TestDiffEndsWithItsCaller checks that a comparison whose caller is gone returns the caller's error and no result,
// and that it frees its slot. A tenant has one comparison at a time, and does not block the comparisons of other
// tenants.
func TestDiffEndsWithItsCaller(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := usecasetest.Open(t, db, usecase.Options{})
		draft, err := h.Service.Policies.CreateRuleSet(t.Context(), h.Caller,
			usecasetest.Draft(t, `{"name":"smaller steps","limit_step":500}`), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = h.Service.Policies.Diff(t.Context(), h.Caller, draft.ID, policydesk.Comparison{}); err != nil {
			t.Fatal(err) // also loads both policies into the cache
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		for range 5 { // more than may run at the same time
			d, err := h.Service.Policies.Diff(gone, h.Caller, draft.ID, policydesk.Comparison{})
			if !errors.Is(err, context.Canceled) || len(d.Classes) > 0 {
				t.Errorf("a comparison without a caller: %v, %d classes", err, len(d.Classes))
			}
		}
		if _, err = h.Service.Policies.Diff(t.Context(), h.Caller, draft.ID, policydesk.Comparison{}); err != nil {
			t.Error(err)
		}
		end := h.Service.Policies.Compare(h.Caller.TenantID)
		_, err = h.Service.Policies.Diff(t.Context(), h.Caller, draft.ID, policydesk.Comparison{})
		if fault.KindOf(err) != fault.Unavailable {
			t.Errorf("a second comparison of the tenant: %v", err)
		}
		end()
		defer h.Service.Policies.Compare("ten_other")()
		if _, err = h.Service.Policies.Diff(t.Context(), h.Caller, draft.ID, policydesk.Comparison{}); err != nil {
			t.Errorf("beside another tenant: %v", err)
		}
	})
}
