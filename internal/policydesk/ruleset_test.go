//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package policydesk_test

import (
	"testing"

	"verdict/internal/policydesk"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
)

func TestDraftInheritsActivatesAndRollsBack(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := usecasetest.Open(t, db, usecase.Options{})
		draft, err := h.Service.Policies.CreateRuleSet(t.Context(), h.Caller,
			usecasetest.Draft(t, `{"name":"no fee","knockouts":[]}`), nil)
		if err != nil {
			t.Fatal(err)
		}
		if draft.Status != "draft" || draft.Version != 3 || draft.Inherited == nil {
			t.Errorf("created %+v", draft)
		}
		_, err = h.Service.Policies.Activate(t.Context(), h.Caller, draft.ID, policydesk.Activation{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		story, err := h.Service.Decisions.Story(t.Context(), h.Caller, h.Decided(t, usecasetest.Sample))
		if err != nil {
			t.Fatal(err)
		}
		if story.Summary.PolicyID != draft.ID {
			t.Errorf("decided by %v, not by what was activated", story.Summary.PolicyID)
		}
		_, err = h.Service.Policies.Activate(t.Context(), h.Caller, h.Signed.RuleSetID, policydesk.Activation{}, nil)
		if err != nil {
			t.Errorf("roll back: %v", err)
		}
	})
}
