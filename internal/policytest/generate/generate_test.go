package generate

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"verdict/internal/engine"
	"verdict/internal/engine/enginetest"
	"verdict/internal/field"
	"verdict/internal/policytest"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// once runs the search on the default policy, which several tests read.
var once = sync.OnceValues(func() (*search, error) {
	coverage, err := NewCoverage(engine.DefaultPolicy())
	if err != nil {
		return nil, err
	}
	s := newSearch(coverage)
	s.run()
	return s, nil
})

func newCoverage(t *testing.T, p *engine.Policy) *Coverage {
	t.Helper()
	c, err := NewCoverage(p)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func generated(t *testing.T) (*search, *Set) {
	t.Helper()
	s, err := once()
	if err != nil {
		t.Fatal(err)
	}
	set, err := s.set()
	if err != nil {
		t.Fatal(err)
	}
	return s, set
}

// uncoverable lists goals of the default policy, by a part of their text, that no
// application can reach: predicates that another field implies, scores that no points
// add up to, and fees that are never the minimum.
var uncoverable = []string{
	"rule RF_NTC_INCOME_UNKNOWN: is not evaluated",
	"rule RF_NTC_RISK_INDEX: bureau_is_ntc = true decides, and does not",
	"band PB_A_PLUS: score 900", "band PB_F: score 300", "required field bureau_score|bureau_is_ntc: is absent",
	"band PB_C: the fee is the minimum", "band PB_D: the fee is the minimum", "band PB_E: the fee is the minimum",
	"band PB_NTC: the fee is the minimum",
}

// TestGenerateDefault checks that the cases of the default policy pass, and that
// every goal that they do not reach is in uncoverable.
func TestGenerateDefault(t *testing.T) {
	t.Parallel()
	_, set := generated(t)
	subject := policytest.NewSubject(engine.DefaultPolicy())
	var cases []policytest.Case
	for _, f := range set.Files {
		read, err := policytest.Read(f.Data)
		if err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		for i := range read {
			if r := subject.Run(f.Name, &read[i]); !r.Passed() {
				t.Errorf("%s: %v %v", f.Name, r.Refused, r.Differences)
			}
		}
		cases = append(cases, read...)
	}
	t.Logf("%d cases, %d of %d goals, %d applications", len(cases), set.Goals-len(set.Unreached), set.Goals, set.Tries)
	total, missed := newCoverage(t, engine.DefaultPolicy()).Count(cases)
	if total != set.Goals || len(missed) != len(set.Unreached) {
		t.Errorf("counted again: %d of %d missed, want %d of %d", len(missed), total, len(set.Unreached), set.Goals)
	}
	for _, g := range set.Unreached {
		if !slices.ContainsFunc(uncoverable, func(text string) bool { return strings.Contains(g.Text, text) }) {
			t.Errorf("not covered: %s: %s", g.Text, g.Why)
		}
	}
}

// smallPolicy returns a policy with a rule on the offer, one on a declared input, one
// that never hits and one that reads a list.
func smallPolicy(t *testing.T) *engine.Policy {
	t.Helper()
	policy, err := engine.ParsePolicy([]byte(`{
		"policy_key": "small", "name": "small", "semantics": 2,
		"inputs": [{"name": "applicant.channel", "type": "string"}],
		"knockouts": [
			{"id": "KO_CHANNEL", "action": "decline", "reason_code": "CHANNEL",
				"condition_ast": {"op": "eq", "field": "applicant.channel", "value": "agent"}},
			{"id": "KO_EMI", "stage": 2, "action": "refer", "reason_code": "EMI",
				"condition_ast": {"op": "gt", "field": "offer_emi", "value": 5000}},
			{"id": "KO_NEVER", "action": "decline", "reason_code": "NEVER", "condition_ast": {"op": "and", "args": [
				{"op": "lt", "field": "age", "value": 20}, {"op": "gt", "field": "age", "value": 30}]}},
			{"id": "KO_LISTED", "action": "decline", "reason_code": "LISTED",
				"condition_ast": {"op": "in_list", "field": "applicant.channel", "list": "channels"}}],
		"scorecard": {"base_points": 600, "min_score": 300, "max_score": 900, "factors": [
			{"factor": "score", "field": "bureau_score", "bins": [{"lt": 700, "points": 0},
			{"gte": 700, "points": 50}]}]},
		"pricing_bands": [{"id": "ALL", "grade": "A", "min_score": 300, "max_score": 900, "action": "approve",
			"interest_rate": 12, "tenure_months": 12, "min_limit": 10000, "max_limit": 100000, "default_limit": 20000,
			"foir_cap": 0.5, "processing_fee_pct": 1, "processing_fee_min": 100, "gst_pct": 18}]
	}`), engine.Sources{Catalogue: field.Catalogue()})
	if err != nil {
		t.Fatal(err)
	}
	return policy
}

// TestGenerateTwice checks that the same policy gives the same bytes.
func TestGenerateTwice(t *testing.T) {
	t.Parallel()
	var sets [2]*Set
	for i := range sets {
		set, err := Generate(smallPolicy(t))
		if err != nil {
			t.Fatal(err)
		}
		sets[i] = set
	}
	first, second := sets[0], sets[1]
	if len(first.Files) != len(second.Files) {
		t.Fatalf("%d and %d files", len(first.Files), len(second.Files))
	}
	for i, f := range first.Files {
		if f.Name != second.Files[i].Name || !bytes.Equal(f.Data, second.Files[i].Data) {
			t.Fatalf("%s and %s differ", f.Name, second.Files[i].Name)
		}
	}
}

// TestMeasureAgrees checks that the conditions have the truth that the engine found.
func TestMeasureAgrees(t *testing.T) {
	t.Parallel()
	s, _ := generated(t)
	c := newCoverage(t, engine.DefaultPolicy())
	for i := 0; i < len(s.pool); i += 1 + len(s.pool)/2_000 {
		body, err := wire.Parse(s.pool[i].body())
		if err != nil {
			t.Fatal(err)
		}
		if _, _, ok := c.measure(body, time.Time{}, s.pool[i].stated()...); !ok {
			t.Fatalf("refused: %s", s.pool[i].body())
		}
		hit := map[int]bool{}
		for _, h := range c.decision.Hits() {
			hit[int(h.Knockout)] = true
		}
		for _, x := range c.conditions {
			if x.owner == ofKnockout && hit[x.index] != (x.truth(noLeaf, rule.Unknown) == rule.Holds) {
				t.Fatalf("%s: the engine and the coverage disagree on %s", x.name, s.pool[i].body())
			}
		}
	}
}

// TestStage2 checks that rules on the offer and on declared inputs are covered.
func TestStage2(t *testing.T) {
	t.Parallel()
	set, err := Generate(smallPolicy(t))
	if err != nil {
		t.Fatal(err)
	}
	why := map[string]string{}
	for _, g := range set.Unreached {
		why[g.Text] = g.Why
	}
	for _, text := range []string{
		"rule KO_EMI: holds", "rule KO_EMI: does not hold", "rule KO_EMI: alone gives the status",
		`rule KO_CHANNEL: alone gives the status`, "rule KO_NEVER: does not hold", "factor score: bin 2 at 700",
	} {
		if w, ok := why[text]; ok {
			t.Errorf("%s is not covered: %s", text, w)
		}
	}
	for text, want := range map[string]string{
		"rule KO_NEVER: holds": "no application satisfies", "rule KO_LISTED: holds": "lists are not known here",
	} {
		if !strings.Contains(why[text], want) {
			t.Errorf("%s: %q, want %q", text, why[text], want)
		}
	}
}

// TestHostile checks that policies that would take too long are refused.
func TestHostile(t *testing.T) {
	t.Parallel()
	for name := range enginetest.HostileDocuments() {
		policy := enginetest.HostilePolicy(t, name)
		if policy.Cost() <= maxCost {
			continue
		}
		if _, err := Generate(policy); err == nil || !strings.Contains(err.Error(), "too large") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
