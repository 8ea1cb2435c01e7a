package engine_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/wire"
)

// patchedPolicy returns the policy that results from a request with a patch and
// its base.
func patchedPolicy(tb testing.TB, request string, base *engine.Policy) (*engine.Policy, engine.Patched, []string) {
	tb.Helper()
	from := parsed(tb, base.Document())
	patched := engine.Patch(parsed(tb, []byte(request)), from)
	merged, inherited := engine.Inherit(parsed(tb, patched.Request), from)
	p, err := engine.ParsePolicy(merged, engine.Sources{Catalogue: field.Catalogue()})
	if err != nil {
		tb.Fatal(err)
	}
	return p, patched, inherited
}

func knockoutIDs(p *engine.Policy) (list []string) {
	for _, k := range p.Knockouts {
		list = append(list, k.ID)
	}
	return list
}

// TestPatchTouchesOneEntry checks that a patch changes only the entries that it
// names.
func TestPatchTouchesOneEntry(t *testing.T) {
	t.Parallel()
	base := engine.DefaultPolicy()
	before := knockoutIDs(base)
	p, patched, inherited := patchedPolicy(t, `{"name":"x","patch":{
		"knockouts":{"set":[
			{"id":"KO_AGE_RANGE","reason_code":"AGE_RANGE","condition_ast":{"op":"lt","field":"age","value":30}},
			{"id":"KO_NEW","reason_code":"PAUSED","condition_ast":{"op":"false"}}],"remove":["KO_EMPLOYMENT"]},
		"factors":{"remove":["foir"]},
		"pricing_bands":{"set":[]}}}`, base)
	if len(patched.Faults) > 0 {
		t.Fatal(patched.Faults)
	}
	want := slices.DeleteFunc(slices.Clone(before), func(id string) bool { return id == "KO_EMPLOYMENT" })
	system := slices.IndexFunc(base.Knockouts, func(k engine.Knockout) bool { return k.System })
	if system < 0 {
		system = len(before)
	}
	want = slices.Insert(want, system-1, "KO_NEW") // before the system rules
	if diff := cmp.Diff(want, knockoutIDs(p)); diff != "" {
		t.Errorf("knockouts (-want +got):\n%s", diff)
	}
	if slices.Contains(inherited, "knockouts") || slices.Contains(inherited, "scorecard") || !slices.Contains(inherited,
		"adjustments") {
		t.Errorf("inherited %v", inherited)
	}
	var changes []string
	for _, c := range engine.Changes(p, base) {
		changes = append(changes, c.Section+" "+string(c.Kind)+" "+c.ID)
	}
	wantChanges := []string{"factors removed foir", "knockouts changed KO_AGE_RANGE",
		"knockouts added KO_NEW", "knockouts removed KO_EMPLOYMENT"}
	if diff := cmp.Diff(wantChanges, changes); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}

// TestPatchFaults checks that changes that cannot be applied are reported with
// their pointer in the patch.
func TestPatchFaults(t *testing.T) {
	t.Parallel()
	base := parsed(t,
		readPolicy(t, `{"name":"P","knockouts":[{"id":"KO_A","reason_code":"PAUSED","condition_ast":{"op":"false"}}],`+
			plainSections+`}`).Document())
	for _, c := range []struct {
		name, request string
		base          wire.Value
		want          []string
	}{
		{"left out", `{"patch":null}`, wire.Value{}, nil},
		{"no object", `{"patch":7}`, base, []string{"/patch wrong_type"}},
		{"no base", `{"patch":{"knockouts":{"remove":["KO_A"]}}}`, wire.Value{}, []string{"/patch invalid_field"}},
		{"unknown section", `{"patch":{"knockout":{}}}`, base, []string{"/patch/knockout unknown_field"}},
		{"section given too", `{"knockouts":[],"patch":{"knockouts":{"remove":["KO_A"]}}}`,
			base, []string{"/patch/knockouts invalid_field"}},
		{"card given too", `{"scorecard_id":"sc_1","patch":{"factors":{"remove":["f"]}}}`,
			base, []string{"/patch/factors invalid_field"}},
		{"nothing in it", `{"patch":{"knockouts":{}}}`, base, []string{"/patch/knockouts required"}},
		{"no list", `{"patch":{"knockouts":{"remove":"KO_A"}}}`, base, []string{"/patch/knockouts/remove wrong_type"}},
		{"misspelt", `{"patch":{"knockouts":{"sett":[],"remove":[]}}}`,
			base, []string{"/patch/knockouts/sett unknown_field"}},
		{"unknown id", `{"patch":{"knockouts":{"remove":["KO_ZEBRA"]}}}`,
			base, []string{"/patch/knockouts/remove/0 invalid_field"}},
		{"removed twice", `{"patch":{"knockouts":{"remove":["KO_A","KO_A",1]}}}`,
			base, []string{"/patch/knockouts/remove/1 duplicate", "/patch/knockouts/remove/2 wrong_type"}},
		{"system rule", `{"patch":{"knockouts":{"remove":["KO_DEVICE_EMULATOR"]}}}`,
			base, []string{"/patch/knockouts/remove/0 invalid_field"}},
		{"set without id", `{"patch":{"knockouts":{"set":[{"stage":1},7]}}}`,
			base, []string{"/patch/knockouts/set/0/id required", "/patch/knockouts/set/1 wrong_type"}},
		{"set twice", `{"patch":{"knockouts":{"set":[{"id":"X"},{"id":"X"}]}}}`,
			base, []string{"/patch/knockouts/set/1/id duplicate"}},
		{"set and removed", `{"patch":{"knockouts":{"set":[{"id":"KO_A"}],"remove":["KO_A"]}}}`,
			base, []string{"/patch/knockouts/set/0/id invalid_field"}},
		{"all at once",
			`{"patch":{"knockouts":{"remove":["KO_ZEBRA"]},"conditions":{"set":[{}]},"factors":{"remove":[2]}}}`,
			base, []string{"/patch/knockouts/remove/0 invalid_field",
				"/patch/factors/remove/0 wrong_type", "/patch/conditions/set/0/code required"}},
	} {
		var got []string
		for _, item := range engine.Patch(parsed(t, []byte(c.request)), c.base).Faults {
			got = append(got, item.Pointer+" "+item.Code)
			if strings.Contains(item.Detail, "ZEBRA") {
				t.Errorf("%s: the detail repeats what was sent: %s", c.name, item.Detail)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// TestPatchFaultsStandWhereTheyWereSent checks that a fault inside an entry is
// reported with its pointer into the request, not into the patched document.
func TestPatchFaultsStandWhereTheyWereSent(t *testing.T) {
	t.Parallel()
	from := parsed(t, engine.DefaultPolicy().Document())
	patched := engine.Patch(parsed(t, []byte(`{"name":"x","patch":{"knockouts":{"set":[
		{"id":"KO_NEW","reason_code":"PAUSED","condition_ast":{"op":"lt","field":"agee","value":1}},
		{"id":"KO_AGE_RANGE","stage":7,"condition_ast":{"op":"lt","field":"age","value":1}}]},
		"factors":{"set":[{"factor":"foir","field":"foir","bins":[]}]}}}`)), from)
	merged, _ := engine.Inherit(parsed(t, patched.Request), from)
	_, err := engine.ParsePolicy(merged, engine.Sources{Catalogue: field.Catalogue()})
	var refusal *fault.Error
	if !errors.As(fault.MapItems(err, patched.Relocate), &refusal) {
		t.Fatalf("got %v", err)
	}
	var got []string
	for _, item := range refusal.Items {
		got = append(got, item.Pointer)
	}
	want := []string{
		"/patch/knockouts/set/1/stage", "/patch/knockouts/set/0/condition_ast/field", "/patch/factors/set/0/bins",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestChangesNameEveryMember checks that a changed member that is not a list of
// entries, such as "semantics", is listed with its old and new value. A changed
// order of entries is listed as a change of its own.
func TestChangesNameEveryMember(t *testing.T) {
	t.Parallel()
	base := readPolicy(t, `{"name":"P","knockouts":[
		{"id":"A","reason_code":"PAUSED","condition_ast":{"op":"false"}},
		{"id":"B","reason_code":"PAUSED","condition_ast":{"op":"false"}}],`+
		plainSections+`}`)
	p, _ := forked(t, `{"name":"Q","semantics":2,"limit_step":500,"include_defaults":false,"knockouts":[
		{"id":"B","reason_code":"PAUSED","condition_ast":{"op":"false"}},
		{"id":"A","reason_code":"PAUSED","condition_ast":{"op":"false"}}]}`,
		base)
	var w wire.Writer
	w.Array()
	for _, c := range engine.Changes(p, base) {
		c.Write(&w)
	}
	w.EndArray()
	const want = `[{"section":"include_defaults","change":"changed","from":true,"to":false},` +
		`{"section":"knockouts","change":"removed","id":"KO_DEVICE_EMULATOR"},` +
		`{"section":"knockouts","change":"removed","id":"KO_FRAUD_MULE_ACCOUNT"},` +
		`{"section":"knockouts","change":"reordered"},{"section":"limit_step","change":"changed","from":1000,` +
		`"to":500},` +
		`{"section":"semantics","change":"changed","from":1,"to":2}]`
	if diff := cmp.Diff(want, string(w.Buf)); diff != "" {
		t.Error(diff)
	}
	if again := engine.Changes(base, base); len(again) > 0 {
		t.Errorf("a policy differs from itself: %v", again)
	}
}
