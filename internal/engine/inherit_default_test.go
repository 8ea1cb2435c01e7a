package engine_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/engine"
	"verdict/internal/engine/analysis"
	"verdict/internal/field"
	"verdict/internal/wire"
)

var defaultRules = []string{"KO_DEVICE_EMULATOR", "KO_FRAUD_MULE_ACCOUNT", "KO_FRAUD_BLOCKLISTED"}

// TestRemovedDefaultsDoNotComeBack checks that a patch cannot remove a rule that "include_defaults" would merge again.
// In the base, the rule may be a merged rule or an ordinary one.
func TestRemovedDefaultsDoNotComeBack(t *testing.T) {
	t.Parallel()
	from := parsed(t, engine.DefaultPolicy().Document())
	for _, id := range defaultRules {
		patched := engine.Patch(parsed(t, []byte(`{"patch":{"knockouts":{"remove":["`+id+`"]}}}`)), from)
		if len(patched.Faults) != 1 || patched.Faults[0].Pointer != "/patch/knockouts/remove/0" ||
			!strings.Contains(patched.Faults[0].Detail, `set "include_defaults" to false`) {
			t.Errorf("%s: %+v", id, patched.Faults)
		}
		p, patched, _ := patchedPolicy(t,
			`{"name":"x","include_defaults":false,"patch":{"knockouts":{"remove":["`+id+`"]}}}`, engine.DefaultPolicy())
		if len(patched.Faults) > 0 || slices.Contains(knockoutIDs(p), id) {
			t.Errorf("%s with include_defaults off: %v, %v", id, patched.Faults, knockoutIDs(p))
		}
	}
	// In semantics 1 the block list rule is an ordinary rule.
	old := readPolicy(t,
		`{"name":"P",`+
			`"knockouts":[{"id":"KO_FRAUD_BLOCKLISTED","reason_code":"PAUSED","condition_ast":{"op":"false"}}],`+
			plainSections+`}`)
	if p, patched, _ := patchedPolicy(t, `{"name":"x","patch":{"knockouts":{"remove":["KO_FRAUD_BLOCKLISTED"]}}}`,
		old); len(patched.Faults) > 0 ||
		slices.Contains(knockoutIDs(p), "KO_FRAUD_BLOCKLISTED") {
		t.Errorf("semantics 1: %v, %v", patched.Faults, knockoutIDs(p))
	}
}

// TestIncludeDefaultsFalseRemovesWrittenDefaults checks that
// "include_defaults": false also removes default rules that are ordinary rules
// in the base.
func TestIncludeDefaultsFalseRemovesWrittenDefaults(t *testing.T) {
	t.Parallel()
	base := engine.DefaultPolicy()
	want := slices.DeleteFunc(knockoutIDs(base), func(id string) bool { return slices.Contains(defaultRules, id) })
	off, _ := forked(t, `{"name":"Off","include_defaults":false}`, base)
	if diff := cmp.Diff(want, knockoutIDs(off)); diff != "" {
		t.Errorf("fork (-want +got):\n%s", diff)
	}
	patchedOff, _, _ := patchedPolicy(t,
		`{"name":"Off","include_defaults":false,"patch":{"knockouts":{"remove":["KO_EMPLOYMENT"]}}}`, base)
	want = slices.DeleteFunc(want, func(id string) bool { return id == "KO_EMPLOYMENT" })
	if diff := cmp.Diff(want, knockoutIDs(patchedOff)); diff != "" {
		t.Errorf("patch (-want +got):\n%s", diff)
	}
	found := analysis.Against(nil, patchedOff, nil, base)
	if len(found) != 1 || strings.Contains(found[0].Detail, "a section that is given replaces all") {
		t.Errorf("found %+v", found)
	}
	// Rules that the request itself sets stay, and so do the rules of a base
	// without defaults.
	const emulator = `{"id":"KO_DEVICE_EMULATOR","reason_code":"FR_EMULATOR",` +
		`"condition_ast":{"op":"eq","field":"device_is_emulator","value":true}}`
	set, _, _ := patchedPolicy(t,
		`{"name":"Set","include_defaults":false,"patch":{"knockouts":{"set":[`+emulator+`]}}}`, base)
	still, _ := forked(t, `{"name":"Still","include_defaults":false}`, set)
	for _, p := range []*engine.Policy{set, still} {
		if !slices.Contains(knockoutIDs(p), "KO_DEVICE_EMULATOR") || slices.Contains(knockoutIDs(p),
			"KO_FRAUD_MULE_ACCOUNT") {
			t.Errorf("%s: %v", p.Name, knockoutIDs(p))
		}
	}
	// Reading a stored document removes no ordinary rules.
	stored := strings.Replace(string(base.Document()), `"include_defaults":true`, `"include_defaults":false`, 1)
	p, err := engine.ParsePolicy([]byte(stored), engine.Sources{Catalogue: field.Catalogue()})
	if err != nil || !slices.Contains(knockoutIDs(p), "KO_DEVICE_EMULATOR") {
		t.Errorf("stored: %v", err)
	}
}

// TestDroppedSourcesAreTold checks a new affordability section that leaves out a source of the base. Package analysis
// must report this as a finding, and the change must list the old and the new sources.
func TestDroppedSourcesAreTold(t *testing.T) {
	t.Parallel()
	base := engine.DefaultPolicy()
	const from = `{"section":"affordability","change":"changed",` +
		`"from":{"income":{"of":["monthly_income"],"take":"first"},` +
		`"obligations":{"of":["declared","bureau"],"take":"highest"}},"to":`
	for section, to := range map[string]string{
		`{}`: `{"income":{"of":["monthly_income"],"take":"first"},"obligations":{"of":["declared"],"take":"highest"}}`,
		`{"income":{"of":["monthly_income","bank_income"],"take":"lowest"}}`: `{"income":{"of":["monthly_income",` +
			`"bank_income"],"take":"lowest"},` +
			`"obligations":{"of":["declared"],"take":"highest"}}`,
	} {
		p, _ := forked(t, `{"name":"x","affordability":`+section+`}`, base)
		found := analysis.Against(nil, p, nil, base)
		if len(found) != 1 || found[0].Key != "sources_removed@/affordability" ||
			found[0].Severity != analysis.SeverityWarning ||
			!slices.Equal(found[0].IDs, []string{"bureau"}) {
			t.Errorf("%s: found %+v", section, found)
		}
		var w wire.Writer
		for _, c := range engine.Changes(p, base) {
			c.Write(&w)
		}
		if diff := cmp.Diff(from+to+`}`, string(w.Buf)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", section, diff)
		}
	}
	more, _ := forked(t, `{"name":"x","affordability":{"obligations":{"of":["declared","bureau","bank"]}}}`, base)
	if found := analysis.Against(nil, more, nil, base); len(found) > 0 {
		t.Errorf("more sources: %+v", found)
	}
}
