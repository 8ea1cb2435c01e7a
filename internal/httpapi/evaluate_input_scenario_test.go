package httpapi_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/httpapi"
)

// TestEvaluateRefusals checks that a refusal lists every fault and repeats no
// submitted value.
func TestEvaluateRefusals(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		for name, c := range map[string]struct {
			body, code string
			want       []string
		}{
			"nothing": {`{}`, "invalid_field", []string{"/bureau required", "/report required"}},
			"under another key": {
				`{"bureau":"cibil","report":{"ZEBRA":{"scoreData":{"score":742}}}}`,
				"bureau_report_mismatch",
				[]string{"/report bureau_report_mismatch"},
			},
			"in another case": {
				`{"bureau":"cibil","report":{"CIBIL":{"scoreData":{"score":742}}}}`,
				"bureau_report_mismatch",
				[]string{"/report bureau_report_mismatch"},
			},
			"two keys": {`{
				"bureau":"cibil",
				"report":{"cibil":{"scoreData":{"score":742}},"experian":{"scoreData":{"score":742}}}
			}`,
				"report_must_have_one_key", []string{"/report report_must_have_one_key"}},
			"no key": {
				`{"bureau":"cibil","report":{}}`,
				"report_must_have_one_key",
				[]string{"/report report_must_have_one_key"},
			},
			"no report": {`{"bureau":"cibil"}`, "invalid_field", []string{"/report required"}},
			"a report of text": {
				`{"bureau":"cibil","report":{"cibil":"ZEBRA"}}`,
				"invalid_field",
				[]string{"/report/cibil wrong_type"},
			},
			"no bureau": {
				`{"report":{"cibil":{"scoreData":{"score":742}}}}`,
				"invalid_field",
				[]string{"/bureau required"},
			},
			"a long bureau": {evaluationOf(strings.Repeat("z", 65), `"scoreData":{"score":742}`), "invalid_field",
				[]string{"/bureau out_of_range"}},
			"no score": {
				evaluationOf("cibil", ""),
				"invalid_field",
				[]string{"/report/cibil/scoreData/score required"},
			},
			"a score of text": {
				evaluationOf("cibil", `"scoreData":{"score":"742"}`),
				"invalid_field",
				[]string{"/report/cibil/scoreData/score wrong_type"},
			},
			"half a score": {
				evaluationOf("cibil", `"scoreData":{"score":742.5}`),
				"invalid_field",
				[]string{"/report/cibil/scoreData/score out_of_range"},
			},
			"features of text": {
				evaluation(742, "", block{"features", `"yes"`}),
				"invalid_field",
				[]string{"/features wrong_type"},
			},
			"blocks of the wrong type": {
				evaluation(742, "", block{
					"device",
					`[]`,
				}, block{"location", `"ZEBRA"`}, block{"fraud", `1`}, block{"bank_summary", `true`}),
				"invalid_field",
				[]string{"/bank_summary wrong_type", "/device wrong_type", "/fraud wrong_type", "/location wrong_type"},
			},
			"scalars out of range": {evaluation(742, `"demographics":{"age":771239},
				"incomeAssessment":{"monthlyIncome":-771239,"foir":771239},"requestedAmount":0`),
				"invalid_field", []string{
					"/report/cibil/demographics/age out_of_range", "/report/cibil/incomeAssessment/foir out_of_range",
					"/report/cibil/incomeAssessment/monthlyIncome out_of_range",
					"/report/cibil/requestedAmount out_of_range",
				}},
			"dates in the future": {evaluation(742, `"reportDate":"2026-11-18",
				"accounts":[{"accountType":"personal_loan","openDate":"2027-01-01"}],
				"enquiries":[{"date":"2026-12-24"}]`), "invalid_field",
				[]string{"/report/cibil/accounts/0/openDate out_of_range",
					"/report/cibil/enquiries/0/date out_of_range", "/report/cibil/reportDate out_of_range"}},
			"dates that are none": {
				evaluation(742, `"reportDate":"ZEBRA","enquiries":[{"product":"personal_loan"},{"date":"2026-02-30"}]`),
				"invalid_field",
				[]string{
					"/report/cibil/enquiries/0/date required",
					"/report/cibil/enquiries/1/date invalid_field",
					"/report/cibil/reportDate invalid_field",
				},
			},
			"lists that are none": {evaluation(742, `"accounts":{},"enquiries":[1]`), "invalid_field",
				[]string{"/report/cibil/accounts wrong_type", "/report/cibil/enquiries/0 wrong_type"}},
			"amounts that are none": {evaluation(742, `"accounts":[{"accountType":"personal_loan",
				"sanctionedAmount":"ZEBRA","amountOverdue":-771239}]`), "invalid_field",
				[]string{
					"/report/cibil/accounts/0/amountOverdue out_of_range",
					"/report/cibil/accounts/0/sanctionedAmount wrong_type",
				}},
			"transactions": {evaluation(742, "", block{"bank_summary", `{"income":-771239,
				"transactions":[{"date":"2026-10-01","type":"ZEBRA","amount":1},
				{"type":"CREDIT","amount":0,"date":"ZEBRA"},{"date":"2026-10-01","type":"DEBIT","amount":"ZEBRA"},
				7]}`}), "invalid_field",
				[]string{
					"/bank_summary/income out_of_range", "/bank_summary/transactions/0/type out_of_range",
					"/bank_summary/transactions/1/amount out_of_range",
					"/bank_summary/transactions/1/date out_of_range",
					"/bank_summary/transactions/2/amount wrong_type", "/bank_summary/transactions/3 wrong_type",
				}},
		} {
			for _, path := range []string{"/v1/evaluate", "/v1/decisions/preview"} {
				if path != "/v1/evaluate" && slices.Contains([]string{"nothing", "no report"}, name) {
					continue // without a report, the preview treats the body as a decision request
				}
				got := m.post(path, c.body)
				if got.status != http.StatusUnprocessableEntity || got.text("code") != c.code {
					s.Errorf("%s to %s: %d %s", name, path, got.status, got.body)
					continue
				}
				if diff := cmp.Diff(c.want, got.faults()); diff != "" {
					s.Errorf("%s to %s (-want +got):\n%s", name, path, diff)
				}
				got.silent(s, "ZEBRA", "771239")
			}
		}
		m.get("/v1/usage").is("used", 0)
	})
}

// TestEvaluateSloppyReports checks that unusual values in a report are accepted, and
// that doubtful values cause a warning.
func TestEvaluateSloppyReports(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		for name, c := range map[string]struct {
			body string
			want []string
			is   []any
		}{
			"an unknown account type": {
				evaluation(742, `"accounts":[{"accountType":"ZEBRA loan","openDate":"2024-01-01","currentBalance":5}]`),
				[]string{"/report/cibil/accounts/0/accountType unknown_account_type"},
				[]any{"facts.bureau_live_unsecured", 1},
			},
			"an unknown status": {evaluation(742, `"accounts":[{"accountType":"personal_loan","status":"ZEBRA"}]`),
				[]string{"/report/cibil/accounts/0/status unknown_account_status"},
				[]any{"facts.active_tradelines", 1}},
			"a short history": {evaluationOf("experian",
				strings.Replace(fmt.Sprintf(experianReport, "771"), `0010????????????????????????????????`, "0010", 1)),
				[]string{
					"/report/experian/INProfileResponse/CAIS_Account/CAIS_Account_DETAILS/0/Payment_History_Profile " +
						"payment_history_length",
				},
				[]any{"facts.max_dpd_12m", 30}},
			"amounts of text": {
				evaluation(742, `"accounts":[{"accountType":"personal_loan","currentBalance":"120000.50",
					"emi":"6900"}]`),
				[]string{"/report/cibil/accounts/0/currentBalance read_as_number"},
				[]any{"facts.bureau_total_outstanding", 120000.5, "facts.bureau_total_emi", 6900},
			},
			"amounts of transactions": {
				evaluation(742, "", block{"bank_summary", `{"transactions":[{"date":"2026-10-01","type":"credit",
				"amount":"62000","mode":"ZEBRA"},
				{"transactionTimestamp":"2026-10-02T10:00:00+05:30","type":"DEBIT","amount":"1.5",
					"currentBalance":"9.25"}]}`}),
				[]string{"/bank_summary/transactions unknown_mode", "/bank_summary/transactions amount_as_text"},
				[]any{"facts.bank_statement_days", 2},
			},
			"later transactions": {
				evaluation(742, "",
					block{"bank_summary", `{"transactions":[{"date":"2026-11-30","type":"CREDIT","amount":1}]}`}),
				[]string{"/bank_summary/transactions later_event"},
				[]any{"facts.bank_statement_days", 0},
			},
			"aliases": {
				evaluation(742, "",
					block{"bank_summary", `{"monthly_income":62000,"avg_balance":38250,"bounce_count":2,"emi":0}`}),
				[]string{},
				[]any{
					"facts.bank_income", 62000, "facts.bank_avg_balance", 38250, "facts.bank_bounces", 2,
					"facts.bank_abb_to_emi", 99,
				},
			},
			"unknown members": {
				evaluationOf("cibil", `"scoreData":{"score":742,"model":"v3"},"employer":{"category":"CAT_A"},
					"pages":[1,2],"accounts":[{"accountType":"05","colour":"ZEBRA"}]`,
					block{"device", `{"battery":55}`}, block{"extra", `{"a":1}`}),
				[]string{
					"/report/cibil/accounts/0/colour unknown_field", "/device/battery unknown_field",
					"/extra unknown_field", "/report/cibil/employer/category unknown_field",
					"/report/cibil/pages unknown_field", "/report/cibil/scoreData/model unknown_field",
				},
				[]any{"status", "APPROVED"},
			},
			"an unknown employment": {evaluation(742, `"demographics":{"employmentType":"ZEBRA tamer"}`),
				[]string{"/report/cibil/demographics/employmentType unknown_employment_type"},
				[]any{"facts.employment_type", "OTHER"}},
			"a tenure nobody offers": {evaluation(742, scalars+`,"requestedTenureMonths":7`),
				[]string{"/report/cibil/requestedTenureMonths tenure_not_available"}, []any{"offer.tenure_months", 48}},
			"nulls": {evaluation(742, `"demographics":null,"incomeAssessment":{"foir":null},"accounts":null,
				"enquiries":null,"reportDate":null`, block{"bank_summary", "null"}),
				[]string{}, []any{"facts.foir", nil, "facts.enquiries_6m", nil}},
			"empty lists": {
				evaluation(742, `"accounts":[],"enquiries":[]`),
				[]string{},
				[]any{"facts.enquiries_6m", 0, "facts.active_tradelines", 0},
			},
		} {
			got := m.post("/v1/decisions/preview", c.body).want(http.StatusOK).is(c.is...)
			warned := got.warned()
			slices.Sort(warned)
			slices.Sort(c.want)
			if diff := cmp.Diff(c.want, warned); diff != "" {
				s.Errorf("%s: warned of (-want +got):\n%s", name, diff)
			}
			for i := range got.list("warnings") {
				if strings.Contains(fmt.Sprint(got.at("warnings", i, "detail")), "ZEBRA") {
					s.Errorf("%s: %v", name, got.at("warnings", i))
				}
			}
			m.post("/v1/evaluate", c.body).want(http.StatusOK)
			m.post("/v1/eligibility", c.body).want(http.StatusOK)
		}
	})
}

// TestEvaluateDeclaredInputs checks that a policy can declare members of the
// report as inputs and test them.
func TestEvaluateDeclaredInputs(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		m.arm(`"inputs":[{"name":"report.employer.category","type":"string"}],
			"knockouts":[{"id":"KO_EMPLOYER","stage":1,"action":"decline",
			"reason_code":"EMP_TYPE","condition_ast":{"op":"eq","field":"report.employer.category","value":"CAT_Z"}}]`)
		s.clock.advance(stale)
		got := m.post("/v1/evaluate", evaluation(742, `"employer":{"category":"CAT_Z"}`)).
			want(http.StatusOK).is("status", "DECLINED")
		if len(got.warned()) != 0 {
			s.Errorf("warned of %v", got.warned())
		}
		m.post("/v1/evaluate", evaluation(742, `"employer":{"category":"CAT_A"}`)).
			want(http.StatusOK).is("status", "APPROVED")
		m.post("/v1/evaluate", evaluation(742, `"employer":{"category":7}`)).
			refused(http.StatusUnprocessableEntity, "invalid_field")
	})
}

// TestEvaluateLimits checks the limits of 8 MiB for a body and of 20,000
// transactions.
func TestEvaluateLimits(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		padded := func(size int) string {
			body := evaluation(742, "")
			return strings.Repeat(" ", size-len(body)) + body
		}
		for _, path := range []string{"/v1/evaluate", "/v1/decisions/preview", "/v1/eligibility"} {
			m.post(path, padded(8<<20)).want(http.StatusOK)
			m.post(path, padded(8<<20+1)).refused(http.StatusRequestEntityTooLarge, "request_too_large")
		}
		m.post("/v1/decisions", padded(1<<20+1)).refused(http.StatusRequestEntityTooLarge, "request_too_large")
		rows := func(n int) string {
			row := `{
				"date":"2026-10-01","type":"CREDIT","mode":"UPI","amount":100.50,
				"narration":"UPI/CR/6218105/KIRAN K/YESB/kiran@ybl/share"
			}`
			return evaluation(742, "", askFeatures,
				block{"bank_summary", `{"transactions":[` + strings.Repeat(row+",", n-1) + row + `]}`})
		}
		got := m.post("/v1/evaluate", rows(20_000)).want(http.StatusOK)
		m.get("/v1/decisions/" + got.text("decision_id") + "/features?name=credit__upi__365d__count&provenance=true").
			want(http.StatusOK)
		refused := m.post("/v1/evaluate", rows(20_001)).refused(http.StatusUnprocessableEntity, "invalid_field")
		if diff := cmp.Diff([]string{"/bank_summary/transactions too_many"}, refused.faults()); diff != "" {
			s.Errorf("(-want +got):\n%s", diff)
		}
		small := s.otherwise(func(o *httpapi.Options) { o.MaxReport = 2000 }, func(*httptest.Server) {})
		small.send("POST", "/v1/evaluate", m.key, padded(2001)).
			refused(http.StatusRequestEntityTooLarge, "request_too_large")
		small.send("POST", "/v1/evaluate", m.key, padded(2000)).want(http.StatusOK)
	})
}

// TestEvaluateKeepsNoIdentities checks that the database stores no value that identifies a person, a place or a
// device. The exceptions are the applicant reference and the values that a replay of the policy needs.
func TestEvaluateKeepsNoIdentities(t *testing.T) {
	t.Parallel()
	secrets := []string{
		"00112233445566", "203.0.113.77", "203.0.113.78", "19.0761234", "72.8771234", "d-ZEBRA-1", "9812345678",
		"zebra@example.in", "ACME INFOTECH", "BAJAJ", "AAAPZ1234C",
	}
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		plain := m.post("/v1/evaluate", evaluation(742, `"pan":"AAAPZ1234C",`+scalars+","+history, everyBlock...),
			"Idempotency-Key: k").want(http.StatusOK)
		for _, secret := range secrets {
			for what, text := range s.stored(m, plain.text("decision_id")) {
				if strings.Contains(text, secret) {
					s.Errorf("the %s keep %s:\n%.500s", what, secret, text)
				}
			}
		}
		plain.silent(s, secrets...)
		kept := s.storedFacts(m, plain.text("decision_id"))
		if !strings.Contains(kept, `"A-77"`) || !strings.Contains(kept, `"device_is_rooted":true`) {
			s.Errorf("too little is kept: %s", kept)
		}
		m.arm(`"knockouts":[{"id":"KO_ACCOUNT","stage":1,"action":"decline","reason_code":"FR_MULE",
			"condition_ast":{"op":"in","field":"fraud.beneficiary_account","values":["00112233445566"]}}]`)
		s.clock.advance(stale)
		named := m.post("/v1/evaluate", evaluation(742, scalars, everyBlock...)).
			want(http.StatusOK).is("status", "DECLINED")
		if result := named.fired()["KO_ACCOUNT"]; result != "fail" {
			s.Errorf("KO_ACCOUNT is %q", result)
		}
		facts := s.storedFacts(m, named.text("decision_id"))
		if !strings.Contains(facts, secrets[0]) {
			s.Errorf("what the policy names is not kept: %s", facts)
		}
		for _, secret := range secrets[1:] {
			if strings.Contains(facts, secret) {
				s.Errorf("%s is kept: %s", secret, facts)
			}
		}
		for _, d := range []answer{plain, named} {
			m.get("/v1/decisions/"+d.text("decision_id")).want(http.StatusOK).is("re_explanation.verified", true)
		}
	})
}

// stored returns the facts, the answer and the records that the database stores
// for a decision.
func (s *stack) stored(m *member, decisionID string) map[string]string {
	s.Helper()
	scope := s.db.Scope(m.tenantID, "sandbox")
	d, err := scope.Decisions(s.Context()).Get(decisionID)
	if err != nil {
		s.Fatal(err)
	}
	f, err := scope.Decisions(s.Context()).Features(decisionID)
	if err == nil {
		err = s.open(scope, &d, &f)
	}
	if err != nil {
		s.Fatal(err)
	}
	return map[string]string{"facts": string(d.Facts), "answer": string(d.Response), "records": string(f.Source)}
}
