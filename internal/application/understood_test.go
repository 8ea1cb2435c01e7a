package application

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/fault"
	"verdict/internal/rule"
)

// hints returns the pointer and the nearest name of each warning about an
// unknown member.
func hints(items []fault.Item) []string {
	var list []string
	for _, it := range items {
		if it.Code == fault.CodeUnknownField {
			list = append(list, strings.TrimSpace(it.Pointer+" "+it.Nearest))
		}
	}
	return list
}

// TestNearestNames checks that a misspelt member at any level is reported with
// the nearest known name.
func TestNearestNames(t *testing.T) {
	t.Parallel()
	inputs := map[string]rule.Type{"applicant.employer_category": rule.StringType}
	for _, c := range []struct {
		body string
		want []string
	}{
		{`{"aplicant":{"foir":0.2},"bureau_report":{"score":742}}`, []string{"/aplicant applicant"}},
		{`{"policykey":"default","bureau_report":{"score":742}}`, []string{"/policykey policy_key"}},
		{`{"foir":0.2,"bureau_report":{"score":742}}`, []string{"/foir applicant.foir"}},
		{decision(`"monthlyincome":50000`, `"score":742`), []string{"/applicant/monthlyincome monthly_income"}},
		{decision(`"score":700`, `"score":742`), []string{"/applicant/score bureau_report.score"}},
		{decision(`"employer_categroy":"A"`, `"score":742`),
			[]string{"/applicant/employer_categroy employer_category"}},
		{decision(`"shoe":9`, `"score":742`), []string{"/applicant/shoe"}},
		{decision(``, `"score":742,"enquiries6m":3`), []string{"/bureau_report/enquiries6m enquiries_6m"}},
		{
			evaluation(`,"demographic":{"age":30,"employmenttype":"SALARIED"}`, ""),
			[]string{
				"/report/cibil/demographic/age report.demographics.age",
				"/report/cibil/demographic/employmenttype report.demographics.employmentType",
			},
		},
		{evaluation(`,"account":[]`, ""), []string{"/report/cibil/account accounts"}},
		{evaluation(`,"age":30`, ""), []string{"/report/cibil/age report.demographics.age"}},
		{
			evaluation(
				`,"accounts":[{"accountType":"personal_loan","sanctionedAmmount":1,"shoe":1,"closedDate":null,
				"note":null},
				{"Account_Type":"personal_loan","sanctionedAmmount":1}],
				"enquiries":[{"date":"2026-09-03","prodct":"personal_loan"}],"reportDate":"2026-11-10"`,
				`,"bank_summary":{"transactions":[{"txn_id":"T1","reference":"R","date":"2026-10-01","type":"CREDIT",
					"amount":1,"Narration":"SALARY"}]}`),
			[]string{
				"/report/cibil/accounts/0/sanctionedAmmount sanctionedAmount", "/report/cibil/accounts/0/shoe",
				"/report/cibil/accounts/1/Account_Type accountType",
				"/report/cibil/enquiries/0/prodct product", "/bank_summary/transactions/0/Narration narration",
			},
		},
		{evaluation("", `,"device":{"is_emulater":true}`), []string{"/device/is_emulater is_emulator"}},
		{evaluation("", `,"bank_summary":{"bounce_counts":1}`), []string{"/bank_summary/bounce_counts bounce_count"}},
		{evaluation("", `,"bureau_report":{"score":700}`), []string{"/bureau_report"}},
		{
			decision(``, `"score":742,"bureau_total_emi":5,"emi":5,"bureau_score":1`),
			[]string{"/bureau_report/bureau_total_emi total_emi",
				"/bureau_report/emi total_emi", "/bureau_report/bureau_score score"},
		},
		{evaluation("", `,"device":{"rooted":true}`), []string{"/device/rooted is_rooted"}},
		{
			evaluation(`,"accounts":[{"accountType":"05","instalment":5,"monthlyEmi":5,"owner":"x","AMOUNTOVERDUE":1}]`,
				""),
			[]string{
				"/report/cibil/accounts/0/instalment emi", "/report/cibil/accounts/0/monthlyEmi emi",
				"/report/cibil/accounts/0/owner ownership", "/report/cibil/accounts/0/AMOUNTOVERDUE amountOverdue",
			},
		},
		// An empty unknown object is reported too.
		{
			evaluation(`,"foo":{},"demographic":{"x":null},"demographics":{"bar":{}}`, `,"device":{"foo":{}},"foo":{}`),
			[]string{
				"/foo", "/report/cibil/foo", "/report/cibil/demographic demographics",
				"/report/cibil/demographics/bar", "/device/foo",
			},
		},
		{decision(`"foo":{"bar":{}}`, `"score":742`), []string{"/applicant/foo/bar"}},
	} {
		app := accept(t, c.body, Options{Inputs: inputs})
		if diff := cmp.Diff(c.want, hints(app.Warnings)); diff != "" {
			t.Errorf("%s:\n%s", c.body, diff)
		}
		for _, w := range app.Warnings {
			if w.Nearest != "" && !strings.Contains(w.Detail, w.Nearest) {
				t.Errorf("%s: the text does not say %s: %s", c.body, w.Nearest, w.Detail)
			}
		}
	}
}

// TestNamesAreCaseSensitive checks that a name that differs only in case is not
// read, and that the right name is suggested.
func TestNamesAreCaseSensitive(t *testing.T) {
	t.Parallel()
	app := accept(t, decision(`"FOIR":0.2,"Monthly_Income":50000`, `"score":742,"Max_DPD_12m":90`), Options{})
	want := []string{
		"/applicant/FOIR foir", "/applicant/Monthly_Income monthly_income", "/bureau_report/Max_DPD_12m max_dpd_12m",
	}
	if diff := cmp.Diff(want, hints(app.Warnings)); diff != "" {
		t.Error(diff)
	}
	for _, w := range app.Warnings {
		if !strings.Contains(w.Detail, "names are case-sensitive") {
			t.Errorf("%s says %s", w.Pointer, w.Detail)
		}
	}
	if diff := cmp.Diff(map[string]string{"bureau_score": "742", "bureau_is_ntc": "false"},
		canonicalFacts(app)); diff != "" {
		t.Error(diff)
	}
	app = accept(t, evaluation(`,"Accounts":[],"Demographics":{"age":30}`, `,"Device":{"is_emulator":true}`),
		Options{Today: today})
	want = []string{"/Device device", "/report/cibil/Accounts accounts",
		"/report/cibil/Demographics/age report.demographics.age"}
	if diff := cmp.Diff(want, hints(app.Warnings)); diff != "" {
		t.Error(diff)
	}
	// Every member gets a suggestion, even if there are many.
	many := decision(
		`"FOIR":1,"AGE":1,"ID":"a","Foir":1,"fOir":1,"foIr":1,"foiR":1,"Age":1,"aGe":1,"agE":1,"AGe":1,"aGE":1,
			"foIR":1`,
		`"score":742`)
	app = accept(t, many, Options{})
	for _, w := range app.Warnings {
		if w.Nearest == "" {
			t.Errorf("%s has no nearest name", w.Pointer)
		}
	}
}

// TestStrict checks that Strict turns warnings about unknown members into
// faults, and changes nothing else.
func TestStrict(t *testing.T) {
	t.Parallel()
	opt := Options{Strict: true, Inputs: map[string]rule.Type{"applicant.grade": rule.StringType}}
	got := refuse(t,
		`{"aplicant":{},"applicant":{"foirr":0.2,"grade":"A","employer":{"size":9}},
			"bureau_report":{"score":742,"colour":1}}`, opt)
	want := []string{
		"/aplicant unknown_field", "/applicant/foirr unknown_field", "/applicant/employer/size unknown_field",
		"/bureau_report/colour unknown_field",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	app := accept(t, evaluation(`,"incomeAssessment":{"foir":0.35}`, ""), opt)
	if diff := cmp.Diff([]string{"/report/cibil/incomeAssessment/foir " + fault.CodeFOIRLooksLikeRatio},
		lines(app.Warnings)); diff != "" {
		t.Error(diff)
	}
}

// TestTheOtherEndpointsBody checks that the only reason for rejecting a body sent
// to the wrong endpoint is the endpoint.
func TestTheOtherEndpointsBody(t *testing.T) {
	t.Parallel()
	evaluate, decide := evaluation("", `,"device":{}`), decision(`"foir":0.2`, `"score":742`)
	for _, c := range []struct {
		name, body, endpoint string
		read                 func() error
	}{
		{"an evaluate body to decisions", evaluate, "POST /v1/evaluate", func() error {
			_, err := ReadDecision(parse(t, evaluate), Options{})
			return err
		}},
		{"the same where no score is needed", evaluate, "POST /v1/evaluate", func() error {
			_, err := ReadDecision(parse(t, evaluate), Options{NoScore: true})
			return err
		}},
		{"a decision body to evaluate", decide, "POST /v1/decisions", func() error {
			_, err := ReadEvaluate(parse(t, decide), Options{})
			return err
		}},
	} {
		err := c.read()
		if err == nil || !strings.Contains(err.Error(), c.endpoint) || !strings.Contains(err.Error(),
			fault.CodeWrongEndpoint) ||
			strings.Contains(err.Error(), "score") {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	// A body with the members of both endpoints is a decision request with an unknown
	// member.
	both := `{"bureau_report":{"score":742},"report":{"cibil":{}}}`
	app, err := ReadDecision(parse(t, both), Options{})
	if err != nil || len(app.Warnings) != 1 || !strings.Contains(app.Warnings[0].Detail, "POST /v1/evaluate") {
		t.Errorf("both: %v, %v", app, err)
	}
}

// TestFlatReports checks that a report whose members are one level too high is
// rejected with an error that shows the correct layout.
func TestFlatReports(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"bureau":"cibil","report":{"scoreData":{"score":742}}}`,
		`{"bureau":"cibil","report":{"scoreData":{"score":742},"demographics":{"age":30}}}`,
		`{"bureau":"cibil","report":{"accounts":[]}}`,
		`{"bureau":"cibil","scoreData":{"score":742}}`,
		`{"bureau":"experian","report":{"INProfileResponse":{"SCORE":{"BureauScore":"742"}}}}`,
	} {
		_, err := ReadEvaluate(parse(t, body), Options{})
		if err == nil || !strings.Contains(err.Error(), `{"report":{"<bureau>":{…}}}`) {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// TestApplicantOnEvaluate checks that an evaluate request may have declared
// inputs under "applicant", but not figures that belong to the report.
func TestApplicantOnEvaluate(t *testing.T) {
	t.Parallel()
	opt := Options{Inputs: map[string]rule.Type{"applicant.employer_category": rule.StringType}}
	app := accept(t, evaluation("", `,"applicant":{"id":"A-1","employer_category":"A"}`), opt)
	if got := app.Facts.Get("applicant.employer_category").String(); got != "A" || app.ApplicantID != "A-1" ||
		len(app.Warnings) > 0 {
		t.Errorf("category %s, id %q, warnings %v", got, app.ApplicantID, app.Warnings)
	}
	app = accept(t, evaluation(`,"incomeAssessment":{"foir":35}`,
		`,"applicant":{"foir":0.9,"monthly_income":1,"employer_size":9}`), opt)
	want := []string{
		"/applicant/foir report.incomeAssessment.foir",
		"/applicant/monthly_income report.incomeAssessment.monthlyIncome", "/applicant/employer_size",
	}
	if diff := cmp.Diff(want, hints(app.Warnings)); diff != "" {
		t.Error(diff)
	}
	if foir, income := app.Facts.Get("foir").String(), app.Facts.Get("monthly_income"); foir != "0.35" ||
		income.Type() != rule.Absent {
		t.Errorf("foir %s, income %s", foir, income)
	}
	if diff := cmp.Diff([]string{"/applicant/employer_category wrong_type"},
		refuse(t, evaluation("", `,"applicant":{"employer_category":7}`), opt)); diff != "" {
		t.Error(diff)
	}
}

// TestNoScoreIsNeeded checks that a score that no policy reads is optional, but
// is checked if sent.
func TestNoScoreIsNeeded(t *testing.T) {
	t.Parallel()
	opt := Options{NoScore: true}
	accept(t, `{"applicant":{"foir":0.2}}`, opt)
	accept(t, `{"bureau":"cibil","report":{"cibil":{"incomeAssessment":{"foir":20}}}}`, opt)
	if diff := cmp.Diff([]string{"/bureau_report/score out_of_range"},
		refuse(t, decision("", `"score":950`), opt)); diff != "" {
		t.Error(diff)
	}
}

func TestScoreIsAWholeNumber(t *testing.T) {
	t.Parallel()
	for _, body := range []string{decision("", `"score":742.5`),
		`{"bureau":"cibil","report":{"cibil":{"scoreData":{"score":742.5}}}}`} {
		_, err := Read(parse(t, body), Options{})
		if err == nil || !strings.Contains(err.Error(), "must be a whole number") {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// TestNothingDerived checks the warnings about members of a location from which
// no fact was derived.
func TestNothingDerived(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		block string
		want  []string
	}{
		{`"ip":"10.0.0.7"`, []string{"/location/ip not_derived"}},
		{`"ip":"192.168.1.1"`, []string{"/location/ip not_derived"}},
		{`"lat":19.07,"declared_pincode":"400001"`, []string{"/location/lat not_derived"}},
		{`"lng":72.88`, []string{"/location/lng not_derived"}},
		{`"declared_pincode":"999999"`, []string{"/location/declared_pincode not_derived"}},
		{`"lat":19.07,"lng":72.88,"declared_pincode":"999999"`, []string{"/location/declared_pincode not_derived"}},
		{`"lat":18.94,"lng":72.84,"declared_pincode":"400001","ip":"49.36.0.1"`, []string{}},
		{`"permission_denied":true`, []string{}},
	} {
		app := accept(t, evaluation("", `,"location":{`+c.block+`}`), Options{})
		if diff := cmp.Diff(c.want, lines(app.Warnings)); diff != "" {
			t.Errorf("%s:\n%s", c.block, diff)
		}
	}
}

// TestNotCounted checks that there is one warning about a value that does not
// identify anybody, and that the warning does not repeat the value.
func TestNotCounted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		fraud, device string
		want          []string
	}{
		{`"mobile":"９８２００１２３４５","email":"<asha@example.in>","ip":"49.36.0.1"`,
			`"device_id":"9774d56d682e549c"`, []string{}},
		{`"mobile":"NA","email":"asha@example"`,
			``, []string{"/fraud/mobile identifier_not_counted", "/fraud/email identifier_not_counted"}},
		{`"beneficiary_account":"0000000000","agent_id":"null"`, `"device_id":"-"`, []string{
			"/fraud/beneficiary_account identifier_not_counted",
			"/fraud/agent_id identifier_not_counted", "/device/device_id identifier_not_counted",
		}},
		{`"ip":"100.64.0.9"`, ``, []string{"/fraud/ip not_derived"}},
		{`"ip":"::1","applicant_ref":"N/A"`,
			``, []string{"/fraud/applicant_ref applicant_ref_missing", "/fraud/ip not_derived"}},
	} {
		fraud := c.fraud
		if !strings.Contains(fraud, "applicant_ref") {
			fraud += `,"applicant_ref":"A-1"`
		}
		app := accept(t, evaluation("", `,"fraud":{`+fraud+`},"device":{`+c.device+`}`), Options{})
		if diff := cmp.Diff(c.want, lines(app.Warnings)); diff != "" {
			t.Errorf("%s:\n%s", c.fraud, diff)
		}
	}
	app := accept(t, evaluation("", `,"device":{"device_id":"-"}`), Options{})
	if diff := cmp.Diff([]string{"/device/device_id not_read"}, lines(app.Warnings)); diff != "" {
		t.Errorf("without the fraud block (-want +got):\n%s", diff)
	}
}

func TestInclude(t *testing.T) {
	t.Parallel()
	opt := Options{Include: true}
	body := func(include string) string { return `{"bureau_report":{"score":742},"include":` + include + `}` }
	for include, want := range map[string]bool{`["facts"]`: true, `[]`: false, `null`: false} {
		if app := accept(t, body(include), opt); app.IncludeFacts != want || len(app.Warnings) > 0 {
			t.Errorf("%s: %t, %v", include, app.IncludeFacts, app.Warnings)
		}
	}
	for include, want := range map[string]string{
		`"facts"`: "/include wrong_type", `["fact"]`: "/include/0 invalid_field",
		`["facts",1]`: "/include/1 invalid_field",
	} {
		if diff := cmp.Diff([]string{want}, refuse(t, body(include), opt)); diff != "" {
			t.Errorf("%s:\n%s", include, diff)
		}
	}
	if app := accept(t, body(`["facts"]`), Options{}); len(app.Warnings) != 1 || app.IncludeFacts {
		t.Errorf("where nobody answers it: %v", app.Warnings)
	}
}

// TestRefusalNamesTheRightCase checks that a rejection names the members that
// differ from known members only in case, because a rejection contains no
// warnings.
func TestRefusalNamesTheRightCase(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		body string
		want []string
	}{
		{
			`{"Applicant":{"foir":0.2},"Bureau_Report":{"score":742}}`,
			[]string{"/bureau_report/score required bureau_report",
				"/Applicant unknown_field applicant", "/Bureau_Report unknown_field bureau_report"},
		},
		{`{"bureau_report":{"Score":742}}`,
			[]string{"/bureau_report/score required score", "/bureau_report/Score unknown_field score"}},
		{
			`{"bureau":"cibil","report":{"cibil":{"ScoreData":{"score":742}}}}`,
			[]string{
				"/report/cibil/scoreData/score required scoreData",
				"/report/cibil/ScoreData/score unknown_field report.scoreData.score",
			},
		},
		{`{"bureau":"cibil","Report":{"cibil":{}}}`,
			[]string{"/report required report", "/Report unknown_field report"}},
		{
			`{"Bureau":"cibil","report":{"cibil":{"scoreData":{"score":742}}}}`,
			[]string{"/bureau required bureau", "/Bureau unknown_field bureau"},
		},
		{
			`{"bureau":"cibil","report":{"cibil":{"accounts":[{"EMI":1}]}}}`,
			[]string{"/report/cibil/scoreData/score required", "/report/cibil/accounts/0/EMI unknown_field emi"},
		},
		{`{"bureau_report":{"scores":742}}`,
			[]string{"/bureau_report/score required", "/bureau_report/scores unknown_field score"}},
	} {
		_, err := Read(parse(t, c.body), Options{})
		var refusal *fault.Error
		if !errors.As(err, &refusal) {
			t.Errorf("%s: %v", c.body, err)
			continue
		}
		var got []string
		for _, it := range refusal.Items {
			got = append(got, strings.TrimSpace(it.Pointer+" "+it.Code+" "+it.Nearest))
			if it.Nearest != "" && !strings.Contains(it.Detail, it.Nearest) {
				t.Errorf("%s: the text does not say %s: %s", c.body, it.Nearest, it.Detail)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s:\n%s", c.body, diff)
		}
	}
}

// TestMismatchInCase checks the error text for a report whose key differs from
// the bureau's name only in case.
func TestMismatchInCase(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]bool{"CIBIL": true, "crif": false} {
		_, err := Read(parse(t, `{"bureau":"cibil","report":{"`+key+`":{"scoreData":{"score":742}}}}`), Options{})
		if err == nil || !strings.Contains(err.Error(), fault.CodeBureauReportMismatch) || strings.Contains(err.Error(),
			"only in upper and lower case") != want {
			t.Errorf("%s: %v", key, err)
		}
	}
}

// TestPositionWithoutPincode checks the warning about a position without a
// declared pincode.
func TestPositionWithoutPincode(t *testing.T) {
	t.Parallel()
	app := accept(t, evaluation("", `,"location":{"lat":19.07,"lng":72.87}`), Options{})
	if got := pointerOf(app.Warnings, fault.CodeNotDerived); got != "/location/lat" {
		t.Errorf("warned of %q in %v", got, app.Warnings)
	}
}
