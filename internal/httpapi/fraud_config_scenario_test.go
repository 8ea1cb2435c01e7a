package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/tenant"
)

// pointers returns the faults of a refusal as "pointer code".
func (a answer) pointers() []string {
	a.t.Helper()
	list := []string{}
	for i := range a.list("errors") {
		list = append(list, fmt.Sprint(a.at("errors", i, "pointer"), " ", a.at("errors", i, "code")))
	}
	return list
}

const settings = "/v1/fraud/config"

// TestFraudConfigMerges checks that a change is merged into the settings and increments the version, and that a
// change is refused if its If-Match header names an older version.
func TestFraudConfigMerges(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		first := m.get(settings).want(http.StatusOK).is("version", 0, "updated_at", nil, "updated_by", nil,
			"fraud.ip_cluster.distinct_applicants", 5, "fraud.pincode_spike.ratio_to_baseline", 3,
			"location.gps_match_radius_km", nil)
		changed := m.put(settings, `{
			"fraud":{"ip_cluster":{"distinct_applicants":3}},
			"location":{"gps_match_radius_km":12.5}
		}`, `If-Match: "0"`).
			want(http.StatusOK).is(
			"version", 1, "fraud.ip_cluster.distinct_applicants", 3, "fraud.ip_cluster.window_hours", 24,
			"location.gps_match_radius_km", 12.5).mine(m, "updated_by")
		for a, tag := range map[*answer]string{&first: `"0"`, &changed: `"1"`} {
			if got := a.header.Get("ETag"); got != tag {
				s.Errorf("the tag is %s, want %s", got, tag)
			}
		}
		if read := m.get(settings); string(read.body) != string(changed.body) {
			s.Errorf("it reads otherwise:\n%s\n%s", changed.body, read.body)
		}
		m.put(settings, `{"device":{"sim_new_days":1}}`, `If-Match: "0"`).
			refused(http.StatusPreconditionFailed, "precondition_failed")
		for _, tag := range []string{`1`, `"one"`, `W/"1"`, `"-1"`, `"1", "2"`} {
			m.put(settings, `{"device":{"sim_new_days":1}}`, "If-Match: "+tag).
				refused(http.StatusUnprocessableEntity, "invalid_field")
		}
		// The answer to a GET can be sent back, and null restores the default.
		m.put(settings, string(changed.body), `If-Match: "1"`).
			want(http.StatusOK).is("version", 2, "fraud.ip_cluster.distinct_applicants", 3)
		m.put(settings, `{"fraud":{"ip_cluster":null},"location":{"gps_match_radius_km":null}}`).want(http.StatusOK).
			is("version", 3, "fraud.ip_cluster.distinct_applicants", 5, "location.gps_match_radius_km", nil)
		m.with(tenant.Live, tenant.Admin, m.userID).get(settings).is("version", 0)
		s.signup().get(settings).is("version", 0)
		if n := len(m.get("/v1/audit?action=fraud_config.changed").list("data")); n != 3 {
			s.Errorf("the audit trail has %d changes", n)
		}
	})
}

// TestFraudConfigRefusals checks that a refusal lists every fault and changes
// nothing.
func TestFraudConfigRefusals(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		before := m.put(settings, `{"device":{"sim_new_days":45}}`).want(http.StatusOK)
		for body, want := range map[string][]string{
			`{"fraud":{"ip_cluster":{"distinct_applicants":-1},"mute_days":1.5},"devise":{}}`: {
				"/fraud/ip_cluster/distinct_applicants out_of_range",
				"/fraud/mute_days out_of_range",
				"/devise unknown_field",
			},
			`{"fraud":{"level_cutoffs":{"medium":60}}}`: {"/fraud/level_cutoffs/high out_of_range"},
			`{"fraud":7}`: {"/fraud wrong_type"},
			`{"fraud":{"beneficiary_reuse":{"allowlist_accounts":["••••1234"]}}}`: {
				"/fraud/beneficiary_reuse/allowlist_accounts/0 out_of_range",
			},
			`{"location":{"allowed_ip_countries":["India"],"default_pincode_risk":1}}`: {
				"/location/allowed_ip_countries/0 out_of_range",
				"/location/default_pincode_risk wrong_type",
			},
			`[]`: {" wrong_type"},
		} {
			got := m.put(settings, body).want(http.StatusUnprocessableEntity)
			if diff := cmp.Diff(want, got.pointers()); diff != "" {
				s.Errorf("%s (-want +got):\n%s", body, diff)
			}
			if strings.Contains(string(got.body), "1234") || strings.Contains(string(got.body), "India") {
				s.Errorf("a value comes back: %s", got.body)
			}
		}
		if after := m.get(settings); string(after.body) != string(before.body) {
			s.Errorf("it has changed:\n%s\n%s", before.body, after.body)
		}
	})
}

// TestFraudConfigCounts checks that changed thresholds apply from the next
// request on.
func TestFraudConfigCounts(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		m.apply("A-1", oneAccount)
		allowed := m.put(settings, `{"fraud":{"beneficiary_reuse":{"allowlist_accounts":["0011 2233 4455 66"]}}}`).
			want(http.StatusOK)
		want := []any{"••••5566"}
		if diff := cmp.Diff(want, allowed.list("fraud", "beneficiary_reuse", "allowlist_accounts")); diff != "" {
			s.Errorf("the allow list (-want +got):\n%s", diff)
		}
		m.put(settings, string(m.get(settings).body)).want(http.StatusOK)
		m.apply("A-2", oneAccount).is("status", "APPROVED").saw(mule, false, 2).raised(0)
		m.put(settings, `{"fraud":{"beneficiary_reuse":{"allowlist_accounts":[],"distinct_applicants":4,"points":30},
			"alert_min_severity":"critical"}}`).want(http.StatusOK)
		m.apply("A-3", oneAccount).is("status", "APPROVED").saw(mule, false, 3)
		m.apply("A-4", oneAccount).
			is("status", "DECLINED", "fraud.fraud_score", 30, "fraud.level", "high").saw(mule, true, 4)
		m.put(settings, `{"fraud":{"beneficiary_reuse":{"enabled":false}},"device":{"sim_new_days":2}}`).
			want(http.StatusOK)
		m.apply("A-5", oneAccount, block{"device", `{"sim_age_days":3}`}).
			is("status", "APPROVED", "fraud.device.device_sim_new", false).saw(mule, false, nil)
	})
}

const pincodes = "/v1/fraud/pincode-risk"

// located evaluates an application from a pincode.
func (m *member) located(pincode string) answer {
	m.Helper()
	return m.apply("A-1", "", block{"location", `{"declared_pincode":"` + pincode + `"}`})
}

// TestPincodeRisk checks that pincode risks can be set, replaced and removed,
// singly and in bulk. The longest matching prefix applies, and the default
// policy declines a blocked pincode.
func TestPincodeRisk(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		of := func(pincode string) string {
			return m.located(pincode).text("fraud", "location", "location_pincode_risk")
		}
		m.put(pincodes, `{"pincode":"400001","risk":"HIGH","risk_score":80,"reason":"roll-rate"}`).
			want(http.StatusOK).is("default_risk", "LOW")
		m.put(pincodes, `{"entries":[{"pincode":"400","risk":"BLOCKED"},{"pincode":"4000","risk":40},
			{"pincode":"110001","risk":"MEDIUM"}]}`).want(http.StatusOK)
		for pincode, want := range map[string]string{
			"400001": "HIGH",
			"400002": "MEDIUM",
			"400101": "BLOCKED",
			"110001": "MEDIUM",
			"110002": "LOW",
		} {
			if got := of(pincode); got != want {
				s.Errorf("%s is %s, want %s", pincode, got, want)
			}
		}
		blocked := m.located("400101").is("status", "DECLINED")
		if result := blocked.fired()["KO_PINCODE_BLOCKED"]; result != "fail" {
			s.Errorf("the rule is %q", result)
		}
		m.located("400001").is("status", "APPROVED", "fraud.location.location_pincode_risk_score", 80)
		for query, want := range map[string][]string{
			"":             {"110001", "400", "4000", "400001"},
			"?prefix=400":  {"400", "4000", "400001"},
			"?pincode=400": {"400"},
			"?risk=MEDIUM": {"110001", "4000"},
		} {
			if diff := cmp.Diff(want, m.get(pincodes+query).want(http.StatusOK).column("pincode")); diff != "" {
				s.Errorf("%s (-want +got):\n%s", query, diff)
			}
		}
		page := m.get(pincodes + "?limit=3")
		rest := m.get(pincodes+"?limit=3&cursor="+page.text("pagination", "next_cursor")).
			is("pagination.has_next", false)
		if diff := cmp.Diff([]string{"400001"}, rest.column("pincode")); diff != "" {
			s.Errorf("the second page (-want +got):\n%s", diff)
		}
		m.put(pincodes, `{"pincode":"400001","risk":null}`).want(http.StatusOK)
		if got := of("400001"); got != "MEDIUM" {
			s.Errorf("after removal it is %s", got)
		}
		end := s.clock.now().Add(time.Hour).UTC().Format(time.RFC3339)
		m.put(pincodes, `{"entries":[{"pincode":"560001","risk":"BLOCKED","expires_at":"`+end+`"}],"replace":true}`).
			want(http.StatusOK)
		if diff := cmp.Diff([]string{"560001"}, m.get(pincodes).column("pincode")); diff != "" {
			s.Errorf("replaced (-want +got):\n%s", diff)
		}
		m.located("560001").is("status", "DECLINED")
		s.clock.advance(2 * time.Hour)
		m.located("560001").is("status", "APPROVED")
		m.put(settings, `{"location":{"default_pincode_risk":"MEDIUM"}}`).want(http.StatusOK)
		if got := of("400101"); got != "MEDIUM" {
			s.Errorf("by default it is %s", got)
		}
		m.put(pincodes, `{"entries":[],"replace":true}`).want(http.StatusOK).is("default_risk", "MEDIUM")
		if left := m.get(pincodes).column("pincode"); len(left) > 0 {
			s.Errorf("left are %v", left)
		}
	})
}

// TestPincodeRiskRefusals checks that a refusal lists every fault and changes
// nothing.
func TestPincodeRiskRefusals(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		m.put(pincodes, `{"pincode":"400001","risk":"HIGH"}`).want(http.StatusOK)
		before := m.get(pincodes)
		many := make([]string, 5001)
		for i := range many {
			many[i] = fmt.Sprintf(`{"pincode":"%d","risk":"LOW"}`, 400000+i)
		}
		for body, want := range map[string][]string{
			`{"pincode":"40","risk":"LOW"}`:       {"/pincode out_of_range"},
			`{"pincode":"400001"}`:                {"/risk required"},
			`{}`:                                  {"/pincode required", "/risk required"},
			`{"pincode":"400001","risk":"WORSE"}`: {"/risk out_of_range"},
			`{"pincode":"400001","risk":101}`:     {"/risk out_of_range"},
			`{"entries":[{"pincode":"400002","risk":"LOW"},{"pincode":"400002","risk":"LOW"}]}`: {
				"/entries/1/pincode duplicate",
			},
			`{"entries":[{"pincode":"400002","risk":"LOW"},{"pincode":"x","risk":-1}],"replace":true}`: {
				"/entries/1/pincode out_of_range",
				"/entries/1/risk out_of_range",
			},
			`{"replace":true}`: {"/entries required"},
			`{"entries":[` + strings.Join(many, ",") + `]}`: {"/entries too_many"},
		} {
			got := m.put(pincodes, body).want(http.StatusUnprocessableEntity)
			if diff := cmp.Diff(want, got.pointers()); diff != "" {
				s.Errorf("%.100s (-want +got):\n%s", body, diff)
			}
		}
		m.put(pincodes, `{"entries":[`+strings.Join(many[:5000], ",")+`]}`).want(http.StatusOK)
		m.put(pincodes, `{"entries":[{"pincode":"400001","risk":"HIGH"}],"replace":true}`).want(http.StatusOK)
		if diff := cmp.Diff(timeless(s.T, before.body), timeless(s.T, m.get(pincodes).body)); diff != "" {
			s.Errorf("it has changed:\n%s", diff)
		}
	})
}
