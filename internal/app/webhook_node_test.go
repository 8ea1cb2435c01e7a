//nolint:thelper // what EachURL runs is the test itself: a failure belongs to its own line
package app

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"verdict/internal/store/storetest"
)

// inbox is a receiver of events. It refuses a few of the first requests.
type inbox struct {
	mu       sync.Mutex
	requests int
	ids      map[int64]string // by sequence number
	twice    int
	differ   []string
}

func (i *inbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var e struct {
		ID       string `json:"id"`
		Sequence int64  `json:"sequence"`
	}
	if err := json.NewDecoder(r.Body).Decode(&e); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.requests++; i.requests < 30 && i.requests%5 == 0 {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	switch before, known := i.ids[e.Sequence]; {
	case !known:
		i.ids[e.Sequence] = e.ID
	case before == e.ID:
		i.twice++
	default:
		i.differ = append(i.differ, fmt.Sprintf("event %d is %s and %s", e.Sequence, before, e.ID))
	}
}

func (i *inbox) count() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return len(i.ids)
}

// TestWebhooksSurviveKills kills nodes while they decide and send events. Every decision must have
// exactly one event, and every event must arrive.
func TestWebhooksSurviveKills(t *testing.T) {
	if testing.Short() {
		t.Skip("left out with -short: faults")
	}
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		received := &inbox{ids: map[int64]string{}}
		receiver := httptest.NewServer(received)
		defer receiver.Close()
		nodes, kills := []*node{startNode(t, databaseURL)}, 3
		if strings.HasPrefix(databaseURL, "postgres") {
			nodes = append(nodes, startNode(t, databaseURL))
			kills = 2 // one kill hits the node with the lease; the other node continues when the lease ends
		}
		key := signUp(t, nodes[0])
		if status, answer, _ := nodes[0].call("POST", "/v1/webhooks", key, "",
			`{"url":"`+receiver.URL+`","after_sequence":0}`); status != http.StatusCreated {
			t.Fatalf("create a webhook: %d %v", status, answer)
		}
		decided := map[string]bool{}
		for round := range kills {
			victim := nodes[round%len(nodes)]
			var mu sync.Mutex
			var all sync.WaitGroup
			for _, n := range nodes {
				all.Go(func() {
					for range 40 {
						status, answer, ok := n.call("POST", "/v1/decisions", key, "",
							`{"bureau_report":{"score":742}}`)
						if !ok || status != http.StatusOK {
							return // the node was killed
						}
						mu.Lock()
						id, _ := answer["decision_id"].(string)
						decided[id] = true
						mu.Unlock()
					}
				})
			}
			had := received.count()
			for received.count() < had+5 { // so that the kill hits deliveries in progress
				<-time.After(time.Millisecond)
			}
			victim.kill()
			all.Wait()
			nodes[round%len(nodes)] = startNode(t, databaseURL)
		}
		events := feedOf(t, nodes[0], key)
		for received.count() < len(events) {
			<-time.After(10 * time.Millisecond) // if this never ends, the test's own deadline ends it
		}
		received.mu.Lock()
		defer received.mu.Unlock()
		if len(received.differ) > 0 {
			t.Error(received.differ)
		}
		for i, id := range events {
			if received.ids[int64(i+1)] != id.event {
				t.Errorf("event %d arrived as %q, want %q", i+1, received.ids[int64(i+1)], id.event)
			}
			delete(decided, id.decision)
		}
		if len(decided) > 0 {
			t.Errorf("%d decisions that were answered have no event", len(decided))
		}
		t.Logf("%d events in %d requests, %d of them twice", len(events), received.requests, received.twice)
	})
}

// happened is an event. decision is the id of a decision, or "" if the event is about something
// else.
type happened struct{ event, decision string }

// feedOf reads the feed of events, and checks that it has no gap and no decision twice.
func feedOf(t *testing.T, n *node, key string) (events []happened) {
	t.Helper()
	seen := map[string]bool{}
	for {
		status, feed, _ := n.call("GET", fmt.Sprintf("/v1/events?after=%d&limit=1000", len(events)), key, "", "")
		if status != http.StatusOK {
			t.Fatalf("read the feed: %d %v", status, feed)
		}
		list, _ := feed["data"].([]any)
		for _, entry := range list {
			e, _ := entry.(map[string]any)
			data, _ := e["data"].(map[string]any)
			id, _ := e["id"].(string)
			decision, _ := data["decision_id"].(string)
			if e["sequence"] != float64(len(events)+1) || seen[decision] {
				t.Errorf("event %d is %v", len(events)+1, e)
			}
			seen[decision] = decision != ""
			events = append(events, happened{id, decision})
		}
		if feed["has_more"] != true {
			return events
		}
	}
}
