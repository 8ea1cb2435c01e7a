package report

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/civil"
	"verdict/internal/fault"
	"verdict/internal/wire"
)

var today = civil.DayOf(2026, time.November, 15)

// readBureau reads a report and returns its faults and warnings as lines,
// without the warnings about omitted figures.
func readBureau(tb testing.TB, bureau, body string) (h *History, faults, warnings []string) {
	tb.Helper()
	v, err := wire.Parse([]byte(body))
	if err != nil {
		tb.Fatalf("%v in %.300s", err, body)
	}
	var f, w fault.List
	h = ReadBureau(bureau, v, today, &f, &w)
	lines := func(list *fault.List) (out []string) {
		for _, it := range list.Items() {
			if !isGap(it.Code) {
				out = append(out, it.Pointer+" "+it.Code)
			}
		}
		return out
	}
	return h, lines(&f), lines(&w)
}

func commonAccount(members string) string { return `{"accounts":[{` + members + `}]}` }

func experianAccount(members string) string {
	return `{"CAIS_Account":{"CAIS_Account_DETAILS":[{` + members + `}]}}`
}

// TestBureauBadInput checks that bad input is a fault, or is read with a warning
// if its meaning is unambiguous.
func TestBureauBadInput(t *testing.T) {
	t.Parallel()
	const native = "/CAIS_Account/CAIS_Account_DETAILS/0/"
	for name, c := range map[string]struct {
		bureau, body string
		faults       []string
		warnings     []string
	}{
		"amount as text": {"x", commonAccount(`"currentBalance":"120000.50"`), nil,
			[]string{"/accounts/0/currentBalance read_as_number"}},
		"amount with commas": {"x", commonAccount(`"currentBalance":"1,20,000"`),
			[]string{"/accounts/0/currentBalance wrong_type"}, nil},
		"amount in words":      {"x", commonAccount(`"emi":"many"`), []string{"/accounts/0/emi wrong_type"}, nil},
		"amount as object":     {"x", commonAccount(`"emi":{}`), []string{"/accounts/0/emi wrong_type"}, nil},
		"amount with exponent": {"x", commonAccount(`"emi":"1e3"`), []string{"/accounts/0/emi wrong_type"}, nil},
		"amount too large": {"x", commonAccount(`"emi":1000000000001`), []string{"/accounts/0/emi out_of_range"},
			nil},
		"status that is true": {"x", commonAccount(`"status":true`), []string{"/accounts/0/status wrong_type"},
			nil},
		"empty text": {"x", commonAccount(`"emi":"","openDate":"","accountType":"","status":""`), nil,
			nil},
		"null": {"x", commonAccount(`"emi":null,"openDate":null,"accountType":null,"paymentHistory":null`), nil,
			nil},
		"negative instalment": {"x", commonAccount(`"emi":-0.01`), []string{"/accounts/0/emi out_of_range"}, nil},
		"negative sanction": {"x", commonAccount(`"sanctionedAmount":-1`),
			[]string{"/accounts/0/sanctionedAmount out_of_range"}, nil},
		"negative overdue": {"x", commonAccount(`"amountOverdue":-5`),
			[]string{"/accounts/0/amountOverdue out_of_range"}, nil},
		"overpaid": {"x", commonAccount(`"currentBalance":-5`), nil, nil},
		"negative enquiry": {"x", `{"enquiries":[{"date":"2026-01-01","amount":-1}]}`,
			[]string{"/enquiries/0/amount out_of_range"}, nil},
		"opened tomorrow": {"x", commonAccount(`"openDate":"2026-11-16"`), nil, nil},
		"opened the day after": {"x", commonAccount(`"openDate":"2026-11-17"`),
			[]string{"/accounts/0/openDate out_of_range"}, nil},
		"reported in the future": {"x", `{"reportDate":"2027-01-01"}`, []string{"/reportDate out_of_range"}, nil},
		"account of the future": {"x", commonAccount(`"dateReported":"2027-01-01"`),
			[]string{"/accounts/0/dateReported out_of_range"}, nil},
		"enquiry of the future": {"x", `{"enquiries":[{"date":"2026-12-01"}]}`,
			[]string{"/enquiries/0/date out_of_range"}, nil},
		"closed in the future": {"x", commonAccount(`"closedDate":"2027-01-01"`), nil,
			[]string{"/accounts/0/closedDate later_event_ignored"}},
		"paid in the future": {"x", commonAccount(`"paymentHistory":[{"month":"2026-12","dpd":0}]`), nil,
			[]string{"/accounts/0/paymentHistory/0 later_event_ignored"}},
		"no such day": {"x", commonAccount(`"openDate":"2026-02-29"`), []string{"/accounts/0/openDate invalid_field"},
			nil},
		"day first": {"x", commonAccount(`"openDate":"02-11-2026"`), []string{"/accounts/0/openDate invalid_field"},
			nil},
		"joined date": {"x", commonAccount(`"openDate":"20261102"`), nil,
			[]string{"/accounts/0/openDate read_as_date"}},
		"number as date": {"x", commonAccount(`"openDate":20261102`), []string{"/accounts/0/openDate wrong_type"},
			nil},
		"unknown type": {"x", commonAccount(`"accountType":"moon_loan"`), nil,
			[]string{"/accounts/0/accountType unknown_account_type"}},
		"type as list": {"x", commonAccount(`"accountType":["x"]`), []string{"/accounts/0/accountType wrong_type"},
			nil},
		"unknown status": {"x", commonAccount(`"status":"moon"`), nil,
			[]string{"/accounts/0/status unknown_account_status"}},
		"closed but active": {"x", commonAccount(`"status":"active","closedDate":"2026-01-01"`), nil,
			[]string{"/accounts/0/status status_contradicted"}},
		"said twice alike": {"x", commonAccount(`"emi":5,"emiAmount":5`), nil, nil},
		"said twice": {"x", commonAccount(`"emi":5,"emiAmount":6`), nil,
			[]string{"/accounts/0/emiAmount sent_twice"}},
		"month twice": {"x",
			commonAccount(`"paymentHistory":[{"month":"2026-01","dpd":0},{"month":"2026-01","dpd":9}]`), nil,
			[]string{"/accounts/0/paymentHistory sent_twice"}},
		"history as text": {"x", commonAccount(`"paymentHistory":"000"`),
			[]string{"/accounts/0/paymentHistory wrong_type"}, nil},
		"no such month": {"x", commonAccount(`"paymentHistory":[{"month":"2026-00","dpd":0}]`),
			[]string{"/accounts/0/paymentHistory/0/month invalid_field"}, nil},
		"month as number": {"x", commonAccount(`"paymentHistory":[{"month":202601,"dpd":0}]`),
			[]string{"/accounts/0/paymentHistory/0/month invalid_field"}, nil},
		"month left out": {"x", commonAccount(`"paymentHistory":[{"dpd":0}]`),
			[]string{"/accounts/0/paymentHistory/0/month required"}, nil},
		"days left out": {"x", commonAccount(`"paymentHistory":[{"month":"2026-01"}]`), nil,
			[]string{"/accounts/0/paymentHistory/0 days_past_due_missing"}},
		"days as text": {"x", commonAccount(`"paymentHistory":[{"month":"2026-01","dpd":"7"}]`), nil,
			[]string{"/accounts/0/paymentHistory/0/dpd read_as_number"}},
		"half a day": {"x", commonAccount(`"paymentHistory":[{"month":"2026-01","dpd":0.5}]`),
			[]string{"/accounts/0/paymentHistory/0/dpd out_of_range"}, nil},
		"too many days": {"x", commonAccount(`"paymentHistory":[{"month":"2026-01","dpd":10000}]`),
			[]string{"/accounts/0/paymentHistory/0/dpd out_of_range"}, nil},
		"owner as object": {"x", commonAccount(`"ownership":{"code":1}`), nil,
			[]string{"/accounts/0/ownership unknown_ownership"}},
		"owner in strange words": {"x", commonAccount(`"ownership":"hirer"`), nil,
			[]string{"/accounts/0/ownership unknown_ownership"}},
		"owner not told": {"x", commonAccount(`"ownership":null,"ownershipType":""`), nil, nil},
		"owner said twice": {"x", commonAccount(`"ownership":"joint","ownershipType":"guarantor"`), nil,
			[]string{"/accounts/0/ownershipType sent_twice"}},
		"write-off undated": {"x", commonAccount(`"status":"written off","writtenOffDate":"lately"`), nil,
			[]string{"/accounts/0/writtenOffDate adverse_date_unknown"}},
		"write-off day first": {"x", commonAccount(`"status":"written off","writtenOffDate":"02-11-2025"`), nil,
			[]string{"/accounts/0/writtenOffDate adverse_date_unknown"}},
		"write-off joined": {"x", commonAccount(`"status":"written off","writtenOffDate":"20251102"`), nil,
			[]string{"/accounts/0/writtenOffDate read_as_date"}},
		"settled later": {"x", commonAccount(`"status":"settled","settledDate":"2031-11-02"`), nil,
			[]string{"/accounts/0/settledDate later_event_ignored"}},
		"not written off": {"x", commonAccount(`"writtenOffDate":"lately"`), nil, nil},
		"paid by the moon": {"crif", `{"INDV-REPORT":{"RESPONSES":[{"LOAN-DETAILS":{"INSTALLMENT-AMT":"500/Lunar"}}]}}`,
			nil, []string{"/INDV-REPORT/RESPONSES/0/LOAN-DETAILS/INSTALLMENT-AMT instalment_rhythm_unknown"}},
		"paid weekly in words": {"crif",
			`{"INDV-REPORT":{"RESPONSES":[{"LOAN-DETAILS":{"INSTALLMENT-AMT":"lots/Weekly"}}]}}`,
			nil, []string{"/INDV-REPORT/RESPONSES/0/LOAN-DETAILS/INSTALLMENT-AMT instalment_rhythm_unknown"}},
		"accounts as object": {"x", `{"accounts":{}}`, []string{"/accounts wrong_type"}, nil},
		"account as text": {"x", `{"accounts":["a",null]}`,
			[]string{"/accounts/0 wrong_type", "/accounts/1 wrong_type"}, nil},
		"enquiry without date": {"x", `{"enquiries":[{"product":"credit_card"}]}`,
			[]string{"/enquiries/0/date required"}, nil},
		"unknown members": {"x", commonAccount(`"colour":"red","holder":{"name":"A"}`), nil,
			[]string{"/accounts/0/colour unknown_field", "/accounts/0/holder unknown_field"}},
		"profile too short": {"experian", experianAccount(`"Payment_History_Profile":"000","Date_Reported":"20261031"`),
			nil, []string{native + "Payment_History_Profile payment_history_length"}},
		"profile with an unknown member": {"experian",
			experianAccount(`"Payment_History_Profile":"0Z` + strings.Repeat("?", 34) + `","Date_Reported":"20261031"`),
			nil, []string{native + "Payment_History_Profile unknown_payment_code"}},
		"profile without date": {"experian", experianAccount(`"Payment_History_Profile":"` + strings.Repeat("0",
			36) + `"`), nil, []string{native + "Payment_History_Profile payment_history_undated"}},
		"profile too long": {"experian", experianAccount(`"Payment_History_Profile":"` + strings.Repeat("0",
			121) + `"`), []string{native + "Payment_History_Profile too_many"}, nil},
		"month that is none": {"experian",
			experianAccount(`"CAIS_Account_History":[{"Year":"2026","Month":"13","Days_Past_Due":"0"}]`), nil,
			[]string{native + "CAIS_Account_History/0 payment_month_unknown"}},
		"native amount in words": {"experian", experianAccount(`"Current_Balance":"lots"`),
			[]string{native + "Current_Balance wrong_type"}, nil},
		"native amounts": {"experian",
			experianAccount(`"Current_Balance":"1,20,000","Amount_Past_Due":"-","Open_Date":"00000000"`), nil, nil},
		"native groups": {"experian", experianAccount(`"Current_Balance":"1,2,0"`),
			[]string{native + "Current_Balance wrong_type"}, nil},
		"native enquiry undated": {"experian", `{"CAPS":{"CAPS_Application_Details":[{"Enquiry_Reason":"7"}]}}`,
			nil, []string{"/CAPS/CAPS_Application_Details/0 enquiry_undated"}},
		"native and common": {"experian", `{"accounts":[],"CAIS_Account":{"CAIS_Account_DETAILS":[]}}`,
			nil, []string{"/CAIS_Account/CAIS_Account_DETAILS sent_twice"}},
		"cells that do not add up": {"cibil",
			`{"consumerCreditData":{"accounts":[{"paymentHistory":"0000","dateReported":"31102026"}]}}`,
			nil, []string{"/consumerCreditData/accounts/0/paymentHistory payment_history_length"}},
		"minus one elsewhere": {"experian", experianAccount(`"Amount_Past_Due":-1`),
			[]string{native + "Amount_Past_Due out_of_range"}, nil},
		"paid weekly": {"crif", `{"INDV-REPORT":{"RESPONSES":[{"LOAN-DETAILS":{"INSTALLMENT-AMT":"500/Weekly"}}]}}`,
			nil, []string{"/INDV-REPORT/RESPONSES/0/LOAN-DETAILS/INSTALLMENT-AMT instalment_not_monthly"}},
	} {
		_, faults, warnings := readBureau(t, c.bureau, c.body)
		if diff := cmp.Diff(c.faults, faults); diff != "" {
			t.Errorf("%s, faults:\n%s", name, diff)
		}
		if diff := cmp.Diff(c.warnings, warnings); diff != "" {
			t.Errorf("%s, warnings:\n%s", name, diff)
		}
	}
}

// TestBureauLimits checks that a list of the maximum length is accepted and a
// longer list is not.
func TestBureauLimits(t *testing.T) {
	t.Parallel()
	list := func(n int, element string) string {
		return "[" + strings.TrimSuffix(strings.Repeat(element+",", n), ",") + "]"
	}
	for _, c := range []struct {
		name string
		most int
		body func(n int) string
		at   string
	}{
		{"accounts", MaxAccounts, func(n int) string { return `{"accounts":` + list(n, `{}`) + `}` }, "/accounts"},
		{"enquiries", MaxEnquiries,
			func(n int) string { return `{"enquiries":` + list(n, `{"date":"2026-01-01"}`) + `}` }, "/enquiries"},
		{"months", MaxMonths, func(n int) string {
			return commonAccount(`"paymentHistory":` + list(n, `{"month":"2026-01","dpd":0}`))
		}, "/accounts/0/paymentHistory"},
	} {
		if _, faults, _ := readBureau(t, "x", c.body(c.most)); len(faults) > 0 {
			t.Errorf("%d %s: %v", c.most, c.name, faults)
		}
		_, faults, _ := readBureau(t, "x", c.body(c.most+1))
		if diff := cmp.Diff([]string{c.at + " " + fault.CodeTooMany}, faults); diff != "" {
			t.Errorf("%d %s:\n%s", c.most+1, c.name, diff)
		}
	}
}

// TestBureauWarningsAreBounded checks that a thousand irregular accounts cause
// few warnings.
func TestBureauWarningsAreBounded(t *testing.T) {
	t.Parallel()
	account := `{"accountType":"x","status":"y","emi":"1","openDate":"20200101"},`
	_, faults, warnings := readBureau(t, "x",
		`{"accounts":[`+strings.TrimSuffix(strings.Repeat(account, MaxAccounts), ",")+`]}`)
	if len(faults) > 0 || len(warnings) != 4 {
		t.Errorf("faults %v, warnings %v", faults, warnings)
	}
}

// TestBureauSilence checks that a report without accounts, enquiries and a date
// gives no history.
func TestBureauSilence(t *testing.T) {
	t.Parallel()
	for _, bureau := range []string{"cibil", "experian", "equifax", "crif", "x", ""} {
		for _, body := range []string{`{}`, `{"scoreData":{"score":742}}`,
			`{"accounts":null,"enquiries":null,"reportDate":null}`} {
			if h, faults, warnings := readBureau(t, bureau, body); h != nil || faults != nil || warnings != nil {
				t.Errorf("%s %s: %v %v %v", bureau, body, h, faults, warnings)
			}
		}
	}
}

func TestScore(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		bureau, body string
		want         int64
	}{
		{"experian", `{"SCORE":{"BureauScore":"688"}}`, 688},
		{"experian", `{"INProfileResponse":{"SCORE":{"BureauScore":688}}}`, 688},
		{"experian", `{"INProfileResponse":{"SCORE":{"FCIREXScore":"5"}}}`, 5},
		{"cibil", `{"consumerCreditData":[{"scores":[{"scoreName":"CIBILTUSC3","score":"00731"}]}]}`, 731},
		{"cibil", `{"consumerCreditData":[{"scores":[{"scoreName":"CIBILTUSC3","score":"000-1"}]}]}`, -1},
		{"cibil", `{"scores":[{"scoreName":"PLSCORE","score":"00500"},{"scoreName":"CIBILTUSC4","score":"00000"}]}`, 0},
		{"equifax", `{"CCRResponse":{"CIRReportDataLst":[{"CIRReportData":{"ScoreDetails":[{"Type":"MRS","Value":"1"},
			{"Type":"ERS","Value":"702"}]}}]}}`,
			702},
		{"equifax", `{"CIRReportData":{"ScoreDetails":[{"Value":702}]}}`, 702},
		{"crif", `{"INDV-REPORTS":[{"INDV-REPORT":{"SCORES":[{"SCORE-VALUE":"655"}]}}]}`, 655},
		{"crif", `{"indv_report":{"scores":{"score":[{"score_value":655}]}}}`, 655},
	} {
		v, err := wire.Parse([]byte(c.body))
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := ScoreNumber(Score(c.bureau, v)); !ok || got != c.want {
			t.Errorf("%s %s: score %d (%t), want %d", c.bureau, c.body, got, ok, c.want)
		}
	}
	for _, bureau := range []string{"cibil", "experian", "equifax", "crif", "x"} {
		v, err := wire.Parse([]byte(`{"scoreData":{"score":742},"SCORE":{},"scores":[],"ScoreDetails":""}`))
		if err != nil {
			t.Fatal(err)
		}
		if s := Score(bureau, v); s.Given() {
			t.Errorf("%s: found %s", bureau, s.Pointer())
		}
	}
	for _, text := range []string{`""`, `"-"`, `"7x"`, `742.5`, `"99999999"`, `true`, `"1-1"`} {
		v, err := wire.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if n, ok := ScoreNumber(v); ok {
			t.Errorf("%s was read as %d", text, n)
		}
	}
}

// TestBureauSpellings checks that member names of a bureau's own layout may
// have any case and separators, and that the enclosing keys are optional.
func TestBureauSpellings(t *testing.T) {
	t.Parallel()
	account := func(h *History) string {
		if h == nil || len(h.Accounts) != 1 {
			return "no account"
		}
		a := &h.Accounts[0]
		return fmt.Sprint(a.Product, a.Opened, a.BalancePaise, a.Live)
	}
	want := fmt.Sprint(PersonalLoan, civil.DayOf(2024, time.February, 11), 12_000_000, true)
	for _, c := range []struct{ bureau, body string }{
		{"x", `{"accounts":[{"accountType":"personal loan","openDate":"2024-02-11","currentBalance":120000}]}`},
		{"x", `{"accounts":[{"loanType":"personal loan","dateOpened":"2024-02-11","balance":120000}]}`},
		{"cibil", `{"accounts":[{"accountType":"05","openDate":"2024-02-11","currentBalance":120000}]}`},
		{"experian",
			`{"inProfileResponse":{"caisAccount":{"caisAccountDetails":[{"accountType":"5","openDate":"20240211",
				"currentBalance":"120000"}]}}}`},
		{"experian",
			`{"CAIS_Account":{"CAIS_Account_DETAILS":{"Account_Type":"05","Open_Date":20240211,
				"Current_Balance":120000}}}`},
		{"cibil",
			`{"consumer_credit_data":[{"accounts":[{"account_type":"05","date_opened":"11022024",
				"current_balance":120000}]}]}`},
		{"cibil",
			`{"consumerCreditData":[{"accounts":[{"accountType":5,"dateOpened":"2024-02-11",
				"currentBalance":"120000"}]}]}`},
		{"cibil", `{"tuefHeader":{},"accounts":[{"accountType":"05","dateOpened":11022024,"currentBalance":120000}]}`},
		{"equifax",
			`{"CIRReportData":{"RetailAccountDetails":[{"AccountType":"Personal Loan","DateOpened":"2024-02-11",
				"Balance":"120000","Open":"Yes"}]}}`},
		{"equifax",
			`{"ccrResponse":{"cirReportDataLst":[{"cirReportData":{}},
				{"cirReportData":{"retailAccountDetails":[{"accountType":"Personal Loan","dateOpened":"2024-02-11",
					"balance":"120000"}]}}]}}`},
		{"crif",
			`{"B2C-REPORT":{"RESPONSES":[{"RESPONSE":{"LOAN-DETAILS":{"ACCT-TYPE":"Personal Loan",
				"DISBURSED-DT":"11-02-2024","CURRENT-BAL":"1,20,000"}}}]}}`},
		{"crif",
			`{"RESPONSES":{"RESPONSE":[{"LOAN-DETAILS":{"ACCT-TYPE":"Personal Loan","DISBURSED-DT":"11/02/2024",
				"CURRENT-BAL":"1,20,000"}}]}}`},
	} {
		h, faults, warnings := readBureau(t, c.bureau, c.body)
		if got := account(h); got != want || faults != nil || warnings != nil {
			t.Errorf("%s %s:\ngot %s, want %s, faults %v, warnings %v", c.bureau, c.body, got, want, faults, warnings)
		}
	}
}

// TestMisspeltMonth checks that an unknown member of a month causes a warning.
// Without the warning, a misspelt member could hide a late month.
func TestMisspeltMonth(t *testing.T) {
	t.Parallel()
	v, err := wire.Parse([]byte(`{"accounts":[{"accountType":"personal_loan","openDate":"2025-01-02","status":"active",
		"paymentHistory":[{"month":"2026-10","Dpd":95},{"month":"2026-09","dpd":0}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	var faults, warnings fault.List
	ReadBureau("cibil", v, civil.DayOf(2026, 11, 15), &faults, &warnings)
	found := false
	for _, w := range warnings.Items() {
		found = found || w.Pointer == "/accounts/0/paymentHistory/0/Dpd" && w.Code == fault.CodeUnknownField
	}
	if !found {
		t.Errorf("warned of %v", warnings.Items())
	}
}

// bureauBody returns a report of one live personal loan with additional
// members.
func bureauBody(bureau, members string) string {
	for i := range bureauShapes {
		if s := &bureauShapes[i]; s.bureau == bureau {
			account := "{" + s.account["type"] + "," + s.account["opened"] + "," + members + "}"
			if bureau == "crif" {
				account = `{"LOAN-DETAILS":` + account + "}"
			}
			return s.wrap(account)
		}
	}
	panic("no such bureau")
}

// hasCode reports whether a line that readBureau returned ends with the code.
func hasCode(line, code string) bool { return strings.HasSuffix(line, " "+code) }
