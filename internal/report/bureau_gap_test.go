package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/fault"
	"verdict/internal/wire"
)

func isGap(code string) bool {
	return slices.ContainsFunc(gapTexts[:], func(text struct {
		code, text string
		always     bool
	},
	) bool {
		return text.code == code
	})
}

// gapsOf reads a report and returns the warnings about omitted figures.
func gapsOf(t *testing.T, bureau, body string) (lines []string) {
	t.Helper()
	v, err := wire.Parse([]byte(body))
	if err != nil {
		t.Fatalf("%v in %.300s", err, body)
	}
	var faults, warnings fault.List
	ReadBureau(bureau, v, today, &faults, &warnings)
	if faults.Len() > 0 {
		t.Fatalf("refused: %v", faults.Items())
	}
	for _, it := range warnings.Items() {
		if isGap(it.Code) {
			lines = append(lines, it.Pointer+" "+it.Code)
		}
	}
	return lines
}

// bureauShape describes how one layout writes a list of accounts and their
// figures.
type bureauShape struct {
	bureau, at string
	wrap       func(accounts string) string
	account    map[string]string // members by figure
}

var bureauShapes = []bureauShape{
	{"x", "/accounts/%d", func(list string) string { return `{"accounts":[` + list + `]}` }, map[string]string{
		"type": `"accountType":"personal_loan"`, "opened": `"openDate":"2024-02-11"`, "active": `"status":"active"`,
		"closed": `"status":"closed"`, "balance": `"currentBalance":120000`, "overdue": `"amountOverdue":500`,
		"emi": `"emi":6900`, "history": `"paymentHistory":[{"month":"2026-10","dpd":0}]`,
	}},
	{"experian", "/CAIS_Account/CAIS_Account_DETAILS/%d", func(list string) string {
		return `{"CAIS_Account":{"CAIS_Account_DETAILS":[` + list + `]}}`
	}, map[string]string{
		"type": `"Account_Type":"05"`, "opened": `"Open_Date":"20240211"`, "active": `"Account_Status":"11"`,
		"closed": `"Account_Status":"13"`, "balance": `"Current_Balance":"120000"`,
		"overdue": `"Amount_Past_Due":"500"`, "emi": `"Scheduled_Monthly_Payment_Amount":"6900"`,
		"history": `"CAIS_Account_History":[{"Year":"2026","Month":"10","Days_Past_Due":"0"}]`,
	}},
	{"cibil", "/consumerCreditData/accounts/%d", func(list string) string {
		return `{"consumerCreditData":{"accounts":[` + list + `]}}`
	}, map[string]string{
		"type": `"accountType":"05"`, "opened": `"dateOpened":"11022024"`, "active": `"lastPaymentDate":"01102026"`,
		"closed": `"dateClosed":"01092026"`, "balance": `"currentBalance":120000`, "overdue": `"amountOverdue":500`,
		"emi": `"emiAmount":6900`, "history": `"paymentHistory":"000","dateReported":"31102026"`,
	}},
	{"equifax", "/RetailAccountDetails/%d",
		func(list string) string { return `{"RetailAccountDetails":[` + list + `]}` }, map[string]string{
			"type": `"AccountType":"Personal Loan"`, "opened": `"DateOpened":"2024-02-11"`, "active": `"Open":"Yes"`,
			"closed": `"Open":"No"`, "balance": `"Balance":"120000"`, "overdue": `"PastDueAmount":"500"`,
			"emi": `"InstallmentAmount":"6900"`, "history": `"History48Months":[{"key":"10-26","PaymentStatus":"000"}]`,
		}},
	{"crif", "/INDV-REPORT/RESPONSES/%d/LOAN-DETAILS", func(list string) string {
		return `{"INDV-REPORT":{"RESPONSES":[` + list + `]}}`
	}, map[string]string{
		"type": `"ACCT-TYPE":"Personal Loan"`, "opened": `"DISBURSED-DATE":"11-02-2024"`,
		"active": `"ACCOUNT-STATUS":"Active"`, "closed": `"ACCOUNT-STATUS":"Closed"`,
		"balance": `"CURRENT-BAL":"1,20,000"`, "overdue": `"OVERDUE-AMT":"500"`,
		"emi": `"INSTALLMENT-AMT":"6,900/Monthly"`, "history": `"COMBINED-PAYMENT-HISTORY":"Oct:2026,000/STD|"`,
	}},
}

func (s *bureauShape) report(accounts ...[]string) string {
	list := make([]string, len(accounts))
	for i, figures := range accounts {
		members := make([]string, len(figures))
		for j, figure := range figures {
			members[j] = s.account[figure]
		}
		list[i] = "{" + strings.Join(members, ",") + "}"
		if s.bureau == "crif" {
			list[i] = `{"LOAN-DETAILS":` + list[i] + "}"
		}
	}
	return s.wrap(strings.Join(list, ","))
}

// TestAccountGaps checks, in every layout, the warnings about two kinds of accounts: an account that omits a figure
// which another account states, and a closed account that still states a debt.
func TestAccountGaps(t *testing.T) {
	t.Parallel()
	full := []string{"type", "opened", "active", "balance", "overdue", "emi", "history"}
	without := func(figure string) []string {
		return slices.DeleteFunc(slices.Clone(full), func(f string) bool { return f == figure })
	}
	for _, shape := range bureauShapes {
		second := fmt.Sprintf(shape.at, 1)
		for name, c := range map[string]struct {
			second []string
			want   []string
		}{
			"nothing left out": {full, nil},
			"type":             {without("type"), []string{second + " account_type_missing"}},
			"opened":           {without("opened"), []string{second + " open_date_missing"}},
			"balance":          {without("balance"), []string{second + " balance_missing"}},
			"overdue":          {without("overdue"), []string{second + " overdue_missing"}},
			"instalment":       {without("emi"), []string{second + " instalment_missing"}},
			"payment history":  {without("history"), []string{second + " payment_history_missing"}},
			"closed with a debt": {
				[]string{"type", "opened", "closed", "balance", "history"},
				[]string{second + " closed_but_owed"},
			},
			"closed with an overdue": {
				[]string{"type", "opened", "closed", "overdue", "history"},
				[]string{second + " closed_but_owed"},
			},
			"closed with instalments": {
				[]string{"type", "opened", "closed", "emi", "history"},
				[]string{second + " closed_but_owed"},
			},
			"closed": {[]string{"type", "opened", "closed", "history"}, nil},
		} {
			if diff := cmp.Diff(c.want, gapsOf(t, shape.bureau, shape.report(full, c.second))); diff != "" {
				t.Errorf("%s, %s:\n%s", shape.bureau, name, diff)
			}
		}
	}
}

// TestAccountGapsCommon checks that an omitted figure is reported if a sum
// would count it as 0, but not if the report itself states 0.
func TestAccountGapsCommon(t *testing.T) {
	t.Parallel()
	const card = `"accountType":"credit_card","openDate":"2024-02-11","status":"active","currentBalance":40000,
		"amountOverdue":0`
	const loan = `"accountType":"personal_loan","openDate":"2024-02-11","status":"active","currentBalance":90000,
		"amountOverdue":0`
	for name, c := range map[string]struct {
		accounts string
		want     []string
	}{
		"no account states it": {`{` + loan + `}`, nil},
		"a card has an instalment": {`{` + loan + `},{` + card + `,"creditLimit":50000}`,
			[]string{"/accounts/0 instalment_missing"}},
		"nothing is owed": {
			`{"accountType":"personal_loan","openDate":"2024-02-11","currentBalance":0,"amountOverdue":0},{` +
				loan +
				`,"emi":5}`,
			nil,
		},
		"a card without a limit": {`{` + card + `}`, []string{"/accounts/0 card_limit_missing"}},
		"no type at all": {`{"openDate":"2024-02-11","currentBalance":1,"accountType":""}`,
			[]string{"/accounts/0 account_type_missing"}},
		"instalments of the past": {
			`{"accountType":"personal_loan","openDate":"2024-02-11","status":"closed","currentBalance":0,"emi":5}`,
			nil,
		},
		"written off": {
			`{"accountType":"personal_loan","openDate":"2024-02-11","status":"written off","currentBalance":5}`,
			nil,
		},
		"sold": {`{"accountType":"personal_loan","openDate":"2024-02-11","status":"sold","currentBalance":5}`,
			[]string{"/accounts/0 closed_but_owed"}},
		"history of a new account": {`{` + loan +
			`,"paymentHistory":[{"month":"2026-10","dpd":0}]},{"accountType":"personal_loan","openDate":"2026-10-20",` +
			`"status":"active","currentBalance":1,"amountOverdue":0}`,
			nil},
		"history of long ago": {`{` + loan +
			`,"paymentHistory":[{"month":"2026-10","dpd":0}]},` +
			`{"accountType":"personal_loan","openDate":"2016-10-20","closedDate":"2019-01-01"}`,
			nil},
		"history without days": {`{` + loan + `,"paymentHistory":[{"month":"2026-10","dpd":0}]},{` + loan +
			`,"paymentHistory":[{"month":"2026-10"}]}`, []string{"/accounts/1 payment_history_missing"}},
		"another's account is a gap": {`{` + loan + `,"ownership":"guarantor"},{` + loan + `,"emi":5}`,
			[]string{"/accounts/0 instalment_missing"}},
	} {
		if diff := cmp.Diff(c.want, gapsOf(t, "x", `{"accounts":[`+c.accounts+`]}`)); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
	got := gapsOf(t, "x", `{"enquiries":[{"date":"2026-09-03","product":"personal_loan"},{"date":"2026-09-04"}]}`)
	if diff := cmp.Diff([]string{"/enquiries/1 enquiry_product_missing"}, got); diff != "" {
		t.Errorf("enquiry:\n%s", diff)
	}
}

// TestAccountGapsAreBounded checks that only the first few accounts with a gap
// are named in warnings, and that the others are counted.
func TestAccountGapsAreBounded(t *testing.T) {
	t.Parallel()
	const have = `{"accountType":"personal_loan","status":"active","emi":5}`
	const lack = `{"accountType":"personal_loan","status":"active"}`
	v, err := wire.Parse([]byte(`{"accounts":[` + have + strings.Repeat(","+lack, 40) + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	var faults, warnings fault.List
	ReadBureau("x", v, today, &faults, &warnings)
	items := warnings.Items()
	if len(items) != maxPlaces {
		t.Fatalf("%d warnings, want %d", len(items), maxPlaces)
	}
	if last := items[maxPlaces-1]; last.Pointer != "/accounts/5" || !strings.HasSuffix(last.Detail,
		"; this applies to 35 more entries of the report") {
		t.Errorf("the last one: %s %s", last.Pointer, last.Detail)
	}
}
