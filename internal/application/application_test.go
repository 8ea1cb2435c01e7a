package application

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/fault"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// parse parses a valid JSON body.
func parse(tb testing.TB, body string) wire.Value {
	tb.Helper()
	v, err := wire.Parse([]byte(body))
	if err != nil {
		tb.Fatalf("%v in %s", err, body)
	}
	return v
}

// accept reads a body and fails the test if it is rejected.
func accept(tb testing.TB, body string, opt Options) *Application {
	tb.Helper()
	app, err := Read(parse(tb, body), opt)
	if err != nil {
		tb.Fatalf("%v in %s", err, body)
	}
	return app
}

// refuse reads a body, fails the test if it is accepted, and returns its faults as lines.
func refuse(tb testing.TB, body string, opt Options) []string {
	tb.Helper()
	_, err := Read(parse(tb, body), opt)
	var refusal *fault.Error
	if !errors.As(err, &refusal) || refusal.Kind != fault.Invalid {
		tb.Fatalf("got %v, want a refusal of %s", err, body)
	}
	return lines(refusal.Items)
}

func lines(items []fault.Item) []string {
	out := []string{}
	for _, it := range items {
		out = append(out, it.Pointer+" "+it.Code)
	}
	return out
}

// canonicalFacts returns the facts that rules see, without the raw paths and
// without the bureau's name, which only evaluate requests have.
func canonicalFacts(app *Application) map[string]string {
	out := map[string]string{}
	for _, nv := range app.Facts.Sorted() {
		if !strings.Contains(nv.Name, ".") && nv.Name != "bureau" {
			out[nv.Name] = nv.Value.String()
		}
	}
	return out
}

// decision and evaluation return the smallest bodies with the given members.
func decision(applicant, report string) string {
	return fmt.Sprintf(`{"applicant":{%s},"bureau_report":{%s}}`, applicant, report)
}

func evaluation(report, blocks string) string {
	return fmt.Sprintf(`{"bureau":"cibil","report":{"cibil":{"scoreData":{"score":742}%s}}%s}`, report, blocks)
}

// TestFOIRIsTheSameOnBothEndpoints checks that 35 on /v1/evaluate and 0.35 on /v1/decisions give
// the same fact. In binary floating point, 261 of these 1,000 percentages would differ.
func TestFOIRIsTheSameOnBothEndpoints(t *testing.T) {
	t.Parallel()
	for tenths := range 1000 {
		percentage := fmt.Sprintf("%d.%d", tenths/10, tenths%10)
		ratio := fmt.Sprintf("0.%03d", tenths)
		evaluated := accept(t, evaluation(`,"incomeAssessment":{"foir":`+percentage+`,"monthlyIncome":85000}`, ""),
			Options{})
		decided := accept(t, decision(`"monthly_income":85000,"foir":`+ratio, `"score":742`), Options{})
		if diff := cmp.Diff(canonicalFacts(decided), canonicalFacts(evaluated)); diff != "" {
			t.Errorf("%s %% and %s differ:\n%s", percentage, ratio, diff)
		}
		wantWarning := tenths > 0 && tenths <= 10
		if got := len(evaluated.Warnings) == 1; got != wantWarning {
			t.Errorf("%s %%: warnings %v", percentage, evaluated.Warnings)
		}
		if len(decided.Warnings) != 0 {
			t.Errorf("%s: warnings %v", ratio, decided.Warnings)
		}
	}
}

// TestFOIRUnits checks that the unit of the FOIR depends only on the endpoint. It is never guessed
// from the value.
func TestFOIRUnits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ percent, ratio, want string }{
		{"0", "0", "0"},
		{"0.99", "0.0099", "0.0099"},
		{"1", "0.01", "0.01"},
		{"1.01", "0.0101", "0.0101"},
		{"101", "1.01", "1.01"},
		{"500", "5", "5"},
		{"3.5e1", "35e-2", "0.35"},
		{"33.333333", "0.33333333", "0.333333"},
		{"66.66665", "0.6666665", "0.666667"},         // half up at the sixth decimal of the ratio
		{"35.00004999999", "0.3500004999999", "0.35"}, // rounded once, not twice
		{"500.00004", "5.0000004", "5"},
	} {
		evaluated := accept(t, evaluation(`,"incomeAssessment":{"foir":`+c.percent+`}`, ""), Options{})
		decided := accept(t, decision(`"foir":`+c.ratio, `"score":742`), Options{})
		for _, app := range []*Application{evaluated, decided} {
			if got := app.Facts.Get("foir").String(); got != c.want {
				t.Errorf("endpoint %d read %s %% or %s as %s, want %s", app.Endpoint, c.percent, c.ratio, got, c.want)
			}
		}
	}
	for _, bad := range []string{"500.0001", "-0.1", "1e9", "1e15", `"35"`, "true", "[]", "{}"} {
		want := []string{"/report/cibil/incomeAssessment/foir out_of_range"}
		if bad[0] > '9' || bad[0] == '"' {
			want[0] = "/report/cibil/incomeAssessment/foir wrong_type"
		}
		if diff := cmp.Diff(want,
			refuse(t, evaluation(`,"incomeAssessment":{"foir":`+bad+`}`, ""), Options{})); diff != "" {
			t.Errorf("evaluate foir %s:\n%s", bad, diff)
		}
	}
	for _, bad := range []string{"5.000001", "35", "-0.1", "1e15"} {
		want := []string{"/applicant/foir out_of_range"}
		if diff := cmp.Diff(want, refuse(t, decision(`"foir":`+bad, `"score":742`), Options{})); diff != "" {
			t.Errorf("decisions foir %s:\n%s", bad, diff)
		}
	}
}

func TestFOIRMessages(t *testing.T) {
	t.Parallel()
	app := accept(t, evaluation(`,"incomeAssessment":{"foir":0.35}`, ""), Options{})
	want := []fault.Item{{
		Pointer: "/report/cibil/incomeAssessment/foir", Code: fault.CodeFOIRLooksLikeRatio,
		Detail: "was read as 0.35 %, which is a ratio of 0.0035; /v1/evaluate takes a percentage: send 35 for 35 %",
	}}
	if diff := cmp.Diff(want, app.Warnings); diff != "" {
		t.Error(diff)
	}
	_, err := Read(parse(t, decision(`"foir":35`, `"score":742`)), Options{})
	if err == nil || !strings.Contains(err.Error(), "must be a ratio between 0 and 5 (0.35 means 35 percent)") {
		t.Errorf("got %v, want to be told that a ratio is expected", err)
	}
}

func TestMoneyIsRoundedHalfUpToThePaisa(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ sent, want string }{
		{"0", "0"}, {"85000", "85000"}, {"85000.1", "85000.1"}, {"85000.124", "85000.12"}, {"85000.125", "85000.13"},
		{"0.004", "0"}, {"0.005", "0.01"}, {"85000.1249999999", "85000.12"}, {"8.5e4", "85000"},
		{"999999999999.994", "999999999999.99"},
	} {
		app := accept(t, decision(`"monthly_income":`+c.sent, `"score":742,"overdue_amount":`+c.sent), Options{})
		for _, name := range []string{"monthly_income", "bureau_overdue_amount"} {
			if got := app.Facts.Get(name).String(); got != c.want {
				t.Errorf("%s of %s is %s, want %s", name, c.sent, got, c.want)
			}
		}
	}
	// The raw value stays unchanged.
	app := accept(t, decision(`"requested_amount":600000.125`, `"score":742`), Options{})
	if got := app.Facts.Get("applicant.requested_amount").String(); got != "600000.125" {
		t.Errorf("the raw amount is %s", got)
	}
	for _, bad := range []string{"0", "-1", "0.001"} {
		if got := refuse(t, decision(`"requested_amount":`+bad, `"score":742`), Options{}); len(got) != 1 {
			t.Errorf("requested_amount %s: %v", bad, got)
		}
	}
}

// TestScores checks that every whole number from -5 to 1000 is read as a score,
// read as a new-to-credit code, or rejected. A new-to-credit code must never be
// read as a low score.
func TestScores(t *testing.T) {
	t.Parallel()
	for score := -5; score <= 1000; score++ {
		body := decision("", `"score":`+strconv.Itoa(score))
		if score < -1 || score > 6 && score < 300 || score > 900 {
			if diff := cmp.Diff([]string{"/bureau_report/score out_of_range"}, refuse(t, body, Options{})); diff != "" {
				t.Errorf("score %d:\n%s", score, diff)
			}
			continue
		}
		want := map[string]string{"bureau_is_ntc": "true"}
		switch {
		case score >= 300:
			want = map[string]string{"bureau_is_ntc": "false", "bureau_score": strconv.Itoa(score)}
		case score >= 1:
			want["bureau_ntc_index"] = strconv.Itoa(score)
		}
		app := accept(t, body, Options{})
		if diff := cmp.Diff(want, canonicalFacts(app)); diff != "" {
			t.Errorf("score %d:\n%s", score, diff)
		}
		if got := app.Facts.Get("bureau_report.score").String(); got != strconv.Itoa(score) {
			t.Errorf("the raw score of %d is %s", score, got)
		}
	}
	// An integer must be whole as sent, not only after rounding.
	for _, bad := range []string{"742.5", "742.0000001", "299.9999999", "-0.5"} {
		if diff := cmp.Diff([]string{"/bureau_report/score out_of_range"},
			refuse(t, decision("", `"score":`+bad), Options{})); diff != "" {
			t.Errorf("score %s:\n%s", bad, diff)
		}
	}
	for _, good := range []string{"742.0", "7.42e2", "742.000000000000000000"} {
		if got := accept(t, decision("", `"score":`+good), Options{}).Facts.Get("bureau_score").String(); got != "742" {
			t.Errorf("score %s was read as %s", good, got)
		}
	}
}

func TestScoreIsRequiredUnlessTheCallerSaysOtherwise(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{}`:                               "/bureau_report/score required",
		`{"bureau_report":null}`:           "/bureau_report/score required",
		`{"bureau_report":{}}`:             "/bureau_report/score required",
		`{"bureau_report":{"score":null}}`: "/bureau_report/score required",
		`{"bureau":"cibil","report":{"cibil":{}}}`:      "/report/cibil/scoreData/score required",
		`{"bureau":"a/b","report":{"a/b":{}}}`:          "/report/a~1b/scoreData/score required",
		`{"bureau_report":7}`:                           "/bureau_report wrong_type",
		`{"bureau_report":{"score":"742"}}`:             "/bureau_report/score wrong_type",
		`{"bureau":"x","report":{"x":{"scoreData":7}}}`: "/report/x/scoreData wrong_type",
	} {
		if diff := cmp.Diff([]string{want}, refuse(t, body, Options{})); diff != "" {
			t.Errorf("%s:\n%s", body, diff)
		}
		if !strings.HasSuffix(want, "required") {
			continue
		}
		app := accept(t, body, Options{ScoreOptional: true})
		for _, name := range []string{"bureau_score", "bureau_is_ntc"} {
			if got := app.Facts.Get(name); got.Type() != rule.Absent {
				t.Errorf("%s: %s is %s, want it absent", body, name, got)
			}
		}
	}
}

func TestEmploymentTypes(t *testing.T) {
	t.Parallel()
	for sent, want := range map[string]string{
		"SALARIED": "SALARIED", "salaried": "SALARIED", " Salaried ": "SALARIED",
		"self employed": "SELF_EMPLOYED", "Self-Employed": "SELF_EMPLOYED", "self_employed": "SELF_EMPLOYED",
		"self  -  employed\tprofessional": "SELF_EMPLOYED_PROFESSIONAL", "Non Salaried": "NON_SALARIED",
		"unemployed": "UNEMPLOYED", "Retired": "RETIRED", "student": "STUDENT", "homemaker": "HOMEMAKER",
		"other": "OTHER",
	} {
		quoted := strconv.Quote(sent)
		for _, body := range []string{
			decision(`"employment_type":`+quoted, `"score":742`),
			evaluation(`,"demographics":{"employmentType":`+quoted+`}`, ""),
		} {
			app := accept(t, body, Options{})
			if got := app.Facts.Get("employment_type").Text(); got != want || len(app.Warnings) > 0 {
				t.Errorf("%q was read as %q with %v, want %q", sent, got, app.Warnings, want)
			}
		}
	}
	for _, sent := range []string{"", "-", "astronaut", "SALARIED2", "वेतनभोगी"} {
		app := accept(t, decision(`"employment_type":`+strconv.Quote(sent), `"score":742`), Options{})
		if got := app.Facts.Get("employment_type").Text(); got != "OTHER" {
			t.Errorf("%q was read as %q, want OTHER", sent, got)
		}
		if diff := cmp.Diff([]string{"/applicant/employment_type " + fault.CodeUnknownEmploymentType},
			lines(app.Warnings)); diff != "" {
			t.Errorf("%q:\n%s", sent, diff)
		}
	}
}

func TestBureaus(t *testing.T) {
	t.Parallel()
	for sent, want := range map[string]string{
		"cibil": "cibil", "CIBIL": "cibil", "TransUnion": "cibil", "experian": "experian", "Equifax": "equifax",
		"crif": "crif", "CRIF_HighMark": "crif", "acme": "acme", "Acme Bureau": "Acme Bureau",
		strings.Repeat("ब", 64): strings.Repeat("ब", 64), // the limit counts characters, not bytes
	} {
		app := accept(t, fmt.Sprintf(`{"bureau":%q,"report":{%[1]q:{"scoreData":{"score":742}}}}`, sent), Options{})
		if app.Bureau != want || app.Facts.Get("bureau").Text() != want {
			t.Errorf("%q was read as %q, want %q", sent, app.Bureau, want)
		}
		_, known := knownBureaus[strings.ToLower(sent)]
		if got := lines(app.Warnings); known != (len(got) == 0) ||
			!known && got[0] != "/bureau "+fault.CodeUnknownBureau {
			t.Errorf("%q: warnings %v", sent, got)
		}
	}
}

func TestReportMustBeTheBureausOwn(t *testing.T) {
	t.Parallel()
	const score = `{"scoreData":{"score":742}}`
	for _, c := range []struct {
		body string
		code string
		want []string
	}{
		{`{"bureau":"cibil","report":{"experian":` + score + `}}`,
			fault.CodeBureauReportMismatch, []string{"/report " + fault.CodeBureauReportMismatch}},
		{`{"bureau":"CIBIL","report":{"cibil":` + score + `}}`,
			fault.CodeBureauReportMismatch, []string{"/report " + fault.CodeBureauReportMismatch}},
		{`{"bureau":"cibil","report":{"cibil":` + score + `,"experian":` + score + `}}`,
			fault.CodeReportMustHaveOneKey, []string{"/report " + fault.CodeReportMustHaveOneKey}},
		{`{"bureau":"cibil","report":{}}`,
			fault.CodeReportMustHaveOneKey, []string{"/report " + fault.CodeReportMustHaveOneKey}},
		{`{"bureau":"cibil","report":{"cibil":null}}`,
			fault.CodeReportMustHaveOneKey, []string{"/report " + fault.CodeReportMustHaveOneKey}},
		{`{"bureau":"cibil"}`, fault.CodeInvalidField, []string{"/report required"}},
		{`{"report":{"cibil":` + score + `}}`, fault.CodeInvalidField, []string{"/bureau required"}},
		{`{"bureau":7,"report":{"cibil":` + score + `}}`, fault.CodeInvalidField, []string{"/bureau wrong_type"}},
		{`{"bureau":"","report":{"cibil":` + score + `}}`, fault.CodeInvalidField, []string{"/bureau out_of_range"}},
		{`{"bureau":"` + strings.Repeat("b", 65) + `","report":{"cibil":` + score + `}}`, fault.CodeInvalidField,
			[]string{"/bureau out_of_range"}},
		{`{"bureau":"cibil","report":[]}`, fault.CodeInvalidField, []string{"/report wrong_type"}},
		{`{"bureau":"cibil","report":{"cibil":742}}`, fault.CodeInvalidField, []string{"/report/cibil wrong_type"}},
		// A wrong key does not hide faults inside the report.
		{`{"bureau":"cibil","report":{"crif":{"scoreData":{"score":7}}}}`, fault.CodeBureauReportMismatch,
			[]string{"/report " + fault.CodeBureauReportMismatch, "/report/crif/scoreData/score out_of_range"}},
	} {
		if diff := cmp.Diff(c.want, refuse(t, c.body, Options{})); diff != "" {
			t.Errorf("%s:\n%s", c.body, diff)
		}
		var refusal *fault.Error
		if _, err := Read(parse(t, c.body), Options{}); !errors.As(err, &refusal) || refusal.Code != c.code {
			t.Errorf("%s: got the code of %v, want %s", c.body, err, c.code)
		}
	}
	// A null member counts as omitted, so the report has one key.
	accept(t, `{"bureau":"cibil","report":{"experian":null,"cibil":`+score+`}}`, Options{})
}

// TestNullIsAbsent checks that a null member is read like an omitted member, at every level.
func TestNullIsAbsent(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ with, without string }{
		{decision(`"id":null,"foir":null,"monthly_income":null,"employment_type":null,"employer":null`,
			`"score":742,"enquiries_6m":null`), decision("", `"score":742`)},
		{`{"applicant":null,"bureau_report":{"score":742},"policy_key":null,"whatever":null,"report":null,
			"bureau":null}`,
			decision("", `"score":742`)},
		{
			evaluation(`,"demographics":null,"incomeAssessment":{"foir":null},"accounts":null,"own":null`,
				`,"features":null,"device":null,"location":{"lat":null},"fraud":null,
					"bank_summary":{"transactions":null}`),
			evaluation("", ""),
		},
	} {
		with, without := accept(t, c.with, Options{}), accept(t, c.without, Options{})
		if diff := cmp.Diff(without.Facts.Sorted(), with.Facts.Sorted(),
			cmp.Comparer(func(a, b rule.Value) bool { return a == b })); diff != "" {
			t.Errorf("%s:\n%s", c.with, diff)
		}
		if len(with.Warnings) > 0 {
			t.Errorf("%s: warnings %v", c.with, with.Warnings)
		}
	}
}

func TestPolicyKey(t *testing.T) {
	t.Parallel()
	if got := accept(t, `{"policy_key":"gold","bureau_report":{"score":742}}`, Options{}).PolicyKey; got != "gold" {
		t.Errorf("policy_key was read as %q", got)
	}
	for _, bad := range []string{"7", `""`, `"` + strings.Repeat("k", 65) + `"`, "[]"} {
		if got := refuse(t, `{"policy_key":`+bad+`,"bureau_report":{"score":742}}`, Options{}); len(got) != 1 ||
			!strings.HasPrefix(got[0], "/policy_key ") {
			t.Errorf("policy_key %s: %v", bad, got)
		}
	}
}

func TestApplicantID(t *testing.T) {
	t.Parallel()
	if got := accept(t, decision(`"id":"A-1001"`, `"score":742`), Options{}).ApplicantID; got != "A-1001" {
		t.Errorf("applicant.id was read as %q", got)
	}
	if got := refuse(t, decision(`"id":1001`, `"score":742`), Options{}); len(got) != 1 {
		t.Errorf("a number as applicant.id: %v", got)
	}
	long := strings.Repeat("x", maxText+1)
	if diff := cmp.Diff([]string{"/applicant/id out_of_range"},
		refuse(t, decision(`"id":"`+long+`"`, `"score":742`), Options{})); diff != "" {
		t.Error(diff)
	}
}

// TestNotAnObject checks that a body that is not an object is rejected.
func TestNotAnObject(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"null", "7", `"x"`, "[]", "true"} {
		for name, read := range map[string]func(wire.Value, Options) (*Application, error){
			"Read":         Read,
			"ReadDecision": ReadDecision,
			"ReadEvaluate": ReadEvaluate,
		} {
			if _, err := read(parse(t, body), Options{}); err == nil {
				t.Errorf("%s took %s", name, body)
			}
		}
	}
}
