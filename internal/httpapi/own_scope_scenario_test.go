package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"verdict/internal/tenant"
)

// watchedPolicy is a draft that reads own exposure and looks employers up in a list.
const watchedPolicy = `{"name":"watched","exposure":{"max_total":400000},
	"inputs":[{"name":"applicant.employer","type":"string"}],"patch":{"knockouts":{"set":[
	{"id":"KO_AGAIN","stage":1,"condition_ast":{"op":"or","args":[
		{"op":"gt","field":"own_declines_30d","value":3},
		{"op":"gt","field":"own_approved_amount_30d","value":900000},
		{"op":"gt","field":"own_open_offer","value":900000}]}},
	{"id":"KO_EMPLOYER","reason_code":"EMP_LISTED",
		"condition_ast":{"op":"in_list","field":"applicant.employer","list":"watched"}}]}}}`

// TestOwnExposureApart decides applications of one reference in two tenants and both environments of one of them.
// Their lists have the same name. Each place knows only its own decisions, loans and list entries.
func TestOwnExposureApart(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		other := s.signup()
		places := []struct {
			name     string
			caller   *member
			employer string // the entry of the list in this place
		}{
			{"the sandbox", m, "Acme"},
			{"live", m.with(tenant.Live, tenant.Admin, m.userID), "Globex"},
			{"another tenant", other, "Initech"},
			{"another tenant, live", other.with(tenant.Live, tenant.Admin, other.userID), "Hooli"},
		}
		employed := func(by string, amount int) string {
			return strings.Replace(asksFor("P-1", amount), `"applicant":{`, `"applicant":{"employer":"`+by+`",`, 1)
		}
		for i, p := range places {
			if i%2 == 1 { // live begins without an active policy
				p.caller.activate(p.caller.get("/v1/rule-sets?order=asc").column("id")[0])
			}
			p.caller.put("/v1/lists/watched", `{"type":"text","entries":[{"value":"`+p.employer+`"}]}`).
				want(http.StatusOK)
			id := p.caller.post("/v1/rule-sets", watchedPolicy).want(http.StatusCreated).text("id")
			p.caller.post("/v1/rule-sets/"+id+"/activate", `{}`).want(http.StatusOK)
		}
		for i, p := range places {
			// The places before have decided about this reference, and know loans of it.
			first := p.caller.post("/v1/decisions", employed(places[(i+1)%len(places)].employer, 200_000)).
				want(http.StatusOK).is("status", "APPROVED")
			for _, name := range []string{
				"own_outstanding", "own_open_offer", "own_approved_amount_30d", "own_declines_30d", "own_emi",
				"own_max_dpd",
			} {
				if got := first.at("facts", name); got != nil && got != 0.0 {
					s.Errorf("%s: %s is %v at the first application", p.name, name, got)
				}
			}
			if first.at("facts", "own_outstanding") != 0.0 || first.at("facts", "own_open_offer") != 0.0 ||
				first.at("facts", "list.watched.applicant.employer") != false {
				s.Errorf("%s: the facts are %s", p.name, first.body)
			}
			p.caller.post("/v1/exposures", `{"applicant_ref":"P-1","decision_id":"`+first.text("decision_id")+`",
				"product":"personal","outstanding":150000,"emi":9000,"dpd":4}`).want(http.StatusOK)
			listed := p.caller.post("/v1/decisions", employed(p.employer, 200_001)).want(http.StatusOK)
			if listed.text("status") != "DECLINED" || listed.at("facts", "own_outstanding") != 150_000.0 ||
				listed.at("facts", "own_approved_amount_30d") != 200_000.0 ||
				listed.at("facts", "list.watched.applicant.employer") != true {
				s.Errorf("%s: the second application: %s", p.name, listed.body)
			}
		}
		for _, p := range places {
			page := p.caller.get("/v1/exposures?applicant_ref=P-1").want(http.StatusOK)
			if len(listAt(page)) != 1 || len(p.caller.decisionIDs()) != 2 {
				s.Errorf("%s: the loans are %s", p.name, page.body)
			}
		}
	})
}
