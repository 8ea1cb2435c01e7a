package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/fault"
	"verdict/internal/wire"
)

// TestUnreadLists checks the warnings about lists of accounts or enquiries that
// are not read.
func TestUnreadLists(t *testing.T) {
	t.Parallel()
	const cibilReport = `{"accounts":[{"accountType":"05"}],"enquiries":[{"enquiryDate":"01102026"}]}`
	const second = " not_read"
	for name, c := range map[string]struct {
		bureau, body string
		want         []string
	}{
		"one": {"cibil", `{"consumerCreditData":[` + cibilReport + `]}`, nil},
		"two": {
			"cibil", `{"consumerCreditData":[` + cibilReport + `,` + cibilReport + `]}`,
			[]string{"/consumerCreditData/1/accounts" + second},
		},
		"empty": {"cibil", `{"consumerCreditData":[` + cibilReport + `,{"accounts":[],"enquiries":[]}]}`, nil},
		"equifax": {
			"equifax",
			`{"CCRResponse":{"CIRReportDataLst":[
				{"CIRReportData":{"RetailAccountDetails":[{"AccountType":"Personal Loan"}]}},
				{"CIRReportData":{"RetailAccountDetails":[{"AccountType":"Personal Loan"}]}}]}}`,
			[]string{"/CCRResponse/CIRReportDataLst/1/CIRReportData/RetailAccountDetails" + second},
		},
		"crif": {
			"crif",
			`{"INDV-REPORT-FILE":{"INDV-REPORTS":[
				{"INDV-REPORT":{"RESPONSES":[{"LOAN-DETAILS":{"ACCT-TYPE":"Personal Loan"}}]}},
				{"INDV-REPORT":{"RESPONSES":[{"LOAN-DETAILS":{"ACCT-TYPE":"Personal Loan"}}]}}]}}`,
			[]string{"/INDV-REPORT-FILE/INDV-REPORTS/1/INDV-REPORT/RESPONSES" + second},
		},
		"his own enquiries": {
			"experian", `{"CAPS":{"CAPS_Application_Details":[{"Date_of_Request":"20261001"}]},
				"NonCreditCAPS":{"CAPS_Application_Details":[{"Date_of_Request":"20261001"}]}}`, nil,
		},
	} {
		_, faults, warnings := readBureau(t, c.bureau, c.body)
		if diff := cmp.Diff(c.want, warnings); diff != "" || faults != nil {
			t.Errorf("%s: faults %v\n%s", name, faults, diff)
		}
	}
}

// TestMisspeltLists checks that the right name is suggested for a misspelt list
// in a bureau's own layout.
func TestMisspeltLists(t *testing.T) {
	t.Parallel()
	meant := func(name string, known []string) string { // finds names that are one letter longer
		for _, k := range known {
			if len(k) == len(name)+1 && strings.HasPrefix(k, name[:1]) {
				return k
			}
		}
		return ""
	}
	for body, want := range map[string]string{
		`{"CAIS_Acount":{"CAIS_Account_DETAILS":[{}]},"SCORE":{}}`: "/CAIS_Acount CAIS_Account",
		`{"CAIS_Account":{"CAIS_Acount_DETAILS":[{}]},"SCORE":{}}`: "/CAIS_Account/CAIS_Acount_DETAILS " +
			"CAIS_Account_DETAILS",
		`{"CAIS_Account":{"CAIS_Account_DETAILS":[]},"CPS":{"a":1}}`: "/CPS CAPS",
		`{"CAIS_Account":{"CAIS_Account_DETAILS":[]},"CPS":{}}`:      "",
		`{"CAIS_Account":{"CAIS_Account_DETAILS":[]},"CAPS":{}}`:     "",
	} {
		v, err := wire.Parse([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		var warnings fault.List
		Misspelt("experian", v, meant, &warnings)
		got := ""
		for _, it := range warnings.Items() {
			got += it.Pointer + " " + it.Nearest
		}
		if got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
}
