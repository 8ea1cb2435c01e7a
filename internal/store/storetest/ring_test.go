//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package storetest_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

func TestRing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, scope := t.Context(), signUp(t, db, "ten_A")
		record(t, scope,
			observed("A", micros, account("1"), address("1"), pincode("400001"), agent("1")),
			observed("stranger", micros+1, address("1")),
			observed("A", micros+2, account("2")))
		hit(t, scope, "alr_1", observed("B", micros+3, account("1"), address("1"), pincode("400001")), nil)
		got, err := scope.Alerts(ctx).Ring("alr_1")
		edge := func(ref string, e store.ObservedEntity, at int64) store.RingEdge {
			return store.RingEdge{
				ApplicantRef: ref,
				Kind:         e.Kind,
				Key:          e.Key,
				FirstMicros:  at,
				LastMicros:   at,
				DecisionID:   "dec_" + ref,
			}
		}
		want := store.Ring{
			Applicants: []string{"A", "B"},
			Entities: []store.RingEntity{
				{ObservedEntity: account("1"), Applicants: 2}, {ObservedEntity: address("1"), Applicants: 2},
				{ObservedEntity: pincode("400001"), Applicants: 2}, {ObservedEntity: agent("1"), Applicants: 1},
				{ObservedEntity: account("2"), Applicants: 1},
			},
			Edges: []store.RingEdge{
				edge("A", account("1"), micros), edge("B", account("1"), micros+3), edge("A", address("1"), micros),
				edge("B", address("1"), micros+3), edge("A", pincode("400001"), micros), edge("B", pincode("400001"),
					micros+3), edge("A", agent("1"), micros), edge("A", account("2"), micros+2),
			},
		}
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		_, err = scope.Alerts(ctx).Ring("alr_none")
		wantNotFound(t, err)
	})
}

// TestLargeRing checks that the graph of an alert with too many applicants and edges
// is truncated to MaxEvidence applicants and MaxEdges edges.
func TestLargeRing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		scope := signUp(t, db, "ten_A")
		doing(t, scope, func(tx *store.Tx) error {
			for i := range store.MaxEvidence + 20 {
				o := observed(numbered("app", i), micros+int64(i), account("1"), address(numbered("", i)),
					entity("device", numbered("", i/2)))
				if _, err := tx.Observations().Observe(o, windows()); err != nil {
					return err
				}
				if _, _, err := tx.Alerts().Raise(want("alr_1", o, account("1"))); err != nil {
					return err
				}
			}
			for i := range 80 { // one applicant has many accounts
				if _, err := tx.Observations().Observe(observed("app_000", micros, account(numbered("many", i))),
					windows()); err != nil {
					return err
				}
			}
			return nil
		})
		r, err := scope.Alerts(t.Context()).Ring("alr_1")
		if err != nil || !r.Truncated || len(r.Applicants) != store.MaxEvidence || len(r.Edges) != store.MaxEdges {
			t.Fatalf("%d applicants, %d edges, %t, %v", len(r.Applicants), len(r.Edges), r.Truncated, err)
		}
		// Entities shared by the most applicants come first.
		if first := r.Entities[0]; first.ObservedEntity != account("1") || first.Applicants < store.MaxEvidence-1 {
			t.Errorf("%+v comes first", first)
		}
		devices := 0
		for _, e := range r.Entities {
			if e.Kind == "device" && e.Applicants == 2 {
				devices++
			}
		}
		if devices < store.MaxEvidence/2-1 {
			t.Errorf("%d shared devices", devices)
		}
	})
}

func TestSeenOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		others []store.Observation // observed in addition to an applicant who was seen once, at address 1
		want   bool
	}{
		{"alone", nil, false},
		{"each once", []store.Observation{
			observed("B", micros+1, account("1"), address("1"), agent("1")),
			observed("C", micros+dayMicros, account("1"), address("1")),
		}, true},
		{"over two days", []store.Observation{observed("B", micros+dayMicros+1, account("1"), address("1"))}, false},
		{"one of them twice", []store.Observation{
			observed("B", micros+1, account("1"), address("1")), observed("B", micros+2, account("1"), address("1")),
		}, false},
		{"one of them elsewhere too", []store.Observation{
			observed("B", micros+1, account("1"), address("1")), observed("B", micros+2, agent("1")),
		}, false},
		{"two addresses", []store.Observation{observed("B", micros+1, account("1"), address("2"))}, false},
		{"no address", []store.Observation{observed("B", micros+1, account("1"))}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, db *store.DB) {
				scope := signUp(t, db, "ten_A")
				hit(t, scope, "alr_1", observed("A", micros, account("1"), address("1")), nil)
				for _, o := range c.others {
					hit(t, scope, "alr_2", o, func(w *store.AlertWant) { w.Entity = account("1") })
				}
				if got, err := scope.Alerts(t.Context()).SeenOnce("alr_1", "ip"); err != nil || got != c.want {
					t.Errorf("got %t, %v", got, err)
				}
			})
		})
	}
}
