package application

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/fault"
	"verdict/internal/wire"
)

// TestHintsByMeaning checks that synonyms are suggested, and that a short name is
// not suggested for an unrelated short name.
func TestHintsByMeaning(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		body string
		want []string
	}{
		{
			evaluation("", `,"location":{"pincode":"560001","latitude":1,"longitude":2}`),
			[]string{"/location/pincode declared_pincode", "/location/latitude lat", "/location/longitude lng"},
		},
		{evaluation(`,"demographics":{"name":"A"}`, ""), []string{"/report/cibil/demographics/name"}},
		{decision(`"name":"A","tenure":5`, `"score":742`),
			[]string{"/applicant/name", "/applicant/tenure tenure_months"}},
		{evaluation(`,"tenure":12`, `,"tenure":12`),
			[]string{"/tenure report.requestedTenureMonths", "/report/cibil/tenure requestedTenureMonths"}},
		{evaluation("", `,"fraud":{"applicant_ref":"A-1","account":"50100044554321"}`),
			[]string{"/fraud/account beneficiary_account"}},
		{evaluation("", `,"score_data":{"score":1}`), []string{"/score_data report.scoreData"}},
		{evaluation(`,"score_data":{"score":1}`, ""),
			[]string{"/report/cibil/score_data/score report.scoreData.score"}},
		{
			evaluation(`,"incomeAssessment":{"requestedAmount":5}`, ""),
			[]string{"/report/cibil/incomeAssessment/requestedAmount report.requestedAmount"},
		},
	} {
		app := accept(t, c.body, Options{Today: today})
		if diff := cmp.Diff(c.want, hints(app.Warnings)); diff != "" {
			t.Errorf("%s:\n%s", c.body, diff)
		}
	}
	app := accept(t, evaluation(`,"incomeAssessment":{"requestedAmount":5}`, ""), Options{Today: today})
	if text := app.Warnings[0].Detail; !strings.Contains(text, "belongs beside incomeAssessment") {
		t.Errorf("says %s", text)
	}
}

// TestUnknownBureauIsHinted checks that the warning about an unknown bureau
// lists the known bureaus and suggests the nearest one.
func TestUnknownBureauIsHinted(t *testing.T) {
	t.Parallel()
	for name, nearest := range map[string]string{"experien": "experian", "CRIF-Highmark": "crif_highmark", "moon": ""} {
		app := accept(t, `{"bureau":"`+name+`","report":{"`+name+`":{"scoreData":{"score":742}}}}`,
			Options{Today: today})
		w := app.Warnings[0]
		if w.Code != fault.CodeUnknownBureau || w.Nearest != nearest || !strings.Contains(w.Detail,
			"cibil, crif, crif_highmark, equifax, experian") {
			t.Errorf("%s: %+v", name, w)
		}
	}
}

// TestRefusalsHint checks that a rejection also reports misspelt members, because
// a misspelt member is often the cause of the rejection.
func TestRefusalsHint(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"applicant":{"foir":0.2},"bureau_repot":{"score":742}}`:         "/bureau_repot bureau_report",
		`{"applicant":{"foir":0.2},"bureau_report":{"bureau_score":742}}`: "/bureau_report/bureau_score score",
		`{"score":742}`: "/score bureau_report.score",
		`{"bureau":"cibil",` +
			`"report":{"cibil":{"score_data":{"score":742}}}}`: "/report/cibil/score_data/score report.scoreData.score",
		`{"bureau":"cibil","report":{"cibil":{"scoreData":{"score":742},` +
			`"accounts":[{"emi":"x","accountTyp":"05"}]}}}`: "/report/cibil/accounts/0/accountTyp accountType",
	} {
		_, err := Read(parse(t, body), Options{Today: today})
		var refusal *fault.Error
		if !errors.As(err, &refusal) {
			t.Fatalf("%s: %v", body, err)
		}
		items := refusal.Items
		if got := hints(items); !slices.Contains(got, want) || items[0].Code == fault.CodeUnknownField {
			t.Errorf("%s: %v, want %s", body, got, want)
		}
	}
	if got := refuse(t, decision(`"shoe":9`, `"score":5000`), Options{}); len(got) != 1 {
		t.Errorf("a member that resembles none is told: %v", got)
	}
}

// TestFormattedNumbers checks that a number that is written for people is refused with the way to write it, and that
// other texts are refused without it.
func TestFormattedNumbers(t *testing.T) {
	t.Parallel()
	const hint = "write the number alone, such as 50000"
	for _, c := range []struct {
		value string
		hint  bool
	}{
		{`"50,000"`, true}, {`" ₹ 50,000.50 "`, true}, {`"50000"`, true}, {`"12%"`, true}, {`"1,5"`, false},
		{`"fifty"`, false}, {`""`, false}, {`true`, false},
	} {
		v, err := wire.Parse([]byte(decision(`"monthly_income":`+c.value, `"score":742`)))
		if err != nil {
			t.Fatal(err)
		}
		_, err = Read(v, Options{Today: today})
		if err == nil || !strings.Contains(err.Error(), "/applicant/monthly_income") ||
			strings.Contains(err.Error(), hint) != c.hint || strings.Contains(err.Error(), "50,000") {
			t.Errorf("%s is refused with %v", c.value, err)
		}
	}
}
