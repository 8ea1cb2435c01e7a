package recovery

import (
	"strings"
	"testing"
	"time"

	"verdict/internal/fault"
	"verdict/internal/wire"
)

// TestProducts checks that every name of a microfinance product gets the
// microfinance hours, and that an unknown product causes a warning that the
// general hours apply. Runs of the third edition must be read as before.
func TestProducts(t *testing.T) {
	t.Parallel()
	strategy := DefaultStrategy()
	noon := time.Date(2026, 11, 16, 6, 30, 0, 0, time.UTC)
	for product, want := range map[string]string{
		"microfinance": "09:00 ", "MFI": "09:00 " + fault.CodeReadAsMicrofinance,
		"jlg": "09:00 " + fault.CodeReadAsMicrofinance, "SHG loan": "09:00 " + fault.CodeReadAsMicrofinance,
		"microloan": "09:00 " + fault.CodeReadAsMicrofinance, "NBFC-MFI": "09:00 " + fault.CodeReadAsMicrofinance,
		"Joint Liability Group": "09:00 " + fault.CodeReadAsMicrofinance,
		"group_loan":            "09:00 " + fault.CodeReadAsMicrofinance, "personal_loan": "08:00 ",
		"Personal Loan": "08:00 ", "home": "08:00 ", "Credit Card": "08:00 ", "BNPL": "08:00 ",
		"crypto": "08:00 " + fault.CodeUnknownProduct,
	} {
		body, err := wire.Parse([]byte(`{"loan":{"id":"L-1","product":"` + product +
			`","principal_outstanding":182000,"emi":8965,"overdue_amount":17930,"interest_rate":16,"dpd":10}}`))
		if err != nil {
			t.Fatal(err)
		}
		c, err := Read(body, noon)
		if err != nil {
			t.Fatal(err)
		}
		code := ""
		for _, w := range c.Warnings {
			code = w.Code
			if w.Pointer != "/loan/product" || strings.Contains(w.Detail, "crypto") {
				t.Errorf("%s: %+v", product, w)
			}
		}
		if got := clockText(Advise(&c, &strategy, noon).Compliance.Legal.From) + " " + code; got != want {
			t.Errorf("%s: %q, want %q", product, got, want)
		}
		third, err := ReadThird(body, noon)
		if err != nil || third.Loan.Microfinance != strings.Contains(strings.ToLower(product), "micro") {
			t.Errorf("%s as the third edition reads it: %+v, %v", product, third.Loan, err)
		}
	}
}
