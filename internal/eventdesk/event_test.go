//nolint:thelper // what EachURL runs is the test itself: a failure belongs to its own line
package eventdesk_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"verdict/internal/eventdesk"
	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// TestEvents reads the events of decisions in parts. It checks the limits, and the answers for a
// deleted decision and for a damaged journal.
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
			want  string
		}{{-1, 1, "?after"}, {0, 0, "?limit"}, {0, -1, "?limit"}, {0, eventdesk.MaxLimit + 1, "?limit"}} {
			_, err := h.Service.Events.Events(t.Context(), h.Caller, c.after, c.limit)
			got := usecasetest.Pointers(t, err)
			if fault.KindOf(err) != fault.Invalid || len(got) != 1 || !strings.HasPrefix(got[0], c.want) {
				t.Errorf("%+v: %v at %v", c, err, got)
			}
		}

		if db.Kind() != "sqlite" {
			return // the rest changes rows directly, with the SQL of SQLite
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

// TestExpiredEvents checks that the feed has the events of the last 90 days, and says where to
// begin if somebody asks for older ones.
func TestExpiredEvents(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		clock := usecasetest.NewClock()
		h := usecasetest.Open(t, db, usecase.Options{Now: clock.Now})
		h.Decided(t, usecasetest.Sample)
		size, err := db.Scope(h.Caller.TenantID, string(h.Caller.Environment)).Journal(t.Context()).Size()
		if err != nil {
			t.Fatal(err)
		}
		clock.Pass(eventdesk.Keep)
		h.Decided(t, usecasetest.Sample)
		all := func(read func(context.Context, tenant.Principal, int64, int) (eventdesk.Feed, error), after int64,
		) (eventdesk.Feed, error) {
			return read(t.Context(), h.Caller, after, eventdesk.MaxLimit)
		}
		if feed, err := all(h.Service.Events.Events, 0); err != nil || int64(len(feed.Events)) != size+1 {
			t.Errorf("after 90 days: %d events, %v", len(feed.Events), err)
		}

		clock.Pass(time.Second)
		for _, after := range []int64{0, size - 1} {
			_, err := all(h.Service.Events.Events, after)
			if refusal := fault.Of(err); refusal == nil || refusal.Kind != fault.Gone ||
				refusal.Code != fault.CodeEventsExpired || refusal.OldestSequence != size+1 {
				t.Errorf("after %d: %+v", after, refusal)
			}
		}
		if feed, err := all(h.Service.Events.Events, size); err != nil || len(feed.Events) != 1 {
			t.Errorf("after the expired ones: %+v, %v", feed, err)
		}
		for after := range size + 2 {
			feed, err := all(h.Service.Events.KeptEvents, after)
			if err != nil || feed.Last != size+1 || feed.Expired != max(0, size-after) ||
				int64(len(feed.Events)) != max(0, min(1, size+1-after)) {
				t.Errorf("those that are kept after %d: %+v, %v", after, feed, err)
			}
		}

		clock.Pass(eventdesk.Keep)
		if oldest, err := h.Service.Events.Oldest(t.Context(), h.Caller); err != nil || oldest != size+2 {
			t.Errorf("nothing is kept, and the oldest is %d, %v", oldest, err)
		}
		if feed, err := all(h.Service.Events.KeptEvents, 0); err != nil || len(feed.Events) != 0 ||
			feed.Last != size+1 {
			t.Errorf("nothing is kept: %+v, %v", feed, err)
		}
		if found, err := h.Service.Decisions.Audit.Verify(t.Context(), "", nil); err != nil || found.Failed != 0 ||
			found.Checked != 2 {
			t.Errorf("verify finds %+v, %v", found, err)
		}
	})
}
