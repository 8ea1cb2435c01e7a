package httpapi_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/tenant"
)

// ring sends applications of two people with the same account, and returns the
// id of the alert about them.
func (m *member) ring(account, first, second string) string {
	m.Helper()
	m.apply(first, account)
	id, _ := m.apply(second, account).raised(1).at("fraud", "alert_ids", 0).(string)
	return id
}

// TestAlertLife checks that an alert can be acknowledged and closed, and cannot
// be reopened.
func TestAlertLife(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		first := m.apply("A-1", oneAccount)
		second := m.apply("A-2", oneAccount).raised(1)
		id, _ := second.at("fraud", "alert_ids", 0).(string)
		third := m.apply("A-3", oneAccount).raised(2) // the second alert is about the ring of three people
		if again := third.at("fraud", "alert_ids", 0); again != id {
			s.Errorf("a second alert about the same: %v", again)
		}
		path := "/v1/fraud/alerts/" + id
		got := m.get(path).want(http.StatusOK).is(
			"id", id, "type", mule, "severity", "critical", "status", "open", "entity.kind", "beneficiary_account",
			"entity.display", "••••5566", "value", 3, "applicant_count", 3, "threshold", 2, "window_hours", 2160,
			"acknowledged_at", nil, "acknowledged_by", nil, "closed_at", nil, "closed_by", nil, "resolution", nil,
			"note", nil, "previous_alert_id", nil, "first_seen_at", first.text("created_at"),
			"last_seen_at", third.text("created_at"), "created_at", second.text("created_at"))
		if diff := cmp.Diff([]any{"A-1", "A-2", "A-3"}, got.at("applicant_refs")); diff != "" {
			s.Errorf("applicants (-want +got):\n%s", diff)
		}
		want := []any{first.text("decision_id"), second.text("decision_id"), third.text("decision_id")}
		if diff := cmp.Diff(want, got.at("decision_ids")); diff != "" {
			s.Errorf("decisions (-want +got):\n%s", diff)
		}
		m.patch(path, `{"action":"acknowledge","note":"looking"}`).want(http.StatusOK).
			is("status", "acknowledged", "note", "looking", "closed_at", nil).mine(m, "acknowledged_by")
		m.patch(path, `{"status":"acknowledged","note":"again"}`).
			want(http.StatusOK).is("status", "acknowledged", "note", "looking")
		m.patch(path, `{"status":"closed"}`).
			want(http.StatusOK).is("status", "closed", "resolution", "other", "note", "looking").mine(m, "closed_by")
		for _, step := range []string{`{"status":"acknowledged"}`, `{"action":"acknowledge"}`} {
			m.patch(path, step).refused(http.StatusConflict, "invalid_transition")
		}
		m.patch(path, `{"action":"close"}`).want(http.StatusOK).is("status", "closed", "resolution", "other")
		m.patch(path, `{"action":"close","resolution":"other"}`).
			want(http.StatusOK).is("status", "closed", "resolution", "other")
		m.patch(path, `{"action":"close","resolution":"confirmed_fraud"}`).
			refused(http.StatusConflict, "invalid_transition")
		var steps []string
		for _, e := range m.get(path).list("history") {
			e, _ := e.(map[string]any)
			steps = append(steps, fmt.Sprint(e["from"], " ", e["to"], " ", e["resolution"], " ", e["note"]))
		}
		if diff := cmp.Diff([]string{
			"<nil> open <nil> <nil>",
			"open acknowledged <nil> looking",
			"acknowledged closed other <nil>",
		}, steps); diff != "" {
			s.Errorf("history (-want +got):\n%s", diff)
		}
		next, _ := m.apply("A-4", oneAccount).raised(2).at("fraud", "alert_ids", 0).(string)
		m.get("/v1/fraud/alerts/"+next).is("status", "open", "previous_alert_id", id, "applicant_count", 4)
		if n := len(m.get("/v1/audit?object=" + id).list("data")); n < 2 {
			s.Errorf("the audit trail has %d entries", n)
		}
	})
}

// mine fails the test unless the given member of the answer is the id of the caller's key.
func (a answer) mine(m *member, member string) answer {
	a.t.Helper()
	key, _ := m.signed["key"].(map[string]any)
	return a.is(member, key["id"])
}

// TestAlertRefusals checks that a refused change leaves the alert as it was.
func TestAlertRefusals(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		path := "/v1/fraud/alerts/" + m.ring(oneAccount, "A-1", "A-2")
		before := m.get(path).want(http.StatusOK)
		for body, pointer := range map[string]string{
			`{}`:                  "/status",
			`{"status":"open"}`:   "/status",
			`{"action":"reopen"}`: "/action",
			`{"status":"closed","action":"acknowledge"}`:     "/action",
			`{"status":"acknowledged","resolution":"other"}`: "/resolution",
			`{"status":"closed","resolution":"maybe"}`:       "/resolution",
			`{"status":"closed","note":7}`:                   "/note",
			`{"status":"closed","notes":"x"}`:                "/notes",
			`[]`:                                             "",
		} {
			got := m.patch(path, body).want(http.StatusUnprocessableEntity)
			if at := got.at("errors", 0, "pointer"); at != pointer {
				s.Errorf("%s: the refusal points at %v", body, at)
			}
		}
		for _, id := range []string{"alr_01KA2W4Q8N5T7XJ3RZB6MCDVHE", "alr_1", m.ruleSetID} {
			m.get("/v1/fraud/alerts/"+id).refused(http.StatusNotFound, "not_found")
			m.get("/v1/fraud/alerts/"+id+"/ring").refused(http.StatusNotFound, "not_found")
			m.patch("/v1/fraud/alerts/"+id, `{"status":"closed"}`).refused(http.StatusNotFound, "not_found")
		}
		for _, filter := range []string{
			"status=new", "type=mule", "severity=worst", "from=yesterday", "limit=0", "state=open",
		} {
			m.get("/v1/fraud/alerts?" + filter).want(http.StatusUnprocessableEntity)
		}
		reader := m.with(tenant.Sandbox, tenant.Read, m.userID)
		reader.get(path).want(http.StatusOK)
		for _, refused := range []answer{
			reader.patch(path, `{"status":"closed"}`), reader.put("/v1/fraud/config", `{}`),
			reader.put("/v1/fraud/pincode-risk", `{"pincode":"400001","risk":"LOW"}`),
			reader.send("DELETE", "/v1/fraud/blocklist?kind=ip&key=x", reader.key, ""),
		} {
			refused.refused(http.StatusForbidden, "insufficient_scope")
		}
		if after := m.get(path); string(after.body) != string(before.body) {
			s.Errorf("it has changed:\n%s\n%s", before.body, after.body)
		}
	})
}

// blockRule declines only applications that match an entry on the block list.
const blockRule = `"include_defaults":false,
	"knockouts":[{"id":"KO_BLOCKED","stage":1,"action":"decline","reason_code":"FR_RING",
	"condition_ast":{"op":"eq","field":"fraud_blocklisted","value":true}}]`

// TestConfirmedFraudBlocks checks that confirming fraud adds a block list
// entry, and that a policy with a rule for blocked entries declines further
// applications until the entry is removed.
func TestConfirmedFraudBlocks(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		m.arm(blockRule)
		s.clock.advance(stale)
		id := m.ring(oneAccount, "A-1", "A-2")
		m.apply("A-3", oneAccount).is("status", "APPROVED")
		key := m.patch("/v1/fraud/alerts/"+id, `{"status":"closed","resolution":"confirmed_fraud"}`).
			want(http.StatusOK).text("entity", "key")
		blocked := m.apply("A-4", oneAccount).is("status", "DECLINED")
		if code := blocked.at("reasons", 0, "code"); code != "FR_RING" {
			s.Errorf("the reason is %v", code)
		}
		m.post("/v1/decisions/preview", evaluation(742, scalars, seen("A-5", oneAccount))).
			is("status", "DECLINED", "facts.fraud_blocklisted", true)
		m.apply("A-6", `"beneficiary_account":"99887766554433"`).is("status", "APPROVED")
		list := m.get("/v1/fraud/blocklist").want(http.StatusOK)
		entry, _ := list.at("data", 0).(map[string]any)
		if blockID, _ := entry["id"].(string); !strings.HasPrefix(blockID, "blk_") {
			s.Errorf("the id of the entry is %q", blockID)
		}
		delete(entry, "id")
		delete(entry, "blocked_at")
		owner, _ := m.signed["key"].(map[string]any)
		want := map[string]any{
			"kind":       "beneficiary_account",
			"display":    "••••5566",
			"key":        key,
			"blocked_by": owner["id"],
			"alert_id":   id,
		}
		if diff := cmp.Diff(want, entry); diff != "" || len(list.list("data")) != 1 {
			s.Errorf("the block list (-want +got):\n%s", diff)
		}
		remove := func(query string) answer {
			return s.send("DELETE", "/v1/fraud/blocklist"+query, m.key, "")
		}
		query := "?kind=beneficiary_account&key=" + url.QueryEscape(key)
		for _, wrong := range []string{"", "?kind=beneficiary_account", "?kind=bank&key=x", query + "&limit=1"} {
			remove(wrong).want(http.StatusUnprocessableEntity)
		}
		remove("?kind=ip&key="+url.QueryEscape(key)).refused(http.StatusNotFound, "not_found")
		if gone := remove(query).want(http.StatusNoContent); len(gone.body) > 0 {
			s.Errorf("an answer without content has %s", gone.body)
		}
		remove(query).refused(http.StatusNotFound, "not_found")
		m.apply("A-7", oneAccount).is("status", "APPROVED")
		m.get("/v1/fraud/alerts/"+id).is("status", "closed", "resolution", "confirmed_fraud")
		if n := len(m.get("/v1/fraud/blocklist").list("data")); n != 0 {
			s.Errorf("%d are left", n)
		}
	})
}

// TestBlocklistPages checks that paging neither loses nor repeats entries.
func TestBlocklistPages(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		for i := range 5 {
			id := m.ring(fmt.Sprintf(`"beneficiary_account":"99887766%04d"`, i), "A-1", "A-2")
			m.patch("/v1/fraud/alerts/"+id, `{"status":"closed","resolution":"confirmed_fraud"}`).want(http.StatusOK)
		}
		var shown []string
		for cursor := ""; ; {
			page := m.get("/v1/fraud/blocklist?limit=2" + cursor).want(http.StatusOK)
			shown = append(shown, page.column("display")...)
			if page.at("pagination", "has_next") != true {
				break
			}
			cursor = "&cursor=" + page.text("pagination", "next_cursor")
		}
		if diff := cmp.Diff([]string{"••••0000", "••••0001", "••••0002", "••••0003", "••••0004"}, shown); diff != "" {
			s.Errorf("pages (-want +got):\n%s", diff)
		}
	})
}

// TestFalsePositiveIsSilent checks that an alert closed as a false positive is
// not raised again for a month, while rules still see the signal.
func TestFalsePositiveIsSilent(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		id := m.ring(oneAccount, "A-1", "A-2")
		m.patch("/v1/fraud/alerts/"+id, `{"status":"closed","resolution":"false_positive"}`).want(http.StatusOK)
		silent := m.apply("A-3", oneAccount).is("status", "DECLINED").saw(mule, true, 3).raised(1)
		m.get(fmt.Sprint("/v1/fraud/alerts/", silent.at("fraud", "alert_ids", 0))).is("type", "ring")
		m.ring(`"beneficiary_account":"99887766554433"`, "B-1", "B-2")
		s.clock.advance(31 * 24 * time.Hour)
		again, _ := m.apply("A-4", oneAccount).saw(mule, true, 4).raised(2).at("fraud", "alert_ids", 0).(string)
		m.get("/v1/fraud/alerts/"+again).is("status", "open", "previous_alert_id", id)
	})
}

// TestAlertLists checks the filters of the alert list and the graph of an
// alert's ring.
func TestAlertLists(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		one := m.ring(oneAccount+`,"agent_id":"AG-7"`, "A-1", "A-2")
		two := m.ring(`"beneficiary_account":"99887766554433"`, "B-1", "B-2")
		m.patch("/v1/fraud/alerts/"+one, `{"status":"acknowledged"}`).want(http.StatusOK)
		for filter, want := range map[string][]string{
			"": {
				two,
				one,
			}, "?order=asc": {one, two}, "?status=open": {two}, "?status=acknowledged": {one}, "?status=closed": {},
			"?type=beneficiary_account_reuse": {two, one}, "?type=ip_cluster": {}, "?severity=critical": {two, one},
			"?severity=low":              {},
			"?from=2099-01-01T00:00:00Z": {}, "?to=2099-01-01T00:00:00Z&limit=1": {two},
		} {
			if diff := cmp.Diff(want, m.get("/v1/fraud/alerts"+filter).want(http.StatusOK).column("id")); diff != "" {
				s.Errorf("%s (-want +got):\n%s", filter, diff)
			}
		}
		page := m.get("/v1/fraud/alerts?limit=1").is("pagination.has_next", true)
		next := m.get("/v1/fraud/alerts?limit=1&cursor="+page.text("pagination", "next_cursor")).
			is("pagination.has_next", false)
		if diff := cmp.Diff([]string{one}, next.column("id")); diff != "" {
			s.Errorf("the second page (-want +got):\n%s", diff)
		}
		ring := m.get("/v1/fraud/alerts/"+one+"/ring").want(http.StatusOK).is("alert_id", one, "truncated", false)
		if diff := cmp.Diff([]any{"A-1", "A-2"}, ring.at("applicants")); diff != "" {
			s.Errorf("applicants (-want +got):\n%s", diff)
		}
		shown := map[string]any{}
		for _, e := range ring.list("entities") {
			e, _ := e.(map[string]any)
			shown[fmt.Sprint(e["kind"], " ", e["display"])] = e["applicants"]
		}
		if diff := cmp.Diff(map[string]any{"beneficiary_account ••••5566": 2.0, "agent AG-7": 2.0}, shown); diff != "" {
			s.Errorf("entities (-want +got):\n%s", diff)
		}
		if n := len(ring.list("edges")); n != 4 {
			s.Errorf("%d edges", n)
		}
	})
}

// TestRefsThatAreApplications checks that an alert is flagged if its applicant
// references look like application numbers: each is used once, all within a day
// and from the same address.
func TestRefsThatAreApplications(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		suspect := m.ring(oneAccount+`,"ip":"203.0.113.78"`, "APP-0001", "APP-0002")
		m.get("/v1/fraud/alerts/"+suspect).is("possible_ref_misuse", true)
		if misused := m.get("/v1/fraud/alerts").at("data", 0, "possible_ref_misuse"); misused != true {
			s.Errorf("the list says %v", misused)
		}
		honest := `"beneficiary_account":"99887766554433"`
		m.apply("A-1", honest+`,"ip":"203.0.113.1"`)
		got := m.apply("A-2", honest+`,"ip":"198.51.100.7"`).raised(1)
		m.get(fmt.Sprint("/v1/fraud/alerts/", got.at("fraud", "alert_ids", 0))).is("possible_ref_misuse", nil)
	})
}
