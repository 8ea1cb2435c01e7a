//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package storetest_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

func want(id string, o store.Observation, e store.ObservedEntity) store.AlertWant {
	return store.AlertWant{
		ID: id, Type: "beneficiary_account_reuse", Severity: "high", Entity: e, Value: 2, Threshold: 2,
		WindowHours: 2160, Member: o.ApplicantRef, DecisionID: o.DecisionID, NowMicros: o.NowMicros,
		Actor: "key_1",
	}
}

// hit records an observation and raises an alert about its first entity.
func hit(
	t *testing.T, scope *store.Scope, id string, o store.Observation, change func(*store.AlertWant),
) (a store.Alert, created bool) {
	t.Helper()
	doing(t, scope, func(tx *store.Tx) (err error) {
		w := want(id, o, o.Entities[0])
		if change != nil {
			change(&w)
		}
		if _, err := tx.Observations().Observe(o, windows()); err != nil {
			return err
		}
		a, created, err = tx.Alerts().Raise(w)
		return err
	})
	return a, created
}

func record(t *testing.T, scope *store.Scope, observations ...store.Observation) {
	t.Helper()
	doing(t, scope, func(tx *store.Tx) error {
		for _, o := range observations {
			if _, err := tx.Observations().Observe(o, windows()); err != nil {
				return err
			}
		}
		return nil
	})
}

func move(t *testing.T, scope *store.Scope, m store.AlertMove) (store.Alert, error) {
	t.Helper()
	before := auditEntries(t, scope, m.ID)
	audit := store.AuditEntry{
		ID:            fmt.Sprintf("aud_%s_%s_%d", m.ID, m.To, m.NowMicros),
		CreatedMicros: m.NowMicros,
		Action:        "alert." + m.To,
		Object:        m.ID,
	}
	steps := len(history(t, scope, m.ID))
	a, err := storetest.MoveAlert(t.Context(), scope, m, audit)
	if added := auditEntries(t, scope, m.ID) - before; added != len(history(t, scope, m.ID))-steps {
		t.Errorf("%d audit entries are added, and not as many steps", added)
	}
	return a, err
}

func history(t *testing.T, scope *store.Scope, id string) []store.AlertEvent {
	t.Helper()
	events, err := scope.Alerts(t.Context()).History(id)
	if err != nil {
		t.Fatal(err)
	}
	return events
}

func auditEntries(t *testing.T, scope *store.Scope, object string) int {
	t.Helper()
	entries, _, err := scope.Audit(t.Context()).List(store.AuditFilter{Object: object}, store.Page{})
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

func wantAlert(t *testing.T, scope *store.Scope, want store.Alert) {
	t.Helper()
	got, err := scope.Alerts(t.Context()).Get(want.ID)
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestRaiseAlert(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		scope := signUp(t, db, "ten_A")
		others := neighbours(t, db, "ten_A")
		record(t, scope,
			observed("too-old", micros-91*dayMicros, account("1")), observed("A", micros-89*dayMicros, account("1")),
			observed("A", micros-5, account("1")))
		// The earlier applicant is part of the evidence from the start.
		_, created := hit(t, scope, "alr_1", observed("B", micros, account("1")), nil)
		open := store.Alert{
			ID: "alr_1", Type: "beneficiary_account_reuse", Severity: "high", Status: store.AlertOpen,
			Entity: account("1"), Value: 2, Threshold: 2, WindowHours: 2160, ApplicantRefs: []string{"A", "B"},
			ApplicantCount: 2, DecisionIDs: []string{"dec_A", "dec_B"}, DecisionCount: 2,
			FirstSeenMicros: micros - 89*dayMicros, LastSeenMicros: micros, CreatedMicros: micros,
			UpdatedMicros: micros,
		}
		wantAlert(t, scope, open)
		// Later hits are added to the alert, and its severity never decreases.
		a, again := hit(t, scope, "alr_2", observed("C", micros+10, account("1")), func(w *store.AlertWant) {
			w.Severity, w.Value = "medium",
				3
		})
		open.ApplicantRefs, open.ApplicantCount = append(open.ApplicantRefs, "C"), 3
		open.DecisionIDs, open.DecisionCount = append(open.DecisionIDs, "dec_C"), 3
		open.Value, open.LastSeenMicros, open.UpdatedMicros = 3, micros+10, micros+10
		wantAlert(t, scope, open)
		if !created || again || a.ID != "alr_1" || a.ApplicantCount != 3 {
			t.Errorf("created %t and %t, %+v", created, again, a)
		}
		repeat := observed("C", micros+11, account("1"))
		repeat.DecisionID = "dec_C2"
		hit(t, scope, "alr_2", repeat, func(w *store.AlertWant) { w.Severity, w.Value = "critical", 3 })
		open.DecisionIDs, open.DecisionCount = append(open.DecisionIDs, "dec_C2"), 4
		open.Severity, open.LastSeenMicros, open.UpdatedMicros = "critical", micros+11, micros+11
		wantAlert(t, scope, open)
		// Another type or another entity gets a separate alert.
		for id, change := range map[string]func(*store.AlertWant){
			"alr_3": func(w *store.AlertWant) { w.Type = "ip_cluster" },
			"alr_4": func(w *store.AlertWant) { w.Entity = account("2") },
		} {
			if a, created := hit(t, scope, id, observed("B", micros+12, account("1")), change); !created ||
				a.ID != id || a.PreviousID != "" {
				t.Errorf("%+v, %t", a, created)
			}
		}
		for who, other := range others {
			if _, err := other.Alerts(t.Context()).Get("alr_1"); err == nil {
				t.Errorf("%s sees the alert", who)
			}
			if a, created := hit(t, other, "alr_1", observed("Z", micros+20, account("1")), nil); !created ||
				a.ApplicantCount != 1 {
				t.Errorf("%s: %+v, %t", who, a, created)
			}
		}
		wantAlert(t, scope, open)
		bad := func(tx *store.Tx) error {
			_, _, err := tx.Alerts().Raise(store.AlertWant{ID: "alr_5", Severity: "dire"})
			return err
		}
		if err := scope.Write(t.Context(), bad); err == nil {
			t.Error("an unknown severity was stored")
		}
	})
}

// TestMuchEvidence checks that an alert counts all applicants and decisions, but
// lists at most store.MaxEvidence of each.
func TestMuchEvidence(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		scope := signUp(t, db, "ten_A")
		const n = store.MaxEvidence + 50
		doing(t, scope, func(tx *store.Tx) error {
			for i := range 2 * n {
				o := observed(numbered("app", i%n), micros+int64(i), account("1"))
				o.DecisionID = numbered("dec", i)
				if _, err := tx.Observations().Observe(o, windows()); err != nil {
					return err
				}
				if _, _, err := tx.Alerts().Raise(want("alr_1", o, account("1"))); err != nil {
					return err
				}
			}
			return nil
		})
		a, err := scope.Alerts(t.Context()).Get("alr_1")
		if err != nil || a.ApplicantCount != n || a.DecisionCount != 2*n || len(a.ApplicantRefs) != store.MaxEvidence ||
			len(a.DecisionIDs) != store.MaxEvidence ||
			a.ApplicantRefs[199] != "app_199" || a.DecisionIDs[0] != "dec_000" {
			t.Errorf("%d applicants, %d decisions, %d and %d shown, %v",
				a.ApplicantCount, a.DecisionCount, len(a.ApplicantRefs), len(a.DecisionIDs), err)
		}
		// A new alert about the same entity starts with all these applicants.
		hit(t, scope, "alr_2", observed("app_000", micros+3*n, account("1")),
			func(w *store.AlertWant) { w.Type = "ip_cluster" })
		if a, err := scope.Alerts(t.Context()).Get("alr_2"); err != nil || a.ApplicantCount != n ||
			len(a.ApplicantRefs) != store.MaxEvidence {
			t.Errorf("%d applicants, %d shown, %v", a.ApplicantCount, len(a.ApplicantRefs), err)
		}
	})
}

// TestRaiseAtOnce raises one alert concurrently on two nodes, and checks that the
// result is one alert with all applicants.
func TestRaiseAtOnce(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		nodes := twoNodes(t, databaseURL)
		const n = 60
		opened := make([]bool, n)
		errs := race(n, func(i int) error {
			return nodes[i%2].Scope("ten_A", sandbox).Write(t.Context(), func(tx *store.Tx) error {
				o := observed(numbered("app", i), micros, account("1"))
				if _, err := tx.Observations().Observe(o, windows()); err != nil {
					return err
				}
				_, created, err := tx.Alerts().Raise(want(numbered("alr", i), o, account("1")))
				opened[i] = created
				return err
			})
		})
		if got := succeeded(t, errs, 0, ""); got != n {
			t.Fatalf("%d of %d", got, n)
		}
		alerts, more, err := nodes[0].Scope("ten_A", sandbox).Alerts(t.Context()).List(store.AlertFilter{},
			store.Page{})
		if err != nil || more || len(alerts) != 1 || alerts[0].ApplicantCount != n || alerts[0].DecisionCount != n {
			t.Errorf("%+v, %v", alerts, err)
		}
		count := 0
		for _, created := range opened {
			if created {
				count++
			}
		}
		if count != 1 {
			t.Errorf("%d opened one", count)
		}
	})
}

func TestMoveAlert(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		steps []string
		legal bool // whether the last step is allowed
	}{
		{"acknowledge", []string{"acknowledged"}, true},
		{"close", []string{"closed"}, true},
		{"acknowledge, close", []string{"acknowledged", "closed"}, true},
		{"acknowledge twice", []string{"acknowledged", "acknowledged"}, true},
		{"close twice", []string{"closed", "closed"}, true},
		{"open again", []string{"open"}, true},
		{"back to open", []string{"acknowledged", "open"}, false},
		{"closed to open", []string{"closed", "open"}, false},
		{"closed to acknowledged", []string{"closed", "acknowledged"}, false},
		{"no state", []string{"escalated"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, db *store.DB) {
				scope := signUp(t, db, "ten_A")
				want, _ := hit(t, scope, "alr_1", observed("A", micros, account("1")), nil)
				want.ApplicantRefs, want.DecisionIDs = []string{"A"}, []string{"dec_A"}
				steps := []store.AlertEvent{{CreatedMicros: micros, Actor: "key_1", To: "open"}}
				for i, to := range c.steps {
					m := store.AlertMove{
						ID:         "alr_1",
						To:         to,
						Resolution: "other",
						Note:       numbered("note", i),
						Actor:      numbered("usr", i),
						NowMicros:  micros + int64(i) + 1,
					}
					got, err := move(t, scope, m)
					if i == len(c.steps)-1 && !c.legal {
						wantKind(t, err, fault.Conflict, fault.CodeInvalidTransition)
						continue
					}
					if to != want.Status {
						e := store.AlertEvent{
							CreatedMicros: m.NowMicros,
							Actor:         m.Actor,
							From:          want.Status,
							To:            to,
							Note:          m.Note,
						}
						want.Status, want.Note, want.UpdatedMicros = to, m.Note, m.NowMicros
						if to == "closed" {
							want.ClosedMicros, want.ClosedBy, want.Resolution, e.Resolution = m.NowMicros, m.Actor,
								"other", "other"
						} else {
							want.AcknowledgedMicros, want.AcknowledgedBy = m.NowMicros, m.Actor
						}
						steps = append(steps, e)
					}
					if diff := cmp.Diff(want, got); err != nil || diff != "" {
						t.Errorf("%v (-want +got):\n%s", err, diff)
					}
				}
				wantAlert(t, scope, want)
				if diff := cmp.Diff(steps, history(t, scope, "alr_1")); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		})
	}
}

// TestAlertNeighbours checks that other scopes cannot move, list or read an alert.
func TestAlertNeighbours(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, scope := t.Context(), signUp(t, db, "ten_A")
		hit(t, scope, "alr_1", observed("A", micros, account("1")), nil)
		doing(t, scope, func(tx *store.Tx) error {
			_, _, err := tx.Blocklist().Block(store.BlockedEntity{Entity: account("1"), BlockedMicros: micros})
			return err
		})
		for who, other := range neighbours(t, db, "ten_A") {
			t.Log(who)
			_, err := other.Alerts(ctx).Get("alr_1")
			wantNotFound(t, err)
			_, err = move(t, other, store.AlertMove{
				ID:         "alr_1",
				To:         "closed",
				Resolution: store.ResolutionConfirmedFraud,
				NowMicros:  micros,
			})
			wantNotFound(t, err)
			_, err = other.Alerts(ctx).Ring("alr_1")
			wantNotFound(t, err)
			wantNotFound(t, other.Write(ctx, func(tx *store.Tx) error {
				return tx.Blocklist().Unblock(account("1").Kind, account("1").Key, "usr_1", micros)
			}))
			alerts, _, err := other.Alerts(ctx).List(store.AlertFilter{}, store.Page{})
			blocked, _, err2 := other.Blocklist(ctx).List(nil, 10)
			once, err3 := other.Alerts(ctx).SeenOnce("alr_1", "ip")
			for _, err := range []error{err, err2, err3} {
				wantKind(t, err, 0, "")
			}
			if len(alerts)+len(blocked)+len(history(t, other, "alr_1")) > 0 || once {
				t.Errorf("sees %v, %v, %t", alerts, blocked, once)
			}
		}
		if a, err := scope.Alerts(ctx).Get("alr_1"); err != nil || a.Status != store.AlertOpen {
			t.Errorf("%+v, %v", a, err)
		}
	})
}

func TestListAlerts(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, scope := t.Context(), signUp(t, db, "ten_A")
		for i := range 6 {
			hit(t, scope, numbered("alr", i), observed("A", micros+int64(i/2), account(numbered("", i))),
				func(w *store.AlertWant) {
					w.Severity = []string{"medium", "high", "critical"}[i%3]
					w.Type = []string{"ip_cluster", "beneficiary_account_reuse"}[i%2]
				})
		}
		_, err := move(t, scope, store.AlertMove{ID: "alr_003", To: "closed", NowMicros: micros})
		wantKind(t, err, 0, "")
		_, err = move(t, scope, store.AlertMove{ID: "alr_004", To: "acknowledged", NowMicros: micros})
		wantKind(t, err, 0, "")
		for _, c := range []struct {
			filter store.AlertFilter
			page   store.Page
			want   []string
		}{
			{
				page: store.Page{Descending: true},
				want: []string{"alr_005", "alr_004", "alr_003", "alr_002", "alr_001", "alr_000"},
			},
			{page: store.Page{FromMicros: micros + 1, ToMicros: micros + 2}, want: []string{"alr_002", "alr_003"}},
			{filter: store.AlertFilter{Status: "open"}, want: []string{"alr_000", "alr_001", "alr_002", "alr_005"}},
			{filter: store.AlertFilter{Status: "acknowledged"}, want: []string{"alr_004"}},
			{filter: store.AlertFilter{Type: "ip_cluster"}, want: []string{"alr_000", "alr_002", "alr_004"}},
			{filter: store.AlertFilter{Severity: "critical"}, want: []string{"alr_002", "alr_005"}},
			{filter: store.AlertFilter{Severity: "medium", Status: "closed"}, want: []string{"alr_003"}},
			{filter: store.AlertFilter{Severity: "low"}},
		} {
			var found []string
			c.page.Limit = 2
			for more := true; more; {
				var rows []store.Alert
				rows, more, err = scope.Alerts(ctx).List(c.filter, c.page)
				if err != nil {
					t.Fatal(err)
				}
				for _, a := range rows {
					found = append(found, a.ID)
					c.page.AfterMicros, c.page.AfterID = a.CreatedMicros, a.ID
					if len(a.ApplicantRefs) != 1 || len(a.DecisionIDs) != 1 {
						t.Errorf("%s has no evidence", a.ID)
					}
				}
			}
			if diff := cmp.Diff(c.want, found); diff != "" {
				t.Errorf("%+v (-want +got):\n%s", c.filter, diff)
			}
		}
	})
}
