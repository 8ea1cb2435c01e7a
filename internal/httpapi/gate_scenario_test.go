package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/tenant"
)

// quietRule reads a feature without "on_absent", so that it never hits a
// request without features. The analysis reports this as an error.
const quietRule = `{"id":"KO_QUIET","reason_code":"BUR_ENQ",` +
	`"condition_ast":{"op":"gt","field":"enquiry__personal_loan__90d__count","value":5}}`

// isAt fails the test unless the entry of the list at the given index has these members.
func (a answer) isAt(list string, at int, want ...any) {
	a.t.Helper()
	for i := 0; i+1 < len(want); i += 2 {
		if got := a.at(list, at, want[i]); got != want[i+1] {
			a.t.Errorf("%s/%d/%s is %v, want %v", list, at, want[i], got, want[i+1])
		}
	}
}

// TestFindingsGateActivation checks that a live rule set with error findings
// can be activated only by acknowledging each of them, and that the audit trail
// keeps the acknowledged keys.
func TestFindingsGateActivation(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		live := m.with(tenant.Live, tenant.Admin, m.userID)
		seeded := live.get("/v1/rule-sets?order=asc").column("id")
		live.activate(seeded[0])
		draft := live.post("/v1/rule-sets", `{"name":"quiet","patch":{"knockouts":{"set":[`+quietRule+`]}}}`).
			want(http.StatusCreated)
		id := draft.text("id")
		const key = "silent_when_absent@/knockouts/KO_QUIET"
		draft.isAt("findings", 0, "key", key, "severity", "error", "origin", "new")
		draft.isAt("findings", 1, "origin", "inherited")

		path := "/v1/rule-sets/" + id + "/activate"
		refused := live.post(path, "").refused(http.StatusConflict, "findings_unacknowledged")
		refused.isAt("errors", 0, "key", key, "code", "silent_when_absent",
			"pointer", draft.at("findings", 0, "pointer"))
		live.get("/v1/rule-sets/"+id).is("status", "draft")
		live.post(path, `{"acknowledge":["never_fires@/knockouts/ZEBRA"]}`).
			refused(http.StatusUnprocessableEntity, "invalid_field").silent(s, "ZEBRA")
		live.post(path, `{"acknowledge":[7]}`).refused(http.StatusUnprocessableEntity, "invalid_field")
		live.post(path, `{"note":"known","acknowledge":["`+key+`"]}`).want(http.StatusOK).is("status", "active")
		trail := live.get("/v1/audit?action=findings.acknowledged&object=" + id)
		if diff := cmp.Diff([]string{key}, trail.column("note")); diff != "" {
			s.Errorf("acknowledged (-want +got):\n%s", diff)
		}

		// A fork inherits the finding, and its activation requires an
		// acknowledgement too.
		fork := live.post("/v1/rule-sets", `{"name":"fork","limit_step":5000}`).want(http.StatusCreated)
		fork.isAt("findings", 0, "key", key, "origin", "inherited")
		live.post("/v1/rule-sets/"+fork.text("id")+"/activate", "").
			refused(http.StatusConflict, "findings_unacknowledged")

		// Findings do not block activation in the sandbox.
		m.activate(m.draft(`{"name":"quiet","patch":{"knockouts":{"set":[` + quietRule + `]}}}`))
	})
}

// TestTruncatedAnalysisGatesActivation checks that the analysis still reports
// an error finding among many rules, and in a condition that is too wide to
// analyse completely.
func TestTruncatedAnalysisGatesActivation(t *testing.T) {
	t.Parallel()
	var filling strings.Builder
	for i := range 400 {
		fmt.Fprintf(&filling, `{"id":"KO_%d","reason_code":"INC_LOW","condition_ast":{"op":"and","args":[`+
			`{"op":"lt","field":"monthly_income","value":%d},{"op":"gt","field":"age","value":%d},`+
			`{"op":"in","field":"enquiries_6m","values":[%d,%d,%d]}]}},`, i, 1000+i, 100-i%70, i%7, i%11, i%13)
	}
	var wide strings.Builder
	names := []string{
		"age", "foir", "monthly_income", "enquiries_6m", "max_dpd_12m", "active_tradelines", "requested_amount",
	}
	for i, name := range names {
		fmt.Fprintf(&wide, `{"op":"or","args":[{"op":"gt","field":%q,"value":1},{"op":"lt","field":%q,"value":4}]},`,
			name, names[(i+3)%len(names)])
	}
	const leaf = `{"op":"gt","field":"enquiry__personal_loan__90d__count","value":5}`
	wideRule := strings.Replace(quietRule, leaf, `{"op":"and","args":[`+wide.String()+leaf+`]}`, 1)
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		live := m.with(tenant.Live, tenant.Admin, m.userID)
		live.activate(live.get("/v1/rule-sets?order=asc").column("id")[0])
		for _, rules := range []string{filling.String() + quietRule, wideRule} {
			id := live.draft(`{"name":"large","patch":{"knockouts":{"set":[` + rules + `]}}}`)
			refused := live.post("/v1/rule-sets/"+id+"/activate", "").
				refused(http.StatusConflict, "findings_unacknowledged")
			refused.isAt("errors", 0, "key", "silent_when_absent@/knockouts/KO_QUIET")
		}
	})
}

// TestStopButtonIsNeverGated checks that every user who may activate rule sets
// can activate the previously active rule set and the seeded SAFE_MODE without
// passing the gates. The gates are the second person and the acknowledgement of
// findings.
func TestStopButtonIsNeverGated(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		asha := m.with(tenant.Live, tenant.Admin, m.userID)
		seeded := asha.get("/v1/rule-sets?order=asc").column("id")
		asha.activate(seeded[0])
		quiet := asha.draft(`{"name":"quiet","patch":{"knockouts":{"set":[` + quietRule + `]}}}`)
		asha.post("/v1/rule-sets/"+quiet+"/activate", `{"acknowledge":["silent_when_absent@/knockouts/KO_QUIET"]}`).
			want(http.StatusOK)
		next := asha.draft(`{"name":"next","base":"` + seeded[0] + `"}`)
		asha.activate(next)
		user, err := s.service.Operator.CreateUser(s.Context(), m.tenantID,
			fmt.Sprintf("second-%s@example.in", m.tenantID[4:]), tenant.NewSecret("correct horse"), tenant.RoleAdmin)
		if err != nil {
			s.Fatal(err)
		}
		ravi := m.with(tenant.Live, tenant.Admin, user.ID)
		s.clock.advance(24 * time.Hour) // a new user must wait a day before activating
		activate := func(id string) answer { return asha.post("/v1/rule-sets/"+id+"/activate", `{"note":"stop"}`) }
		notes := func(id string) string {
			return strings.Join(asha.get("/v1/audit?action=rule_set.activated&object="+id).column("note"), "; ")
		}

		// The gates would refuse this activation for two reasons. Asha is the author of the rule set, and Ravi
		// could activate it as the second person. The rule set also has an error finding. The activation succeeds
		// only because it restores the previously active rule set.
		activate(quiet).want(http.StatusOK).is("status", "active")
		if got := notes(quiet); !strings.HasPrefix(got, "rollback: stop") {
			s.Errorf("the trail says %q", got)
		}
		// Now "next" is the previously active rule set.
		activate(next).want(http.StatusOK)
		activate(seeded[1]).want(http.StatusOK)
		if got := notes(seeded[1]); got != "rollback: stop" {
			s.Errorf("the trail says %q of SAFE_MODE", got)
		}
		// A rule set that was active two activations ago must pass the gates.
		activate(quiet).refused(http.StatusConflict, "second_person_required")
		ravi.post("/v1/rule-sets/"+quiet+"/activate", "").refused(http.StatusConflict, "findings_unacknowledged")
		activate(next).want(http.StatusOK)

		// A copy of SAFE_MODE under its name must pass the gates too.
		copied := asha.draft(`{"name":"SAFE_MODE","base":"` + seeded[1] + `"}`)
		activate(copied).refused(http.StatusConflict, "second_person_required")
		// Activating the seeded default is an ordinary activation, not a
		// rollback.
		ravi.activate(copied)
		activate(seeded[0]).want(http.StatusOK)
		if got := notes(seeded[0]); strings.Contains(got, "rollback") {
			s.Errorf("the trail says %q of the default policy", got)
		}
	})
}
