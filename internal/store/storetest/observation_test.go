//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package storetest_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

const (
	micros     = int64(1_800_000_000_000_000) // an arbitrary time
	hourMicros = int64(3_600_000_000)
	dayMicros  = 24 * hourMicros
)

func entity(kind, value string) store.ObservedEntity {
	return store.ObservedEntity{Kind: kind, Key: "hmac:" + kind + value, Display: "••••" + value}
}

func account(value string) store.ObservedEntity { return entity("beneficiary_account", value) }
func address(value string) store.ObservedEntity { return entity("ip", value) }
func pincode(value string) store.ObservedEntity { return entity(store.KindPincode, value) }
func agent(value string) store.ObservedEntity   { return entity(store.KindAgent, value) }

func windows() store.Windows {
	return store.Windows{BaselineDays: 30, Micros: map[string]int64{
		"beneficiary_account": 90 * dayMicros, "ip": dayMicros, store.KindPincode: dayMicros,
		store.KindAgent: dayMicros,
	}}
}

func observed(ref string, nowMicros int64, entities ...store.ObservedEntity) store.Observation {
	return store.Observation{ApplicantRef: ref, DecisionID: "dec_" + ref, NowMicros: nowMicros, Entities: entities}
}

// observe records an observation. It checks that Peek returns the same counts as Observe, both before and after
// the observation is recorded. It also checks that a person who was not erased is recorded under the person's own
// reference.
func observe(t *testing.T, scope *store.Scope, o store.Observation, w store.Windows) store.ObservedCounts {
	t.Helper()
	var counts store.ObservedCounts
	doing(t, scope, func(tx *store.Tx) error {
		foretold, err := tx.Observations().Peek(o, w)
		if err != nil {
			return err
		}
		if counts, err = tx.Observations().Observe(o, w); err != nil {
			return err
		}
		again, err := tx.Observations().Peek(o, w)
		for _, peek := range []store.ObservedCounts{foretold, again} {
			if diff := cmp.Diff(counts, peek); diff != "" {
				t.Errorf("Peek differs from Observe (-observe +peek):\n%s", diff)
			}
		}
		return err
	})
	peek, err := scope.Observations(t.Context()).Peek(o, w)
	if diff := cmp.Diff(counts, peek); err != nil || diff != "" {
		t.Errorf("%v (-observe +peek):\n%s", err, diff)
	}
	if o.Alias == "" {
		if counts.Member != o.ApplicantRef {
			t.Errorf("%q is recorded as %q", o.ApplicantRef, counts.Member)
		}
		counts.Member = "" // checked here, so callers need not compare it
	}
	return counts
}

func TestObserve(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		scope := signUp(t, db, "ten_A")
		others := neighbours(t, db, "ten_A")
		applicants := func(of ...int64) map[string]int64 {
			m := map[string]int64{}
			for i, kind := range []string{"beneficiary_account", "ip", store.KindPincode, store.KindAgent} {
				if of[i] > 0 {
					m[kind] = of[i]
				}
			}
			return m
		}
		for i, c := range []struct {
			o        store.Observation
			want     map[string]int64
			pincodes int64
		}{
			{observed("A", micros, account("1"), address("1"), pincode("400001"), agent("1")), applicants(1, 1, 1, 1),
				1},
			// a retry by the same applicant
			{observed("A", micros+1, account("1"), address("1"), pincode("400001"), agent("1")), applicants(1, 1, 1, 1),
				1},
			{observed("B", micros+2, account("1"), address("1"), pincode("400001"), agent("1")), applicants(2, 2, 2, 2),
				1},
			// a second pincode
			{observed("B", micros+3, account("2"), address("1"), pincode("400002"), agent("1")), applicants(1, 2, 1, 2),
				2},
			{observed("C", micros+4, agent("1")), applicants(0, 0, 0, 3), 2},
			{observed("C", micros+5, account("2")), applicants(2, 0, 0, 0), 0},
			// A was seen before the window of the address began
			{observed("D", micros+dayMicros+1, address("1"), account("1")), applicants(3, 2, 0, 0), 0},
			// observed by a node whose clock is behind
			{observed("D", micros+dayMicros-5, address("1"), account("1")), applicants(3, 3, 0, 0), 0},
			{observed("E", micros+dayMicros+1, agent("1"), pincode("400002")), applicants(0, 0, 2, 3), 2},
			{observed("E", micros+dayMicros+10, agent("1"), pincode("400002")), applicants(0, 0, 1, 1), 1},
			// A was seen before the window of the account began
			{observed("F", micros+90*dayMicros+1, account("1")), applicants(3, 0, 0, 0), 0},
			{observed("", micros, account("1")), nil, 0},
			{observed("G", micros), nil, 0},
		} {
			got := observe(t, scope, c.o, windows())
			want := store.ObservedCounts{Applicants: c.want, AgentPincodes: c.pincodes}
			if c.o.ApplicantRef != "" {
				want.Ring.People = 1 // nobody is connected with anybody else
			}
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%d (-want +got):\n%s", i, diff)
			}
		}
		// A kind without a window is recorded but not counted.
		got := observe(t, scope, observed("H", micros+90*dayMicros, account("1"), address("1")),
			store.Windows{Micros: map[string]int64{"ip": dayMicros}})
		if diff := cmp.Diff(map[string]int64{"ip": 1}, got.Applicants); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		for who, other := range others {
			got := observe(t, other, observed("Z", micros+90*dayMicros, account("1"), address("1"), pincode("400001"),
				agent("1")), windows())
			want := store.ObservedCounts{
				Applicants:    applicants(1, 1, 1, 1),
				AgentPincodes: 1,
				Ring:          store.RingCount{People: 1},
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", who, diff)
			}
		}
	})
}

// TestBaseline gives a pincode two applicants a day, one of whom is always the same
// person, and checks the baseline at different times.
func TestBaseline(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		scope := signUp(t, db, "ten_A")
		others := neighbours(t, db, "ten_A")
		begin := micros / hourMicros * hourMicros
		at := func(day int) int64 { return begin + int64(day)*dayMicros + 5 }
		for day := range 40 {
			doing(t, scope, func(tx *store.Tx) error {
				for _, o := range []store.Observation{
					observed("regular", at(day), pincode("400001")),
					observed(numbered("new", day), at(day), pincode("400001")),
					observed(numbered("new", day), at(day)+1, pincode("400001")), // a retry by the same applicant
					observed("elsewhere", at(day), pincode("400002")),
				} {
					if _, err := tx.Observations().Observe(o, windows()); err != nil {
						return err
					}
				}
				return nil
			})
		}
		for _, c := range []struct {
			days                 int // days since the first applicant was seen
			ask                  int64
			applicants, baseline int64
		}{
			{0, 30, 41, 0}, {1, 30, 41, 0}, {2, 30, 40, 1}, {15, 30, 27, 14}, {31, 30, 11, 30}, {39, 30, 3, 30},
			{39, 5, 3, 5}, {39, 365, 3, 38}, {39, 0, 3, 0}, {60, 30, 1, 30},
		} {
			o, w := observed("asks", at(c.days)+2, pincode("400001")), windows()
			w.BaselineDays = c.ask
			got, err := scope.Observations(t.Context()).Peek(o, w)
			sum := 2 * c.baseline
			if c.days == 60 { // only the first 11 of the 30 baseline days have applicants
				sum = 2 * 11
			}
			if err != nil || got.BaselineDays != c.baseline || got.BaselineApplicants != sum {
				t.Errorf("after %d days: %d in %d days, want %d in %d; %v",
					c.days, got.BaselineApplicants, got.BaselineDays, sum, c.baseline, err)
			}
			if c.days >= 39 && got.Applicants[store.KindPincode] != c.applicants {
				t.Errorf("after %d days: %d applicants", c.days, got.Applicants[store.KindPincode])
			}
		}
		for who, other := range others {
			got, err := other.Observations(t.Context()).Peek(observed("asks", at(39), pincode("400001")), windows())
			if err != nil || got.BaselineDays != 0 || got.BaselineApplicants != 0 {
				t.Errorf("%s: %+v, %v", who, got, err)
			}
		}
	})
}

// TestCountsEnd observes more than MaxCounted applicants. It checks that the count of
// an account ends at MaxCounted and that the count of a pincode does not.
func TestCountsEnd(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		scope := signUp(t, db, "ten_A")
		const n = store.MaxCounted + 200
		var last store.ObservedCounts
		const perWrite = 100 // a write must not take longer than the database's timeout
		for first := 0; first < n; first += perWrite {
			doing(t, scope, func(tx *store.Tx) (err error) {
				for i := first; i < min(first+perWrite, n); i++ {
					last, err = tx.Observations().Observe(observed(numbered("app", i), micros+int64(i)*60_000_000,
						account("1"), pincode("400001")), windows())
					if want := min(int64(i)+1, store.MaxCounted); err == nil &&
						(last.Applicants["beneficiary_account"] != want || last.Applicants[store.KindPincode] < want) {
						err = fmt.Errorf("%d: %+v", i, last)
					}
					if err != nil {
						return err // t.Fatal would end the committer's goroutine
					}
				}
				return nil
			})
		}
		if got := last.Applicants[store.KindPincode]; got != n {
			t.Errorf("%d applicants of the pincode, want %d", got, n)
		}
	})
}

// TestObserveAtOnce observes five hundred applicants with one account concurrently on
// two nodes, and checks that the counts are the numbers 1 to 500.
func TestObserveAtOnce(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		nodes := twoNodes(t, databaseURL)
		const n = 500
		counts := make([]int64, n)
		errs := race(n, func(i int) error {
			// The other entities make the transactions conflict in every order.
			o := observed(numbered("app", i), micros, account("1"), address(numbered("", i%7)),
				agent(numbered("", i%3)), pincode(numbered("", i%5)))
			return nodes[i%2].Scope("ten_A", sandbox).Write(t.Context(), func(tx *store.Tx) error {
				c, err := tx.Observations().Observe(o, windows())
				counts[i] = c.Applicants["beneficiary_account"]
				return err
			})
		})
		if got := succeeded(t, errs, 0, ""); got != n {
			t.Fatalf("%d of %d", got, n)
		}
		slices.Sort(counts)
		for i, count := range counts {
			if count != int64(i)+1 {
				t.Fatalf("place %d was told %d", i+1, count)
			}
		}
		got, err := nodes[0].Scope("ten_A", sandbox).Observations(t.Context()).Peek(
			observed("app_000", micros, agent("_001"), pincode("_001")), windows())
		if err != nil || got.Applicants[store.KindPincode] != 101 || got.AgentPincodes != 5 {
			t.Errorf("%+v, %v", got, err)
		}
	})
}

// TestScopesAtOnce records observations and inserts decisions of several scopes in batches on two nodes. It checks that
// the batches do not deadlock: they must lock the scopes in the same order.
func TestScopesAtOnce(t *testing.T) {
	t.Parallel()
	nodes := twoNodes(t, storetest.Postgres(t))
	const n, scopes = 240, 6
	errs := race(n, func(i int) error {
		scope := nodes[i%2].Scope(numbered("ten", i/2%scopes), sandbox)
		return scope.Write(t.Context(), func(tx *store.Tx) error {
			if _, err := tx.Observations().Observe(observed(numbered("app", i), micros, account("1")),
				windows()); err != nil {
				return err
			}
			return tx.Decisions().Insert(decision(numbered("dec", i), store.Unmetered))
		})
	})
	if got := succeeded(t, errs, 0, ""); got != n {
		t.Fatalf("%d of %d", got, n)
	}
	for i := range scopes {
		got, err := nodes[0].Scope(numbered("ten", i), sandbox).Observations(t.Context()).Peek(
			observed("app_new", micros, account("1")), windows())
		if err != nil || got.Applicants["beneficiary_account"] != n/scopes+1 {
			t.Errorf("%+v, %v", got, err)
		}
	}
}

// TestOlderKeyCounts checks that records and blocks under an older key of an entity
// apply to its newer key, and that new records use only the newer key.
func TestOlderKeyCounts(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		scope := signUp(t, db, "ten_A")
		w := windows()
		w.Ties = map[string]int64{"beneficiary_account": 90 * dayMicros}
		was, now := account("0012"), account("12")
		renamed := now
		renamed.Older = was.Key

		observe(t, scope, observed("A", micros, was), w)
		observe(t, scope, observed("B", micros+1, was), w)
		if got := observe(t, scope, observed("C", micros+2, renamed), w); got.Applicants["beneficiary_account"] != 3 ||
			got.Ring.People != 3 {
			t.Errorf("the third by the older key: %+v", got)
		}
		if got := observe(t, scope, observed("A", micros+3, renamed), w); got.Applicants["beneficiary_account"] != 3 ||
			got.Ring.People != 3 {
			t.Errorf("one person under both keys counts twice: %+v", got)
		}
		if got := observe(t, scope, observed("D", micros+4, now), w); got.Applicants["beneficiary_account"] != 3 ||
			got.Ring.People != 4 {
			t.Errorf("the newer key alone: %+v", got)
		}
		// Another applicant with the older key joins the ring with the next
		// observation that has both keys.
		other := account("0099")
		observe(t, scope, observed("E", micros+5, other), w)
		renamed.Older = other.Key
		if got := observe(t, scope, observed("F", micros+6, renamed), w); got.Ring.People != 6 {
			t.Errorf("an older key beside a known ring: %+v", got)
		}

		for _, until := range []int64{0, micros + 20} {
			doing(t, scope, func(tx *store.Tx) error {
				_, _, err := tx.Blocklist().Block(
					store.BlockedEntity{Entity: was, BlockedMicros: micros + 7, UntilMicros: until})
				return err
			})
			renamed.Older = was.Key
			if got := observe(t, scope, observed("G", micros+8, renamed), w); !slices.Equal(got.Blocklisted,
				[]string{"beneficiary_account"}) {
				t.Errorf("blocked by the older key: %+v", got)
			}
			kinds, err := scope.Observations(t.Context()).Blocked(
				store.Observation{NowMicros: micros + 8, Entities: []store.ObservedEntity{renamed}})
			if err != nil || len(kinds) != 1 {
				t.Errorf("blocked by the older key, without an applicant: %v, %v", kinds, err)
			}
			doing(t, scope, func(tx *store.Tx) error {
				return tx.Blocklist().Unblock(was.Kind, was.Key, "usr_1", micros)
			})
		}
		if got := observe(t, scope, observed("G", micros+9, renamed), w); len(got.Blocklisted) > 0 {
			t.Errorf("blocked after the entry is gone: %+v", got)
		}
	})
}
