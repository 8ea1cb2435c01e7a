package httpapi_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"verdict/internal/tenant"
)

// TestEvents decides with several callers at the same time, and reads the feed meanwhile: every
// decision is exactly one event, the numbers have no gap, and each environment has its own.
func TestEvents(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		empty := m.get("/v1/events").want(http.StatusOK)
		if len(empty.list("data")) != 0 || empty.at("last_sequence") != 0.0 {
			s.Errorf("a new tenant has events: %s", empty.body)
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
		after := int64(0)
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
		if n := len(live.get("/v1/events").want(http.StatusOK).list("data")); n != 0 {
			s.Errorf("live has %d events of the sandbox", n)
		}
		m.with(tenant.Sandbox, tenant.Decide, m.userID).get("/v1/events").
			refused(http.StatusForbidden, "insufficient_scope")
		for _, query := range []string{"after=-1", "after=x", "limit=0", "limit=1001", "before=3"} {
			m.get("/v1/events?" + query).want(http.StatusUnprocessableEntity)
		}
	})
}
