package engine_test

import (
	"testing"

	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/field"
)

func TestDraftBase(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		id     string
		named  bool
		faults int
	}{
		`{}`:               {},
		`{"base":null}`:    {},
		`{"base":"none"}`:  {id: engine.NoBase, named: true},
		`{"base":"pol_1"}`: {id: "pol_1", named: true},
		`{"base":""}`:      {named: true},
		`{"base":7}`:       {faults: 1},
		`[]`:               {},
	} {
		var faults fault.List
		id, named := engine.NewDraft(parsed(t, []byte(text))).Base(&faults)
		if id != want.id || named != want.named || faults.Len() != want.faults {
			t.Errorf("%s: %q %v with %d faults", text, id, named, faults.Len())
		}
	}
}

// TestDraftMerge checks that the draft inherits the sections that it leaves out, and that a fault
// of the merged document is reported with its pointer in the draft.
func TestDraftMerge(t *testing.T) {
	t.Parallel()
	base := engine.DefaultPolicy()
	draft, err := engine.ParseDraft([]byte(`{"name":"x","patch":{"knockouts":{"set":[
		{"id":"KO_NEW","reason_code":"PAUSED","condition_ast":{"op":"lt","field":"agee","value":30}}]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	merged, err := draft.Merge(base.Document())
	if err != nil || len(merged.Faults) != 0 {
		t.Fatal(merged.Faults, err)
	}
	_, err = engine.ParsePolicy(merged.Document, engine.Sources{Catalogue: field.Catalogue()})
	var pointers []string
	for _, item := range refusalItems(t, err) {
		pointers = append(pointers, merged.Relocate(item).Pointer)
	}
	if len(pointers) != 1 || pointers[0] != "/patch/knockouts/set/0/condition_ast/field" {
		t.Errorf("faults at %v", pointers)
	}
	if _, err := draft.Merge(engine.Document(`{`)); err == nil {
		t.Error("a base that is not JSON is merged")
	}
}
