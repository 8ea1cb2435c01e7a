package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
)

// ownRules is a policy with rules on the applicant's own obligations and on
// guaranteed obligations.
const ownRules = `"include_defaults":false,"knockouts":[
		{"id":"KO_OWN_EMI","stage":1,"action":"decline","reason_code":"FOIR_HIGH",
			"condition_ast":{"op":"gt","field":"bureau_own_emi","value":60000}},
		{"id":"KO_OWN_DPD","stage":1,"action":"decline","reason_code":"BUR_DPD",
			"condition_ast":{"op":"gte","field":"bureau_own_max_dpd_12m","value":60}},
		{"id":"RF_SURETY","stage":1,"action":"refer","reason_code":"BUR_DPD",
			"condition_ast":{"op":"gte","field":"bureau_guaranteed_max_dpd_12m","value":60}}],
	"adjustments":[]`

// owedBy returns a report with two loans whose instalments total 69,000 a
// month. One of the loans is late.
func owedBy(owner string) string {
	return `"reportDate":"2026-11-10","incomeAssessment":{"monthlyIncome":90000,"foir":10},"accounts":[
		{"accountType":"home_loan","openDate":"2022-02-11","status":"active","currentBalance":3500000,"emi":48000,
			"ownership":"` + owner + `"},
		{"accountType":"personal_loan","openDate":"2025-02-11","status":"active","currentBalance":300000,"emi":21000,
			"ownership":"` + owner + `",
		 "paymentHistory":[{"month":"2026-09","dpd":75}]}]`
}

// TestOwnersDecide checks that own and joint loans count as the applicant's
// obligations, and that loans as guarantor or authorised user do not. If a
// lender sends totals instead of accounts, the totals decide.
func TestOwnersDecide(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		id := m.arm(ownRules)
		s.clock.advance(stale)
		for _, c := range []struct{ owner, emi, dpd, surety string }{
			{"individual", "fail", "fail", ""},
			{"joint", "fail", "fail", ""},
			{"", "fail", "fail", ""},
			{"guarantor", "pass", "", "refer"},
			{"authorised_user", "pass", "", ""},
		} {
			got := m.post("/v1/evaluate", evaluation(742, owedBy(c.owner))).want(http.StatusOK)
			fired := got.fired()
			if fired["KO_OWN_EMI"] != c.emi || fired["KO_OWN_DPD"] != c.dpd || fired["RF_SURETY"] != c.surety {
				s.Errorf("owner %q: %v", c.owner, fired)
			}
			m.get("/v1/decisions/"+got.text("decision_id")).want(http.StatusOK).is("re_explanation.verified", true)
		}
		m.post("/v1/decisions/preview", evaluation(742, owedBy("joint"))).want(http.StatusOK).is(
			"facts.bureau_own_emi", 69000, "facts.bureau_total_emi", 69000, "facts.bureau_guaranteed_emi", 0)
		m.post("/v1/decisions/preview", evaluation(742, owedBy("guarantor"))).want(http.StatusOK).is(
			"facts.bureau_own_emi", 0, "facts.bureau_total_emi", 69000,
			"facts.bureau_guaranteed_emi", 69000, "facts.max_dpd_12m", 75)

		stated := m.post("/v1/decisions", `{"bureau_report":{"score":742,"total_emi":69000,"max_dpd_12m":10}}`).
			want(http.StatusOK)
		if fired := stated.fired(); fired["KO_OWN_EMI"] != "fail" || fired["KO_OWN_DPD"] != "pass" {
			s.Errorf("by the figures of all accounts: %v", fired)
		}
		if facts := s.storedFacts(m, stated.text("decision_id")); !strings.Contains(facts, `"bureau_own_emi":69000`) {
			s.Errorf("stored: %s", facts)
		}
		own := m.post("/v1/decisions", `{
			"bureau_report":{"score":742,"total_emi":69000,"own_emi":5000,"max_dpd_12m":90,"own_max_dpd_12m":0}
		}`).want(http.StatusOK)
		if fired := own.fired(); fired["KO_OWN_EMI"] != "pass" || fired["KO_OWN_DPD"] != "pass" {
			s.Errorf("by the figures of own accounts: %v", fired)
		}
		m.upload("?rule_set_id="+id, "text/csv", "score,total_emi,own_emi\n742,69000,\n742,69000,5000\n742,,\n").
			want(http.StatusOK).is("rows_evaluated", 3, "summary.declined", 1)
		m.post("/v1/backtest", `{"rule_set_id":"`+id+`","decisions":{"from":"2020-01-01T00:00:00Z"}}`).
			want(http.StatusOK).is("rows_evaluated", 7, "actual.agreement_rate", 1)
	})
}
