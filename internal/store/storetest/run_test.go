//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package storetest_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

func agentRun(id string) store.Run {
	return store.Run{
		ID: id, Agent: "underwriting", CreatedMicros: 3000, Actor: "key_1", SubjectRef: "app-1", DecisionID: "dec_1",
		Outcome: "REFER", Hash: "sha256:r", Request: []byte(`{"max_steps":8}`), Response: []byte{'{', '}', 0, 0xff},
	}
}

func fillRun(tx *store.Tx) error { return tx.Runs().Insert(agentRun("run_1"), 0) }

func TestRuns(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, scope := t.Context(), signUp(t, db, "ten_A")
		others := neighbours(t, db, "ten_A")
		insert := func(r store.Run) error {
			return scope.Write(ctx, func(tx *store.Tx) error { return tx.Runs().Insert(r, 0) })
		}
		first, second, third := agentRun("run_1"), agentRun("run_2"), agentRun("run_3")
		second.Agent, second.CreatedMicros, second.Outcome, second.DecisionID = "collections", 4000, "CALL", ""
		third.SubjectRef, third.CreatedMicros = "app-2", 5000
		for _, r := range []store.Run{second, third, first} {
			wantKind(t, insert(r), 0, "")
		}
		wantKind(t, insert(first), fault.Conflict, fault.CodeVersionConflict)
		got, err := scope.Runs(ctx).Get("run_1")
		if diff := cmp.Diff(first, got); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		_, err = scope.Runs(ctx).Get("run_none")
		wantNotFound(t, err)
		for _, c := range []struct {
			filter store.RunFilter
			page   store.Page
			want   []string
			more   bool
		}{
			{store.RunFilter{}, store.Page{}, []string{"run_1", "run_2", "run_3"}, false},
			{store.RunFilter{}, store.Page{Descending: true, Limit: 2}, []string{"run_3", "run_2"}, true},
			{store.RunFilter{Agent: "underwriting"}, store.Page{}, []string{"run_1", "run_3"}, false},
			{store.RunFilter{Outcome: "CALL"}, store.Page{}, []string{"run_2"}, false},
			{store.RunFilter{SubjectRef: "app-2"}, store.Page{}, []string{"run_3"}, false},
			{store.RunFilter{}, store.Page{AfterMicros: 4000, AfterID: "run_2"}, []string{"run_3"}, false},
		} {
			rows, more, err := scope.Runs(ctx).List(c.filter, c.page)
			var ids []string
			for _, r := range rows {
				ids = append(ids, r.ID)
				if r.Request != nil || r.Response != nil {
					t.Errorf("%s brings its documents into a list", r.ID)
				}
			}
			if diff := cmp.Diff(c.want, ids); err != nil || diff != "" || more != c.more {
				t.Errorf("%+v %+v: more %v, %v (-want +got):\n%s", c.filter, c.page, more, err, diff)
			}
		}
		for who, other := range others {
			t.Log(who)
			_, err := other.Runs(ctx).Get("run_1")
			wantNotFound(t, err)
			if rows, more, err := other.Runs(ctx).List(store.RunFilter{}, store.Page{}); err != nil || more ||
				len(rows) != 0 {
				t.Errorf("got %v, %v", rows, err)
			}
		}
	})
}
