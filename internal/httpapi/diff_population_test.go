package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"verdict/internal/tenant"
)

// TestDifferenceCountsApplications compares a draft with the active rule set and counts stored decisions in each class.
// Decisions of the other environment and of another policy_key are not counted. Decisions about erased applicants are
// counted separately, as erased.
func TestDifferenceCountsApplications(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		of := func(ref, age string) string {
			return strings.Replace(sample, `"id":"A-1",`, `"id":"`+ref+`","age":`+age+`,`, 1)
		}
		for ref, age := range map[string]string{"A-1": "20", "A-2": "34", "A-3": "40", "A-4": "61", "A-gone": "20"} {
			m.post("/v1/decisions", of(ref, age)).want(http.StatusOK)
		}
		live := m.with(tenant.Live, tenant.Admin, m.userID)
		first := live.get("/v1/rule-sets?order=asc").want(http.StatusOK).column("id")[0]
		live.post("/v1/rule-sets/"+first+"/activate", "").want(http.StatusOK)
		live.post("/v1/decisions", of("A-5", "20")).want(http.StatusOK)
		m.post("/v1/erasures", `{"applicant_ref":"A-gone","reason":"applicant_request"}`).want(http.StatusCreated)
		draft := m.post("/v1/rule-sets", `{"name":"younger","patch":{"knockouts":{"set":[`+younger+`]}}}`).
			want(http.StatusCreated).text("id")
		decided := m.get("/v1/usage").want(http.StatusOK).at("used")

		path := "/v1/rule-sets/" + draft + "/diff"
		plain := m.post(path, `{}`).want(http.StatusOK)
		if _, has := plain.object()["population"]; has || strings.Contains(plain.text("summary"), "applications") {
			s.Error("applications were counted without a population")
		}
		const recent = `{"population":{"decisions":{"from":"2020-01-01T00:00:00Z"}}}`
		got := m.post(path, recent).want(http.StatusOK)
		got.is("population.rows", 2, "population.of", 4, "population.better", 2, "population.worse", 0,
			"population.mixed", 0, "population.unlisted", 0, "population.declined_instead_of_approved", 0,
			"population.complete", true, "population.erased", 1, "population.not_counted", 1)
		const says = "2 of 4 applications that were decided from 2020-01-01 to "
		if text := got.text("summary"); !strings.HasPrefix(text, plain.text("summary")+" "+says) {
			s.Errorf("the summary is %q", text)
		}
		counted := 0.0
		for i := range got.list("classes") {
			if of := got.at("classes", i, "population", "of"); of != 4.0 {
				s.Errorf("class %d: of %v applications", i, of)
			}
			n, _ := got.at("classes", i, "population", "rows").(float64)
			counted += n
		}
		if counted != 2 {
			s.Errorf("%v applications are in the classes", counted)
		}

		// In the opposite direction, the same applications are worse off: they are declined.
		m.post("/v1/rule-sets/"+m.ruleSetID+"/diff", `{"against":"`+draft+`",`+recent[1:]).want(http.StatusOK).
			is("population.rows", 2, "population.worse", 2, "population.declined_instead_of_approved", 2)

		// Nothing is counted for a range without decisions, or for a policy_key without decisions.
		m.post(path, `{"population":{"decisions":{"from":"2020-01-01T00:00:00Z","to":"2020-02-01T00:00:00Z"}}}`).
			want(http.StatusOK).is("population.rows", 0, "population.of", 0)
		other := m.post("/v1/rule-sets", `{"name":"other","policy_key":"other","base":"`+draft+`"}`).
			want(http.StatusCreated).text("id")
		m.post("/v1/rule-sets/"+other+"/diff", `{"against":"`+m.ruleSetID+`",`+recent[1:]).want(http.StatusOK).
			is("population.of", 0)

		book := m.post(path, `{"population":{"synthetic":{"n":300,"seed":7}}}`).want(http.StatusOK)
		book.is("population.of", 300, "population.complete", true, "population.synthetic.n", 300,
			"population.synthetic.seed", 7)
		if again := m.post(path, `{"population":{"synthetic":{"n":300,"seed":7}}}`); again.at("population", "rows") !=
			book.at("population", "rows") {
			s.Error("the same book gives other counts")
		}

		if after := m.get("/v1/usage").want(http.StatusOK).at("used"); after != decided {
			s.Errorf("a comparison was billed: %v units are used, %v before", after, decided)
		}
		for _, c := range [][2]string{
			{`{"population":{}}`, "/population"},
			{`{"population":{"decisions":{"from":"2020-01-01T00:00:00Z"},"synthetic":{}}}`, "/population"},
			{`{"population":{"decisions":{}}}`, "/population/decisions/from"},
			{`{"population":{"decisions":{"from":"2999-01-01T00:00:00Z"}}}`, "/population/decisions/from"},
			{`{"population":{"decisions":{"from":"2020-01-01T00:00:00Z","status":"DECLINED"}}}`,
				"/population/decisions/status"},
			{`{"population":{"synthetic":{"n":50001}}}`, "/population/synthetic/n"},
			{`{"population":{"synthetic":{"months":12}}}`, "/population/synthetic/months"},
			{`{"population":"recent"}`, "/population"},
		} {
			body, pointer := c[0], c[1]
			refused := m.post(path, body).want(http.StatusUnprocessableEntity)
			if !strings.Contains(string(refused.body), `"`+pointer+`"`) {
				s.Errorf("%s: no fault at %s: %s", body, pointer, refused.body)
			}
		}
	})
}
