package generate

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"verdict/internal/engine"
	"verdict/internal/engine/enginetest"
	"verdict/internal/field"
	"verdict/internal/policytest"
)

// TestPriceMutations changes the segmented policy once in every way that enginetest.PriceMutations lists, and checks
// that the generated cases notice every change that an application can show.
func TestPriceMutations(t *testing.T) {
	t.Parallel()
	coverage := newCoverage(t, segmentedPolicy(t))
	search := newSearch(coverage)
	search.run()
	set, err := search.set()
	if err != nil {
		t.Fatal(err)
	}
	var cases []policytest.Case
	for _, f := range set.Files {
		read, err := policytest.Read(f.Data)
		if err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		cases = append(cases, read...)
	}
	original := policytest.NewSubject(segmentedPolicy(t))
	var killed, refused, same, missed int
	for _, m := range enginetest.PriceMutations(enginetest.Decode(t, []byte(segmentedJSON))) {
		document := enginetest.Decode(t, []byte(segmentedJSON))
		m.Apply(document)
		text, err := json.Marshal(document)
		if err != nil {
			t.Fatal(err)
		}
		policy, err := engine.ParsePolicy(text, engine.Sources{Catalogue: field.Catalogue()})
		if err != nil {
			refused++
			continue
		}
		mutant := policytest.NewSubject(policy)
		if slices.ContainsFunc(cases, func(c policytest.Case) bool { r := mutant.Run("", &c); return !r.Passed() }) {
			killed++
			continue
		}
		known := slices.ContainsFunc(enginetest.SamePrices, func(e enginetest.Same) bool {
			return strings.HasPrefix(m.Name, e.Name)
		})
		if known && !differs(t, search, original, mutant) {
			same++
			continue
		}
		missed++
		t.Errorf("missed: %s", m.Name)
	}
	t.Logf("%d cases: %d killed, %d missed, %d equivalent, %d refused as invalid", len(cases), killed, missed, same,
		refused)
	if killed < 100 {
		t.Errorf("%d changes are noticed, want at least 100", killed)
	}
}
