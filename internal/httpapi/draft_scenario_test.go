package httpapi_test

import (
	"net/http"
	"slices"
	"testing"

	"verdict/internal/tenant"
	"verdict/internal/usecase"
)

// TestDraftsAreDeleted checks that an unreferenced draft is removed, and that a
// referenced draft is archived and stays readable. An active rule set, a retired rule
// set and SAFE_MODE cannot be deleted.
func TestDraftsAreDeleted(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		remove := func(id string) answer { return m.send("DELETE", "/v1/rule-sets/"+id, m.key, "") }
		listed := func(id string) bool { return slices.Contains(m.get("/v1/rule-sets").column("id"), id) }
		loose := m.draft(`{"name":"loose"}`)
		base := m.draft(`{"name":"base"}`)
		fork := m.draft(`{"name":"fork","base":"` + base + `"}`)
		tested := m.draft(`{"name":"tested"}`)
		m.post("/v1/backtest", `{"synthetic":{"n":200,"seed":7},"rule_set_id":"`+tested+`"}`).want(http.StatusOK)

		remove(loose).want(http.StatusNoContent)
		m.get("/v1/rule-sets/"+loose).refused(http.StatusNotFound, "not_found")
		remove(loose).refused(http.StatusNotFound, "not_found")
		for _, id := range []string{base, tested} {
			remove(id).want(http.StatusNoContent)
			if got := m.get("/v1/rule-sets/" + id).want(http.StatusOK); got.text("archived_at") == "" || listed(id) {
				s.Errorf("%s is not archived", id)
			}
			m.post("/v1/rule-sets/"+id+"/activate", "").refused(http.StatusConflict, "invalid_transition")
			remove(id).want(http.StatusNoContent) // deleting it again changes nothing
			if got := m.get("/v1/audit?action=rule_set.archived&object=" + id).list("data"); len(got) != 1 {
				s.Errorf("%d entries in the trail", len(got))
			}
		}
		if !listed(fork) {
			s.Error("the fork is gone")
		}
		if got := m.get("/v1/audit?action=rule_set.deleted&object=" + loose).list("data"); len(got) != 1 {
			s.Errorf("%d entries in the trail", len(got))
		}
		safe := m.get("/v1/rule-sets?order=asc").column("id")[1]
		m.activate(fork)
		for _, id := range []string{fork, m.ruleSetID, safe} { // active, retired, SAFE_MODE
			remove(id).refused(http.StatusConflict, "invalid_transition")
		}
		other := s.signup()
		draft := m.draft(`{"name":"mine"}`)
		other.send("DELETE", "/v1/rule-sets/"+draft, other.key, "").refused(http.StatusNotFound, "not_found")
		reader := m.with(tenant.Sandbox, tenant.Read, m.userID)
		reader.send("DELETE", "/v1/rule-sets/"+draft, reader.key, "").
			refused(http.StatusForbidden, "insufficient_scope")
		remove("ZEBRA").refused(http.StatusNotFound, "not_found").silent(s, "ZEBRA")
	})
}

// TestCaps checks that drafts, scorecards and block list entries are limited
// per tenant.
func TestCaps(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{caps: usecase.Caps{Drafts: 3, Scorecards: 2, Blocked: 1}}, func(s *stack) {
		m := s.signup() // signing up creates a draft and a scorecard
		first := m.draft(`{"name":"1"}`)
		m.draft(`{"name":"2"}`)
		m.post("/v1/rule-sets", `{"name":"3"}`).refused(http.StatusConflict, "cap_reached")
		m.send("DELETE", "/v1/rule-sets/"+first, m.key, "").want(http.StatusNoContent)
		m.post("/v1/rule-sets", `{"name":"3"}`).want(http.StatusCreated)

		card := `{
			"name":"card","base_points":600,
			"factors":[{"factor":"f","field":"bureau_score","bins":[{"lt":650,"points":0},{"gte":650,"points":10}]}]
		}`
		m.post("/v1/scorecards", card).want(http.StatusCreated)
		m.post("/v1/scorecards", card).refused(http.StatusConflict, "cap_reached")

		block := func(value string) answer {
			return m.post("/v1/fraud/blocklist", `{"kind":"mobile","value":"`+value+`","reason":"test"}`)
		}
		block("9820012345").want(http.StatusCreated)
		block("9820012346").refused(http.StatusConflict, "cap_reached").silent(s, "9820012346")
		block("9820012345").want(http.StatusOK) // it is listed already
	})
}
