//nolint:thelper // what EachURL runs is the test itself: a failure belongs to its own line
package eventdesk_test

import (
	"encoding/json"
	"testing"

	"verdict/internal/eventdesk"
	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// TestEvents reads the events of decisions in parts, and checks limits, the answers for a
// decision that was deleted, and for a journal that was damaged.
func TestEvents(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		db := storetest.Open(t, databaseURL, store.Options{})
		h := usecasetest.Open(t, db, usecase.Options{})
		_, stranger := h.Signup("ravi@example.in")
		signup, err := h.Service.Events.Events(t.Context(), h.Caller, 0, eventdesk.MaxLimit)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range signup.Events {
			if e.Decision != (eventdesk.Decision{}) || !json.Valid(e.Data) {
				t.Errorf("the signup has the event %+v", e)
			}
		}
		begun := signup.Last
		var ids []string
		for range 5 {
			ids = append(ids, h.Decided(t, usecasetest.Sample))
		}
		events := func(after int64, limit int) eventdesk.Feed {
			t.Helper()
			feed, err := h.Service.Events.Events(t.Context(), h.Caller, after, limit)
			if err != nil {
				t.Fatal(err)
			}
			return feed
		}
		first, second := events(begun, 3), events(begun+3, 3)
		if len(first.Events) != 3 || !first.More || first.Last != begun+3 {
			t.Errorf("the first part is %+v", first)
		}
		if len(second.Events) != 2 || second.More || second.Last != begun+5 {
			t.Errorf("the second part is %+v", second)
		}
		for i, e := range append(first.Events, second.Events...) {
			if e.Sequence != begun+int64(i+1) || e.Type != eventdesk.DecisionCreated || e.Decision.ID != ids[i] ||
				e.Decision.Status != "APPROVED" || e.Decision.Hash == "" || e.Backfilled {
				t.Errorf("event %d is %+v", i, e)
			}
		}
		if end := events(begun+5, 3); len(end.Events) != 0 || end.Last != begun+5 || end.More {
			t.Errorf("after the end: %+v", end)
		}
		feed, err := h.Service.Events.Events(t.Context(), stranger, 0, eventdesk.MaxLimit)
		if err != nil || int64(len(feed.Events)) != begun {
			t.Errorf("another tenant reads %+v, %v", feed, err)
		}
		for _, c := range []struct {
			after int64
			limit int
		}{{-1, 1}, {0, 0}, {0, -1}, {0, eventdesk.MaxLimit + 1}} {
			_, err := h.Service.Events.Events(t.Context(), h.Caller, c.after, c.limit)
			if fault.KindOf(err) != fault.Invalid {
				t.Errorf("%+v: %v", c, err)
			}
		}

		if db.Kind() != "sqlite" {
			return // the rest changes rows directly
		}
		raw := storetest.Raw(t, databaseURL)
		if _, err := raw.ExecContext(t.Context(), "DELETE FROM decisions WHERE id = '"+ids[1]+"'"); err != nil {
			t.Fatal(err)
		}
		if got := events(begun+1, 1).Events[0].Decision; got != (eventdesk.Decision{ID: ids[1]}) {
			t.Errorf("the event of a deleted decision is %+v", got)
		}
		for _, damage := range []string{"DELETE FROM journal WHERE first = 2"} {
			if _, err := raw.ExecContext(t.Context(), damage); err != nil {
				t.Fatal(err)
			}
			if feed, err := h.Service.Events.Events(t.Context(), h.Caller, 0, 10); err == nil {
				t.Errorf("%s: the feed is %+v", damage, feed)
			}
		}
	})
}
