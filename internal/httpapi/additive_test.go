package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"verdict/internal/document"
	"verdict/internal/engine"
	"verdict/internal/rule"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// TestBlocksAreAdditive draws a policy, a request and a set of blocks, and
// checks that blocks can only add to a decision. A block whose fields the
// policy does not name changes nothing, and neither does a change of the lists,
// tables, loans and decisions of the tenant if the policy names none of them. A
// missing block disables every rule and every factor that needs the block, and
// nothing else.
func TestBlocksAreAdditive(t *testing.T) {
	t.Parallel()
	fast := tenant.Rate{Allowance: 1 << 20, Window: time.Second, Burst: 1 << 20}
	plans := tenant.DefaultPricePlans().WithRates(tenant.Rates{Decide: fast, Write: fast})
	each(t, stackOptions{plans: plans}, func(s *stack) {
		s.begin(november)
		trial := newTrial(s)
		rapid.Check(s.T, trial.additive)
		trial.stateCounts()
	})
}

// trial previews most requests by calling the service directly, and some over
// HTTP.
type trial struct {
	*member
	caller tenant.Principal
	asked  int
	states int // how often the lists, tables and loans were changed
}

func newTrial(s *stack) *trial {
	s.Helper()
	m := s.signup()
	key, ok := tenant.ParseKey(m.key)
	if !ok {
		s.Fatal("the key cannot be read")
	}
	caller, err := s.service.Access.Authenticate(s.Context(), key)
	if err != nil {
		s.Fatal(err)
	}
	tr := &trial{member: m, caller: caller}
	tr.changeState()
	return tr
}

// changeState stores another version of the list and of the table, another loan of the applicant, and another decision
// about the applicant.
func (tr *trial) changeState() {
	tr.Helper()
	tr.states++
	entries, limit := `{"value":"400001"},{"value":"AG-7"}`, 1_000_000
	if tr.states%2 == 0 {
		entries, limit = `{"value":"nobody"}`, 0
	}
	tr.put("/v1/lists/"+drawnList, `{"type":"text","entries":[`+entries+`]}`).want(http.StatusOK)
	tr.put("/v1/tables/"+drawnTable, fmt.Sprintf(`{"keys":[{"field":"fraud.pincode"}],
		"columns":[{"name":"cap","type":"number"},{"name":"served","type":"boolean"}],
		"rows":[{"keys":["400001"],"values":[%d,%v]}]}`, limit, limit > 0)).want(http.StatusOK)
	tr.post("/v1/exposures", fmt.Sprintf(`{"applicant_ref":%q,"product":"loan","outstanding":%d,"emi":100}`,
		drawnRef, 1000*tr.states)).want(http.StatusOK)
	tr.post("/v1/decisions", asksFor(drawnRef, 100_000+tr.states)).want(http.StatusOK)
}

// stateCounts checks that changeState changes decisions of policies that name a list, a table or own exposure.
// Otherwise the property about other policies would say nothing.
func (tr *trial) stateCounts() {
	tr.Helper()
	for _, c := range [][2]string{
		{"own exposure", fmt.Sprintf(`{"op":"gt","field":"own_outstanding","value":%d}`, 1000*tr.states)},
		{"a list", `{"op":"in_list","field":"fraud.pincode","list":"` + drawnList + `"}`},
		{"a table", `{"op":"eq","field":"` + rule.TableFact(drawnTable, "served") + `","value":true}`},
	} {
		name, condition := c[0], c[1]
		id := tr.post("/v1/rule-sets", `{"name":"state","include_defaults":false,"knockouts":[{"id":"KO_STATE",
			"stage":1,"reason_code":"BUR_ENQ","condition_ast":`+condition+`}],
			"scorecard":{"base_points":690,"min_score":300,"max_score":900,"factors":[]}}`).
			want(http.StatusCreated).text("id")
		body := evaluationOf("cibil", `"scoreData":{"score":781}`, fraud, block{"rule_set_id", `"` + id + `"`})
		before := tr.post("/v1/decisions/preview", body).want(http.StatusOK)
		tr.changeState()
		after := tr.post("/v1/decisions/preview", body).want(http.StatusOK)
		if before.text("decision_hash") == after.text("decision_hash") {
			tr.Errorf("a policy that names %s decides as before the change: %s", name, after.body)
		}
	}
}

func (tr *trial) additive(t *rapid.T) {
	parts := drawParts(t)
	named := namedBlocks(parts)
	report, all := drawRequest(t)
	given := slices.DeleteFunc(slices.Clone(all), func(block) bool { return !rapid.Bool().Draw(t, "is sent") })
	policy := tr.save(t, parts)
	got := tr.ask(t, policy, report, given)

	onlyNamed := slices.DeleteFunc(slices.Clone(given), func(b block) bool { return !named[b.name] })
	tr.same(t, got, tr.ask(t, policy, report, onlyNamed), "blocks that the policy does not name were taken away")
	more := slices.Clone(given)
	for _, b := range all {
		if !named[b.name] && !slices.Contains(more, b) {
			more = append(more, b)
		}
	}
	tr.same(t, got, tr.ask(t, policy, report, more), "blocks that the policy does not name were added")
	if !slices.ContainsFunc(parts, func(p part) bool { return p.state }) {
		tr.changeState()
		tr.same(t, got, tr.ask(t, policy, report, given), "lists, tables, loans and decisions have changed")
	}

	sent := blockNames(given)
	for _, p := range parts {
		if p.needs != nil && !contains(sent, p.needs) && got.mentions(p.id) {
			t.Fatalf("%s needs %v and counted, with the blocks %v only:\n%s", p.id, p.needs, sent, got.raw)
		}
	}
	// Parts that need a missing block must not change the decision.
	rest := slices.DeleteFunc(slices.Clone(parts), func(p part) bool {
		return p.needs != nil && !contains(sent, p.needs)
	})
	if len(rest) < len(parts) {
		without := tr.ask(t, tr.save(t, rest), report, given)
		if diff := cmp.Diff(without.decided(), got.decided()); diff != "" {
			t.Fatalf("rules that could not be evaluated changed the decision (-without them +with):\n%s", diff)
		}
	}
	silent := slices.Clone(given)
	for _, b := range all {
		if !slices.Contains(given, b) {
			silent = append(silent,
				block{b.name, rapid.SampledFrom([]string{"null", empty(b)}).Draw(t, "said nothing in")})
		}
	}
	tr.same(t, got, tr.ask(t, policy, report, silent), "blocks that say nothing were sent")
}

// empty returns the value of a block that is present but empty.
func empty(b block) string {
	switch b.name {
	case askFeatures.name:
		return "false"
	case "applicant_ref", "applicants":
		return "null"
	}
	return "{}"
}

func contains(sent, needs []string) bool {
	return !slices.ContainsFunc(needs, func(name string) bool { return !slices.Contains(sent, name) })
}

func blockNames(blocks []block) (names []string) {
	for _, b := range blocks {
		names = append(names, b.name)
	}
	return names
}

// previewed holds the members of a preview that this test compares.
type previewed struct {
	Status, Grade      string
	Offer, Explanation any
	Reasons            any
	Hash               string `json:"decision_hash"`
	raw                string
}

func (p previewed) decided() []any {
	offer, _ := p.Offer.(map[string]any)
	delete(offer, "valid_until")
	return []any{p.Status, p.Grade, offer, p.Explanation, p.Reasons}
}

// mentions reports whether the explanation or the reasons name a rule or a
// factor.
func (p previewed) mentions(id string) bool { return strings.Contains(p.raw, `"`+id+`"`) }

func (tr *trial) same(t *rapid.T, a, b previewed, what string) {
	if a.Hash != b.Hash {
		t.Fatalf("%s, and the decision is another:\n%s\n%s", what, a.raw, b.raw)
	}
}

// save stores a policy with these parts as a draft and returns its id.
func (tr *trial) save(t *rapid.T, parts []part) string {
	draft, err := engine.ParseDraft([]byte(policyOf(parts)))
	if err != nil {
		t.Fatalf("%v in %s", err, policyOf(parts))
	}
	set, err := tr.service.Policies.CreateRuleSet(tr.Context(), tr.caller, draft, nil)
	if err != nil {
		t.Fatalf("%v in %s", err, policyOf(parts))
	}
	return set.ID
}

// Every throughHTTP-th request is sent over HTTP.
const throughHTTP = 8

// ask previews a request under the draft with the id policy.
func (tr *trial) ask(t *rapid.T, policy, report string, blocks []block) (p previewed) {
	body := applicationOf(report, append(slices.Clone(blocks), block{"rule_set_id", `"` + policy + `"`}))
	var raw []byte
	if tr.asked++; tr.asked%throughHTTP == 0 {
		raw = tr.post("/v1/decisions/preview", body).want(http.StatusOK).body
	} else {
		raw = tr.askDirectly(t, body)
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		t.Fatal(err)
	}
	// Search only the explanation and the reasons: other members may name a
	// rule's fields.
	p.raw = fmt.Sprint(mustJSON(t, p.Explanation), mustJSON(t, p.Reasons))
	return p
}

func (tr *trial) askDirectly(t *rapid.T, body string) []byte {
	v, err := wire.Parse([]byte(body))
	if err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	ask, err := document.ReadWhatIf(v)
	if err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	previewed, err := tr.service.Decisions.Preview(tr.Context(), tr.caller, ask)
	if err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	a, err := document.EncodePreviewed(previewed)
	if err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	raw := slices.Clone(a.Body)
	a.Release()
	return raw
}

func mustJSON(t *rapid.T, v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
