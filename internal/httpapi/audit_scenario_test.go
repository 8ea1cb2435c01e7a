package httpapi_test

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/tenant"
)

// entries returns a page of the audit trail, each entry as "action actor
// object".
func (a answer) entries() []string {
	a.t.Helper()
	list := []string{}
	for i := range a.list("data") {
		list = append(list,
			fmt.Sprint(a.at("data", i, "action"), " ", a.at("data", i, "actor"), " ", a.at("data", i, "object")))
	}
	return list
}

// TestEveryChangeIsInTheTrail checks that every change has one audit entry with
// its actor, and that refused and read-only requests have none.
func TestEveryChangeIsInTheTrail(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		keyID, _ := m.signed["key"].(map[string]any)["id"].(string)
		seeded := m.get("/v1/rule-sets?order=asc").column("id")
		decided := m.post("/v1/decisions", sample).want(http.StatusOK).text("decision_id")
		m.post("/v1/decisions/"+decided+"/review", `{"outcome":"overturned"}`).want(http.StatusCreated)
		set := m.post("/v1/rule-sets", `{"name":"x","limit_step":5000}`).want(http.StatusCreated)
		m.post("/v1/rule-sets/"+set.text("id")+"/activate", `{"note":"go"}`).want(http.StatusOK)
		card := m.post("/v1/scorecards", scorecard).want(http.StatusCreated)
		m.post("/v1/decisions", `{}`).want(http.StatusUnprocessableEntity)
		m.post("/v1/decisions/preview", sample).want(http.StatusOK)
		m.post("/v1/rule-sets", `{}`).want(http.StatusUnprocessableEntity)
		m.post("/v1/rule-sets/"+seeded[0]+"/activate", `{"expected_active_id":"`+seeded[1]+`"}`).
			want(http.StatusPreconditionFailed)

		got := m.get("/v1/audit?order=asc").want(http.StatusOK)
		want := []string{
			"rule_set.activated system " + seeded[0], "rule_set.created system " + seeded[1],
			"tenant.created " + m.userID + " " + m.tenantID, "key.created " + m.userID + " " + keyID,
			"decision.created " + keyID + " " + decided, "decision.reviewed " + keyID + " " + decided,
			"rule_set.created " + keyID + " " + set.text("id"), "rule_set.activated " + keyID + " " + set.text("id"),
			"scorecard.created " + keyID + " " + card.text("id"),
		}
		if diff := cmp.Diff(want, got.entries()); diff != "" {
			s.Errorf("the trail (-want +got):\n%s", diff)
		}
		before := m.get("/v1/rule-sets/" + seeded[0]).text("checksum")
		activated := m.get("/v1/audit?action=rule_set.activated&actor=" + keyID).want(http.StatusOK)
		for member, value := range map[string]any{
			"before_checksum": before,
			"after_checksum":  set.text("checksum"),
			"note":            "go",
			"environment":     "sandbox",
		} {
			if got := activated.at("data", 0, member); got != value {
				s.Errorf("%s is %v, want %v", member, got, value)
			}
		}
	})
}

func TestTrailOfTheOperator(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		live := m.with(tenant.Live, tenant.Admin, m.userID)
		keys, err := s.service.Operator.Keys(s.Context(), m.tenantID)
		if err != nil {
			s.Fatal(err)
		}
		if err := s.service.Operator.SetPlan(s.Context(), m.tenantID, "growth"); err != nil {
			s.Fatal(err)
		}
		user, err := s.service.Operator.CreateUser(s.Context(), m.tenantID, "operated@example.in",
			tenant.NewSecret("correct horse"), tenant.RoleAdmin)
		if err != nil {
			s.Fatal(err)
		}
		for range 2 { // the second revocation changes nothing
			if _, err := s.service.Operator.RevokeKey(s.Context(), m.tenantID, keys[0].ID); err != nil {
				s.Fatal(err)
			}
		}
		want := []string{
			"key.created operator " + keys[1].ID, "tenant.plan_set operator " + m.tenantID,
			"user.created operator " + user.ID,
		}
		got := live.get("/v1/audit?order=asc&actor=operator").want(http.StatusOK).entries()
		if diff := cmp.Diff(want, got); diff != "" {
			s.Errorf("live (-want +got):\n%s", diff)
		}
		sandbox := m.with(tenant.Sandbox, tenant.Read, m.userID)
		if diff := cmp.Diff([]string{"key.revoked operator " + keys[0].ID}, sandbox.get("/v1/audit?action=key.revoked").
			entries()); diff != "" {
			s.Errorf("sandbox (-want +got):\n%s", diff)
		}
	})
}

func TestTrailIsFilteredAndExported(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		notes := []string{`=HYPERLINK("http://x","y")`, "+1", "-1", "@SUM(A1)", "\t=1", "fine, \"quoted\"\nline"}
		// Activate three rule sets in turn, because activating the previously
		// active rule set would be a rollback.
		ids := []string{m.ruleSetID}
		for _, name := range []string{"Second", "Third"} {
			ids = append(ids, m.post("/v1/rule-sets", fmt.Sprintf(`{"name":%q}`, name)).text("id"))
		}
		for i, note := range notes {
			id := ids[(i+1)%3]
			m.post("/v1/rule-sets/"+id+"/activate", fmt.Sprintf(`{"note":%q}`, note)).want(http.StatusOK)
		}
		s.signup().post("/v1/decisions", sample).want(http.StatusOK)
		got := m.get("/v1/audit?order=asc&action=rule_set.activated", "Accept: text/csv").want(http.StatusOK)
		if kind := got.header.Get("Content-Type"); kind != "text/csv; charset=utf-8" {
			s.Errorf("exported as %q", kind)
		}
		rows, err := csv.NewReader(strings.NewReader(string(got.body))).ReadAll()
		if err != nil {
			s.Fatal(err)
		}
		if len(rows) != len(notes)+2 || rows[0][7] != "note" {
			s.Fatalf("%d rows: %s", len(rows), got.body)
		}
		for i, note := range notes {
			want := note
			if i < 5 {
				want = "'" + note
			}
			if rows[i+2][7] != want {
				s.Errorf("the note %q is exported as %q", note, rows[i+2][7])
			}
		}
		if n := len(m.walk("/v1/audit?limit=2&action=rule_set.activated", "id")); n != len(notes)+1 {
			s.Errorf("%d entries in pages", n)
		}
		m.get("/v1/audit?action=ZEBRA").want(http.StatusOK).is("pagination.has_next", false)
		m.get("/v1/audit", "Accept: text/plain").refused(http.StatusNotAcceptable, "not_acceptable")
	})
}

func TestReviews(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		posted := m.post("/v1/decisions", sample).want(http.StatusOK)
		path := "/v1/decisions/" + posted.text("decision_id")
		first := m.post(path+"/review", `{"outcome":"overturned","reason_code":"INC_LOW","note":"payslip seen"}`).
			want(http.StatusCreated).
			is("outcome", "overturned", "reason_code", "INC_LOW", "note", "payslip seen",
				"decision_id", posted.text("decision_id"))
		m.post(path+"/review", `{"outcome":"more_information"}`).want(http.StatusCreated)
		got := m.get(path).want(http.StatusOK).
			is("status", "APPROVED", "re_explanation.verified", true, "decision_hash", posted.text("decision_hash"))
		if diff := cmp.Diff(any(first.object()), got.at("reviews", 0)); diff != "" {
			s.Errorf("the first review (-posted +fetched):\n%s", diff)
		}
		if n := len(got.list("reviews")); n != 2 {
			s.Errorf("%d reviews", n)
		}
		wrong := m.post(path+"/review", `{"reason_code":"inc low","note":7,"ZEBRA":1}`).
			refused(http.StatusUnprocessableEntity, "invalid_field")
		want := []string{"/ZEBRA unknown_field", "/note wrong_type", "/outcome required", "/reason_code invalid_field"}
		if diff := cmp.Diff(want, wrong.faults()); diff != "" {
			s.Errorf("(-want +got):\n%s", diff)
		}
		m.post(path+"/review", `{"outcome":"ZEBRA"}`).
			refused(http.StatusUnprocessableEntity, "invalid_field").silent(s, "ZEBRA")
		for _, id := range []string{"ZEBRA", "dec_0000000000000000000000000A"} {
			m.post("/v1/decisions/"+id+"/review", `{"outcome":"upheld"}`).refused(http.StatusNotFound, "not_found")
		}
		s.signup().post(path+"/review", `{"outcome":"upheld"}`).refused(http.StatusNotFound, "not_found")
		s.send("DELETE", path+"/review", m.key, "").refused(http.StatusMethodNotAllowed, "method_not_allowed")
	})
}
