package httpapi_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/tenant"
)

// nearest returns the warnings about unknown members as "pointer nearest-name".
func (a answer) nearest() []string {
	a.t.Helper()
	list := []string{}
	for i := range a.list("warnings") {
		if a.at("warnings", i, "code") == "unknown_field" {
			list = append(list, fmt.Sprint(a.at("warnings", i, "pointer"), " ", a.at("warnings", i, "nearest")))
		}
	}
	return list
}

// TestUnknownMembersAreTold checks, on every endpoint that reads an
// application, that the warning about an unknown member suggests the nearest
// name, and that strict handling refuses the request.
func TestUnknownMembersAreTold(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		const body = `{"aplicant":{},"applicant":{"monthly_income":85000,"FOIR":0.9,"requested_amout":5},
			"bureau_report":{"score":742,"max_dpd_12":65}}`
		want := []string{
			"/aplicant applicant", "/applicant/FOIR foir", "/applicant/requested_amout requested_amount",
			"/bureau_report/max_dpd_12 max_dpd_12m",
		}
		for _, path := range []string{"/v1/decisions", "/v1/decisions/preview", "/v1/eligibility", underwriting} {
			got := m.post(path, body).want(http.StatusOK)
			if path == underwriting {
				got = m.get("/v1/decisions/" + got.text("decision", "decision_id")).want(http.StatusOK)
			}
			if diff := cmp.Diff(want, got.nearest()); diff != "" {
				s.Errorf("%s (-want +got):\n%s", path, diff)
			}
			for _, prefer := range []string{"handling=strict", `wait=5, Handling="strict"`} {
				strict := m.post(path, body, "Prefer: "+prefer).refused(http.StatusUnprocessableEntity, "unknown_field")
				var pointers []string
				for _, w := range want {
					pointer, near, _ := strings.Cut(w, " ")
					pointers = append(pointers, pointer+" unknown_field")
					if !strings.Contains(string(strict.body), `"nearest":"`+near+`"`) {
						s.Errorf("%s: %s is not named", path, near)
					}
				}
				slices.Sort(pointers)
				if diff := cmp.Diff(pointers, strict.faults()); diff != "" {
					s.Errorf("%s, strictly (-want +got):\n%s", path, diff)
				}
				if got := strict.header.Get("Preference-Applied"); got != "handling=strict" {
					s.Errorf("%s: the preference that was applied is %q", path, got)
				}
			}
		}
		got := m.post("/v1/evaluate", evaluation(742, `"incomeAssessment":{"monthlyincome":85000,"FOIR":90}`)).
			want(http.StatusOK)
		want = []string{
			"/report/cibil/incomeAssessment/FOIR foir",
			"/report/cibil/incomeAssessment/monthlyincome monthlyIncome",
		}
		if diff := cmp.Diff(want, slices.Sorted(slices.Values(got.nearest()))); diff != "" {
			s.Error(diff)
		}
		m.post("/v1/evaluate", evaluation(742, `"incomeAssessment":{"FOIR":90}`), "Prefer: handling=strict").
			refused(422, "unknown_field")
		m.post("/v1/decisions", sample, "Prefer: handling=strict").want(http.StatusOK)
		m.post("/v1/decisions", body, "Prefer: handling=lenient").want(http.StatusOK)
	})
}

// TestTheRightEndpointIsNamed checks that a body sent to the wrong endpoint is
// refused, and that the refusal names the right endpoint.
func TestTheRightEndpointIsNamed(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		for _, c := range []struct{ path, body, right string }{
			{"/v1/decisions", evaluation(742, ""), "POST /v1/evaluate"},
			{"/v1/evaluate", sample, "POST /v1/decisions"},
		} {
			got := m.post(c.path, c.body).refused(http.StatusUnprocessableEntity, "invalid_field")
			if !strings.Contains(got.text("detail"), c.right) || got.at("errors", 0, "code") != "wrong_endpoint" {
				s.Errorf("%s: %s", c.path, got.body)
			}
		}
		m.get("/v1/usage").is("used", 0)
	})
}

// TestDetailsBeginWithTheirPlace checks that a problem's detail begins with the
// pointer to the fault and says what to do.
func TestDetailsBeginWithTheirPlace(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{plans: quota(t, "free=1")}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		files := []answer{
			m.upload("", "text/csv", "PK\x03\x04\x14\x00workbook"), m.upload("", "text/csv", "score;foir\n742;0,35\n"),
		}
		m.post("/v1/decisions", "\ufeff"+sample).want(http.StatusOK)
		for _, c := range []struct {
			what, begins, says string
			got                answer
		}{
			{"a percentage", "/applicant/foir must be a ratio between 0 and 5", "",
				m.post("/v1/decisions", `{"applicant":{"foir":35},"bureau_report":{"score":742}}`)},
			{"half a score", "/bureau_report/score must be a whole number", "",
				m.post("/v1/decisions", `{"bureau_report":{"score":742.5}}`)},
			{"a flat report", "/report must have exactly one key", `{"report":{"<bureau>":{…}}}`,
				m.post("/v1/evaluate", `{"bureau":"cibil","report":{"scoreData":{"score":742}}}`)},
			{"a limit", "?limit must be a whole number between 1 and 200", "", m.get("/v1/decisions?limit=0")},
			{
				"a plus sign",
				"?from has a + that was not escaped",
				"%2B05:30",
				m.get("/v1/decisions?from=2026-11-01T00:00:00+05:30"),
			},
			{
				"a key in the address",
				"the URL has a query parameter that looks like an API key",
				"Authorization",
				m.get("/v1/usage?key=" + m.key),
			},
			{
				"a quota",
				"the plan's quota for this period is used up",
				"2026-12-01T00:00:00+05:30",
				m.post("/v1/decisions", sample),
			},
			{"who raises it", "the plan's quota", "verdict tenant plan", m.post("/v1/decisions", sample)},
			{"an operator", "/knockouts/0/condition_ast/op is not an operator", "not_in_list, between",
				m.post("/v1/rule-sets", `{
					"name":"x",
					"knockouts":[
						{"id":"KO","stage":1,"action":"decline","reason_code":"X","condition_ast":{"op":"<"}}
					]
				}`)},
			{"a workbook", "the file is a workbook", "CSV", files[0]},
			{"semicolons", "/header has its columns separated by semicolons", "commas", files[1]},
		} {
			text := c.got.text("detail")
			if !strings.HasPrefix(text, c.begins) || !strings.Contains(text, c.says) || c.got.status < 400 {
				s.Errorf("%s: %d %s", c.what, c.got.status, text)
			}
		}
	})
}

// scoreless is a policy that reads no bureau score. Its scorecard reads a
// declared input of the applicant.
const scoreless = `{"name":"scoreless","base":"none","inputs":[{"name":"applicant.stability","type":"number"}],
	"knockouts":[{"id":"KO_FOIR","stage":1,"action":"decline","reason_code":"FOIR_HIGH",
		"condition_ast":{"op":"gt","field":"foir","value":0.6}}],
	"scorecard":{"base_points":600,"factors":[{"factor":"stability","field":"applicant.stability","type":"number",
		"bins":[{"lt":5,"points":0},{"gte":5,"points":50}]}]},
	"pricing_bands":[{"id":"PB_A","grade":"A","min_score":650,"max_score":900,"interest_rate":14,"tenure_months":24,
		"min_limit":10000,
		"max_limit":500000,"default_limit":50000,"foir_cap":0.5},
		{"id":"PB_D","grade":"D","min_score":300,"max_score":649,"action":"decline"}]}`

// TestAPolicyWithoutAScore checks that a policy that reads no bureau score
// requires no score on any endpoint, and reads its declared input from decision
// requests and from evaluate requests.
func TestAPolicyWithoutAScore(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		const decision, evaluation = `{"applicant":{"foir":0.2,"stability":7}}`,
			`{"bureau":"cibil","report":{"cibil":{"incomeAssessment":{"foir":20}}},"applicant":{"stability":7}}`
		m.post("/v1/decisions", decision).refused(http.StatusUnprocessableEntity, "invalid_field")
		m.activate(m.draft(scoreless))
		decided := m.post("/v1/decisions", decision).want(http.StatusOK).is("status", "APPROVED", "grade", "A")
		evaluated := m.post("/v1/evaluate", evaluation).want(http.StatusOK).is("status", "APPROVED", "grade", "A")
		a, b := decided.text("decision_hash"), evaluated.text("decision_hash")
		if a != b || len(evaluated.warned()) > 0 || len(evaluated.absent()) > 0 {
			s.Errorf("%s and %s, warned of %v and %v", a, b, evaluated.warned(), evaluated.absent())
		}
		m.get("/v1/decisions/"+evaluated.text("decision_id")).is("re_explanation.verified", true)
		m.post(underwriting, decision).want(http.StatusOK)
		rows := m.post("/v1/backtest", `{
			"rows":[{"foir":0.2,"applicant.stability":7},{"foir":0.2,"applicant.stability":1}]
		}`)
		rows.want(http.StatusOK).is("rows_evaluated", 2, "summary.approved", 1, "summary.declined", 1)
		// A challenger that reads the score requires a score in every row.
		m.post("/v1/backtest",
			`{"challenger_rule_set_id":"`+m.ruleSetID+`","rows":[{"foir":0.2,"applicant.stability":7}]}`).
			refused(http.StatusUnprocessableEntity, "invalid_field")

		// A scorecard whose inputs are all absent causes a warning, and absent
		// declared inputs are listed like all other absent inputs.
		silent := m.post("/v1/decisions", `{"applicant":{"foir":0.2}}`).want(http.StatusOK).is("status", "DECLINED")
		if diff := cmp.Diff([]string{"applicant.stability"}, silent.absent()); diff != "" {
			s.Error(diff)
		}
		if !strings.Contains(string(silent.body), "scorecard_inputs_absent") {
			s.Errorf("nobody is told that the card had nothing to read: %s", silent.body)
		}
	})
}

// TestAbsentInputsAreTold checks that a single warning lists the absent inputs,
// without the fields of optional blocks that were left out.
func TestAbsentInputsAreTold(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		got := m.post("/v1/decisions", sample).want(http.StatusOK)
		for name, want := range map[string]bool{
			"age":                true,
			"employment_type":    true,
			"monthly_income":     false,
			"foir":               false,
			"bureau_score":       false,
			"max_dpd_12m":        false,
			"device_is_emulator": false, "location_pincode_risk": false, "fraud_beneficiary_reuse": false,
		} {
			if slices.Contains(got.absent(), name) != want {
				s.Errorf("%s is absent: %t; told are %v", name, want, got.absent())
			}
		}
		bare := m.post("/v1/decisions", `{"bureau_report":{"score":742}}`).want(http.StatusOK).absent()
		if !slices.Contains(bare, "monthly_income") ||
			!slices.Contains(bare, "foir") {
			s.Errorf("of a score alone %v are told", bare)
		}
		if diff := cmp.Diff(got.absent(), m.get("/v1/decisions/"+got.text("decision_id")).absent()); diff != "" {
			s.Error(diff)
		}
		if diff := cmp.Diff(got.absent(), m.post("/v1/decisions/preview", sample).absent()); diff != "" {
			s.Error(diff)
		}
		alone := m.post("/v1/evaluate", evaluation(742, scalars)).want(http.StatusOK).absent()
		for i := range everyBlock {
			beside := m.post("/v1/evaluate", evaluation(742, scalars, everyBlock[i])).want(http.StatusOK).absent()
			if diff := cmp.Diff(alone, beside); diff != "" {
				s.Errorf("%s changes what is absent (-without +with):\n%s", everyBlock[i].name, diff)
			}
		}
		// A new-to-credit score is not an absent input, and a report without
		// accounts has no absent inputs.
		fields := m.post("/v1/decisions", `{"bureau_report":{"score":-1}}`).want(http.StatusOK).absent()
		if slices.Contains(fields, "bureau_score") {
			s.Errorf("new to credit: %v", fields)
		}
		if fields := m.post("/v1/evaluate", evaluation(742, scalars+`,"accounts":[],"enquiries":[]`)).
			want(http.StatusOK).absent(); len(fields) > 0 {
			s.Errorf("no accounts: %v", fields)
		}
	})
}

// TestBankFiguresThatDoNotCount checks that a policy that counts the
// obligations in the bank summary causes a warning if the summary has no usable
// figures.
func TestBankFiguresThatDoNotCount(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		m.arm(`"semantics":2,"affordability":{"obligations":{"of":["declared","bank"]}}`)
		for body, want := range map[string]string{
			`{"emi":40000}`: "/bank_summary/emi", `{"income":90000}`: "/bank_summary", "": "",
		} {
			blocks := []block{{"bank_summary", body}}
			if body == "" {
				blocks = nil
			}
			for _, path := range []string{"/v1/evaluate", "/v1/decisions/preview", "/v1/eligibility"} {
				got := m.post(path, evaluation(742, scalars, blocks...)).want(http.StatusOK)
				if pointer := got.warnedAt("bank_figure_absent"); pointer != want {
					s.Errorf("%s with %q is warned at %q, want %q", path, body, pointer, want)
				}
			}
		}
	})
}

// TestAccountsThatGoQuiet checks that the warning about a missing instalment
// points at the account that lacks it.
func TestAccountsThatGoQuiet(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		got := m.post("/v1/evaluate", evaluation(742, scalars+`,"accounts":[
			{"accountType":"personal_loan","openDate":"2024-02-11","status":"active","currentBalance":120000,
				"amountOverdue":0,"emi":6900},
			{"accountType":"home_loan","openDate":"2022-02-11","status":"active","currentBalance":4120000,
				"amountOverdue":0}]`)).want(http.StatusOK)
		if pointer := got.warnedAt("instalment_missing"); pointer != "/report/cibil/accounts/1" {
			s.Errorf("warned at %q: %s", pointer, got.body)
		}
	})
}

// TestIdentifiersAreMasked checks that identifiers are masked in facts and
// reasons. A numeric identifier is left out instead.
func TestIdentifiersAreMasked(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		m.arm(`"inputs":[{"name":"applicant.pan","type":"string"}],"knockouts":[
			{"id":"KO_ACCOUNT","stage":1,"action":"decline","reason_code":"FR_MULE",
			 "condition_ast":{"op":"in","field":"fraud.beneficiary_account","values":["50100044554321","2"]}},
			{"id":"KO_PAN","stage":1,"action":"decline","reason_code":"FR_RING",
				"message":"PAN {applicant.pan} is {threshold}",
			 "condition_ast":{"op":"eq","field":"applicant.pan","value":"AAAPZ1234C"}},
			{"id":"KO_LAT","stage":1,"action":"decline","reason_code":"LOC_MISMATCH",
				"condition_ast":{"op":"gt","field":"location.lat","value":8}}]`)
		secrets := []string{"50100044554321", "AAAPZ1234C", "19.0761", "CUST-000917", "PERSON-77"}
		body := evaluation(742, scalars, block{"applicant", `{"id":"CUST-000917","pan":"AAAPZ1234C"}`},
			block{"location", `{"lat":19.0761,"lng":72.8777,"declared_pincode":"400001"}`},
			block{"fraud", `{"applicant_ref":"PERSON-77","beneficiary_account":"50100044554321"}`},
			block{"include", `["facts"]`})
		for _, path := range []string{"/v1/evaluate", "/v1/decisions/preview"} {
			got := m.post(path, body).want(http.StatusOK).silent(s, secrets...)
			if got.at("facts", "location.lat") != nil || got.at("facts", "applicant.id") != "••••0917" ||
				got.at("facts", "fraud.applicant_ref") != "••••N-77" {
				s.Errorf("facts: %v", got.at("facts"))
			}
			if got.at("reasons", 0, "detail", "value") != "••••4321" ||
				got.at("reasons", 1, "detail", "text") != "PAN ••••234C is ••••234C" {
				s.Errorf("reasons: %v", got.at("reasons"))
			}
			if id := got.at("decision_id"); id != nil {
				m.get("/v1/decisions/"+fmt.Sprint(id)).
					want(http.StatusOK).is("re_explanation.verified", true).silent(s, secrets...)
			}
		}
		run := m.post("/v1/agents/underwrite", strings.Replace(body, `,"include":["facts"]`, "", 1)).
			want(http.StatusOK).silent(s, secrets...)
		m.get("/v1/agents/runs/"+run.text("run_id")).want(http.StatusOK).is("replay.verified", true)
	})
}

// TestFactsOnRequest checks that facts in the answer are masked and do not
// change the stored decision. Only keys with the scopes for reading decisions
// and facts may read the facts of a stored decision.
func TestFactsOnRequest(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		m.arm(`"inputs":[{"name":"applicant.contact","type":"string"}],"adjustments":[
			{"id":"ADJ_IP","delta":-1,"condition_ast":{"op":"starts_with","field":"fraud.ip","value":"49."}},
			{"id":"ADJ_MAIL","delta":-1,"condition_ast":{"op":"contains","field":"applicant.contact","value":"@"}}]`)
		const fraud = `{"ip":"49.36.112.77","beneficiary_account":"50100044554321"}`
		plainBody := evaluation(742, scalars, block{"fraud", fraud},
			block{"applicant", `{"contact":"asha@example.in"}`})
		asking := strings.TrimSuffix(plainBody, "}") + `,"include":["facts"]}`
		plain := m.post("/v1/evaluate", plainBody).want(http.StatusOK).is("facts", nil)
		got := m.post("/v1/evaluate", asking, "Idempotency-Key: once").want(http.StatusOK).
			is("facts.bureau_score", 742, "facts.foir", 0.32, "decision_hash", plain.text("decision_hash"))
		again := m.post("/v1/evaluate", asking, "Idempotency-Key: once").want(http.StatusOK)
		if string(again.body) != string(got.body) || again.header.Get("Idempotent-Replayed") != "true" {
			s.Errorf("repeated:\n%s\n%s", got.body, again.body)
		}
		shown := fmt.Sprint(got.at("facts"))
		if !strings.Contains(shown, "2.77") || !strings.Contains(shown, "••••") ||
			got.at("facts", "fraud.beneficiary_account") != nil {
			s.Errorf("facts are %s", shown)
		}
		got.silent(s, "49.36.112.77", "asha@example.in", "50100044554321")

		id := got.text("decision_id")
		scope := s.db.Scope(m.tenantID, "sandbox")
		stored, err := scope.Decisions(s.Context()).Get(id)
		if err == nil {
			err = s.open(scope, &stored, nil)
		}
		if err != nil || strings.Contains(string(stored.Response), `"facts"`) ||
			stored.Hash != plain.text("decision_hash") {
			s.Errorf("stored with %v: %s", err, stored.Response)
		}
		m.get("/v1/decisions/"+id).want(http.StatusOK).is("facts", nil, "re_explanation.verified", true)
		read := m.get("/v1/decisions/"+id+"?include=facts").want(http.StatusOK).is("re_explanation.verified", true).
			silent(s, "49.36.112.77", "asha@example.in", "50100044554321")
		if diff := cmp.Diff(got.at("facts"), read.at("facts")); diff != "" {
			s.Errorf("the facts of the stored decision differ (-answered +stored):\n%s", diff)
		}
		preview := m.post("/v1/decisions/preview", plainBody).
			want(http.StatusOK).silent(s, "49.36.112.77", "asha@example.in")
		if diff := cmp.Diff(got.at("facts"), preview.at("facts")); diff != "" {
			s.Errorf("the facts of a preview differ (-answered +preview):\n%s", diff)
		}

		reader := m.with(tenant.Sandbox, tenant.Read, m.userID)
		reader.get("/v1/decisions/" + id).want(http.StatusOK)
		reader.get("/v1/decisions/"+id+"?include=facts").refused(http.StatusForbidden, "insufficient_scope")
		m.with(tenant.Sandbox, tenant.FactsRead, m.userID).
			get("/v1/decisions/"+id+"?include=facts").refused(http.StatusForbidden, "insufficient_scope")
		m.with(tenant.Sandbox, tenant.Read|tenant.FactsRead, m.userID).
			get("/v1/decisions/"+id+"?include=facts").want(http.StatusOK).
			is("facts.bureau_score", 742)
		m.get("/v1/decisions/"+id+"?include=everything").refused(http.StatusUnprocessableEntity, "invalid_field")
		m.post("/v1/decisions", `{"bureau_report":{"score":742},"include":["everything"]}`).
			refused(http.StatusUnprocessableEntity, "invalid_field")
		m.post("/v1/decisions", `{"bureau_report":{"score":742},"include":["facts"]}`).
			want(http.StatusOK).is("facts.bureau_score", 742)
	})
}

// TestEligibilityUndetermined checks that eligibility is undetermined if no
// rule could be evaluated, and that a single evaluated rule is enough to
// determine it.
func TestEligibilityUndetermined(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		m.arm(`"include_defaults":false,"required_fields":[],"knockouts":[
			{"id":"KO_AGE","stage":1,"action":"decline","reason_code":"AGE_RANGE",
				"condition_ast":{"op":"lt","field":"age","value":21}},
			{"id":"KO_FOIR","stage":1,"action":"decline","reason_code":"FOIR_HIGH",
				"condition_ast":{"op":"gt","field":"foir","value":0.6}}]`)
		m.post("/v1/eligibility", `{}`).
			want(http.StatusOK).is("status", "UNDETERMINED", "eligible", false, "complete", false)
		m.post("/v1/eligibility", `{"applicant":{"age":30}}`).
			want(http.StatusOK).is("status", "ELIGIBLE", "eligible", true, "complete", false)
		m.post("/v1/eligibility", `{"applicant":{"age":20}}`).
			want(http.StatusOK).is("status", "DECLINED", "eligible", false, "complete", false)
	})
}

// TestNothingWasDerivedFrom checks the warnings about values from which nothing
// could be derived.
func TestNothingWasDerivedFrom(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		place := block{"location", `{"lat":19.07,"ip":"192.168.0.7","declared_pincode":"999999"}`}
		got := m.post("/v1/evaluate", evaluation(742, "", place)).want(http.StatusOK)
		want := []string{
			"/location/lat not_derived",
			"/location/declared_pincode not_derived",
			"/location/ip not_derived",
		}
		if diff := cmp.Diff(want, got.warned()); diff != "" {
			s.Error(diff)
		}
	})
}
