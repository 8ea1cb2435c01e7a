package report

import (
	"slices"
	"testing"
)

// TestHolderAndDateAreTold checks that there are warnings about a deceased holder
// and about dates later than the report.
func TestHolderAndDateAreTold(t *testing.T) {
	t.Parallel()
	const holder, before = "holder_deceased", "later_than_report"
	report := func(members string) string {
		return `{"reportDate":"2026-09-10","accounts":[{"accountType":"personal_loan",` + members + `}]}`
	}
	for _, c := range []struct{ bureau, body, code string }{
		{"x", commonAccount(`"ownership":"deceased"`), holder},
		{"x", commonAccount(`"ownership":"Z"`), holder},
		{"cibil", bureauBody("cibil", `"ownershipIndicator":"5"`), holder},
		{"cibil", bureauBody("cibil", `"ownershipIndicator":5`), holder},
		{"experian", bureauBody("experian", `"AccountHoldertypeCode":"Z"`), holder},
		{"experian", bureauBody("experian", `"AccountHoldertypeCode":"1"`), ""},
		{"x", commonAccount(`"ownership":"individual"`), ""},
		{"x", report(`"paymentHistory":[{"month":"2026-10","dpd":0}]`), before},
		{"x", report(`"paymentHistory":[{"month":"2026-09","dpd":0}]`), ""},
		{"x", report(`"dateReported":"2026-10-31"`), before},
		{"x", report(`"dateReported":"2026-09-11"`), ""},
		{"x", report(`"openDate":"2026-10-31"`), before},
		{"x", `{"reportDate":"2026-09-10","enquiries":[{"date":"2026-10-03","product":"personal_loan"}]}`, before},
		{"x", `{"reportDate":"2026-09-10","enquiries":[{"date":"2026-09-10","product":"personal_loan"}]}`, ""},
	} {
		h, faults, warnings := readBureau(t, c.bureau, c.body)
		for _, code := range []string{holder, before} {
			told := slices.ContainsFunc(warnings, func(w string) bool { return hasCode(w, code) })
			if told != (code == c.code) || faults != nil {
				t.Errorf("%s: faults %v, warnings %v, want %q", c.body, faults, warnings, c.code)
			}
		}
		if len(h.Accounts) > 0 && h.Accounts[0].Owner != Own {
			t.Errorf("%s: the owner is %d", c.body, h.Accounts[0].Owner)
		}
	}
}
