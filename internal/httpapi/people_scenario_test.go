package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
)

// couplePolicy is a draft that adds up the figures of a couple, uses the lower score, and requires a guarantor with a
// good score.
const couplePolicy = `{"name":"couples","people":{"score":"lowest"},
	"affordability":{"income":{"of":["monthly_income"]},"obligations":{"of":["declared","bureau"]},"people":"all"},
	"patch":{"knockouts":{"set":[{"id":"KO_GUARANTOR",
	 "condition_ast":{"op":"lt","field":"guarantor.bureau_score","value":700}}]}}}`

// pair returns a decision request of a primary applicant and another person.
func pair(other string) string {
	return `{"include":["facts"],"applicants":[{"role":"primary","monthly_income":40000,"foir":0.1,
		"requested_amount":900000,"age":40,"employment_type":"SALARIED",
		"bureau_report":{"score":800,"enquiries_6m":0,"active_tradelines":4,"max_dpd_12m":0}}` + other + `]}`
}

// TestPeople decides applications of several people over the API, and explains them again.
func TestPeople(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		draft := m.post("/v1/rule-sets", couplePolicy).want(http.StatusCreated)
		m.post("/v1/rule-sets/"+draft.text("id")+"/activate", "{}").want(http.StatusOK)

		single := m.post("/v1/decisions", pair("")).want(http.StatusOK)
		plain := m.post("/v1/decisions", `{"include":["facts"],"applicant":{"monthly_income":40000,"foir":0.1,
			"requested_amount":900000,"age":40,"employment_type":"SALARIED"},
			"bureau_report":{"score":800,"enquiries_6m":0,"active_tradelines":4,"max_dpd_12m":0}}`).want(http.StatusOK)
		if single.text("decision_hash") != plain.text("decision_hash") {
			s.Errorf("a list with one person decides otherwise:\n%s\n%s", single.body, plain.body)
		}

		const wife = `,{"role":"co_applicant","monthly_income":30000,"foir":0.2,
			"consent":{"id":"C-1","at":"2026-11-17T10:00:00+05:30"},"bureau_report":{"score":790,"own_emi":3000}}`
		couple := m.post("/v1/decisions", pair(wife)).want(http.StatusOK)
		if couple.at("facts", "income_effective") != 70000.0 || couple.at("facts", "foir_effective") != 0.142857 ||
			couple.at("facts", "co_applicant.consent_id") != "C-1" {
			s.Errorf("the couple: %s", couple.body)
		}
		one, _ := single.at("offer", "max_emi").(float64)
		if both, _ := couple.at("offer", "max_emi").(float64); both <= one {
			s.Errorf("together %v, alone %v", both, one)
		}

		unknown := m.post("/v1/decisions", pair(`,{"role":"co_applicant","monthly_income":30000}`)).want(http.StatusOK)
		if unknown.at("facts", "income_effective") != 40000.0 || textAt(unknown, "warnings", 0, "code") != "not_read" ||
			textAt(unknown, "warnings", 0, "pointer") != "/applicants" ||
			strings.Contains(string(couple.body), "income was not added") {
			s.Errorf("a co-applicant whose obligations are not known: %s", unknown.body)
		}

		weak := m.post("/v1/decisions", pair(`,{"role":"co_applicant","bureau_report":{"score":560}}`)).
			want(http.StatusOK)
		if weak.text("status") != "DECLINED" || textAt(weak, "reasons", 0, "code") != "CO_APPLICANT" ||
			textAt(weak, "warnings", 0, "code") != "consent_not_stated" {
			s.Errorf("with a weak co-applicant: %s", weak.body)
		}
		guaranteed := m.post("/v1/decisions", pair(`,{"role":"guarantor","bureau_report":{"score":650}}`)).
			want(http.StatusOK)
		if guaranteed.text("status") != "DECLINED" || textAt(guaranteed, "reasons", 0, "code") != "GUARANTOR" {
			s.Errorf("with a weak guarantor: %s", guaranteed.body)
		}
		for _, made := range []string{couple.text("decision_id"), weak.text("decision_id"),
			guaranteed.text("decision_id")} {
			shown := m.get("/v1/decisions/" + made).want(http.StatusOK)
			if shown.at("re_explanation", "verified") != true {
				s.Errorf("explained again: %s", shown.body)
			}
		}

		m.post("/v1/decisions", pair(`,{"role":"primary"}`)).refused(http.StatusUnprocessableEntity, "invalid_field")
		m.post("/v1/decisions", pair(`,{"role":"guarantor"}`)).refused(http.StatusUnprocessableEntity, "invalid_field")
		m.post("/v1/decisions/preview", pair(wife)).want(http.StatusOK)
		m.post("/v1/eligibility", pair(wife)).want(http.StatusOK)
		evaluated := m.post("/v1/evaluate", `{"applicants":[{"role":"primary","bureau":"cibil","report":{"cibil":{
			"scoreData":{"score":800},"demographics":{"age":40,"employmentType":"SALARIED"},
			"incomeAssessment":{"monthlyIncome":40000,"foir":10},"requestedAmount":900000,"accounts":[],
			"enquiries":[]}}},
			{"role":"co_applicant","bureau":"cibil","consent":{"id":"C-1","at":"2026-11-17T10:00:00Z"},
			 "report":{"cibil":{"scoreData":{"score":790},"incomeAssessment":{"monthlyIncome":30000,"foir":20},
			 "accounts":[],"enquiries":[]}}}],"include":["facts"]}`).want(http.StatusOK)
		if evaluated.at("facts", "income_effective") != 70000.0 {
			s.Errorf("evaluated: %s", evaluated.body)
		}
	})
}
