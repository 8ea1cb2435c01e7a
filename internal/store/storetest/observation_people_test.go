//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package storetest_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// partyWindows returns ringWindows in which people who applied together count as one.
func partyWindows() store.Windows {
	w := ringWindows()
	w.Parties = map[string]bool{"beneficiary_account": true, "device": true, "mobile": true, "email": true}
	return w
}

// jointly returns the observation of people who apply together. The id of their decision is "dec_" and the first
// reference, unless the first observation has an id.
func jointly(people ...store.Observation) store.Joint {
	var j store.Joint
	var refs []string
	for _, o := range people {
		o.DecisionID = cmp.Or(people[0].DecisionID, "dec_"+people[0].ApplicantRef)
		j.People = append(j.People, store.JointPerson{Observation: o, Windows: partyWindows()})
		refs = append(refs, o.ApplicantRef)
	}
	slices.Sort(refs)
	j.Key = "hmac:" + strings.Join(refs, "+")
	return j
}

// observeAll records the observation of several people. It first checks that PeekAll returns the same counts and
// records nothing. Only the id of a ring that is not stored yet may differ.
func observeAll(t *testing.T, scope *store.Scope, j store.Joint) []store.ObservedCounts {
	t.Helper()
	foretold, err := scope.PeekAll(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	again, err := scope.PeekAll(t.Context(), j)
	if diff := gocmp.Diff(foretold, again); err != nil || diff != "" {
		t.Errorf("PeekAll has changed something, %v:\n%s", err, diff)
	}
	var counts []store.ObservedCounts
	doing(t, scope, func(tx *store.Tx) (err error) {
		counts, err = tx.Observations().ObserveAll(j)
		return err
	})
	made := ringIDs(j)
	for i := range foretold {
		want := counts[i]
		if slices.Contains(made, want.Ring.ID) && foretold[i].Ring.ID == "" {
			want.Ring.ID = ""
		}
		if diff := gocmp.Diff(want, foretold[i]); diff != "" {
			t.Errorf("PeekAll differs from ObserveAll (-observe +peek):\n%s", diff)
		}
	}
	return counts
}

// ringIDs returns the ids that the rings of a joint observation can have.
func ringIDs(j store.Joint) (ids []string) {
	id := "rng_" + strings.TrimPrefix(j.People[0].Observation.DecisionID, "dec_")
	for i := range j.People {
		ids = append(ids, id)
		if i > 0 {
			ids = append(ids, fmt.Sprintf("%s_%d", id, i))
		}
	}
	return ids
}

// wantCounts checks the number of applicants of a kind and the people of the ring.
func wantCounts(t *testing.T, who string, got store.ObservedCounts, kind string, applicants, ring int64) {
	t.Helper()
	if got.Applicants[kind] != applicants || got.Ring.People != ring {
		t.Errorf("%s: %d applicants, a ring of %d, want %d and %d", who, got.Applicants[kind], got.Ring.People,
			applicants, ring)
	}
}

// TestCoupleIsNoRing observes a couple who share a phone, a mobile number and an account. They count as one
// person until somebody else is seen with the phone, even if one of them later applies alone.
func TestCoupleIsNoRing(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		db := storetest.Open(t, databaseURL, store.Options{})
		scope := signUp(t, db, "ten_A")
		phone, number, joint := entity("device", "1"), entity("mobile", "1"), account("1")
		couple := jointly(observed("H", micros, phone, number, joint), observed("W", micros, phone, number, joint))
		for range 2 { // the repeated application changes nothing
			for i, got := range observeAll(t, scope, couple) {
				for _, kind := range []string{"device", "mobile", "beneficiary_account"} {
					wantCounts(t, fmt.Sprint("the couple, ", i), got, kind, 1, 1)
				}
			}
		}
		wantCounts(t, "the wife alone", observe(t, scope, observed("W", micros+1, phone), partyWindows()), "device", 1,
			1)

		wantCounts(t, "a stranger", observe(t, scope, observed("X", micros+2, phone), partyWindows()), "device", 3, 3)
		for i, got := range observeAll(t, scope, couple) {
			wantCounts(t, fmt.Sprint("the couple after the stranger, ", i), got, "device", 3, 3)
			wantCounts(t, fmt.Sprint("the account of the couple, ", i), got, "beneficiary_account", 1, 3)
		}
		for name, other := range neighbours(t, db, "ten_A") {
			got, err := other.Observations(t.Context()).Peek(observed("W", micros+3, phone), partyWindows())
			if err != nil || got.Applicants["device"] != 1 || got.Ring.People != 1 {
				t.Errorf("%s sees %+v, %v", name, got, err)
			}
		}
		wantCounted(t, databaseURL, db.Kind())
	})
}

// TestPartyIsEverybody checks that people count as one only if one application names them all: a guarantor of many
// borrowers does not hide that the borrowers share a phone. Other kinds of entities are counted as before.
func TestPartyIsEverybody(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		scope := signUp(t, db, "ten_A")
		phone := entity("device", "1")
		borrower := func(ref string, at int64) store.Joint {
			return jointly(observed(ref, micros+at, phone, address("1")), observed("G", micros+at, phone))
		}
		for i, got := range observeAll(t, scope, borrower("B1", 0)) {
			wantCounts(t, fmt.Sprint("the first borrower, ", i), got, "device", 1, 1)
		}
		for i, got := range observeAll(t, scope, borrower("B2", 1)) {
			wantCounts(t, fmt.Sprint("the second borrower, ", i), got, "device", 3, 3)
		}
		got := observe(t, scope, observed("G", micros+2, phone), partyWindows())
		wantCounts(t, "the guarantor alone", got, "device", 3, 3)

		// Three people are one party only if all three applied together. Applications of two of them at a time are not
		// enough. A kind without parties counts everybody.
		home := entity("mobile", "2")
		observeAll(t, scope, jointly(observed("P", micros+3, home, address("2")), observed("Q", micros+3, home)))
		observeAll(t, scope, jointly(observed("Q", micros+4, home, address("2")), observed("R", micros+4, home)))
		all := observeAll(t, scope, jointly(observed("R", micros+5, home, address("2")), observed("P", micros+5, home)))
		wantCounts(t, "the third of three couples", all[0], "mobile", 3, 3)
		wantCounts(t, "the address of three couples", all[0], "ip", 3, 3)
		home = entity("mobile", "3")
		all = observeAll(t, scope, jointly(observed("S", micros+6, home), observed("T", micros+6, home),
			observed("U", micros+6, home)))
		wantCounts(t, "three people of one application", all[2], "mobile", 1, 1)
	})
}

// TestPartyComesTooLate checks that two people who used an account one after the other still count as two after they
// have applied together. They count as one if only one of them used the account before the joint application. An
// example is a couple who apply together after the husband applied alone.
func TestPartyComesTooLate(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		scope := signUp(t, db, "ten_A")
		observe(t, scope, observed("A", micros, account("1")), partyWindows())
		wantCounts(t, "the second", observe(t, scope, observed("B", micros+1, account("1")), partyWindows()),
			"beneficiary_account", 2, 2)
		both := observeAll(t, scope,
			jointly(observed("A", micros+2, account("1")), observed("B", micros+2, account("1"))))
		wantCounts(t, "both together", both[0], "beneficiary_account", 2, 2)
		wantCounts(t, "afterwards", observe(t, scope, observed("B", micros+3, account("1")), partyWindows()),
			"beneficiary_account", 2, 2)

		observe(t, scope, observed("H", micros, account("2")), partyWindows())
		couple := observeAll(t, scope,
			jointly(observed("H", micros+2, account("2")), observed("W", micros+2, account("2"))))
		wantCounts(t, "the wife after the husband", couple[1], "beneficiary_account", 1, 1)
	})
}

// TestOtherRolesAreKnown checks that somebody who was a guarantor is known as an applicant, that one application can
// create two rings, and that the rings of all people include each other.
func TestOtherRolesAreKnown(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		db := storetest.Open(t, databaseURL, store.Options{})
		scope := signUp(t, db, "ten_A")
		phone, mail := entity("device", "1"), entity("email", "1")
		observe(t, scope, observed("X", micros, phone), partyWindows())
		observe(t, scope, observed("Y", micros, mail), partyWindows())
		two := observeAll(t, scope, jointly(observed("A", micros+1, phone), observed("G", micros+1, mail)))
		wantCounts(t, "the applicant", two[0], "device", 2, 2)
		wantCounts(t, "the guarantor", two[1], "email", 2, 2)
		if two[0].Ring.ID == two[1].Ring.ID {
			t.Errorf("two rings have the id %s", two[0].Ring.ID)
		}

		// The guarantor applies alone, with the applicant's phone: the rings merge.
		got := observe(t, scope, observed("G", micros+2, phone), partyWindows())
		wantCounts(t, "the guarantor as an applicant", got, "device", 3, 4)

		// Both people join the same ring by different entities, and each sees the other in it.
		both := observeAll(t, scope, jointly(observed("B", micros+3, phone), observed("C", micros+3, mail)))
		wantCounts(t, "the second applicant", both[0], "device", 4, 6)
		wantCounts(t, "the second co-applicant", both[1], "email", 3, 6)
		wantCounted(t, databaseURL, db.Kind())
	})
}

// TestErasedPartner checks that a couple is still one party after one of them was erased, even if that person comes
// back.
func TestErasedPartner(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		scope := signUp(t, db, "ten_A")
		phone := entity("device", "1")
		husband, wife := observed("H", micros, phone), observed("W", micros, phone)
		couple := jointly(husband, wife)
		observeAll(t, scope, couple)
		var counts store.ErasedCounts
		doing(t, scope, func(tx *store.Tx) error { return tx.Erasures().HideMember("W", "hmac:W", &counts) })
		if counts.Links != 2 { // the phone and the application
			t.Errorf("replaced the reference in %d links", counts.Links)
		}
		wantCounts(t, "the husband", observe(t, scope, husband, partyWindows()), "device", 1, 1)
		couple.People[1].Observation.Alias = "hmac:W"
		again := observeAll(t, scope, couple)
		wantCounts(t, "the wife who came back", again[1], "device", 1, 1)
		if again[1].Member != "hmac:W" {
			t.Errorf("she is %s", again[1].Member)
		}
	})
}

// party is a simple model of the counts of people who apply together.
type party struct {
	seen     map[string]map[string]int64 // the people of each entity, and when each was first seen with it
	together []store.Joint
	ring     map[string]string // the ring of a person
	tied     map[string]bool   // entities that connect people
}

// count returns the number of people of an entity. It returns one if an application names them all, and at most one of
// them was seen with the entity before that application.
func (p *party) count(key string) int64 {
	people := p.seen[key]
	for _, j := range p.together {
		in, before := 0, 0
		for _, a := range j.People {
			if first, sharing := people[a.Observation.ApplicantRef]; sharing {
				in++
				if first < a.Observation.NowMicros {
					before++
				}
			}
		}
		if in == len(people) && before <= 1 {
			return 1
		}
	}
	return int64(len(people))
}

// record adds the people and their entities.
func (p *party) record(j store.Joint) {
	// The same people may apply together again. Only the first time counts.
	if len(j.People) > 1 && !slices.ContainsFunc(p.together, func(made store.Joint) bool { return made.Key == j.Key }) {
		p.together = append(p.together, j)
	}
	for _, a := range j.People {
		for _, e := range a.Observation.Entities {
			if p.seen[e.Key] == nil {
				p.seen[e.Key] = map[string]int64{}
			}
			if _, known := p.seen[e.Key][a.Observation.ApplicantRef]; !known {
				p.seen[e.Key][a.Observation.ApplicantRef] = a.Observation.NowMicros
			}
		}
	}
}

// connect looks at every entity of the application j. If somebody else was seen with the entity, connect joins all
// people of the entity.
func (p *party) connect(j store.Joint) {
	for _, a := range j.People {
		for _, e := range a.Observation.Entities {
			if p.tied[e.Key] || p.count(e.Key) > 1 {
				p.tied[e.Key] = true
				for ref := range p.seen[e.Key] {
					p.merge(ref, a.Observation.ApplicantRef)
				}
			}
		}
	}
}

func (p *party) of(ref string) string { return cmp.Or(p.ring[ref], ref) }

func (p *party) merge(a, b string) {
	from, to := p.of(a), p.of(b)
	p.ring[a], p.ring[b] = from, to
	for ref, ring := range p.ring {
		if ring == from {
			p.ring[ref] = to
		}
	}
}

func (p *party) size(ref string) (n int64) {
	for other := range p.ring {
		if p.of(other) == p.of(ref) {
			n++
		}
	}
	return max(n, 1)
}

// TestPartyReference makes random applications of one to three people, and compares the counts and the rings with a
// simple model.
func TestPartyReference(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		db := storetest.Open(t, databaseURL, store.Options{})
		for seed := range uint64(4) {
			scope := signUp(t, db, fmt.Sprint("ten_", seed))
			dice := rand.New(rand.NewPCG(seed, 11))
			model := party{seen: map[string]map[string]int64{}, ring: map[string]string{}, tied: map[string]bool{}}
			for i := range 60 {
				var people []store.Observation
				for _, n := range dice.Perm(20)[:1+dice.IntN(3)] {
					o := observed(numbered("P", n), micros+int64(i)*hourMicros)
					o.DecisionID = numbered("dec", i)
					for _, kind := range []string{"beneficiary_account", "device", "mobile", "email"} {
						if dice.IntN(4) == 0 {
							o.Entities = append(o.Entities, entity(kind, numbered("", dice.IntN(20))))
						}
					}
					people = append(people, o)
				}
				j := jointly(people...)
				model.record(j)
				model.connect(j)
				for at, got := range observeAll(t, scope, j) {
					o := people[at]
					if got.Ring.People != model.size(o.ApplicantRef) || got.Ring.Truncated {
						t.Fatalf("seed %d, application %d, person %d: %+v, want %d people", seed, i, at, got.Ring,
							model.size(o.ApplicantRef))
					}
					for _, e := range o.Entities {
						if got.Applicants[e.Kind] != model.count(e.Key) {
							t.Fatalf("seed %d, application %d, person %d: %s of %v, want %d", seed, i, at, e.Key,
								got.Applicants, model.count(e.Key))
						}
					}
				}
			}
		}
		wantCounted(t, databaseURL, db.Kind())
	})
}

// TestAlertHasAllPeople raises one alert for two people of an application.
func TestAlertHasAllPeople(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		scope := signUp(t, db, "ten_A")
		phone := entity("device", "1")
		observe(t, scope, observed("X", micros, phone), partyWindows())
		// The applicant of the third couple is in the alert already, the partner is not.
		for n, refs := range [][2]string{{"A", "B"}, {"C", "D"}, {"A", "E"}, {"F", "G"}} {
			first, second := observed(refs[0], micros+1, phone), observed(refs[1], micros+1, phone)
			first.DecisionID = numbered("dec", n)
			joint := jointly(first, second)
			doing(t, scope, func(tx *store.Tx) error {
				counts, err := tx.Observations().ObserveAll(joint)
				if err != nil {
					return err
				}
				_, _, err = tx.Alerts().Raise(store.AlertWant{
					ID:          numbered("alr", n),
					Type:        "device_reuse",
					Severity:    "medium",
					Entity:      phone,
					Value:       counts[0].Applicants["device"],
					Threshold:   2,
					WindowHours: 90 * 24,
					Member:      counts[0].Member,
					Also:        []string{counts[1].Member},
					DecisionID:  joint.People[0].Observation.DecisionID,
					NowMicros:   micros + 1,
					Actor:       "system",
				})
				return err
			})
		}
		got, err := scope.Alerts(t.Context()).Get("alr_000")
		if err != nil || got.ApplicantCount != 8 || got.DecisionCount != 5 ||
			!slices.Equal(got.ApplicantRefs, []string{"X", "A", "B", "C", "D", "E", "F", "G"}) {
			t.Errorf("%+v, %v", got, err)
		}
	})
}
