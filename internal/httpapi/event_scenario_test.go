package httpapi_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/eventdesk"
	"verdict/internal/tenant"
)

// TestEvents decides with several callers at the same time, and reads the feed meanwhile. Every decision must be
// exactly one event, the sequence numbers must have no gap, and each environment must have its own feed.
func TestEvents(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		// The signup has stored a key, rule sets and a scorecard, and activated a rule set.
		begun := m.get("/v1/events").want(http.StatusOK)
		for i := range begun.list("data") {
			if kind, _ := begun.at("data", i, "type").(string); !slices.Contains(
				[]string{"key.created", "rule_set.created", "rule_set.activated", "scorecard.created"}, kind) {
				s.Errorf("a new tenant has the event %v", begun.at("data", i))
			}
		}
		const callers, each = 4, 12
		decided := make([][]string, callers)
		var all sync.WaitGroup
		for i := range callers {
			all.Go(func() {
				for range each {
					got, err := s.trySend("POST", "/v1/decisions", m.key, sample)
					if err != nil || got.status != http.StatusOK {
						s.Errorf("%v: %s", err, got.body)
						return
					}
					decided[i] = append(decided[i], got.text("decision_id"))
				}
			})
		}
		seen := map[string]int{}
		after := int64(len(begun.list("data")))
		read := func() (more bool) {
			feed := m.get(fmt.Sprintf("/v1/events?after=%d&limit=7", after)).want(http.StatusOK)
			for i := range feed.list("data") {
				after++
				if n, _ := feed.at("data", i, "sequence").(float64); int64(n) != after {
					s.Errorf("sequence %v follows %d", n, after-1)
				}
				id, _ := feed.at("data", i, "data", "decision_id").(string)
				seen[id]++
				if feed.at("data", i, "type") != "decision.created" ||
					feed.at("data", i, "data", "status") != "APPROVED" {
					s.Errorf("the event is %v", feed.at("data", i))
				}
			}
			if feed.at("last_sequence") != float64(after) {
				s.Errorf("last_sequence is %v, want %d", feed.at("last_sequence"), after)
			}
			return feed.at("has_more") == true
		}
		for range 5 {
			read() // while decisions are made
		}
		all.Wait()
		for read() {
		}
		for _, ids := range decided {
			for _, id := range ids {
				if seen[id] != 1 {
					s.Errorf("%s has %d events", id, seen[id])
				}
			}
		}
		if len(seen) != callers*each {
			s.Errorf("%d decisions have events, want %d", len(seen), callers*each)
		}

		live := m.with(tenant.Live, tenant.Admin, m.userID)
		if got := live.get("/v1/events").want(http.StatusOK).body; strings.Contains(string(got), "decision.created") {
			s.Errorf("live has events of the sandbox: %s", got)
		}
		m.with(tenant.Sandbox, tenant.Decide, m.userID).get("/v1/events").
			refused(http.StatusForbidden, "insufficient_scope")
		for _, query := range []string{"after=-1", "after=x", "limit=0", "limit=1001", "before=3"} {
			m.get("/v1/events?" + query).want(http.StatusUnprocessableEntity)
		}
	})
}

// TestEventsOfEveryKind makes changes of many kinds, and checks the events that they have caused.
func TestEventsOfEveryKind(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		begin, _ := m.get("/v1/events?limit=1000").want(http.StatusOK).at("last_sequence").(float64)
		decision := m.post("/v1/decisions", sample).want(http.StatusOK).text("decision_id")
		m.post("/v1/decisions/"+decision+"/review", `{"outcome":"upheld","reason_code":"SEEN","note":"a secret note"}`).
			want(http.StatusCreated)
		draft := m.post("/v1/rule-sets", `{"name":"A secret name"}`).want(http.StatusCreated).text("id")
		m.post("/v1/rule-sets/"+draft+"/activate", `{}`).want(http.StatusOK)
		unused := m.post("/v1/rule-sets", `{"name":"unused"}`).want(http.StatusCreated).text("id")
		s.send("DELETE", "/v1/rule-sets/"+unused, m.key, "").want(http.StatusNoContent)
		m.put("/v1/fraud/config", `{"fraud":{"mute_days":7}}`).want(http.StatusOK)
		m.put("/v1/fraud/pincode-risk", `{"pincode":"400001","risk":"HIGH","reason":"a secret reason"}`).
			want(http.StatusOK)
		m.post("/v1/scorecards", strings.Replace(scorecard, "PL v1", "A secret name", 1)).want(http.StatusCreated)
		blocked := m.post("/v1/fraud/blocklist", `{"kind":"mobile","value":"9820054321","reason":"a secret reason"}`).
			want(http.StatusCreated)
		s.send("DELETE", "/v1/fraud/blocklist?kind=mobile&key="+url.QueryEscape(blocked.text("key")), m.key, "").
			want(http.StatusNoContent)
		alert := m.ring(oneAccount, "A-1", "A-2")
		m.patch("/v1/fraud/alerts/"+alert, `{"status":"closed","resolution":"false_positive","note":"a secret"}`).
			want(http.StatusOK)
		m.with(tenant.Sandbox, tenant.Read, m.userID)

		feed := m.get(fmt.Sprintf("/v1/events?after=%.0f", begin)).want(http.StatusOK)
		var kinds []string
		for i := range feed.list("data") {
			kind, _ := feed.at("data", i, "type").(string)
			kinds = append(kinds, kind)
			if n, _ := feed.at("data", i, "sequence").(float64); n != begin+float64(i)+1 {
				s.Errorf("sequence %v at %d", n, i)
			}
		}
		want := []string{
			"decision.created", "decision.reviewed", "rule_set.created", "rule_set.activated", "rule_set.created",
			"rule_set.deleted", "config.changed", "config.changed", "scorecard.created", "blocklist.added",
			"blocklist.removed", "decision.created", "alert.opened", "decision.created", "alert.closed", "key.created",
		}
		if !slices.Equal(kinds, want) {
			s.Errorf("the events are %v, want %v", kinds, want)
		}
		if strings.Contains(string(feed.body), "secret") {
			s.Errorf("the events tell what somebody wrote: %s", feed.body)
		}
		if strings.Contains(string(feed.body), blocked.text("key")) {
			s.Errorf("the events tell the hash of a telephone number: %s", feed.body)
		}
		for _, at := range []int{9, 10} {
			if got := feed.at("data", at, "data", "block_id"); got != blocked.text("id") {
				s.Errorf("the id of the entry of the block list is %v, want %s", got, blocked.text("id"))
			}
		}
		reviewed := map[string]string{"decision_id": decision, "outcome": "upheld", "reason_code": "SEEN"}
		for name, value := range reviewed {
			if got := feed.at("data", 1, "data", name); got != value {
				s.Errorf("%s of the review is %v", name, got)
			}
		}
	})
}

// TestEventTypes checks that the contract lists exactly the types of events.
func TestEventTypes(t *testing.T) {
	t.Parallel()
	var listed []string
	for _, name := range loadContract(t).Components.Schemas["EventType"].Value.Enum {
		listed = append(listed, fmt.Sprint(name))
	}
	if diff := cmp.Diff(eventdesk.Types(), listed); diff != "" {
		t.Errorf("the types of events (-service +contract):\n%s", diff)
	}
}

// TestExpiredEvents checks the answer to a request for events that are older than 90 days. It also checks that the feed
// begins with the oldest kept event if the parameter "after" is left out.
func TestExpiredEvents(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		last, _ := m.get("/v1/events?after=0").want(http.StatusOK).at("last_sequence").(float64)
		s.clock.advance(eventdesk.Keep + time.Second)
		m.post("/v1/decisions", sample).want(http.StatusOK)
		m.get("/v1/events?after=0").refused(http.StatusGone, "events_expired").is("oldest_sequence", last+1)
		hook := m.post("/v1/webhooks", `{"url":"https://example.com/events"}`).want(http.StatusCreated).text("id")
		m.post("/v1/webhooks/"+hook+"/redeliver", `{"sequence":1}`).
			refused(http.StatusGone, "events_expired").is("oldest_sequence", last+1)
		for _, query := range []string{"", fmt.Sprintf("?after=%.0f", last)} {
			feed := m.get("/v1/events" + query).want(http.StatusOK)
			if feed.at("data", 0, "sequence") != last+1 || len(feed.list("data")) != 1 {
				s.Errorf("%q: %s", query, feed.body)
			}
		}
	})
}
