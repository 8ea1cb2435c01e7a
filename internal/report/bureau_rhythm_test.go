package report

import (
	"slices"
	"testing"
)

// TestInstalmentRhythms checks, in every layout, that an instalment that is not
// monthly is converted to a monthly amount, and that an instalment with an
// unknown rhythm counts as monthly. There must be a warning in both cases.
func TestInstalmentRhythms(t *testing.T) {
	t.Parallel()
	const converted, unknown = "instalment_converted", "instalment_rhythm_unknown"
	for _, c := range []struct {
		bureau, members string
		paise           int64
		code            string
	}{
		{"x", `"emi":1200,"emiFrequency":"weekly"`, 520000, converted},
		{"x", `"emi":1200,"emiFrequency":"fortnightly"`, 260000, converted},
		{"x", `"emi":1200,"emiFrequency":"daily"`, 3650000, converted},
		{"x", `"emi":1200,"emiFrequency":"Quarterly"`, 40000, converted},
		{"x", `"emi":1200,"emiFrequency":"half-yearly"`, 20000, converted},
		{"x", `"emi":1200,"emiFrequency":"monthly"`, 120000, ""},
		{"x", `"emi":1200,"emiFrequency":""`, 120000, ""},
		{"x", `"emi":1200,"emiFrequency":null`, 120000, ""},
		{"x", `"emi":1200,"emiFrequency":"lunar"`, 120000, unknown},
		{"x", `"emiFrequency":"weekly"`, NoAmount, ""},
		{"cibil", `"emiAmount":1200,"paymentFrequency":"01"`, 520000, converted},
		{"cibil", `"emiAmount":1200,"paymentFrequency":"02"`, 260000, converted},
		{"cibil", `"emiAmount":1200,"paymentFrequency":"03"`, 120000, ""},
		{"cibil", `"emiAmount":1200,"paymentFrequency":4`, 40000, converted},
		{"cibil", `"emiAmount":1200,"paymentFrequency":"77"`, 120000, unknown},
		{"experian", `"Scheduled_Monthly_Payment_Amount":"1200","Terms_Frequency":"W"`, 520000, converted},
		{"experian", `"Scheduled_Monthly_Payment_Amount":"1200","Terms_Frequency":"f"`, 260000, converted},
		{"experian", `"Scheduled_Monthly_Payment_Amount":"1200","Terms_Frequency":"M"`, 120000, ""},
		{"experian", `"Scheduled_Monthly_Payment_Amount":"1200","Terms_Frequency":"Q"`, 40000, converted},
		{"experian", `"Scheduled_Monthly_Payment_Amount":"1200","Terms_Frequency":"D"`, 120000, unknown},
		{"equifax", `"InstallmentAmount":"1200","TermFrequency":"Weekly"`, 520000, converted},
		{"equifax", `"InstallmentAmount":"1200","RepaymentTenure":"Weekly"`, 520000, converted},
		{"equifax", `"InstallmentAmount":"1200","RepaymentTenure":"36"`, 120000, ""},
		{"equifax", `"InstallmentAmount":"1200","TermFrequency":"Monthly","RepaymentTenure":"36"`, 120000, ""},
		{"crif", `"INSTALLMENT-AMT":"1,200","INSTALLMENT-FREQUENCY":"Weekly"`, 520000, converted},
		{"crif", `"INSTALLMENT-AMT":"1,200/Monthly","INSTALLMENT-FREQUENCY":"Monthly"`, 120000, ""},
		{"crif", `"INSTALLMENT-AMT":"1,200/Monthly","INSTALLMENT-FREQUENCY":"F03"`, 120000, ""},
	} {
		h, faults, warnings := readBureau(t, c.bureau, bureauBody(c.bureau, c.members))
		a := &h.Accounts[0]
		told := ""
		for _, code := range []string{converted, unknown} {
			if slices.ContainsFunc(warnings, func(w string) bool { return hasCode(w, code) }) {
				told += code
			}
		}
		if a.InstalmentPaise != c.paise || a.ConvertedPaise != NoAmount || told != c.code || faults != nil {
			t.Errorf("%s %s: %d, want %d; told %q, want %q; faults %v",
				c.bureau, c.members, a.InstalmentPaise, c.paise, told, c.code, faults)
		}
	}
}

// TestInstalmentWithRhythm checks CRIF's "amount/rhythm" form. An instalment
// that is not monthly is absent from InstalmentPaise, which older facts read,
// and is converted to a monthly amount in ConvertedPaise.
func TestInstalmentWithRhythm(t *testing.T) {
	t.Parallel()
	for amount, want := range map[string]int64{
		"900/Daily": 2737500, "900/Weekly": 390000, "900/Lunar": 90000, "lots/Weekly": NoAmount,
	} {
		h, _, _ := readBureau(t, "crif", bureauBody("crif", `"INSTALLMENT-AMT":"`+amount+`"`))
		if a := &h.Accounts[0]; a.InstalmentPaise != NoAmount || a.ConvertedPaise != want {
			t.Errorf("%s: %d and %d, want %d converted", amount, a.InstalmentPaise, a.ConvertedPaise, want)
		}
	}
}
