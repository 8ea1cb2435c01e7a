package main

import (
	"bufio"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
)

// columns lists the columns of the file in their order.
var columns = []string{
	"applicant_id", "score", "age", "monthly_income", "foir", "requested_amount", "enquiries_6m", "active_tradelines",
	"max_dpd_12m", "bureau_written_off_36m", "bureau_overdue_amount", "bureau_card_utilisation",
	"bureau_live_unsecured", "bureau_oldest_account_months", "bureau_report_age_days", "bank_bounces", "fraud_score",
	"location_pincode_risk_score", "employment_type", "bad",
}

// writeBook writes a file of applications. The file is always the same for the
// same number of rows. A hidden quality correlates scores, repayment and
// outcomes.
func writeBook(path string, rows int) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("create the file of applications: %w", err)
	}
	defer func() {
		if closed := f.Close(); err == nil && closed != nil {
			err = fmt.Errorf("write the file of applications: %w", closed)
		}
	}()
	w := bufio.NewWriterSize(f, 1<<20)
	fmt.Fprintln(w, strings.Join(columns, ",")) //nolint:errcheck // Flush returns the error.
	//nolint:gosec // The file must be repeatable and is not secret.
	r := rand.New(rand.NewPCG(11, 7))
	line := make([]byte, 0, 256)
	for i := range rows {
		line = appendApplicant(line[:0], r, i)
		w.Write(line) //nolint:errcheck // Flush returns the error.
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("write the file of applications: %w", err)
	}
	return nil
}

var employments = []string{
	"SALARIED", "SALARIED", "SALARIED", "SALARIED", "SALARIED", "SALARIED",
	"SELF_EMPLOYED", "SELF_EMPLOYED", "SELF_EMPLOYED",
	"SELF_EMPLOYED_PROFESSIONAL", "SELF_EMPLOYED_PROFESSIONAL", "RETIRED", "STUDENT", "HOMEMAKER", "OTHER",
}

func appendApplicant(dst []byte, r *rand.Rand, i int) []byte {
	quality := r.NormFloat64()
	seldom := func(chance float64, most int) int {
		if r.Float64() < chance*math.Exp(-0.5*quality) {
			return 1 + r.IntN(most)
		}
		return 0
	}
	score := min(900, max(300, int(718+58*quality+28*r.NormFloat64())))
	income := int(math.Exp(10.6 + 0.12*quality + 0.55*r.NormFloat64()))
	foir := min(0.95, math.Abs(0.36-0.05*quality+0.14*r.NormFloat64()))
	enquiries := int(r.ExpFloat64() * 2 * math.Exp(-0.3*quality))
	bad := seldom(0.06, 1)
	return fmt.Appendf(dst, "A%08d,%d,%d,%d,%.3f,%d,%d,%d,%d,%d,%d,%.2f,%d,%d,%d,%d,%d,%d,%s,%d\n",
		i+1, score, 20+r.IntN(45), income, foir, 20_000+5_000*r.IntN(120), enquiries, r.IntN(12), seldom(0.12, 90),
		seldom(0.015, 2), 500*seldom(0.03, 40), min(1, math.Abs(0.4-0.08*quality+0.25*r.NormFloat64())),
		r.IntN(6), int(r.ExpFloat64()*55), r.IntN(31), seldom(0.12, 5),
		int(100*r.Float64()*r.Float64()), int(100*r.Float64()*r.Float64()),
		employments[r.IntN(len(employments))], bad)
}
