package application

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/civil"
	"verdict/internal/fault"
	"verdict/internal/rule"
)

var today = civil.DayOf(2026, 11, 15)

const (
	listed = `,
		"accounts":[{"accountType":"personal_loan","openDate":"2024-02-11","status":"active","sanctionedAmount":200000,
		"currentBalance":120000,"amountOverdue":0,"emi":6900,"paymentHistory":[{"month":"2026-10","dpd":31}]}],
		"enquiries":[{"date":"2026-09-03","product":"personal_loan","amount":100000}]`
	statement = `,"bank_summary":{"income":60000,"transactions":[
		{"date":"2026-10-01","type":"CREDIT","mode":"FT","amount":62000,"balance":71250.4,
			"narration":"NEFT SALARY ACME LTD"}]}`
)

func TestHistoryAndStatementBecomeFacts(t *testing.T) {
	t.Parallel()
	app := accept(t, evaluation(listed, statement+`,"features":true`), Options{Today: today})
	for name, want := range map[string]string{
		"enquiries_6m": "1", "active_tradelines": "1", "max_dpd_12m": "31", "bureau_total_emi": "6900",
		"bank_income": "60000", "bank_salary_months": "1", "bank_statement_age_days": "45",
	} {
		if got := app.Facts.Get(name).String(); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	if app.History == nil || app.Statement == nil || !app.WantsFeatures || app.AsOf != today {
		t.Errorf("history %v, statement %v, features %t as of %s",
			app.History, app.Statement, app.WantsFeatures, app.AsOf)
	}
	if len(app.Warnings) > 0 {
		t.Errorf("warnings %v", app.Warnings)
	}
	if app := accept(t, evaluation(`,"reportDate":"2026-11-10"`, ""), Options{Today: today}); app.AsOf != today-5 {
		t.Errorf("as of %s, not of the report's date", app.AsOf)
	}
}

// TestNoDayToCountFrom checks that without a reference day only the facts that
// need one are absent.
func TestNoDayToCountFrom(t *testing.T) {
	t.Parallel()
	app := accept(t, evaluation(listed, statement), Options{})
	for name, there := range map[string]bool{"enquiries_6m": false, "bank_salary_months": false, "bank_income": true} {
		if got := app.Facts.Get(name); (got.Type() != rule.Absent) != there {
			t.Errorf("%s is %s", name, got)
		}
	}
	if diff := cmp.Diff([]string{"/report/cibil " + fault.CodeNotRead, "/bank_summary " + fault.CodeNotRead},
		lines(app.Warnings)); diff != "" {
		t.Error(diff)
	}
	dated := accept(t, evaluation(listed+`,"reportDate":"2026-11-10"`, statement), Options{})
	if got := dated.Facts.Get("enquiries_6m").String(); got != "1" || len(dated.Warnings) > 0 {
		t.Errorf("with the report's date: %s, %v", got, dated.Warnings)
	}
}

func TestBadListsAreNamed(t *testing.T) {
	t.Parallel()
	many := `,"bank_summary":{"transactions":[` + strings.TrimSuffix(strings.Repeat("0,", 20_001), ",") + `]}`
	for body, want := range map[string]string{
		evaluation("", many): "/bank_summary/transactions " + fault.CodeTooMany,
		evaluation("",
			`,"bank_summary":{"transactions":7}`): "/bank_summary/transactions " + fault.CodeWrongType,
		evaluation(`,"enquiries":[{"date":"2027-01-01"}]`,
			""): "/report/cibil/enquiries/0/date " + fault.CodeOutOfRange,
		evaluation("",
			`,"bank_summary":{"transactions":[{"date":"2026-10-01","type":"DEBIT",`+
				`"amount":"much"}]}`): "/bank_summary/transactions/0/amount " +
			fault.CodeWrongType,
		evaluation("", `,"features":"yes"`): "/features " + fault.CodeWrongType,
	} {
		if got := refuse(t, body, Options{Today: today}); len(got) != 1 || got[0] != want {
			t.Errorf("got %v, want %s", got, want)
		}
	}
}

// TestNativeLayout checks that the score is read from a report in the bureau's
// own layout, that its many unknown members cause no warnings, and that
// declared members become facts.
func TestNativeLayout(t *testing.T) {
	t.Parallel()
	body := `{"bureau":"experian",
		"report":{"experian":{"INProfileResponse":{"SCORE":{"BureauScore":"742","BureauScoreConfidLevel":"H"},
		"CreditProfileHeader":{"ReportDate":"20261110","Version":"V2.4"},
		"CAPS":{"CAPS_Summary":{"CAPSLast180Days":"3"}}}}}}`
	app := accept(t, body, Options{Today: today, Inputs: map[string]rule.Type{
		"report.INProfileResponse.SCORE.BureauScoreConfidLevel": rule.StringType,
	}})
	for name, want := range map[string]string{
		"bureau_score": "742", "report.scoreData.score": "742", "enquiries_6m": "3", "bureau_report_age_days": "5",
		"report.INProfileResponse.SCORE.BureauScoreConfidLevel": "H",
	} {
		if got := app.Facts.Get(name).String(); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	if len(app.Warnings) > 0 {
		t.Errorf("warnings %v", app.Warnings)
	}
	wrong := strings.Replace(body, `"742"`, `"high"`, 1)
	if diff := cmp.Diff([]string{"/report/experian/INProfileResponse/SCORE/BureauScore out_of_range"},
		refuse(t, wrong, Options{Today: today})); diff != "" {
		t.Error(diff)
	}
}

// TestLaterThanFeatures checks that events later than the day of the features
// cause a warning if, and only if, features are measured.
func TestLaterThanFeatures(t *testing.T) {
	t.Parallel()
	const later = `,"reportDate":"2026-11-10",
		"accounts":[{"accountType":"personal_loan","openDate":"2026-11-12"},
			{"accountType":"personal_loan","openDate":"2026-11-10"}],
		"enquiries":[{"date":"2026-11-11","product":"personal_loan"},{"date":"2026-11-12","product":"credit_card"},
			{"date":"2026-11-10","product":"credit_card"}]`
	const bank = `,"bank_summary":{"transactions":[{"date":"2026-11-10","type":"DEBIT","amount":1},
		{"date":"2026-11-13","type":"DEBIT","amount":1}]}`
	opt := Options{Today: today}
	if app := accept(t, evaluation(later, bank), opt); len(app.Warnings) != 1 ||
		app.Warnings[0].Code != "later_than_report" {
		t.Errorf("without features: %v", app.Warnings)
	}
	app := accept(t, evaluation(later, bank+`,"features":true`), opt)
	want := []string{
		"/report later_event the features leave out accounts that are dated after 2026-11-10, the day from which " +
			"features are counted back; their number is 1",
		"/report later_event the features leave out enquiries that are dated after 2026-11-10, the day from which " +
			"features are counted back; their number is 2",
		"/bank_summary/transactions later_event the features leave out transactions that are dated after 2026-11-10, " +
			"the day from which features are counted back; their number is 1",
	}
	got := []string{}
	for _, w := range app.Warnings {
		if w.Code != "later_than_report" {
			got = append(got, w.Pointer+" "+w.Code+" "+w.Detail)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

// TestLaterMicrofinance checks the warning about later events for accounts of Equifax's microfinance list, and for
// closings and lenders' notes after the report date.
func TestLaterMicrofinance(t *testing.T) {
	t.Parallel()
	body := `{"bureau":"equifax","features":true,
		"report":{"equifax":{"reportDate":"2026-11-10","scoreData":{"score":742},
		"RetailAccountDetails":[{"AccountType":"Personal Loan","DateOpened":"2024-11-12","DateClosed":"2026-11-12",
			"Balance":"0"}],
		"MicrofinanceAccountDetails":[{"DateOpened":"2026-11-12","Balance":"5"},
			{"DateOpened":"2026-01-12","Balance":"5","PastDueAmount":"5","DateReported":"2026-11-13"}]}}}`
	app := accept(t, body, Options{Today: today})
	var got []string
	for _, w := range app.Warnings {
		if w.Code == fault.CodeLaterEvent {
			got = append(got, w.Detail)
		}
	}
	want := []string{
		"the features leave out accounts that are dated after 2026-11-10, the day from which features are counted " +
			"back; their number is 1",
		"the features leave out closings and lenders' notes of accounts that are dated after 2026-11-10, the day " +
			"from which features are counted back; their number is 2",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

// TestDeviceWithoutFraud checks that there is a warning if a device id is sent
// without a fraud block, because the id is then not used.
func TestDeviceWithoutFraud(t *testing.T) {
	t.Parallel()
	for blocks, want := range map[string]string{
		`,"device":{"device_id":"d-1"}`:                                 "/device/device_id",
		`,"device":{"device_id":"d-1"},"fraud":{"applicant_ref":"A-1"}`: "",
		`,"device":{"is_rooted":false}`:                                 "",
	} {
		if got := pointerOf(accept(t, evaluation("", blocks), Options{}).Warnings, fault.CodeNotRead); got != want {
			t.Errorf("%s: warned of %q, want %q", blocks, got, want)
		}
	}
}
