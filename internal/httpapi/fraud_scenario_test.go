package httpapi_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/tenant"
)

// seen returns a fraud block with an applicant reference and further members.
func seen(applicant, members string) block {
	return block{"fraud", fmt.Sprintf(`{"applicant_ref":%q%s}`, applicant, prefixed(members))}
}

// apply evaluates an application that the default policy approves, with further
// members in its fraud block.
func (m *member) apply(applicant, members string, more ...block) answer {
	m.Helper()
	return m.post("/v1/evaluate", evaluation(742, scalars, append(more, seen(applicant, members))...)).
		want(http.StatusOK)
}

func (m *member) put(path, body string, headers ...string) answer {
	m.Helper()
	return m.send("PUT", path, m.key, body, headers...)
}

func (m *member) patch(path, body string) answer {
	m.Helper()
	return m.send("PATCH", path, m.key, body)
}

// signal returns the fraud signal with this id, or nil if there is none.
func (a answer) signal(id string) map[string]any {
	a.t.Helper()
	for _, s := range a.list("fraud", "signals") {
		if s, _ := s.(map[string]any); s["id"] == id {
			return s
		}
	}
	return nil
}

// saw fails the test unless the members "value" and "triggered" of the signal equal the arguments. If the argument
// value is nil, the signal must not have been evaluated.
func (a answer) saw(id string, triggered bool, value any) answer {
	a.t.Helper()
	s := a.signal(id)
	if value == nil {
		if s != nil && s["evaluated"] != false {
			a.t.Errorf("%s: %s was evaluated: %v", a.sent, id, s)
		}
		return a
	}
	if s["triggered"] != triggered || fmt.Sprint(s["value"]) != fmt.Sprint(value) {
		a.t.Errorf("%s: %s is %v, want %v at %v", a.sent, id, s, triggered, value)
	}
	return a
}

// raised fails the test unless the application raised or joined n alerts.
func (a answer) raised(n int) answer {
	a.t.Helper()
	if got := a.list("fraud", "alert_ids"); len(got) != n {
		a.t.Errorf("%s: alerts %v, want %d", a.sent, got, n)
	}
	return a
}

const (
	mule  = "beneficiary_account_reuse"
	ip    = "ip_cluster"
	agent = "agent_geo_anomaly"
	spike = "pincode_spike"

	oneAccount = `"beneficiary_account":"00112233445566"`
)

// TestMuleAccount checks that a second person with the same account, however
// the account is spelt, is declined and raises an alert. The same person may
// apply again.
func TestMuleAccount(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		m.apply("A-1", oneAccount).is("status", "APPROVED", "fraud.fraud_score", 0, "fraud.complete", true,
			"fraud.level", "low", "fraud.device", nil, "fraud.location", nil).
			saw(mule, false, 1).raised(0)
		m.apply("A-1", oneAccount).is("status", "APPROVED").saw(mule, false, 1).raised(0)
		m.repeats("/v1/evaluate", evaluation(742, scalars, seen("A-1", oneAccount)), http.StatusOK).saw(mule, false, 1)
		second := m.apply("A-2", `"beneficiary_account":"0011-2233 445566"`).
			is("status", "DECLINED", "fraud.fraud_score", 50, "fraud.level", "high").saw(mule, true, 2).raised(1)
		if result := second.fired()["KO_FRAUD_MULE_ACCOUNT"]; result != "fail" {
			s.Errorf("the rule is %q", result)
		}
		want := map[string]any{
			"id":           mule,
			"triggered":    true,
			"severity":     "critical",
			"value":        2.0,
			"threshold":    2.0,
			"window_hours": 2160.0,
			"reason_code":  "FR_MULE",
			"entity":       "acct_••••5566",
		}
		if diff := cmp.Diff(want, second.signal(mule)); diff != "" {
			s.Errorf("the signal (-want +got):\n%s", diff)
		}
		if code := second.at("reasons", 0, "code"); code != "FR_MULE" {
			s.Errorf("the reason is %v", code)
		}
		m.apply("A-3", `"beneficiary_account":"99887766554433"`).is("status", "APPROVED").saw(mule, false, 1)
		// After the window, another person can use the account.
		s.clock.advance(91 * 24 * time.Hour)
		m.apply("A-4", oneAccount).is("status", "APPROVED").saw(mule, false, 1).raised(0)
	})
}

// TestClusters checks that many people with the same IP address, or with the
// same agent and many pincodes, trigger a signal and an alert but are not
// declined.
func TestClusters(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		for i := 1; i <= 4; i++ {
			m.apply(fmt.Sprint("A-", i), `"ip":"203.0.113.78"`).is("status", "APPROVED").saw(ip, false, i).raised(0)
		}
		m.apply("A-4", `"ip":"203.0.113.78"`).saw(ip, false, 4)
		m.apply("A-5", `"ip":"203.0.113.78"`).
			is("status", "APPROVED", "fraud.fraud_score", 15).saw(ip, true, 5).raised(1)
		// An IPv6 subscriber has a whole /64 network, so the network is
		// counted.
		for i := 1; i <= 4; i++ {
			m.apply(fmt.Sprint("B-", i), fmt.Sprintf(`"ip":"2001:db8:1:2::%d"`, i)).saw(ip, false, i)
		}
		m.apply("B-5", `"ip":"2001:db8:1:2:ffff::5"`).is("status", "APPROVED").saw(ip, true, 5).raised(1)
		m.apply("B-6", `"ip":"2001:db8:1:3::5"`).saw(ip, false, 1)
		for i := 1; i <= 8; i++ {
			m.apply(fmt.Sprint("C-", i), fmt.Sprintf(`"agent_id":"AG-7","pincode":"40000%d"`, i)).
				saw(agent, false, i).saw(spike, false, nil)
		}
		m.apply("C-9", `"agent_id":"AG-7","pincode":"400009"`).is("status", "APPROVED").saw(agent, true, 9).raised(1)
		want := []string{"agent_geo_anomaly", "ip_cluster", "ip_cluster"}
		if diff := cmp.Diff(want, m.get("/v1/fraud/alerts").column("type")); diff != "" {
			s.Errorf("alerts (-want +got):\n%s", diff)
		}
	})
}

// TestPincodeSpike checks that a spike needs a baseline of earlier days and
// enough applications.
func TestPincodeSpike(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		for day := range 16 {
			got := m.apply(fmt.Sprint("A-", day), `"pincode":"400001"`)
			if day < 14 {
				got.saw(spike, false, nil)
			}
			s.clock.advance(24 * time.Hour)
		}
		for i := 1; i <= 9; i++ {
			m.apply(fmt.Sprint("B-", i), `"pincode":"400001"`).raised(0)
		}
		// A small spike triggers the signal but raises no alert.
		for i := 10; i <= 14; i++ {
			m.apply(fmt.Sprint("B-", i), `"pincode":"400001"`).
				is("status", "APPROVED", "fraud.fraud_score", 20).saw(spike, true, i).raised(0)
		}
		m.apply("B-15", `"pincode":"400001"`).is("status", "APPROVED").saw(spike, true, 15).raised(1)
		m.apply("B-16", `"pincode":"560001"`).saw(spike, false, nil)
	})
}

// TestNothingToCount checks that without an applicant reference nothing is
// counted and the facts are absent.
func TestNothingToCount(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		for range 3 {
			got := m.post("/v1/evaluate", evaluation(742, scalars, block{"fraud", `{` + oneAccount + `}`})).
				want(http.StatusOK).
				is("status", "APPROVED", "fraud.fraud_score", 0, "fraud.complete", false, "fraud.level", nil).raised(0)
			if rules := got.fired(); rules["KO_FRAUD_MULE_ACCOUNT"] != "" {
				s.Errorf("a rule without its fact: %v", rules)
			}
		}
		m.apply("A-1", oneAccount).saw(mule, false, 1)
		m.post("/v1/evaluate", evaluation(742, scalars, device, location)).want(http.StatusOK).is("fraud", nil)
		m.apply("A-1", "", block{"device", `{"is_emulator":false,"sim_age_days":3}`},
			block{"location", `{"declared_pincode":"400001","lat":28.61,"lng":77.2}`}).
			is(
				"fraud.device.device_is_emulator", false, "fraud.device.device_sim_new", true,
				"fraud.device.device_is_rooted", nil, "fraud.location.location_gps_pincode_match", false,
				"fraud.location.location_pincode_risk", "LOW", "fraud.location.location_ip_country", nil)
		emulator := m.apply("A-9", "", block{"device", `{"is_emulator":true}`}).
			is("status", "DECLINED", "fraud.fraud_score", 0)
		if result := emulator.fired()["KO_DEVICE_EMULATOR"]; result != "fail" {
			s.Errorf("the rule is %q", result)
		}
	})
}

// TestFraudStaysAtHome checks that tenants and environments are counted
// separately, and that previews and refused requests are not counted.
func TestFraudStaysAtHome(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m, other := s.signup(), s.signup()
		live := m.with(tenant.Live, tenant.Admin, m.userID)
		live.activate(live.get("/v1/rule-sets").column("id")[1])
		m.apply("A-1", oneAccount).saw(mule, false, 1)
		other.apply("A-2", oneAccount).is("status", "APPROVED").saw(mule, false, 1)
		live.apply("A-3", oneAccount).saw(mule, false, 1)
		for i := range 3 {
			body := evaluation(742, scalars, seen(fmt.Sprint("P-", i), oneAccount))
			m.post("/v1/decisions/preview", body).
				want(http.StatusOK).is("status", "DECLINED", "facts.fraud_beneficiary_applicants", 2).
				saw(mule, true, 2).raised(0)
			m.post("/v1/eligibility", body).want(http.StatusOK)
		}
		m.post("/v1/decisions/preview", evaluation(742, scalars, seen("A-1", oneAccount))).
			is("status", "APPROVED").saw(mule, false, 1)
		for pointer, wrong := range map[string][]block{
			"/location/lat":   {{"location", `{"lat":200,"lng":7}`}, seen("A-2", oneAccount)},
			"/location/ip":    {{"location", `{"ip":"300.1.2.3"}`}, seen("A-2", oneAccount)},
			"/fraud/ip":       {seen("A-2", oneAccount+`,"ip":"nowhere"`)},
			"/fraud/pincode":  {seen("A-2", oneAccount+`,"pincode":"4000"`)},
			"/fraud/agent_id": {seen("A-2", oneAccount+`,"agent_id":7`)},
		} {
			got := m.post("/v1/evaluate", evaluation(742, scalars, wrong...)).
				refused(http.StatusUnprocessableEntity, "invalid_field")
			if at := got.at("errors", 0, "pointer"); at != pointer {
				s.Errorf("%s: the refusal points at %v", pointer, at)
			}
		}
		m.apply("A-1", oneAccount).is("status", "APPROVED").saw(mule, false, 1)
		for _, who := range []*member{m, other, live} {
			if alerts := who.get("/v1/fraud/alerts").column("id"); len(alerts) > 0 {
				s.Errorf("alerts %v", alerts)
			}
		}
	})
}
