package decisioning_test

import (
	"errors"
	"testing"

	"verdict/internal/decisioning"
	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/wire"
)

// TestUnreadableRuleSet: a version that this service does not take any more is
// still listed and shown, hides nothing, and cannot be activated.
func TestUnreadableRuleSet(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.SQLite(t)
	h := open(t, storetest.Open(t, databaseURL, store.Options{}), decisioning.Options{})
	answer, err := h.service.CreateRuleSet(t.Context(), h.caller, parse(t, `{"name":"old"}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	id, _ := object(t, answer.Body)["id"].(string)
	if _, err := storetest.Raw(t, databaseURL).ExecContext(t.Context(),
		"UPDATE rule_sets SET document = $1 WHERE id = $2", []byte(`{"name":"old","policy_key":"default","from":"another time"}`), id); err != nil {
		t.Fatal(err)
	}
	list := decisioning.List{Limit: 50}
	sets, err := h.service.RuleSets(t.Context(), h.caller, decisioning.RuleSetFilter{}, list)
	if err != nil || len(sets.Data) != 3 {
		t.Errorf("%d versions are listed, %v", len(sets.Data), err)
	}
	if shown, err := h.service.RuleSet(t.Context(), h.caller, id); err != nil || shown.ID != id {
		t.Errorf("shown %v, %v", shown.ID, err)
	}
	if views, err := h.service.Policies(t.Context(), h.caller, decisioning.PolicyFilter{}, list); err != nil || len(views.Data) != 2 {
		t.Errorf("%d policies are rendered, %v", len(views.Data), err)
	}
	_, err = h.service.Activate(t.Context(), h.caller, id, wire.Value{}, nil)
	var refusal *fault.Error
	if !errors.As(err, &refusal) || refusal.Code != store.CodeInvalidTransition {
		t.Errorf("activated: %v", err)
	}
}
