package httpapi_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/tenant"
)

// racers is the number of people who apply concurrently with one account.
const racers = 500

// raceTimeout is the timeout of the database while the racers wait for one scope. A busy machine needs more than a
// minute for so many transactions, so this is only a fail-safe.
const raceTimeout = 15 * time.Minute

// fastPlans returns price plans without an effective rate limit.
func fastPlans() tenant.PricePlans {
	fast := tenant.Rate{Allowance: 100_000, Window: time.Second, Burst: 100_000}
	return tenant.DefaultPricePlans().WithRates(tenant.Rates{Decide: fast, Write: fast, Backtest: fast})
}

// counted fails the test unless the answers have the counts 1 to n, and each count occurs once.
func counted(t *testing.T, answers []answer, n int) {
	t.Helper()
	var got, want []int
	for i, a := range answers {
		a.want(http.StatusOK)
		value, _ := a.signal(mule)["value"].(float64)
		got = append(got, int(value))
		want = append(want, i%n+1)
		if status := map[bool]string{true: "APPROVED", false: "DECLINED"}[value == 1]; a.text("status") != status {
			t.Errorf("the %vth is %s", value, a.text("status"))
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the counts (-want +got):\n%s", diff)
	}
}

// TestCountingIsExact checks that concurrent applications are counted exactly.
func TestCountingIsExact(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		db := storetest.Open(t, databaseURL, store.Options{Timeout: raceTimeout})
		s := start(t, db, stackOptions{plans: fastPlans(), inFlight: 2 * racers})
		m := s.signup()
		apply := func(i int) (answer, error) {
			return s.trySend("POST", "/v1/evaluate", m.key,
				evaluation(742, scalars, seen(fmt.Sprint("A-", i), oneAccount)))
		}
		counted(s.T, s.race(racers, apply), racers)
		for _, again := range s.race(20, apply) {
			again.saw(mule, true, racers)
		}
		list := m.get("/v1/fraud/alerts")
		if diff := cmp.Diff([]string{mule, "ring"}, slices.Sorted(slices.Values(list.column("type")))); diff != "" {
			s.Fatalf("alerts (-want +got):\n%s", diff)
		}
		for i := range 2 {
			if n := list.at("data", i, "applicant_count"); n != float64(racers) {
				s.Errorf("the alert has %v applicants", n)
			}
			if n := len(list.list("data", i, "applicant_refs")); n != min(racers, store.MaxEvidence) {
				s.Errorf("the alert shows %d applicants", n)
			}
		}
		// A ring is truncated at store.MaxRingPeople, and the facts say so.
		m.post("/v1/decisions/preview", evaluation(742, scalars, seen("A-1", oneAccount))).
			is("facts.fraud_ring_size", store.MaxRingPeople,
				"facts.fraud_ring_links", 1, "facts.fraud_ring_truncated", true)
	})
}

// TestTwoNodesCountTogether checks that two nodes on one database count
// concurrent applications exactly.
func TestTwoNodesCountTogether(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.Postgres(t)
	o := stackOptions{plans: fastPlans(), inFlight: 4 * racers} // one tenant has at most half of the places
	here := start(t, storetest.Open(t, databaseURL, store.Options{Timeout: raceTimeout}), o)
	there := start(t, storetest.Open(t, databaseURL, store.Options{Timeout: raceTimeout}), o)
	m := here.signup()
	counted(t, here.race(racers, func(i int) (answer, error) {
		body := evaluation(742, scalars, seen(fmt.Sprint("A-", i), oneAccount))
		return []*stack{here, there}[i%2].trySend("POST", "/v1/evaluate", m.key, body)
	}), racers)
	if types := m.get("/v1/fraud/alerts").column("type"); len(types) != 2 || types[0] == types[1] {
		t.Errorf("alerts %v", types)
	}
	// The other node sees the new settings once its cache is stale.
	m.put("/v1/fraud/config", `{"fraud":{"beneficiary_reuse":{"enabled":false}}}`).want(http.StatusOK)
	there.clock.advance(stale)
	away := *m
	away.stack = there
	away.apply("A-1", oneAccount).is("status", "APPROVED").saw(mule, false, nil)
}

// TestFraudConfigRace checks concurrent changes to the settings: with If-Match
// exactly one change succeeds, and without If-Match no change is lost.
func TestFraudConfigRace(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{plans: fastPlans()}, func(s *stack) {
		m := s.signup()
		won, lost := raced(s.race(16, func(i int) (answer, error) {
			return s.trySend("PUT", settings, m.key, fmt.Sprintf(`{"fraud":{"mute_days":%d}}`, i+1), `If-Match: "0"`)
		}), http.StatusOK)
		if len(won) != 1 {
			s.Errorf("%d changed one version", len(won))
		}
		for _, a := range lost {
			a.refused(http.StatusPreconditionFailed, "precondition_failed")
		}
		members := []string{
			`{"fraud":{"ip_cluster":{"points":1}}}`, `{"fraud":{"beneficiary_reuse":{"points":2}}}`,
			`{"fraud":{"agent_anomaly":{"points":3}}}`, `{"fraud":{"pincode_spike":{"points":4}}}`,
			`{"device":{"sim_new_days":5}}`, `{"device":{"loan_apps_max":6}}`,
		}
		for _, a := range s.race(len(members), func(i int) (answer, error) {
			return s.trySend("PUT", settings, m.key, members[i])
		}) {
			a.want(http.StatusOK)
		}
		m.get(settings).is("version", 7, "fraud.ip_cluster.points", 1, "fraud.beneficiary_reuse.points", 2,
			"fraud.agent_anomaly.points", 3,
			"fraud.pincode_spike.points", 4, "device.sim_new_days", 5, "device.loan_apps_max", 6)
	})
}

// TestAlertRace checks that concurrent requests close an alert only once, as
// its history shows.
func TestAlertRace(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{plans: fastPlans()}, func(s *stack) {
		m := s.signup()
		id := m.ring(oneAccount, "A-1", "A-2")
		for i, a := range s.race(24, func(i int) (answer, error) {
			if i%3 == 0 {
				return s.trySend("POST", "/v1/evaluate", m.key,
					evaluation(742, scalars, seen(fmt.Sprint("B-", i), oneAccount)))
			}
			return s.trySend("PATCH", "/v1/fraud/alerts/"+id, m.key,
				[]string{`{"status":"acknowledged"}`, `{"status":"closed"}`}[i%3-1])
		}) {
			if i%3 != 1 {
				a.want(http.StatusOK)
			} else if a.status != http.StatusOK {
				a.refused(http.StatusConflict, "invalid_transition")
			}
		}
		closed := 0
		for _, e := range m.get("/v1/fraud/alerts/"+id).is("status", "closed").list("history") {
			if e, _ := e.(map[string]any); e["to"] == "closed" {
				closed++
			}
		}
		if closed != 1 {
			s.Errorf("it was closed %d times", closed)
		}
		if open := m.get("/v1/fraud/alerts?status=open&type=" + mule).column("id"); len(open) > 1 {
			s.Errorf("open are %v", open)
		}
	})
}
