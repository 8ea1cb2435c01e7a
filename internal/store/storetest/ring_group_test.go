//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package storetest_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

const reuseMicros = 90 * dayMicros

// ringWindows returns windows in which accounts, devices, mobile numbers and
// e-mail addresses connect people, and IP addresses do not.
func ringWindows() store.Windows {
	w := windows()
	w.Ties = map[string]int64{}
	for _, kind := range []string{"beneficiary_account", "device", "mobile", "email"} {
		w.Micros[kind], w.Ties[kind] = reuseMicros, reuseMicros
	}
	return w
}

// chain returns observations of six people connected by two devices, two
// accounts and a mobile number.
func chain() []store.Observation {
	device1, device2, mobile := entity("device", "1"), entity("device", "2"), entity("mobile", "1")
	return []store.Observation{
		observed("A", micros, device1, address("1")), observed("B", micros, device1, account("1")),
		observed("C", micros, account("1"), mobile), observed("D", micros, mobile, account("2")),
		observed("E", micros, account("2"), device2), observed("F", micros, device2, address("1")),
	}
}

// wantRing checks the ring of a person. It calls Peek with an observation without
// entities.
func wantRing(t *testing.T, scope *store.Scope, ref string, people, links int64, truncated bool) {
	t.Helper()
	got, err := scope.Observations(t.Context()).Peek(observed(ref, micros), ringWindows())
	r := got.Ring
	if err != nil || r.People != people || r.Links != links || r.Truncated != truncated {
		t.Errorf("%s: %+v, %v, want %d people, %d links, %t", ref, r, err, people, links, truncated)
	}
}

// wantCounted checks, bypassing package store, that the stored counts of rings are
// correct.
func wantCounted(t *testing.T, databaseURL, kind string) {
	t.Helper()
	raw := storetest.Raw(t, databaseURL)
	tx, err := raw.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	if kind == "postgres" {
		if _, err := tx.ExecContext(t.Context(), "SELECT set_config('verdict.role', 'system', true)"); err != nil {
			t.Fatal(err)
		}
	}
	wrong := texts(t, tx, `SELECT r.id FROM fraud_rings r
		WHERE r.people <> (SELECT count(*) FROM fraud_ring_people p
			WHERE p.tenant_id = r.tenant_id AND p.environment = r.environment AND p.ring_id = r.id)
		OR r.links <> (SELECT count(*) FROM fraud_entities e
			WHERE e.tenant_id = r.tenant_id AND e.environment = r.environment AND e.ring_id = r.id)`)
	lost := texts(t, tx, `SELECT p.person FROM fraud_ring_people p WHERE NOT EXISTS
		(SELECT 1 FROM fraud_rings r
			WHERE r.tenant_id = p.tenant_id AND r.environment = p.environment AND r.id = p.ring_id)`)
	if len(wrong)+len(lost) > 0 {
		t.Errorf("rings %v are counted wrong, people %v have none", wrong, lost)
	}
}

// TestRingChain connects six people in many orders. It checks that they form one ring
// of six each time, and that an IP address alone connects nobody.
func TestRingChain(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		db := storetest.Open(t, databaseURL, store.Options{})
		dice := rand.New(rand.NewPCG(1, 2))
		for n := range 12 {
			scope := signUp(t, db, numbered("ten", n))
			people := chain()
			if n > 0 {
				dice.Shuffle(len(people), func(i, j int) { people[i], people[j] = people[j], people[i] })
			}
			for i, o := range people {
				o.NowMicros += int64(i)
				got := observe(t, scope, o, ringWindows()).Ring
				if i == len(people)-1 && (got.People != 6 || got.Links != 5) {
					t.Errorf("order %d: %+v", n, got)
				}
			}
			for _, o := range people {
				wantRing(t, scope, o.ApplicantRef, 6, 5, false)
			}
			wantRing(t, scope, "stranger", 1, 0, false)
		}
		for _, other := range neighbours(t, db, "ten_000") {
			wantRing(t, other, "A", 1, 0, false)
		}
		wantCounted(t, databaseURL, db.Kind())
	})
}

// TestRingReference makes random observations, and compares the rings with a
// simple union of all people who share an entity.
func TestRingReference(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		db := storetest.Open(t, databaseURL, store.Options{})
		for seed := range uint64(4) {
			scope := signUp(t, db, fmt.Sprint("ten_", seed))
			dice := rand.New(rand.NewPCG(seed, 7))
			// group maps each person and entity to its group, which is named after one of its members. join also
			// adds a key for each pair of a person and an entity that were seen together.
			group := map[string]string{}
			for i := range 60 {
				o := observed(numbered("P", dice.IntN(40)), micros+int64(i)*hourMicros)
				o.DecisionID = numbered("dec", i)
				for _, kind := range []string{"beneficiary_account", "device", "mobile", "email"} {
					if dice.IntN(3) == 0 {
						o.Entities = append(o.Entities, entity(kind, numbered("", dice.IntN(25))))
					}
				}
				join(group, o)
				got := observe(t, scope, o, ringWindows()).Ring
				people, links := size(group, o)
				if got.People != people || got.Links != links || got.Truncated {
					t.Fatalf("seed %d, observation %d: %+v, want %d people and %d links", seed, i, got, people, links)
				}
			}
		}
		wantCounted(t, databaseURL, db.Kind())
	})
}

// join puts the person and the observed entities into one group.
func join(group map[string]string, o store.Observation) {
	names := []string{"person " + o.ApplicantRef}
	for _, e := range o.Entities {
		names = append(names, e.Kind+" "+e.Key)
	}
	for _, name := range names {
		if group[name] == "" {
			group[name] = name
		}
		from, to := group[name], group[names[0]]
		for member, of := range group {
			if of == from {
				group[member] = to
			}
		}
	}
	for _, name := range names[1:] { // record which entities the person was seen with
		group[names[0]+" with "+name] = "seen"
	}
}

// size returns the number of people in the group of an observation, and the number of
// entities that two or more of them share.
func size(group map[string]string, o store.Observation) (people, links int64) {
	in := group["person "+o.ApplicantRef]
	for _, member := range slices.Collect(maps.Keys(group)) {
		if group[member] != in {
			continue
		}
		if len(member) > 7 && member[:7] == "person " {
			people++
			continue
		}
		sharers := 0
		for other, of := range group {
			if of == "seen" && len(other) > len(member)+6 && other[len(other)-len(member)-6:] == " with "+member {
				sharers++
			}
		}
		if sharers > 1 {
			links++
		}
	}
	return people, links
}

// TestRingWindow checks that an entity shared too long ago connects nobody, and
// that people stay in their ring.
func TestRingWindow(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		db := storetest.Open(t, databaseURL, store.Options{})
		scope := signUp(t, db, "ten_A")
		at := func(ref string, days int64, e ...store.ObservedEntity) store.RingCount {
			return observe(t, scope, observed(ref, micros+days*dayMicros, e...), ringWindows()).Ring
		}
		people := func(want int64, got store.RingCount) {
			t.Helper()
			if got.People != want {
				t.Errorf("%+v, want %d people", got, want)
			}
		}
		people(1, at("A", 0, account("1")))
		people(2, at("B", 60, account("1")))
		people(3, at("C", 149, account("1"))) // B is within the window, and A is in B's ring
		people(1, at("D", 240, account("1"))) // all others were seen too long ago
		people(2, at("E", 241, account("1"))) // D was seen recently
		people(3, at("A", 250, pincode("400001")))
		people(5, at("A", 251, account("1")))
		wantCounted(t, databaseURL, db.Kind())
	})
}

// TestRingIsBounded checks the size limit of a ring. It connects more people to one
// account than a ring may have, and it connects two rings that together would be too
// large.
func TestRingIsBounded(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		db := storetest.Open(t, databaseURL, store.Options{})
		scope := signUp(t, db, "ten_A")
		several := func(prefix string, n int, e store.ObservedEntity) {
			doing(t, scope, func(tx *store.Tx) error {
				for i := range n {
					got, err := tx.Observations().Observe(observed(numbered(prefix, i), micros+int64(i), e),
						ringWindows())
					if err != nil {
						return err
					}
					r := got.Ring
					if r.People != min(int64(i)+1, store.MaxRingPeople) || r.Truncated != (i >= store.MaxRingPeople) {
						t.Errorf("the %dth of %s: %+v", i+1, prefix, r)
					}
				}
				return nil
			})
		}
		several("A", store.MaxRingPeople+30, account("1"))
		several("B", 120, entity("device", "1"))
		several("C", 110, entity("mobile", "1"))
		got := observe(t, scope, observed("between", micros+1000, entity("device", "1"), entity("mobile", "1")),
			ringWindows()).Ring
		if got.People != 121 || !got.Truncated {
			t.Errorf("between two: %+v", got)
		}
		wantRing(t, scope, "C_001", 110, 1, true)
		wantRing(t, scope, "A_001", store.MaxRingPeople, 1, true)
		wantCounted(t, databaseURL, db.Kind())
	})
}

// TestRingFromBefore checks that people who were observed before rings were stored join
// a ring as soon as another person shares an entity with them.
func TestRingFromBefore(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		db := storetest.Open(t, databaseURL, store.Options{})
		scope := signUp(t, db, "ten_A")
		record(t, scope, observed("A", micros, account("1")), observed("B", micros+1, account("1")),
			observed("C", micros+2, account("1")))
		wantRing(t, scope, "A", 1, 0, false)
		if got := observe(t, scope, observed("D", micros+3, account("1")), ringWindows()).Ring; got.People != 4 ||
			got.Links != 1 {
			t.Errorf("%+v", got)
		}
		wantRing(t, scope, "A", 4, 1, false)
		wantCounted(t, databaseURL, db.Kind())
	})
}

// ringHit records an observation, and raises an alert about the ring if it has at least
// three people.
func ringHit(tx *store.Tx, alertID string, o store.Observation) (store.Alert, error) {
	got, err := tx.Observations().Observe(o, ringWindows())
	if err != nil || got.Ring.People < 3 {
		return store.Alert{}, err
	}
	w := want(alertID, o, store.ObservedEntity{Kind: store.KindRing, Key: got.Ring.ID, Display: got.Ring.ID})
	w.Type, w.Value = "ring", got.Ring.People
	a, _, err := tx.Alerts().Raise(w)
	return a, err
}

func ringHits(t *testing.T, scope *store.Scope, prefix string, observations ...store.Observation) (last store.Alert) {
	t.Helper()
	for i, o := range observations {
		doing(t, scope, func(tx *store.Tx) (err error) {
			last, err = ringHit(tx, numbered(prefix, i), o)
			return err
		})
	}
	return last
}

// TestRingAlerts checks what happens to the alerts when two rings with open
// alerts are merged.
func TestRingAlerts(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, scope := t.Context(), signUp(t, db, "ten_A")
		small := ringHits(t, scope, "alr_small", observed("A", micros, account("1")),
			observed("B", micros+1, account("1")), observed("C", micros+2, account("1")))
		large := ringHits(t, scope, "alr_large", observed("D", micros+3, account("2")),
			observed("E", micros+4, account("2")), observed("F", micros+5, account("2")),
			observed("G", micros+6, account("2"), entity("device", "1")))
		if small.ApplicantCount != 3 || large.ApplicantCount != 4 {
			t.Fatalf("%+v\n%+v", small, large)
		}
		one := ringHits(t, scope, "alr_one", observed("A", micros+7, entity("device", "1")))
		if one.ID != large.ID || one.ApplicantCount != 7 || one.Value != 7 || one.DecisionCount != 7 {
			t.Errorf("%+v", one)
		}
		shut, err := scope.Alerts(ctx).Get(small.ID)
		if err != nil || shut.Status != store.AlertClosed || shut.Resolution != store.ResolutionDuplicate ||
			shut.MergedInto != large.ID {
			t.Errorf("%+v, %v", shut, err)
		}
		steps := []store.AlertEvent{
			{CreatedMicros: micros + 2, Actor: "key_1", To: "open"},
			{CreatedMicros: micros + 7, Actor: "system", From: "open", To: "closed", Resolution: "duplicate"},
		}
		if diff := cmp.Diff(steps, history(t, scope, small.ID)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		closed, err := move(t, scope, store.AlertMove{
			ID:         large.ID,
			To:         "closed",
			Resolution: store.ResolutionConfirmedFraud,
			Actor:      "usr_1",
			NowMicros:  micros + 8,
		})
		if diff := cmp.Diff([]store.ObservedEntity{account("1"), account("2")}, entities(closed.Blocked)); err != nil ||
			diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		if got := observe(t, scope, observed("H", micros+9, account("1"), entity("device", "1")),
			ringWindows()); !slices.Equal(got.Blocklisted, []string{"beneficiary_account"}) {
			t.Errorf("blocked are %v", got.Blocklisted)
		}
	})
}

// TestRingAlertGoesOn merges two rings of which only the smaller one has an open
// alert. It checks that the merged ring gets that alert and is unmuted.
func TestRingAlertGoesOn(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		scope := signUp(t, db, "ten_A")
		large := ringHits(t, scope, "alr_large", observed("D", micros, account("2")),
			observed("E", micros, account("2")), observed("F", micros, account("2")),
			observed("G", micros, account("2"), entity("device", "1")))
		if _, err := move(t, scope, store.AlertMove{
			ID:         large.ID,
			To:         "closed",
			Resolution: store.ResolutionFalsePositive,
			NowMicros:  micros,
			MuteDays:   30,
		}); err != nil {
			t.Fatal(err)
		}
		if got := observe(t, scope, observed("D", micros+1, account("2")), ringWindows()).Ring; !got.Muted {
			t.Errorf("%+v", got)
		}
		small := ringHits(t, scope, "alr_small", observed("A", micros+1, account("1")),
			observed("B", micros+1, account("1")), observed("C", micros+1, account("1")))
		var got store.RingCount // Peek does not read alerts, so it does not see that the mute ends
		doing(t, scope, func(tx *store.Tx) error {
			counts, err := tx.Observations().Observe(observed("A", micros+2, entity("device", "1")), ringWindows())
			got = counts.Ring
			return err
		})
		if got.Muted || got.ID != large.Entity.Key || got.People != 7 {
			t.Errorf("%+v", got)
		}
		if one := ringHits(t, scope, "alr_one", observed("A", micros+3)); one.ID != small.ID ||
			one.ApplicantCount != 7 || one.Entity.Key != got.ID {
			t.Errorf("%+v", one)
		}
	})
}

// TestRingRace connects chains concurrently on two handles, and checks that every chain
// becomes one ring with one open alert.
func TestRingRace(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		here := storetest.Open(t, databaseURL, store.Options{})
		there := storetest.Open(t, databaseURL, store.Options{})
		scope := signUp(t, here, "ten_A")
		handles := []*store.Scope{scope, there.Scope("ten_A", sandbox)}
		const chains = 10
		var all []store.Observation
		for n := range chains {
			for _, o := range chain() {
				o.ApplicantRef, o.DecisionID = numbered(o.ApplicantRef, n), numbered(o.DecisionID, n)
				o.Entities = slices.DeleteFunc(slices.Clone(o.Entities),
					func(e store.ObservedEntity) bool { return e.Kind == "ip" })
				for i := range o.Entities {
					o.Entities[i].Key = numbered(o.Entities[i].Key, n)
				}
				all = append(all, o)
			}
		}
		rand.New(rand.NewPCG(3, 4)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		errs := race(len(all), func(i int) error {
			return handles[i%2].Write(t.Context(), func(tx *store.Tx) error {
				_, err := ringHit(tx, numbered("alr", i), all[i])
				return err
			})
		})
		if n := succeeded(t, errs, 0, ""); n != len(all) {
			t.Fatalf("%d of %d", n, len(all))
		}
		for _, o := range all {
			wantRing(t, scope, o.ApplicantRef, 6, 5, false)
		}
		open, _, err := scope.Alerts(t.Context()).List(store.AlertFilter{Status: store.AlertOpen}, store.Page{})
		if err != nil || len(open) != chains {
			t.Errorf("%d alerts are open, %v", len(open), err)
		}
		for _, a := range open {
			if a.ApplicantCount != 6 {
				t.Errorf("%+v", a)
			}
		}
		wantCounted(t, databaseURL, here.Kind())
	})
}
