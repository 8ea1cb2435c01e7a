package frauddesk_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"verdict/internal/application"
	"verdict/internal/frauddesk"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
)

// applicant is an application of a generated stream.
type applicant struct {
	at                               time.Duration // since the start of the stream
	ref, account, ip, pincode, agent string
	ring                             string // "" for an honest applicant
}

// street is the traffic of a town: honest applicants, and fraud rings among
// them.
type street struct {
	random *rand.Rand
	days   int
	all    []applicant
	rings  map[string]string // the type of alert that each ring must raise
	next   int
}

func (s *street) add(a applicant) {
	s.next++
	a.ref = fmt.Sprintf("P-%d", s.next)
	if a.account == "" {
		a.account = fmt.Sprintf("90%010d", s.next)
	}
	if a.ip == "" {
		a.ip = fmt.Sprintf("49.%d.%d.%d", 32+s.next>>16, s.next>>8&255, s.next&255)
	}
	if a.pincode == "" {
		a.pincode = fmt.Sprintf("%06d", 400_001+s.random.IntN(300))
	}
	if a.agent == "" {
		a.agent = fmt.Sprintf("AG-%d", s.random.IntN(150))
	}
	s.all = append(s.all, a)
}

func (s *street) moment() time.Duration {
	return time.Duration(s.random.Int64N(int64(s.days) * int64(24*time.Hour)))
}

// honest adds n honest applicants. Each has an account; some share an IP
// address, like a family or the customers of a mobile network, and an agent
// brings applicants from a few neighbouring pincodes.
func (s *street) honest(n int) {
	for range n {
		a := applicant{at: s.moment()}
		agent := s.random.IntN(150)
		a.agent = fmt.Sprintf("AG-%d", agent)
		a.pincode = fmt.Sprintf("%06d", 400_001+agent*2+s.random.IntN(3))
		s.add(a)
		if s.random.IntN(20) == 0 { // a second applicant from the same IP address
			b := a
			b.ip = fmt.Sprintf("49.%d.%d.%d", 32+s.next>>16, s.next>>8&255, s.next&255)
			s.add(b)
		}
	}
}

// plant adds rings of each kind. They begin after two weeks, when a pincode has
// a baseline.
func (s *street) plant(each int) {
	s.rings = map[string]string{}
	for i := range each {
		begin := time.Duration(16+s.random.IntN(s.days-18)) * 24 * time.Hour
		within := func(d time.Duration) time.Duration { return begin + time.Duration(s.random.Int64N(int64(d))) }
		name := func(kind string) string { return fmt.Sprintf("%s-%d", kind, i) }
		account := fmt.Sprintf("77%010d", i)
		s.rings[name("account")] = "beneficiary_account_reuse"
		for range 2 + s.random.IntN(5) {
			s.add(applicant{at: within(48 * time.Hour), account: account, ring: name("account")})
		}
		ip := fmt.Sprintf("103.9.%d.7", i)
		s.rings[name("address")] = "ip_cluster"
		for range 5 + s.random.IntN(4) {
			s.add(applicant{at: within(20 * time.Hour), ip: ip, ring: name("address")})
		}
		agent := fmt.Sprintf("AG-BAD-%d", i)
		s.rings[name("agent")] = "agent_geo_anomaly"
		for k := range 12 {
			pincode := fmt.Sprintf("%06d", 500_001+20*i+k)
			s.add(applicant{at: within(20 * time.Hour), agent: agent, pincode: pincode, ring: name("agent")})
		}
	}
}

// TestPlantedRingsAreFound sends honest traffic with planted rings. Every ring must raise its
// alert, and honest traffic may raise at most one alert for every 10,000 applications.
func TestPlantedRingsAreFound(t *testing.T) {
	t.Parallel()
	honest, each := 700, 2
	if os.Getenv("VERDICT_LONG") != "" {
		honest, each = 20_000, 20
	}
	s := &street{random: rand.New(rand.NewPCG(7, 11)), days: 30}
	s.honest(honest)
	s.plant(each)
	slices.SortStableFunc(s.all, func(a, b applicant) int { return cmp.Compare(a.at, b.at) })

	begin := time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC)
	now := begin
	h := usecasetest.Open(t, storetest.Open(t, storetest.SQLite(t), store.Options{}),
		usecase.Options{Now: func() time.Time { return now }})
	inRing := map[string]string{}
	for _, a := range s.all {
		now = begin.Add(a.at)
		inRing[a.ref] = a.ring
		body := fmt.Sprintf(`{"bureau":"cibil","report":{"cibil":{"scoreData":{"score":742}}},
			"fraud":{"applicant_ref":%q,"pincode":%q,"ip":%q,"beneficiary_account":%q,"agent_id":%q}}`, a.ref,
			a.pincode, a.ip, a.account, a.agent)
		_, err := h.Service.Decisions.Evaluate(t.Context(), h.Caller,
			application.EvaluateRequest(usecasetest.Parse(t, body)), nil)
		if err != nil {
			t.Fatal(err)
		}
	}
	found, wrong := map[string]bool{}, 0
	for list := (operation.List{Limit: operation.MaxLimit}); ; {
		page, err := h.Service.Fraud.Alerts(t.Context(), h.Caller, frauddesk.AlertFilter{}, list)
		if err != nil {
			t.Fatal(err)
		}
		for _, alert := range page.Data {
			planted := false
			for _, ref := range alert.ApplicantRefs {
				if ring := inRing[ref]; ring != "" && (s.rings[ring] == alert.Type ||
					alert.Type == "ring" && s.rings[ring] == "beneficiary_account_reuse") {
					found[ring], planted = true, true
				}
			}
			if !planted {
				wrong++
				t.Logf("about honest people: %s %s, %d against %d", alert.Type, alert.Entity.Display,
					alert.Value, alert.Threshold)
			}
		}
		if list.Cursor = page.NextCursor; list.Cursor == "" {
			break
		}
	}
	for ring := range s.rings {
		if !found[ring] {
			t.Errorf("the ring %s was not found", ring)
		}
	}
	if most := max(1, honest/10_000); wrong > most {
		t.Errorf("%d alerts about honest people, at most %d are borne", wrong, most)
	}
	t.Logf("%d applications, %d of %d rings found, %d alerts about honest people", len(s.all),
		len(found), len(s.rings), wrong)
}
