//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package policydesk_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/policydesk"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
)

// TestReadDraft checks that reading a draft returns its faults, or else the findings of
// the analysis, and stores nothing.
func TestReadDraft(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := usecasetest.Open(t, db, usecase.Options{})
		faulty, err := h.Service.Policies.ReadDraft(t.Context(), h.Caller, usecasetest.Draft(t,
			`{"name":"x","knockouts":[{"id":"K","condition_ast":{"op":"lt","field":"foirr","value":1}}]}`))
		if err != nil || len(faulty.Faults) != 1 || faulty.Faults[0].Pointer != "/knockouts/0/condition_ast/field" ||
			faulty.Checksum != "" {
			t.Fatalf("%+v %v", faulty, err)
		}
		body := usecasetest.Draft(t, `{
			"name":"x",
			"knockouts":[
				{"id":"K","reason_code":"BUR_SCORE","condition_ast":{"op":"gte","field":"bureau_score","value":300}}
			]
		}`)
		sound, err := h.Service.Policies.ReadDraft(t.Context(), h.Caller, body)
		if err != nil || len(sound.Faults) != 0 || len(sound.Findings) == 0 {
			t.Fatalf("%+v %v", sound, err)
		}
		page, err := h.Service.Policies.RuleSets(t.Context(), h.Caller, policydesk.RuleSetFilter{},
			operation.List{Limit: 50})
		if err != nil {
			t.Fatal(err)
		}
		before := len(page.Data)
		set, err := h.Service.Policies.CreateRuleSet(t.Context(), h.Caller, body, nil)
		if err != nil || set.Checksum != sound.Checksum {
			t.Errorf("what is stored is not what was read: %s %v", set.Document, err)
		}
		if page, err = h.Service.Policies.RuleSets(t.Context(), h.Caller, policydesk.RuleSetFilter{}, operation.List{
			Limit: 50,
		}); err != nil || len(page.Data) != before+1 {
			t.Errorf("%d versions after one was stored, %d before: %v", len(page.Data), before, err)
		}
		var refusal *fault.Error
		_, err = h.Service.Policies.ReadDraft(t.Context(),
			tenant.Principal{TenantID: h.Caller.TenantID, Environment: tenant.Sandbox, Scopes: tenant.Read}, body)
		if !errors.As(err, &refusal) ||
			refusal.Kind != fault.Forbidden {
			t.Errorf("somebody who may not write: %v", err)
		}
	})
}

// TestFieldsToChooseFrom checks that PolicyFields lists the fields other than features,
// and that FindFeatures finds features by words.
func TestFieldsToChooseFrom(t *testing.T) {
	t.Parallel()
	var names []string
	for _, f := range policydesk.PolicyFields() {
		names = append(names, f.Name)
	}
	if !slices.Contains(names, "bureau_score") || !slices.Contains(names, "applicant.foir") || len(names) > 500 {
		t.Errorf("%d fields: %v", len(names), names)
	}
	found := policydesk.FindFeatures("DPD 90", 5)
	if len(found) != 5 {
		t.Errorf("%d features are found", len(found))
	}
	for _, f := range found {
		if !strings.Contains(f.Name, "dpd") || !strings.Contains(f.Name, "90") {
			t.Errorf("%s has not all of the words", f.Name)
		}
	}
}
