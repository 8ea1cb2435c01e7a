package httpapi_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// asking adds members to a JSON object.
func asking(body, members string) string {
	return strings.TrimSuffix(body, "}") + "," + members + "}"
}

const evaluateSample = `{"bureau":"cibil",
	"report":{"cibil":{"scoreData":{"score":742},"incomeAssessment":{"monthlyIncome":85000,"foir":32},
	"requestedAmount":600000}}}`

func TestPreviewLeavesNothing(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		got := m.post("/v1/decisions/preview", sample, "Idempotency-Key: k").want(http.StatusOK).
			is("preview", true, "status", "APPROVED", "grade", "B", "decision_id", nil, "created_at", nil,
				"facts.foir", 0.32, "facts.bureau_score", 742)
		again := m.post("/v1/decisions/preview", asking(sample, `"extra":1`), "Idempotency-Key: k").want(http.StatusOK)
		if again.text("decision_hash") != got.text("decision_hash") {
			s.Error("another hash")
		}
		decided := m.post("/v1/decisions", sample).want(http.StatusOK)
		if decided.text("decision_hash") != got.text("decision_hash") {
			s.Error("the preview came out otherwise than the decision")
		}
		m.post("/v1/decisions/preview", `{}`).refused(http.StatusUnprocessableEntity, "invalid_field")
		m.post("/v1/eligibility", sample).want(http.StatusOK)
		s.flush()
		usage := m.get("/v1/usage").is("used", 1)
		want := []any{
			map[string]any{"endpoint": "POST /v1/decisions", "count": 1.0, "billable": true},
			map[string]any{"endpoint": "POST /v1/decisions/preview", "count": 2.0, "billable": false},
			map[string]any{"endpoint": "POST /v1/eligibility", "count": 1.0, "billable": false},
		}
		if diff := cmp.Diff(want, usage.list("by_endpoint")); diff != "" {
			s.Errorf("metered (-want +got):\n%s", diff)
		}
		if n := len(m.get("/v1/decisions").list("data")); n != 1 {
			s.Errorf("%d decisions are stored", n)
		}
		if n := len(m.get("/v1/audit?action=decision.created").list("data")); n != 1 {
			s.Errorf("%d decisions are in the trail", n)
		}
	})
}

// TestFactsAgree checks that a preview shows the same facts as the decision, and that both show only members that
// policies read.
func TestFactsAgree(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		body := `{"applicant":{"monthly_income":85000,"foir":0.32,"account_no":"00112233","voter_id":"ABC1234567",` +
			`"name":"Asha Rao",` +
			`"dob":"1990-02-03","address":"4 MG Road"},"bureau_report":{"score":742}}`
		secrets := []string{"00112233", "ABC1234567", "Asha Rao", "MG Road", "1990-02-03"}
		preview := m.post("/v1/decisions/preview", body).want(http.StatusOK).silent(s, secrets...)
		decided := m.post("/v1/decisions", asking(body, `"include":["facts"]`)).
			want(http.StatusOK).silent(s, secrets...)
		if diff := cmp.Diff(decided.at("facts"), preview.at("facts")); diff != "" {
			s.Errorf("facts (-decided +preview):\n%s", diff)
		}
	})
}

func TestPreviewWhatIf(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		draft := m.post("/v1/rule-sets",
			`{"name":"strict","knockouts":[{"id":"KO_ALL","stage":1,"action":"decline","reason_code":"BUR_SCORE",
			"condition_ast":{"op":"lt","field":"bureau_score","value":900}}]}`).want(http.StatusCreated).text("id")
		ask := func(body, members string) answer {
			return m.post("/v1/decisions/preview", asking(body, members)).want(http.StatusOK)
		}
		ask(sample, `"rule_set_id":"`+draft+`"`).is("status", "DECLINED", "policy.id", draft)
		ask(sample, `"overrides":{"applicant.foir":0.25}`).is("facts.foir", 0.25, "policy.id", m.ruleSetID)
		ask(sample, `"overrides":{"bureau_report.enquiries_6m":null}`).is("facts.enquiries_6m", nil)
		ask(`{"bureau_report":{"score":742}}`, `"overrides":{"applicant.monthly_income":50000}`).
			is("facts.monthly_income", 50000)
		ask(evaluateSample, `"overrides":{}`).is("facts.foir", 0.32)
		ask(evaluateSample, `"overrides":{"report.incomeAssessment.foir":25}`).is("facts.foir", 0.25)
		ask(evaluateSample, `"overrides":{"report.cibil.scoreData.score":560}`).
			is("status", "DECLINED", "facts.bureau_score", 560)
		ask(evaluateSample, `"overrides":{"report.incomeAssessment.foir":null}`).is("facts.foir", nil)

		compared := ask(sample, `"rule_set_id":"`+draft+`","compare":true`).
			is("baseline.status", "APPROVED", "variant.status", "DECLINED", "preview", true)
		var pointers []string
		for i := range compared.list("diff") {
			pointer, _ := compared.at("diff", i, "pointer").(string)
			pointers = append(pointers, pointer)
		}
		if !slices.Contains(pointers, "/status") || !slices.Contains(pointers, "/offer/limit") ||
			slices.Contains(pointers, "/grade") {
			s.Errorf("differs at %v", pointers)
		}
		if same := ask(sample, `"compare":true`).list("diff"); len(same) != 0 {
			s.Errorf("the same differs: %v", same)
		}
		if n := len(m.get("/v1/decisions").list("data")); n != 0 {
			s.Errorf("%d decisions are stored", n)
		}
	})
}

func TestPreviewRefusals(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m, other := s.signup(), s.signup()
		for _, id := range []string{other.ruleSetID, "ZEBRA", "pol_0000000000000000000000000A"} {
			m.post("/v1/decisions/preview", asking(sample, `"rule_set_id":"`+id+`"`)).
				refused(http.StatusNotFound, "not_found").silent(s, "ZEBRA")
		}
		for _, c := range []struct {
			members string
			want    []string
		}{
			{
				`"rule_set_id":1,"overrides":[],"compare":"yes"`,
				[]string{"/compare wrong_type", "/overrides wrong_type", "/rule_set_id wrong_type"},
			},
			{`"overrides":{"ZEBRA":1}`, []string{"/overrides/ZEBRA unknown_field"}},
			{`"overrides":{"applicant":1}`, []string{"/overrides/applicant unknown_field"}},
			{`"overrides":{"applicant.":1}`, []string{"/overrides/applicant. unknown_field"}},
			{
				`"overrides":{"applicant` + strings.Repeat(".a", 16) + `":1}`,
				[]string{"/overrides/applicant" + strings.Repeat(".a", 16) + " unknown_field"},
			},
			{`"overrides":{"applicant.foir":{}}`, []string{"/overrides/applicant.foir wrong_type"}},
			{`"overrides":{"applicant.foir":35}`, []string{"/applicant/foir out_of_range"}},
			{`"overrides":{"bureau_report.score":null}`, []string{"/bureau_report/score required"}},
		} {
			got := m.post("/v1/decisions/preview", asking(sample, c.members)).want(http.StatusUnprocessableEntity)
			if diff := cmp.Diff(c.want, got.faults()); diff != "" {
				s.Errorf("%s (-want +got):\n%s", c.members, diff)
			}
		}
	})
}

func TestEligibility(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		m.post("/v1/eligibility", sample).want(http.StatusOK).
			is("eligible", true, "status", "ELIGIBLE", "stage", 1, "persisted", false, "policy.id", m.ruleSetID,
				"offer", nil, "grade", nil)
		early := m.post("/v1/eligibility", `{"applicant":{"monthly_income":85000}}`).
			want(http.StatusOK).is("eligible", true, "complete", false)
		if len(early.list("not_evaluated")) == 0 {
			s.Error("nothing is said to be missing")
		}
		m.post("/v1/eligibility", `{}`).want(http.StatusOK).is("complete", false)
		m.post("/v1/eligibility", evaluateSample).want(http.StatusOK).is("status", "ELIGIBLE")
		late := m.post("/v1/eligibility", `{"bureau_report":{"score":742,"max_dpd_12m":65}}`).
			want(http.StatusOK).is("eligible", false, "status", "DECLINED")
		if code := late.at("reasons", 0, "code"); code != "BUR_DPD" {
			s.Errorf("the reason is %v", code)
		}
		// Blocks that are known before a report is bought are used, alone and
		// together with other members.
		for _, body := range []string{
			`{"device":{"is_emulator":true}}`,
			`{"bureau":"cibil","device":{"is_emulator":true}}`,
			`{"applicant":{"monthly_income":85000},"device":{"is_emulator":true},"bank_summary":{"income":60000}}`,
			`{"bureau_report":{"score":742},"device":{"is_emulator":true}}`,
		} {
			got := m.post("/v1/eligibility", body).want(http.StatusOK).is("eligible", false, "status", "DECLINED")
			rule := got.at("reasons", 0, "detail", "rule_id")
			if rule != "KO_DEVICE_EMULATOR" || len(got.warned()) > 0 {
				s.Errorf("%s: the reason is %v, warned of %v", body, rule, got.warned())
			}
		}
		m.post("/v1/eligibility", `{"bureau":7,"device":{"is_emulator":"yes"}}`).
			refused(http.StatusUnprocessableEntity, "invalid_field")
		m.post("/v1/eligibility", `{"applicant":{"foir":35}}`).refused(http.StatusUnprocessableEntity, "invalid_field")
		if n := len(m.get("/v1/decisions").list("data")); n != 0 {
			s.Errorf("%d decisions are stored", n)
		}
	})
}
