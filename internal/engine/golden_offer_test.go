package engine_test

import (
	"encoding/json"
	"math"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"verdict/internal/golden"
)

// goldenOffer is the part of a golden decision that a borrower can check with a calculator.
type goldenOffer struct {
	Limit, EMI, APR float64
	Last            float64 `json:"last_emi"`
	Fee             float64 `json:"processing_fee"`
	FeeTax          float64 `json:"processing_fee_gst"`
	Net             float64 `json:"net_disbursed"`
	Interest        float64 `json:"total_interest"`
	Payable         float64 `json:"total_payable"`
	Rate            float64 `json:"interest_rate"`
	Months          int     `json:"tenure_months"`
	Charges         []struct{ Amount, GST float64 }
}

// TestGoldenOffersBalance recomputes the figures of every golden offer from the limit, the rate and the term alone, in
// floating point and without any package of the engine. It recomputes the balance month by month, the totals and the
// amount paid out. It also checks that the payments, discounted at the APR, are worth the amount paid out.
func TestGoldenOffersBalance(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/decisions/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var decision struct{ Offer goldenOffer }
		if err := json.Unmarshal(golden.Section(archive, "decision.json"), &decision); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if decision.Offer.Months > 0 {
			decision.Offer.check(t, filepath.Base(file))
			checked++
		}
	}
	if checked < 40 {
		t.Errorf("only %d golden files have an offer", checked)
	}
}

func (o *goldenOffer) check(t *testing.T, name string) {
	t.Helper()
	same := func(what string, got, want float64) {
		if math.Abs(got-want) > 0.005 {
			t.Errorf("%s: %s is %.2f, recomputed %.2f", name, what, got, want)
		}
	}
	balance, interest := o.Limit, 0.0
	for month := 1; month <= o.Months; month++ {
		// The small addend rounds ties up, because floating point cannot represent ties exactly.
		accrued := math.Floor(balance*o.Rate/12+0.5+1e-9) / 100
		interest += accrued
		balance += accrued
		if month < o.Months {
			balance -= o.EMI
		}
	}
	same("the last instalment", o.Last, balance)
	same("the interest", o.Interest, interest)
	same("the total", o.Payable, o.EMI*float64(o.Months-1)+o.Last)
	same("the total", o.Payable, o.Limit+o.Interest)
	net := o.Limit - o.Fee - o.FeeTax
	for _, c := range o.Charges {
		net -= c.Amount + c.GST
	}
	same("the amount paid out", o.Net, net)
	worth := func(apr float64) (sum float64) {
		for month := 1; month <= o.Months; month++ {
			paid := o.EMI
			if month == o.Months {
				paid = o.Last
			}
			sum += paid / math.Pow(1+apr/1200, float64(month))
		}
		return sum
	}
	if o.APR > 0 && (worth(o.APR-0.0051) < net || worth(o.APR+0.0051) > net) {
		t.Errorf("%s: at %.2f %% the payments are worth %.2f, and %.2f is paid out", name, o.APR, worth(o.APR), net)
	}
	if o.APR == 0 && worth(0) > net*(1+5e-5) {
		t.Errorf("%s: the APR is 0, but %.2f is paid for %.2f", name, worth(0), net)
	}
}
