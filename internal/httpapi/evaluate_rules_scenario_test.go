package httpapi_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// oneBand is a single pricing band for every score.
const oneBand = `"pricing_bands":[{"id":"PB","grade":"A","min_score":300,"max_score":900,"interest_rate":16,
		"tenure_months":36,
		"min_limit":10000,"max_limit":500000,"default_limit":50000,"foir_cap":0.5}]`

// namedRules is a policy that names features in knockouts, adjustments and
// factors, and fields of the bank statement and of the bureau report. It uses
// semantics 1, so the window of a feature may begin before the statement.
const namedRules = `"base":"none","semantics":1,` + oneBand + `,"include_defaults":false,"knockouts":[
		{"id":"KO_FEATURE","stage":1,"action":"decline","reason_code":"BUR_ENQ",
			"condition_ast":{"op":"gte","field":"enquiry__personal_loan__30d__count","value":1}},
		{"id":"KO_NOT_FEATURE","stage":1,"action":"decline","reason_code":"BANK_BOUNCE",
		 "condition_ast":{"op":"not","arg":{"op":"lt","field":"issued_bounce__nach__90d__count","value":2}}},
		{"id":"RF_BANK","stage":1,"action":"refer","reason_code":"BANK_ABB",
			"condition_ast":{"op":"gt","field":"bank_foir","value":0.2}},
		{"id":"RF_MISMATCH","stage":1,"action":"refer","reason_code":"BANK_MISMATCH",
			"condition_ast":{"op":"gte","field":"bank_income_mismatch_pct","value":40}},
		{"id":"RF_EMI_MISMATCH","stage":1,"action":"refer","reason_code":"BANK_MISMATCH",
			"condition_ast":{"op":"gt","field":"bank_emi_mismatch_pct","value":0}},
		{"id":"RF_SENT","stage":1,"action":"refer","reason_code":"BANK_BOUNCE",
			"condition_ast":{"op":"gte","field":"bank_summary.bounces","value":1}},
		{"id":"RF_ALL_OR_NOTHING","stage":1,"action":"refer","reason_code":"BANK_MISMATCH",
			"condition_ast":{"op":"and","args":[
			{"op":"exists","field":"bureau_score"},{"op":"not",
				"arg":{"op":"eq","field":"bank_undeclared_emi","value":0}}]}}],
	"adjustments":[
		{"id":"ADJ_FEATURE","delta":-7,"condition_ast":{"op":"gt","field":"account_opened__all__180d__count",
			"value":0}},
		{"id":"ADJ_BANK_FEATURE","delta":3,"condition_ast":{"op":"gte","field":"salary__all__90d__count","value":2}}],
	"scorecard":{"base_points":650,"min_score":300,"max_score":900,"factors":[
		{"factor":"bureau_score","field":"bureau_score","bins":[{"lt":700,"points":10},{"gte":700,"points":50}]},
		{"factor":"recent_enquiries","field":"enquiry__all__365d__count","reason_code":"BUR_ENQ",
			"bins":[{"lt":2,"points":20},{"gte":2,"points":-20}]},
		{"factor":"balances","field":"eod_balance__all__30d__avg",
			"bins":[{"lt":1000,"points":-30},{"gte":1000,"points":12.5}]}]}`

// TestRulesThatNameBlocks checks that rules on the fields of a block count only
// if the request has the block.
func TestRulesThatNameBlocks(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		m.arm(namedRules)
		s.clock.advance(stale)
		ask := func(report string, blocks ...block) answer {
			return m.post("/v1/evaluate", evaluation(742, report, blocks...)).want(http.StatusOK)
		}
		bankRules := map[string]string{
			"RF_BANK":           "refer",
			"RF_MISMATCH":       "refer",
			"RF_EMI_MISMATCH":   "refer",
			"RF_SENT":           "refer",
			"RF_ALL_OR_NOTHING": "refer",
		}
		bureauFeatures := map[string]string{"KO_FEATURE": "fail", "ADJ_FEATURE": "applied"}
		bankFeatures := map[string]string{"KO_NOT_FEATURE": "fail", "ADJ_BANK_FEATURE": "applied"}
		for _, c := range []struct {
			name   string
			got    answer
			fired  []map[string]string
			score  any
			status string
		}{
			{"nothing", ask(""), nil, 700, "APPROVED"},
			{"a history", ask(history), nil, 700, "APPROVED"},
			{"features of nothing", ask("", askFeatures), nil, 700, "APPROVED"},
			{
				"features of the history", ask(history, askFeatures), []map[string]string{bureauFeatures}, 673,
				"DECLINED",
			},
			{"a statement", ask("", bank), []map[string]string{bankRules}, 700, "REFERRED"},
			{
				"features of the statement", ask("", bank, askFeatures), []map[string]string{bankRules, bankFeatures},
				715.5, "DECLINED",
			},
			{
				"everything", ask(history, everyBlock...),
				[]map[string]string{bankRules, bankFeatures, bureauFeatures}, 688.5, "DECLINED",
			},
		} {
			want := map[string]string{}
			for _, rules := range c.fired {
				for id, result := range rules {
					want[id] = result
				}
			}
			if diff := cmp.Diff(want, c.got.fired()); diff != "" {
				s.Errorf("%s: rules (-want +got):\n%s", c.name, diff)
			}
			c.got.is("status", c.status, "explanation.final_score", c.score)
		}
		same := func(a, b answer) {
			s.Helper()
			if a.text("decision_hash") != b.text("decision_hash") {
				s.Errorf("the decision without the block is another:\n%s\n%s", a.body, b.body)
			}
		}
		same(ask(history), ask(""))
		same(ask(history, device, location, fraud), ask(history))
		same(ask(history, bank), ask("", bank))
		same(ask("", askFeatures), ask(""))
	})
}

// TestFeaturesOfAnAnswer checks which features an answer names as used, and
// with how many points.
func TestFeaturesOfAnAnswer(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		m.arm(namedRules)
		s.clock.advance(stale)
		got := m.post("/v1/evaluate", evaluation(742, history, askFeatures, bank)).want(http.StatusOK).is(
			"features.count", 3492, "features.as_of", "2026-11-10",
			"features.vector_hash", m.post("/v1/decisions/preview", evaluation(742, history, askFeatures, bank)).
				text("features", "vector_hash"))
		want := []any{
			"account_opened__all__180d__count", "enquiry__all__365d__count", "enquiry__personal_loan__30d__count",
			"eod_balance__all__30d__avg", "issued_bounce__nach__90d__count", "salary__all__90d__count",
		}
		if diff := cmp.Diff(want, got.list("features", "used_by_policy")); diff != "" {
			s.Errorf("used (-want +got):\n%s", diff)
		}
		top := got.list("features", "top_contributors")
		if len(top) != 10 {
			s.Fatalf("%d contributors", len(top))
		}
		decided := []any{ // first the features of rules that hit, then the others by points
			map[string]any{
				"feature":        "enquiry__personal_loan__30d__count",
				"value":          1.0,
				"direction":      "adverse",
				"used_by_policy": true,
			},
			map[string]any{
				"feature":        "issued_bounce__nach__90d__count",
				"value":          2.0,
				"direction":      "adverse",
				"used_by_policy": true,
			},
			map[string]any{
				"feature":        "enquiry__all__365d__count",
				"value":          3.0,
				"points":         -20.0,
				"direction":      "adverse",
				"used_by_policy": true,
			},
			map[string]any{
				"feature":        "eod_balance__all__30d__avg",
				"value":          114055.0,
				"points":         12.5,
				"direction":      "favourable",
				"used_by_policy": true,
			},
			map[string]any{
				"feature":        "account_opened__all__180d__count",
				"value":          1.0,
				"points":         -7.0,
				"direction":      "adverse",
				"used_by_policy": true,
			},
			map[string]any{
				"feature":        "salary__all__90d__count",
				"value":          2.0,
				"points":         3.0,
				"direction":      "favourable",
				"used_by_policy": true,
			},
		}
		if diff := cmp.Diff(decided, top[:len(decided)]); diff != "" {
			s.Errorf("contributors that the policy names (-want +got):\n%s", diff)
		}
		seen := map[string]bool{}
		for i, c := range top {
			entry, _ := c.(map[string]any)
			name := fmt.Sprint(entry["feature"])
			if seen[name] || i >= len(decided) && entry["points"] != nil {
				s.Errorf("contributor %d is %v", i, entry)
			}
			seen[name] = true
		}
		facts, _ := m.post("/v1/decisions/preview", evaluation(742, history, askFeatures)).at("facts").(map[string]any)
		if facts["enquiry__all__365d__count"] != 3.0 || facts["enquiry__all__90d__count"] != nil {
			s.Errorf("the facts have other features than those the policy names: %v", facts)
		}
		again := m.post("/v1/evaluate", evaluation(742, history, askFeatures, bank))
		again.is(
			"features.vector_hash", got.text("features", "vector_hash"), "decision_hash", got.text("decision_hash"))
	})
}

// TestPreviewOfADraftUsesItsFeatures checks that a preview of a draft reports
// the features of the draft and not those of the active policy.
func TestPreviewOfADraftUsesItsFeatures(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		draft := m.draft(`{"name":"draft",` + namedRules + `}`)
		body := evaluation(742, history, askFeatures)
		m.post("/v1/decisions/preview", asking(body, `"rule_set_id":"`+draft+`"`)).
			want(http.StatusOK).is("status", "DECLINED")
		both := m.post("/v1/decisions/preview", asking(body, `"rule_set_id":"`+draft+`","compare":true`)).
			want(http.StatusOK).
			is("variant.status", "DECLINED", "variant.features.count", 3492, "baseline.features.count", 3492)
		if n := len(both.list("baseline", "features", "used_by_policy")); n != 0 {
			s.Errorf("the default policy uses %d features", n)
		}
		m.post("/v1/decisions/preview",
			asking(body, `"rule_set_id":"`+draft+`","overrides":{"report.requestedAmount":90000}`)).want(http.StatusOK).
			is("facts.requested_amount", 90000, "status", "DECLINED")
	})
}
