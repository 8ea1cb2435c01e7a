package generate

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/policytest"
)

// priceMutations lists single changes of every segment, price, cap and charge of a policy, and of their order.
func priceMutations(document object) []mutation {
	m := &mutator{}
	swap := func(section string, i int) {
		m.add(fmt.Sprintf("/%s/%d and the next exchanged", section, i), func(d object) {
			entries := d[section].(list)
			entries[i], entries[i+1] = entries[i+1], entries[i]
		})
	}
	when := func(section string, i int, entry object) {
		if c, ok := entry["when"].(object); ok {
			m.condition(at(section, i, "when"), c)
			m.add(fmt.Sprintf("/%s/%d/when removed", section, i), func(d object) {
				delete(d[section].(list)[i].(object), "when")
			})
		}
	}
	m.bands(document["pricing_bands"].(list))
	for i, b := range document["pricing_bands"].(list) {
		when("pricing_bands", i, b.(object))
		m.delete(at("pricing_bands"), i)
		if i > 0 {
			swap("pricing_bands", i-1)
		}
	}
	for i, c := range document["limit_caps"].(list) {
		when("limit_caps", i, c.(object))
		m.delete(at("limit_caps"), i)
		m.set(at("limit_caps", i, "reason_code"), "OTHER_CODE")
		of := c.(object)["of"].(object)
		if of["value"] != nil {
			m.shift(at("limit_caps", i, "of", "value"), of["value"], "1000")
			continue
		}
		share := of["args"].(list)[0].(object)["value"]
		for _, step := range []string{"0.01", "0.05"} {
			m.shift(at("limit_caps", i, "of", "args", 0, "value"), share, step)
		}
		m.set(at("limit_caps", i, "of", "op"), "add")
	}
	for i, c := range document["charges"].(list) {
		m.delete(at("charges"), i)
		m.choice(at("charges", i, "to"), "lender", "third_party")
		m.set(at("charges", i, "id"), "other")
		for name, step := range map[string]string{"amount": "0.01", "min": "1", "max": "1", "gst": "1"} {
			if now := c.(object)[name]; now != nil {
				m.shift(at("charges", i, name), now, step)
			}
		}
		if i > 0 {
			swap("charges", i-1)
		}
	}
	return m.all
}

// samePrices gives the reason for which no application can show a change of the segmented policy, by the beginning of
// the change's name.
var samePrices = []struct{ name, why string }{
	{"/pricing_bands/0/max_score = 899", "no sum of points is that high"},
	{"/pricing_bands/0/min_score and the max_score below = 719", "no sum of points is 719"},
	{"/pricing_bands/1/min_score and the max_score below = 719", "no sum of points is 719"},
	{"/pricing_bands/2/min_score and the max_score below = 659", "no sum of points is 659"},
	{"/pricing_bands/3/min_score and the max_score below = 659", "no sum of points is 659"},
	{"/pricing_bands/1 and the next exchanged", "the two bands have different scores"},
	{"/pricing_bands/3 and the next exchanged", "the two bands have different scores"},
}

// TestPriceMutations changes the segmented policy once in every way that priceMutations lists, and checks that the
// generated cases notice every change that an application can show.
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
	for _, m := range priceMutations(decoded(t, []byte(segmentedJSON))) {
		document := decoded(t, []byte(segmentedJSON))
		m.apply(document)
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
		known := slices.ContainsFunc(samePrices, func(e struct{ name, why string }) bool {
			return strings.HasPrefix(m.name, e.name)
		})
		if known && !differs(t, search, original, mutant) {
			same++
			continue
		}
		missed++
		t.Errorf("missed: %s", m.name)
	}
	t.Logf("%d cases: %d killed, %d missed, %d equivalent, %d refused as invalid", len(cases), killed, missed, same,
		refused)
	if killed < 100 {
		t.Errorf("%d changes are noticed, want at least 100", killed)
	}
}
