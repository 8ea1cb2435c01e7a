package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// draft creates a rule set and returns its id.
func (m *member) draft(body string) string {
	m.Helper()
	return m.post("/v1/rule-sets", body).want(http.StatusCreated).text("id")
}

func (m *member) activate(id string) answer {
	m.Helper()
	return m.post("/v1/rule-sets/"+id+"/activate", "").want(http.StatusOK)
}

func TestDraftInherits(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		active := m.get("/v1/rule-sets/" + m.ruleSetID).want(http.StatusOK)
		fork := m.post("/v1/rule-sets", `{"name":"x"}`).want(http.StatusCreated).
			is("name", "x", "status", "draft", "version", 3, "base", m.ruleSetID,
				"checksum", active.text("checksum"), "activated_at", nil)
		if at := fork.header.Get("Location"); at != "/v1/rule-sets/"+fork.text("id") {
			s.Errorf("it is at %q", at)
		}
		if len(fork.list("inherited")) == 0 || fork.at("findings") == nil {
			s.Errorf("inherited %v, found %v", fork.list("inherited"), fork.at("findings"))
		}
		other := m.post("/v1/rule-sets", `{"name":"y","base":"`+fork.text("id")+`","limit_step":5000,"knockouts":[]}`).
			want(http.StatusCreated).
			is("base", fork.text("id"), "limit_step", 5000, "version", 4)
		for _, section := range other.list("inherited") {
			if section == "limit_step" || section == "knockouts" {
				s.Errorf("%v is given and inherited", section)
			}
		}
		none := m.post("/v1/rule-sets", `{"name":"z","base":"none"}`).
			refused(http.StatusUnprocessableEntity, "invalid_field")
		if diff := cmp.Diff([]string{"/pricing_bands required", "/scorecard required"}, none.faults()); diff != "" {
			s.Errorf("without a base (-want +got):\n%s", diff)
		}
		for _, base := range []string{"ZEBRA", s.signup().ruleSetID} {
			m.post("/v1/rule-sets", `{"name":"z","base":"`+base+`"}`).
				refused(http.StatusNotFound, "not_found").silent(s, "ZEBRA")
		}

		// The answer to a GET can be sent back, because read-only members are
		// ignored.
		got := m.get("/v1/rule-sets/" + fork.text("id")).want(http.StatusOK)
		again := m.post("/v1/rule-sets", string(got.body)).
			want(http.StatusCreated).is("version", 5, "checksum", got.text("checksum"), "status", "draft")
		if again.text("id") == got.text("id") {
			s.Error("the id was taken over")
		}
		m.get("/v1/rule-sets?status=draft&limit=2").want(http.StatusOK)
		if n := len(m.walk("/v1/rule-sets?limit=2", "id")); n != 5 {
			s.Errorf("%d rule sets are listed", n)
		}
		m.get("/v1/policies").want(http.StatusOK)
	})
}

func TestWrongRuleSets(t *testing.T) {
	t.Parallel()
	knockout := func(condition string) string {
		return `{
			"name":"x",
			"knockouts":[
				{"id":"KO_A","stage":1,"action":"decline","reason_code":"BUR_SCORE","condition_ast":` + condition + `}
			]
		}`
	}
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		for _, c := range []struct {
			body, code string
			want       []string
		}{
			{`{}`, "invalid_field", []string{"/name required"}},
			{`{"name":"x","ZEBRA":1}`, "unknown_field", []string{"/ZEBRA unknown_field"}},
			{`{"name":"x","base":7}`, "invalid_field", []string{"/base wrong_type"}},
			{`{"limit_step":-1,"offer_validity_days":"ZEBRA"}`, "invalid_field",
				[]string{"/limit_step out_of_range", "/name required", "/offer_validity_days wrong_type"}},
			{
				knockout(`{"op":"lt","field":"bureau_scor","value":650}`),
				"unknown_field",
				[]string{"/knockouts/0/condition_ast/field unknown_field"},
			},
			{
				knockout(`{"op":"near","field":"bureau_score","value":650}`),
				"invalid_condition",
				[]string{"/knockouts/0/condition_ast/op invalid_condition"},
			},
			{
				knockout(`{"op":"and","args":[{"op":"true"},{"op":"lt","field":"bureau_score","value":"ZEBRA"}]}`),
				"invalid_condition",
				[]string{"/knockouts/0/condition_ast/args/1 invalid_condition"},
			},
		} {
			got := m.post("/v1/rule-sets", c.body).refused(http.StatusUnprocessableEntity, c.code).silent(s, `"ZEBRA`)
			if diff := cmp.Diff(c.want, got.faults()); diff != "" {
				s.Errorf("%s (-want +got):\n%s", c.body, diff)
			}
		}
		near := m.post("/v1/rule-sets", knockout(`{"op":"lt","field":"bureau_scor","value":650}`))
		if detail := fmt.Sprint(near.at("errors", 0, "detail")); !strings.Contains(detail, "bureau_score") {
			s.Errorf("the nearest name is not in %q", detail)
		}
		if n := len(m.get("/v1/rule-sets").list("data")); n != 2 {
			s.Errorf("%d rule sets are stored", n)
		}
	})
}

// TestPinnedScorecard checks that a rule set keeps the scorecard version that it was
// saved with. A request is refused if it contains a scorecard other than the one that
// its scorecard_id names.
func TestPinnedScorecard(t *testing.T) {
	t.Parallel()
	const card = `{
		"name":"PL","base_points":%d,
		"factors":[{"factor":"foir","field":"foir","bins":[{"lt":0.3,"points":30},{"gte":0.3,"points":10}]}]
	}`
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		first := m.post("/v1/scorecards", fmt.Sprintf(card, 650)).want(http.StatusCreated).is("version", 1)
		set := m.post("/v1/rule-sets", `{"name":"pinned","scorecard_id":"`+first.text("id")+`"}`).
			want(http.StatusCreated).
			is("scorecard_id", first.text("id"), "scorecard.base_points", 650)
		second := m.post("/v1/scorecards", fmt.Sprintf(card, 700)).want(http.StatusCreated).is("version", 2)
		m.get("/v1/rule-sets/"+set.text("id")).is("checksum", set.text("checksum"), "scorecard.base_points", 650)
		m.activate(set.text("id"))
		m.post("/v1/decisions", `{"applicant":{"foir":0.2},"bureau_report":{"score":742}}`).
			is("explanation.final_score", 680)

		m.post("/v1/rule-sets", `{"name":"fork"}`).want(http.StatusCreated).is("scorecard_id", first.text("id"))
		m.post("/v1/rule-sets", string(m.get("/v1/rule-sets/"+set.text("id")).body)).
			want(http.StatusCreated).is("checksum", set.text("checksum"))
		both := set.object()
		for _, id := range []string{second.text("id"), "sc_0000000000000000000000000A", "ZEBRA"} {
			both["scorecard_id"] = id
			body, err := json.Marshal(both)
			if err != nil {
				s.Fatal(err)
			}
			got := m.post("/v1/rule-sets", string(body)).want(http.StatusUnprocessableEntity).silent(s, "ZEBRA")
			if faults := got.faults(); len(faults) != 1 || !strings.HasPrefix(faults[0], "/scorecard_id ") {
				s.Errorf("a scorecard that is not %s: %v", id, faults)
			}
		}
		unknown := m.post("/v1/rule-sets", `{"name":"x","scorecard_id":"sc_0000000000000000000000000A"}`).
			want(http.StatusUnprocessableEntity)
		if diff := cmp.Diff([]string{"/scorecard_id unknown_field"}, unknown.faults()); diff != "" {
			s.Errorf("(-want +got):\n%s", diff)
		}
		s.signup().post("/v1/rule-sets", `{"name":"x","scorecard_id":"`+first.text("id")+`"}`).
			want(http.StatusUnprocessableEntity)
	})
}

func TestPolicyKeys(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		gold := m.post("/v1/rule-sets", `{
			"name":"gold","policy_key":"gold_loan","base":"`+m.ruleSetID+`","limit_step":5000
		}`).
			want(http.StatusCreated).is("version", 1, "policy_key", "gold_loan")
		m.post("/v1/decisions", asking(sample, `"policy_key":"gold_loan"`)).
			refused(http.StatusConflict, "no_active_policy")
		m.activate(gold.text("id"))
		m.get("/v1/rule-sets/"+m.ruleSetID).is("status", "active")
		m.post("/v1/rule-sets", `{"name":"gold 2","policy_key":"gold_loan"}`).
			want(http.StatusCreated).is("version", 2, "base", gold.text("id"), "limit_step", 5000)
		for key, want := range map[string]string{"gold_loan": gold.text("id"), "default": m.ruleSetID} {
			for _, path := range []string{"/v1/decisions", "/v1/decisions/preview", "/v1/eligibility"} {
				m.post(path, asking(sample, `"policy_key":"`+key+`"`)).want(http.StatusOK).is("policy.id", want)
			}
		}
		m.post("/v1/decisions", sample).is("policy.id", m.ruleSetID)
		if n := len(m.get("/v1/decisions?policy_key=gold_loan").list("data")); n != 1 {
			s.Errorf("%d decisions of gold_loan", n)
		}
		want := []string{"2", "1"}
		if diff := cmp.Diff(want, m.get("/v1/rule-sets?policy_key=gold_loan").column("version")); diff != "" {
			s.Errorf("versions (-want +got):\n%s", diff)
		}
		if n := len(m.get("/v1/policies?policy_key=gold_loan").list("data")); n != 2 {
			s.Errorf("%d policies of gold_loan", n)
		}
	})
}
