package httpapi_test

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestEvaluateSmallest checks that a request with only a score gets the same
// decision for every bureau.
func TestEvaluateSmallest(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		var hashes []string
		for _, bureau := range []string{
			"experian", "EXPERIAN", "cibil", "transunion", "equifax", "crif", "crif_highmark", "Acme Credit Bureau",
		} {
			got := m.post("/v1/evaluate", evaluationOf(bureau, `"scoreData":{"score":781}`)).want(http.StatusOK).is(
				"status", "APPROVED", "grade", "B", "explanation.final_score", 710, "offer.limit", 50000,
				"offer.interest_rate", 16,
				"offer.apr", 17.33, "features", nil, "fraud", nil, "preview", nil, "environment", "sandbox")
			hashes = append(hashes, got.text("decision_hash"))
			want := []string{}
			if strings.HasPrefix(bureau, "Acme") {
				want = []string{"/bureau unknown_bureau"}
			}
			if diff := cmp.Diff(want, got.warned()); diff != "" {
				s.Errorf("%s (-want +got):\n%s", bureau, diff)
			}
		}
		hashes = append(hashes, m.post("/v1/decisions", `{"bureau_report":{"score":781}}`).text("decision_hash"))
		if len(slices.Compact(hashes)) != 1 {
			s.Errorf("the bureau's name changed the decision: %v", hashes)
		}
		m.get("/v1/usage").is("used", 9)
	})
}

// TestEvaluateBlocks checks a request with each block, with all blocks and with
// none.
func TestEvaluateBlocks(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		plain := m.post("/v1/evaluate", evaluation(742, scalars)).
			want(http.StatusOK).is("status", "APPROVED", "features", nil)
		members := keysOf(plain.object())
		sets := [][]block{everyBlock}
		for _, b := range everyBlock {
			sets = append(sets, []block{b})
		}
		for _, blocks := range sets {
			got := m.post("/v1/evaluate", evaluation(742, scalars, blocks...)).want(http.StatusOK)
			name := fmt.Sprint(len(blocks), " blocks, ", blocks[0].name)
			want := slices.Clone(members)
			if slices.Contains(blocks, askFeatures) {
				want = append(want, "features")
				slices.Sort(want)
				got.is("features.count", 3492)
			}
			if slices.Contains(blocks, fraud) {
				want = append(want, "fraud")
				slices.Sort(want)
			}
			if diff := cmp.Diff(want, keysOf(got.object())); diff != "" {
				s.Errorf("%s: members (-want +got):\n%s", name, diff)
			}
			// The default policy has a rule on each of three blocks. The rule
			// is listed if its block is present, and nothing else differs.
			named := map[string]bool{
				"KO_DEVICE_EMULATOR":    slices.Contains(blocks, device),
				"KO_PINCODE_BLOCKED":    slices.Contains(blocks, location),
				"KO_FRAUD_MULE_ACCOUNT": slices.Contains(blocks, fraud),
			}
			matters := false
			for rule, there := range named {
				if result := got.fired()[rule]; (result == "pass") != there {
					s.Errorf("%s: %s is %q", name, rule, result)
				}
				matters = matters || there
			}
			if matters {
				continue
			}
			if got.text("decision_hash") != plain.text("decision_hash") {
				s.Errorf("%s: the decision is another:\n%s\n%s", name, got.body, plain.body)
			}
		}
		for _, blocks := range [][]block{
			{{"features", "false"}},
			{{"features", "null"}, {"device", "null"}, {"bank_summary", "null"}},
			{{"device", "{}"}, {"location", "{}"}, {"fraud", "{}"}, {"bank_summary", "{}"}},
		} {
			got := m.post("/v1/evaluate", evaluation(742, scalars, blocks...)).want(http.StatusOK)
			if got.text("decision_hash") != plain.text("decision_hash") || got.at("features") != nil {
				s.Errorf("blocks that say nothing changed something: %s", got.body)
			}
		}
		emulator := m.post("/v1/evaluate", evaluation(742, scalars, block{"device", `{"is_emulator":true}`})).
			want(http.StatusOK).is("status", "DECLINED")
		if code := emulator.at("reasons", 0, "code"); code != "FR_EMULATOR" {
			s.Errorf("the reason is %v", code)
		}
	})
}

func keysOf(object map[string]any) []string {
	keys := make([]string, 0, len(object))
	for name := range object {
		keys = append(keys, name)
	}
	slices.Sort(keys)
	return keys
}

// TestEvaluateIsDecisions checks that the same facts get the same decision
// through /v1/evaluate, with FOIR as a percentage, and /v1/decisions, with FOIR
// as a ratio.
func TestEvaluateIsDecisions(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		for _, c := range []struct{ percent, ratio string }{
			{"35", "0.35"}, {"29", "0.29"}, {"57.3", "0.573"}, {"0", "0"}, {"12.34567", "0.1234567"},
		} {
			evaluated := m.post("/v1/evaluate", evaluation(742,
				`"incomeAssessment":{"monthlyIncome":60000,"foir":`+c.percent+`},"requestedAmount":300000`))
			decided := m.post("/v1/decisions", `{
				"applicant":{"monthly_income":60000,"foir":`+c.ratio+`,"requested_amount":300000},
				"bureau_report":{"score":742}
			}`)
			if a, b := evaluated.want(http.StatusOK).
				text("decision_hash"), decided.want(http.StatusOK).text("decision_hash"); a != b {
				s.Errorf("%s %% and %s: %s and %s", c.percent, c.ratio, a, b)
			}
		}
		low := m.post("/v1/decisions/preview", evaluation(742, `"incomeAssessment":{"foir":0.35}`)).
			want(http.StatusOK).is("facts.foir", 0.0035)
		want := []string{"/report/cibil/incomeAssessment/foir foir_looks_like_ratio"}
		if diff := cmp.Diff(want, low.warned()); diff != "" {
			s.Errorf("(-want +got):\n%s", diff)
		}
		text := fmt.Sprint(low.at("warnings", 0, "detail"))
		if !strings.HasPrefix(text, "was read as 0.35 %, which is a ratio of 0.0035") {
			s.Errorf("the warning says %q", text)
		}
	})
}

// TestEvaluateDerives checks that facts derived from accounts and enquiries
// lead to the same decision as the same facts stated in the request.
func TestEvaluateDerives(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		m.post("/v1/decisions/preview", evaluation(742, scalars+","+history)).want(http.StatusOK).is(
			"facts.enquiries_6m", 2, "facts.active_tradelines", 2, "facts.max_dpd_12m", 12,
			"facts.bureau_card_utilisation", 0.9, "facts.bureau_total_outstanding", 210000,
			"facts.bureau_total_emi", 11400, "facts.bureau_report_age_days", 5, "facts.foir", 0.32)
		stated := m.post("/v1/decisions", `{"applicant":{"age":34,"employment_type":"salaried","monthly_income":85000,
			"foir":0.32,"requested_amount":300000},
			"bureau_report":{"score":742,"enquiries_6m":2,"active_tradelines":2,"max_dpd_12m":12,"written_off_36m":0,
				"suit_or_wilful":false,"overdue_amount":0,"guaranteed_overdue_amount":0}}`)
		derived := m.post("/v1/evaluate", evaluation(742, scalars+","+history)).want(http.StatusOK)
		if derived.text("decision_hash") != stated.want(http.StatusOK).text("decision_hash") {
			s.Errorf("derived: %s\nstated: %s", derived.body, stated.body)
		}
		late := `"accounts":[{"accountType":"personal_loan","openDate":"2024-02-11",
			"paymentHistory":[{"month":"2026-08","dpd":95}]}]`
		got := m.post("/v1/evaluate", evaluation(742, late)).want(http.StatusOK).is("status", "DECLINED")
		if result := got.fired()["KO_MAX_DPD_12M"]; result != "fail" {
			s.Errorf("95 days late: %q in %s", result, got.body)
		}
		many := `"enquiries":[` +
			strings.TrimSuffix(strings.Repeat(`{"date":"2026-11-01","product":"personal_loan"},`, 13), ",") + `]`
		result := m.post("/v1/evaluate", evaluation(742, many)).want(http.StatusOK).fired()["KO_ENQUIRIES"]
		if result != "fail" {
			s.Errorf("thirteen enquiries: %q", result)
		}
		m.post("/v1/eligibility", evaluation(742, late)).want(http.StatusOK).is("eligible", false, "status", "DECLINED")
	})
}

// experianReport is a report in Experian's own format; %s is the score.
const experianReport = `"INProfileResponse":{"Header":{"ReportDate":"20261112"},"SCORE":{"BureauScore":"%s"},
	"Current_Application":{"Current_Application_Details":{"Current_Applicant_Details":{"Last_Name":"ZEBRA",
		"IncomeTaxPan":"AAAPZ1234C"}}},
	"CAIS_Account":{"CAIS_Account_DETAILS":[
		{"Account_Type":"05","Open_Date":"20240211","Highest_Credit_or_Original_Loan_Amount":"200000",
			"Scheduled_Monthly_Payment_Amount":"6900",
		 "Account_Status":"71","Payment_History_Profile":"0010????????????????????????????????",
		"Current_Balance":"120000","Amount_Past_Due":"0",
		 "Date_Reported":"20261031"},
		{"Account_Type":"10","Open_Date":"20190901","Credit_Limit_Amount":"75000","Current_Balance":"15000",
			"Account_Status":"11","Amount_Past_Due":"0",
		 "Payment_History_Profile":"0???????????????????????????????????","Date_Reported":"20261031"}]},
	"CAPS":{"CAPS_Application_Details":[{"Subscriber_Name":"Alpha","Date_of_Request":"20261101","Enquiry_Reason":"13",
		"Amount_Financed":"50000"}]}}`

func TestEvaluateOwnLayout(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		body := evaluationOf("experian", fmt.Sprintf(experianReport, "771"), askFeatures)
		m.post("/v1/decisions/preview", body).
			want(http.StatusOK).is("facts.bureau_score", 771, "facts.enquiries_6m", 1, "facts.active_tradelines", 2,
			"facts.max_dpd_12m", 30, "facts.bureau_card_utilisation", 0.2, "facts.bureau_total_emi", 7650,
			"facts.bureau_report_age_days", 3).
			silent(s, "ZEBRA", "AAAPZ1234C")
		got := m.post("/v1/evaluate", body).want(http.StatusOK).
			is("status", "REFERRED", "features.as_of", "2026-11-12").silent(s, "ZEBRA", "AAAPZ1234C")
		if len(got.warned()) != 0 {
			s.Errorf("warned of %v", got.warned())
		}
		facts := s.storedFacts(m, got.text("decision_id"))
		for _, secret := range []string{"ZEBRA", "AAAPZ1234C"} {
			if strings.Contains(facts, secret) {
				s.Errorf("stored: %s", facts)
			}
		}
		m.post("/v1/evaluate", evaluationOf("experian", fmt.Sprintf(experianReport, "ZEBRA"))).
			refused(http.StatusUnprocessableEntity, "invalid_field").silent(s, "ZEBRA")
	})
}

// TestEvaluateNewToCredit checks that a new-to-credit code is not read as a low
// score.
func TestEvaluateNewToCredit(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		for code := -1; code <= 6; code++ {
			got := m.post("/v1/decisions/preview", evaluation(code, "")).want(http.StatusOK).is(
				"grade", "NTC", "facts.bureau_is_ntc", true, "facts.bureau_score", nil)
			facts, _ := got.at("facts").(map[string]any)
			if facts["report.scoreData.score"] != float64(code) {
				s.Errorf("%d: the raw score is %v", code, facts["report.scoreData.score"])
			}
			if index := facts["bureau_ntc_index"]; code >= 1 && index != float64(code) || code < 1 && index != nil {
				s.Errorf("%d: the index is %v", code, index)
			}
			if result, there := got.fired()["KO_MIN_BUREAU_SCORE"]; there {
				s.Errorf("%d: the score rule is %q", code, result)
			}
		}
		m.post("/v1/evaluate", evaluation(-1, "")).
			want(http.StatusOK).is("status", "REFERRED", "offer.limit", 20000, "offer.apr", 23.14)
		for _, code := range []int{7, 299, 901, -2} {
			got := m.post("/v1/evaluate", evaluation(code, "")).refused(http.StatusUnprocessableEntity, "invalid_field")
			if diff := cmp.Diff([]string{"/report/cibil/scoreData/score out_of_range"}, got.faults()); diff != "" {
				s.Errorf("%d (-want +got):\n%s", code, diff)
			}
		}
	})
}

// TestEvaluateRefetch checks that an evaluated decision can be reproduced from
// its stored facts, with and without features, after the policy has changed.
func TestEvaluateRefetch(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		m.arm(`"knockouts":[{"id":"KO_FEATURE","stage":1,"action":"refer","reason_code":"BUR_ENQ",
			"condition_ast":{"op":"gte","field":"enquiry__all__365d__count","value":3}},
			{"id":"KO_PLACE","stage":1,"action":"refer","reason_code":"LOC_MISMATCH",
				"condition_ast":{"op":"eq","field":"location.ip","value":"203.0.113.77"}}]`)
		s.clock.advance(stale)
		var posted []answer
		for _, body := range []string{
			evaluation(742, ""), evaluation(742, scalars+","+history),
			evaluation(742, scalars+","+history, everyBlock...), evaluation(742, "", askFeatures),
			evaluationOf("experian", fmt.Sprintf(experianReport, "771"), askFeatures, bank),
		} {
			posted = append(posted, m.post("/v1/evaluate", body).want(http.StatusOK))
		}
		if got := posted[2].fired(); got["KO_FEATURE"] != "refer" || got["KO_PLACE"] != "refer" {
			s.Errorf("fired: %v", got)
		}
		m.arm(`"knockouts":[{"id":"KO_ALL","stage":1,"action":"decline","reason_code":"BUR_SCORE",
			"condition_ast":{"op":"true"}}]`)
		s.clock.advance(stale)
		for _, p := range posted {
			got := m.get("/v1/decisions/"+p.text("decision_id")).want(http.StatusOK).is("re_explanation.verified", true,
				"re_explanation.recomputed_hash", p.text("decision_hash"))
			if !bytes.HasPrefix(got.body,
				slices.Concat(bytes.TrimSuffix(p.body, []byte("}")), []byte(`,"re_explanation":{`))) {
				s.Errorf("fetched %s\nposted %s", got.body, p.body)
			}
		}
		listed := m.get("/v1/decisions?applicant_id=A-77").want(http.StatusOK)
		if diff := cmp.Diff([]string{posted[2].text("decision_id")}, listed.column("decision_id")); diff != "" {
			s.Errorf("of the applicant (-want +got):\n%s", diff)
		}
		if got := listed.at("data", 0, "endpoint"); got != "POST /v1/evaluate" {
			s.Errorf("the endpoint is %v", got)
		}
	})
}

// TestEvaluateOnce checks that a retry with the same Idempotency-Key gets the
// bytes of the first answer.
func TestEvaluateOnce(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		first := m.post("/v1/evaluate", evaluation(742, history, everyBlock...), "Idempotency-Key: k").
			want(http.StatusOK)
		again := m.post("/v1/evaluate", evaluation(742, history, everyBlock...), "Idempotency-Key: k").
			want(http.StatusOK)
		if !bytes.Equal(first.body, again.body) || again.header.Get("Idempotent-Replayed") != "true" {
			s.Errorf("%s\n%s", first.body, again.body)
		}
		m.post("/v1/evaluate", evaluation(743, history), "Idempotency-Key: k").
			refused(http.StatusUnprocessableEntity, "idempotency_key_reused")
		usage := m.get("/v1/usage").is("used", 1)
		if diff := cmp.Diff("POST /v1/evaluate", usage.at("by_endpoint", 0, "endpoint")); diff != "" {
			s.Error(diff)
		}
		m.get("/v1/decisions/" + first.text("decision_id") + "/features?limit=1").want(http.StatusOK)
	})
}
