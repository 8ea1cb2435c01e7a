//nolint:thelper // what Each runs is the test itself: a failure belongs to its own line
package policydesk_test

import (
	"testing"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
	"verdict/internal/wire"
)

func TestDraftInheritsActivatesAndRollsBack(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := usecasetest.Open(t, db, usecase.Options{})
		answer, err := h.Service.Policies.CreateRuleSet(t.Context(), h.Caller, usecasetest.Parse(t, `{"name":"no fee","knockouts":[]}`), nil)
		if err != nil {
			t.Fatal(err)
		}
		draft := usecasetest.Object(t, answer.Body)
		if draft["status"] != "draft" || draft["version"] != 3.0 || draft["inherited"] == nil {
			t.Errorf("created %s", answer.Body)
		}
		id, _ := draft["id"].(string)
		if _, err := h.Service.Policies.Activate(t.Context(), h.Caller, id, wire.Value{}, nil); err != nil {
			t.Fatal(err)
		}
		decided, err := h.Service.Decisions.Decide(t.Context(), h.Caller, usecasetest.Parse(t, usecasetest.Sample), nil)
		if err != nil {
			t.Fatal(err)
		}
		policy, _ := usecasetest.Object(t, decided.Body)["policy"].(map[string]any)
		if policy["id"] != id {
			t.Errorf("decided by %v, not by what was activated", policy)
		}
		if _, err := h.Service.Policies.Activate(t.Context(), h.Caller, h.Signed.RuleSetID, wire.Value{}, nil); err != nil {
			t.Errorf("roll back: %v", err)
		}
	})
}
