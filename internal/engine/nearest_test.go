package engine_test

import (
	"errors"
	"strings"
	"testing"

	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/field"
)

func itemsOf(t *testing.T, document string) []fault.Item {
	t.Helper()
	_, err := engine.ParsePolicy([]byte(document), engine.Sources{Catalogue: field.Catalogue()})
	var refusal *fault.Error
	if !errors.As(err, &refusal) {
		t.Fatalf("%v for %s", err, document)
	}
	return refusal.Items
}

// TestUnknownMemberProposesTheNearest checks the suggestions for unknown members of a policy document, including
// "patch".
func TestUnknownMemberProposesTheNearest(t *testing.T) {
	t.Parallel()
	for misspelt, meant := range map[string]string{
		"knockots": "knockouts", "ptach": "patch", "Adjustments": "adjustments", "quite_something_else": "",
	} {
		items := itemsOf(t, `{"name":"near","`+misspelt+`":[],`+plainSections+`}`)
		if len(items) != 1 || items[0].Nearest != meant || !strings.Contains(items[0].Detail, meant) {
			t.Errorf("%s: %+v, want the nearest %q", misspelt, items, meant)
		}
	}
}

// TestUnknownSemanticsIsOneFault checks that an unknown semantics is reported
// as the only fault. Members that exist only in semantics 2 are not reported in
// addition.
func TestUnknownSemanticsIsOneFault(t *testing.T) {
	t.Parallel()
	items := itemsOf(t, `{"name":"later","semantics":3,"affordability":{"income":{"of":["bank_income"]}},
		"knockouts":[{"id":"KO","reason_code":"X","condition_ast":{"op":"gt","field":"foir_effective","value":0.5}}],`+
		plainSections+`}`)
	if len(items) != 1 || items[0].Pointer != "/semantics" {
		t.Errorf("%+v", items)
	}
}
