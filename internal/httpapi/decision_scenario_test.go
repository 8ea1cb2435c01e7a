package httpapi_test

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGoldenDecisions(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		for _, c := range []struct {
			body string
			want []any
		}{
			{sample, []any{
				"status", "APPROVED", "grade", "B", "explanation.final_score", 712, "offer.limit", 500000,
				"offer.interest_rate", 16, "offer.tenure_months", 48, "offer.emi", 14170, "offer.apr", 17.33,
				"offer.last_emi", 14179.38, "offer.net_disbursed", 488200, "offer.binding_constraint",
				"band_max_limit", "environment", "sandbox",
			}},
			{
				`{"bureau_report":{"score":781}}`,
				[]any{"status", "APPROVED", "grade", "B", "explanation.final_score", 710, "offer.limit", 50000},
			},
			{`{"bureau_report":{"score":560}}`, []any{"status", "DECLINED", "offer.limit", 0, "offer.currency", "INR"}},
			{
				`{"bureau_report":{"score":-1}}`,
				[]any{"status", "REFERRED", "grade", "NTC", "offer.indicative", true, "offer.limit", 20000,
					"offer.interest_rate", 20, "offer.tenure_months", 24, "offer.apr", 23.14},
			},
			{`{"applicant":{"monthly_income":45000,"foir":0.10,"employment_type":"salaried"},
				"bureau_report":{"score":-1,"enquiries_6m":1,"active_tradelines":0}}`,
				[]any{"status", "APPROVED", "grade", "NTC",
					"offer.limit", 100000, "offer.emi", 5090, "offer.apr", 23.14}},
		} {
			got := m.post("/v1/decisions", c.body).want(http.StatusOK).is(c.want...)
			if again := m.post("/v1/decisions", c.body); again.text("decision_hash") != got.text("decision_hash") {
				s.Errorf("another hash for %s", c.body)
			} else if again.text("decision_id") == got.text("decision_id") {
				s.Error("two decisions have one id")
			}
		}
		m.get("/v1/usage").is("used", 10)
	})
}

func TestUnknownMembersAreWarnedOf(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		got := m.post("/v1/decisions",
			`{"applicant":{"id":"A","shoe_size":44},"bureau_report":{"score":742},"extra":"ZEBRA"}`).want(http.StatusOK)
		warned := slices.Sorted(slices.Values(got.warned()))
		want := []string{"/applicant/shoe_size unknown_field", "/extra unknown_field"}
		if diff := cmp.Diff(want, warned); diff != "" {
			s.Errorf("warned of (-want +got):\n%s", diff)
		}
		got.silent(s, "ZEBRA")
		plain := m.post("/v1/decisions", `{"applicant":{"id":"A"},"bureau_report":{"score":742}}`)
		if plain.text("decision_hash") != got.text("decision_hash") {
			s.Error("what was not read changed the decision")
		}
	})
}

func TestWrongApplications(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		for _, c := range []struct {
			body string
			want []string
		}{
			{`{}`, []string{"/bureau_report/score required"}},
			{`{"applicant":{"foir":35},"bureau_report":{"score":742}}`, []string{"/applicant/foir out_of_range"}},
			{`{
				"applicant":{"foir":35,"monthly_income":-771239.5,"age":771239},
				"bureau_report":{"score":977123,"enquiries_6m":-771239,"max_dpd_12m":"ZEBRA"}
			}`,
				[]string{
					"/applicant/age out_of_range", "/applicant/foir out_of_range",
					"/applicant/monthly_income out_of_range", "/bureau_report/enquiries_6m out_of_range",
					"/bureau_report/max_dpd_12m wrong_type", "/bureau_report/score out_of_range",
				}},
			{
				`{"applicant":{"id":"` + strings.Repeat("ZEBRA", 2000) + `"},"bureau_report":{"score":742}}`,
				[]string{"/applicant/id out_of_range"},
			},
			{
				`{"applicant":[],"bureau_report":"ZEBRA"}`,
				[]string{"/applicant wrong_type", "/bureau_report wrong_type"},
			},
			{`{"policy_key":7,"bureau_report":{"score":742}}`, []string{"/policy_key wrong_type"}},
		} {
			got := m.post("/v1/decisions", c.body).
				refused(http.StatusUnprocessableEntity, "invalid_field").silent(s, "ZEBRA", "771239", "977123")
			if diff := cmp.Diff(c.want, got.faults()); diff != "" {
				s.Errorf("%s (-want +got):\n%s", c.body, diff)
			}
		}
		m.post("/v1/decisions", `{"policy_key":"no-such-product","bureau_report":{"score":742}}`).
			refused(http.StatusConflict, "no_active_policy").
			silent(s, "no-such-product")
		m.get("/v1/usage").is("used", 0)
		if n := len(m.get("/v1/decisions").list("data")); n != 0 {
			s.Errorf("%d decisions of nothing", n)
		}
	})
}

// TestRefetch checks that GET returns a stored decision exactly as it was
// answered, whichever policy is activated later, and that the decision's own
// policy version reproduces it.
func TestRefetch(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		posted := m.post("/v1/decisions", sample).want(http.StatusOK)
		path := "/v1/decisions/" + posted.text("decision_id")
		check := func(after string) {
			got := m.get(path).
				want(http.StatusOK).is("re_explanation.verified", true, "re_explanation.policy_version", 1,
				"re_explanation.recomputed_hash", posted.text("decision_hash"))
			if !bytes.HasPrefix(got.body,
				slices.Concat(bytes.TrimSuffix(posted.body, []byte("}")), []byte(`,"re_explanation":{`))) {
				s.Errorf("%s: fetched %s\nposted %s", after, got.body, posted.body)
			}
			if len(got.list("re_explanation", "not_evaluated")) == 0 || len(got.list("re_explanation", "text")) == 0 {
				s.Errorf("%s: nothing explained: %s", after, got.body)
			}
		}
		check("at once")
		draft := m.post("/v1/rule-sets",
			`{"name":"strict","knockouts":[{"id":"KO_ALL","stage":1,"action":"decline","reason_code":"BUR_SCORE",
			"condition_ast":{"op":"lt","field":"bureau_score","value":900}}]}`).want(http.StatusCreated)
		m.post("/v1/rule-sets/"+draft.text("id")+"/activate", "").want(http.StatusOK)
		m.post("/v1/decisions", sample).want(http.StatusOK).is("status", "DECLINED", "policy.id", draft.text("id"))
		check("under another policy")

		for _, id := range []string{"ZEBRA", "dec_0000000000000000000000000A", posted.text("policy", "id"), "dec_%00"} {
			m.get("/v1/decisions/"+id).refused(http.StatusNotFound, "not_found").silent(s, "ZEBRA")
		}
		s.signup().get(path).refused(http.StatusNotFound, "not_found")
	})
}
