package engine_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
)

const (
	minors = `{"id":"G_MINORS","never":{"field":"status","op":"ne","value":"DECLINED"},` +
		`"text":"Nobody under 21 gets an offer","when":{"field":"age","op":"lt","value":21}}`
	upwards = `{"id":"G_UP","monotone":{"field":"bureau_score","of":["status","offer_limit"],"towards":"up"},` +
		`"text":"A higher score is never worse"}`
)

// withGuarantees returns the default policy with guarantees.
func withGuarantees(t *testing.T, guarantees string) *engine.Policy {
	t.Helper()
	document := bytes.Replace(engine.DefaultPolicyJSON(), []byte("{"), []byte(`{"guarantees":`+guarantees+`,`), 1)
	p, err := engine.ParsePolicy(document, engine.Sources{Catalogue: field.Catalogue()})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestGuaranteesAreOutsideTheChecksum checks that guarantees are written as they were read and are inherited, and that
// they change neither the checksum nor the document that the checksum covers.
func TestGuaranteesAreOutsideTheChecksum(t *testing.T) {
	t.Parallel()
	plain := engine.DefaultPolicy()
	p := withGuarantees(t, "["+minors+","+upwards+"]")
	if p.Checksum() != plain.Checksum() || !bytes.Equal(p.Unnamed(), plain.Unnamed()) {
		t.Error("guarantees change the checksum")
	}
	if bytes.Contains(plain.Document(), []byte("guarantees")) {
		t.Error("the document of a policy without guarantees names them")
	}
	if got, want := string(p.GuaranteesDocument()), "["+minors+","+upwards+"]"; got != want {
		t.Errorf("written as\n%s\nwant\n%s", got, want)
	}
	again, err := engine.ParsePolicy(p.Document(), engine.Sources{Catalogue: field.Catalogue()})
	if err != nil || !bytes.Equal(again.Document(), p.Document()) {
		t.Errorf("the document changes when it is read: %v", err)
	}
	draft, err := engine.ParseDraft([]byte(`{"name":"next","patch":{"guarantees":{"remove":["G_UP"]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	merged, err := draft.Merge(p.Document())
	if err != nil || len(merged.Faults) > 0 {
		t.Fatal(err, merged.Faults)
	}
	next, err := engine.ParsePolicy(merged.Document, engine.Sources{Catalogue: field.Catalogue()})
	if err != nil || string(next.GuaranteesDocument()) != "["+minors+"]" {
		t.Errorf("%v, patched to %s", err, next.GuaranteesDocument())
	}
	changes := engine.Changes(next, p)
	if len(changes) != 1 || changes[0].Section != "guarantees" || changes[0].Kind != engine.Removed {
		t.Errorf("changes are %+v", changes)
	}
	if _, inherited := engine.Inherit(parsed(t, []byte(`{"name":"fork"}`)), parsed(t, p.Document())); !slices.Contains(
		inherited, "guarantees") {
		t.Errorf("inherited are %v", inherited)
	}
}

// TestKeeps checks for several changes of a guarantee whether the changed guarantee still excludes everything that
// the old one excluded.
func TestKeeps(t *testing.T) {
	t.Parallel()
	guarantee := func(text string) *engine.Guarantee { return &withGuarantees(t, "["+text+"]").Guarantees[0] }
	for _, c := range []struct {
		name, old, changed string
		kept               bool
	}{
		{"the same", minors, minors, true},
		{"another text", minors, strings.Replace(minors, "Nobody", "No one", 1), true},
		{"everybody", minors, strings.Replace(minors, `,"when":{"field":"age","op":"lt","value":21}`, "", 1), true},
		{"another age", minors, strings.Replace(minors, "21}", "18}", 1), false},
		{"another outcome", minors, strings.Replace(minors, `"ne"`, `"eq"`, 1), false},
		{"more figures", upwards, strings.Replace(upwards, `"status",`, `"status","grade",`, 1), true},
		{"fewer figures", upwards, strings.Replace(upwards, `"status",`, ``, 1), false},
		{"the other direction", upwards, strings.Replace(upwards, `"up"`, `"down"`, 1), false},
		{"another kind", upwards, strings.Replace(minors, "G_MINORS", "G_UP", 1), false},
	} {
		if got := guarantee(c.changed).Keeps(guarantee(c.old)); got != c.kept {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// TestWatch evaluates guarantees on decisions of the default policy. A declined application has only a status, and a
// condition on an absent field is unknown.
func TestWatch(t *testing.T) {
	t.Parallel()
	applicant := func(text string) *rule.Facts {
		facts, err := rule.ReadFacts(parsed(t, []byte(text)), field.Catalogue())
		if err != nil {
			t.Fatal(err)
		}
		return facts
	}
	good := applicant(`{"bureau_score":760,"bureau_is_ntc":false,"age":30,"monthly_income":60000,"foir":0.2}`)
	young := applicant(`{"bureau_score":760,"bureau_is_ntc":false,"age":20,"monthly_income":60000,"foir":0.2}`)
	for never, want := range map[string][2]bool{
		`{"op":"eq","field":"status","value":"APPROVED"}`:                         {true, false},
		`{"op":"eq","field":"status","value":"DECLINED"}`:                         {false, true},
		`{"op":"not","arg":{"op":"eq","field":"status","value":"DECLINED"}}`:      {true, false},
		`{"op":"gt","field":"interest_rate","value":0}`:                           {true, false},
		`{"op":"gt","field":"apr","value":0}`:                                     {true, false},
		`{"op":"gte","field":"final_score","value":0}`:                            {true, false},
		`{"op":"absent","field":"grade"}`:                                         {false, true},
		`{"op":"not","arg":{"op":"gt","field":"offer_limit","value":1000000000}}`: {true, false},
		`{"op":"lte","field":"post_offer_foir","value":0.6}`:                      {true, false},
		`{"op":"gt","field":"foir_effective","value":0.1}`:                        {true, true},
		`{"op":"gt","field":"enquiries_6m","value":1}`:                            {false, false},
		`{"op":"not","arg":{"op":"gt","field":"enquiries_6m","value":1}}`:         {false, false},
	} {
		text, err := json.Marshal(map[string]any{"id": "G", "text": "t", "never": json.RawMessage(never)})
		if err != nil {
			t.Fatal(err)
		}
		p := withGuarantees(t, "["+string(text)+"]")
		watch := engine.NewWatch(p, field.Catalogue(), &p.Guarantees[0])
		var d engine.Decision
		for i, facts := range []*rule.Facts{good, young} {
			if got := watch.Violates(facts, &d); got != want[i] {
				t.Errorf("%s: %v for a decision %s", never, got, d.Status)
			}
		}
	}
}
