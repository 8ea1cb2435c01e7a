package httpapi_test

import (
	"net/http"
	"testing"
)

// segmentPolicy is a draft with a separate price for one employer category, and with a limit cap that depends on
// the price of the vehicle.
const segmentPolicy = `{"name":"segments","inputs":[{"name":"applicant.employer_category","type":"string"},
	{"name":"applicant.vehicle_price","type":"number"}],
	"limit_caps":[{"id":"CAP_LTV","reason_code":"LTV_CAP",
	 "of":{"op":"mul","args":[{"value":0.85},{"field":"applicant.vehicle_price"}]}}],
	"pricing_bands":[
	{"id":"PB_CAT_A","grade":"A","min_score":300,"max_score":900,"interest_rate":12.5,"tenure_months":36,
	 "min_limit":20000,"max_limit":500000,"default_limit":50000,"foir_cap":0.6,
	 "when":{"op":"eq","field":"applicant.employer_category","value":"CAT_A"}},
	{"id":"PB_ALL","grade":"A","min_score":300,"max_score":900,"interest_rate":16,"tenure_months":36,
	 "min_limit":20000,"max_limit":500000,"default_limit":50000,"foir_cap":0.5},
	{"id":"PB_NTC","grade":"N","ntc":true,"action":"refer","interest_rate":20,"tenure_months":12,
	 "min_limit":20000,"max_limit":100000,"default_limit":20000,"foir_cap":0.4}]}`

// vehicleBuyer returns an application with further members of the applicant.
func vehicleBuyer(members string) string {
	return `{"applicant":{"monthly_income":85000,"foir":0.1,"requested_amount":400000` + members + `},
		"bureau_report":{"score":860,"enquiries_6m":0,"active_tradelines":4,"max_dpd_12m":0}}`
}

// TestSegmentsAndCaps decides under a policy with segments and a cap over the API, and explains the decisions again.
func TestSegmentsAndCaps(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		draft := m.post("/v1/rule-sets", segmentPolicy).want(http.StatusCreated)
		m.post("/v1/rule-sets/"+draft.text("id")+"/activate", "{}").want(http.StatusOK)

		best := m.post("/v1/decisions",
			vehicleBuyer(`,"employer_category":"CAT_A","vehicle_price":300000`)).want(http.StatusOK)
		if best.at("offer", "limit") != 255000.0 || best.at("offer", "binding_constraint") != "limit_cap" ||
			best.at("offer", "limit_cap_id") != "CAP_LTV" || best.at("offer", "pricing_band_id") != "PB_CAT_A" ||
			best.at("offer", "interest_rate") != 12.5 || textAt(best, "reasons", 0, "code") != "LTV_CAP" {
			s.Errorf("with a category and a price: %s", best.body)
		}
		other := m.post("/v1/decisions", vehicleBuyer(`,"vehicle_price":900000`)).want(http.StatusOK)
		if other.at("offer", "pricing_band_id") != "PB_ALL" ||
			other.at("offer", "binding_constraint") != "requested_amount" {
			s.Errorf("without a category: %s", other.body)
		}
		nothing := m.post("/v1/decisions", vehicleBuyer("")).want(http.StatusOK)
		if nothing.text("status") != "DECLINED" || textAt(nothing, "reasons", 0, "code") != "MISSING_REQUIRED_INPUT" {
			s.Errorf("without a price: %s", nothing.body)
		}
		for _, made := range []string{best.text("decision_id"), nothing.text("decision_id")} {
			shown := m.get("/v1/decisions/" + made).want(http.StatusOK)
			if shown.at("re_explanation", "verified") != true {
				s.Errorf("explained again: %s", shown.body)
			}
		}
		patched := m.post("/v1/rule-sets", `{"name":"other cap","patch":{"limit_caps":{"set":[
			{"id":"CAP_LTV","of":{"value":100000}}]}}}`).want(http.StatusCreated)
		if textAt(patched, "changes", 0, "section") != "limit_caps" {
			s.Errorf("changes of a patched cap: %s", patched.body)
		}
		m.post("/v1/rule-sets", `{"name":"wrong","limit_caps":[{"id":"C","of":{"value":-5}}]}`).
			refused(http.StatusUnprocessableEntity, "invalid_field")
	})
}
