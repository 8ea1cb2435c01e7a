package report

import (
	"fmt"
	"testing"
)

// TestMicrofinanceList checks that Equifax's list of microfinance accounts is
// found beside the retail accounts, in a separate report, and as the only list.
// Its accounts must never be in Accounts.
func TestMicrofinanceList(t *testing.T) {
	t.Parallel()
	const list = `"MicrofinanceAccountDetails":[{"CurrentBalance":"9000","Open":"Yes","InstallmentAmount":"285",
		"RepaymentTenure":"Weekly"}]`
	for _, c := range []struct {
		what, body string
		accounts   int
		has        bool
		want       int
	}{
		{"beside", `{"CIRReportData":{"RetailAccountDetails":[{"AccountType":"Personal Loan"}],` + list + `}}`,
			1, true, 1},
		{"apart",
			`{"CCRResponse":{"CIRReportDataLst":[{"CIRReportData":{"RetailAccountDetails":[{}]}},{"CIRReportData":{` +
				list +
				`}}]}}`,
			1, true, 1},
		{"first", `{"CCRResponse":{"CIRReportDataLst":[{"CIRReportData":{` + list +
			`}},{"CIRReportData":{"RetailAccountDetails":[{}]}}]}}`, 1, true, 1},
		{"alone", `{"CIRReportData":{` + list + `}}`, 0, false, 1},
		{"bare", `{` + list + `}`, 0, false, 1},
		{"empty", `{"CIRReportData":{"RetailAccountDetails":[],"MicrofinanceAccountDetails":""}}`, 0, true, 0},
		{"common", `{"accounts":[],"CIRReportData":{` + list + `}}`, 0, true, 0},
	} {
		h, faults, warnings := readBureau(t, "equifax", c.body)
		if len(faults) > 0 || len(warnings) > 0 || h == nil || len(h.Accounts) != c.accounts ||
			h.HasAccounts != c.has || len(h.Microfinance) != c.want {
			t.Errorf("%s: %+v, faults %v, warnings %v", c.what, h, faults, warnings)
			continue
		}
		if c.want > 0 && (h.Microfinance[0].InstalmentPaise != 1_235_00 || !h.Microfinance[0].Microfinance) {
			t.Errorf("%s: %+v", c.what, h.Microfinance[0])
		}
	}
	if h, _, _ := readBureau(t, "crif", `{`+list+`}`); h != nil {
		t.Errorf("another bureau's report gave %+v", h)
	}
}

// TestRhythms checks the monthly amount of an instalment for every rhythm.
func TestRhythms(t *testing.T) {
	t.Parallel()
	for rhythm, want := range map[string]int64{
		"Weekly": 433_33, "Bi-weekly": 216_67, "Fortnightly": 216_67, "MONTHLY": 100_00, "Quarterly": 33_33,
		"Half Yearly": 16_67, "Annual": 8_33,
	} {
		h, _, warnings := readBureau(t, "equifax",
			fmt.Sprintf(
				`{"CIRReportData":{"MicrofinanceAccountDetails":{"InstallmentAmount":"100","RepaymentTenure":%q}}}`,
				rhythm))
		if got := h.Microfinance[0].InstalmentPaise; got != want || len(warnings) > 0 {
			t.Errorf("%s: %d paise, want %d; warnings %v", rhythm, got, want, warnings)
		}
	}
	h, _, warnings := readBureau(t, "equifax",
		`{"CIRReportData":{"MicrofinanceAccountDetails":{"InstallmentAmount":"100","RepaymentTenure":"At harvest"}}}`)
	if h.Microfinance[0].InstalmentPaise != 10000 || len(warnings) != 1 {
		t.Errorf("an unknown rhythm: %d paise, warnings %v", h.Microfinance[0].InstalmentPaise, warnings)
	}
	h, _, _ = readBureau(t, "crif",
		`{"INDV-REPORT":{"RESPONSES":[{"LOAN-DETAILS":{"INSTALLMENT-AMT":"1,000/Weekly"}}]}}`)
	if a := h.Accounts[0]; a.InstalmentPaise != NoAmount || a.ConvertedPaise != 4_333_33 {
		t.Errorf("a weekly instalment of CRIF's: %d and %d paise", a.InstalmentPaise, a.ConvertedPaise)
	}
}
