// Package loan calculates instalment loans on a reducing balance: the equated
// monthly instalment, the principal that an instalment can repay, the schedule
// to the paisa, the annual percentage rate, fee and tax, and the time until
// which an offer is valid.
//
// Money is integer paise and rates are integer basis points, so the same loan
// gives the same digits on every processor; the decision hash depends on these
// digits. Only the APR uses floating point, and there every product is rounded
// before it is added. Each rounding is documented where it happens.
//
// Amounts between 0 and 1e14 paise (a lakh crore rupees) are exact. A negative
// amount counts as 0 and a larger one as 1e14, so that nothing overflows.
// Callers that must reject such amounts do so before they call this package.
//
// The package does not decide which limit, rate and tenure to offer.
package loan

import (
	"fmt"

	"verdict/internal/exact"
)

const (
	paisePerRupee = exact.PaisePerRupee

	// yearBP converts a balance times an annual rate in basis points into one
	// month's interest: 10,000 basis points are 100 %, and a year has 12
	// months.
	yearBP = 120_000

	maxPaise  = 100_000_000_000_000
	maxRateBP = 10_000
	maxMonths = 480
)

// Terms is a rate and a tenure, prepared for repeated use: a policy compiles
// its bands to Terms once and then prices each request with a multiplication.
// Terms is immutable and may be copied and shared. For the zero Terms all
// instalments and principals are 0.
type Terms struct {
	rateBP int64
	months int

	// Both factors are slightly too large, by so little that no amount is
	// affected. So an exact result that is a tie or a whole paisa is never
	// truncated to the value below.
	annuity fixed // principal per instalment: (1 − (1+i)^−n) / i, or n at 0 %
	share   fixed // instalment per principal: the reciprocal of the annuity
}

// NewTerms prepares a rate of 0 to 10,000 basis points a year and a tenure of 1
// to 480 months. It returns an error for other values instead of adjusting
// them, because a loan at another rate is a different loan.
func NewTerms(rateBP int64, months int) (Terms, error) {
	if rateBP < 0 || rateBP > maxRateBP {
		return Terms{}, fmt.Errorf("annual rate of %d basis points is outside 0 to %d", rateBP, maxRateBP)
	}
	if months < 1 || months > maxMonths {
		return Terms{}, fmt.Errorf("tenure of %d months is outside 1 to %d", months, maxMonths)
	}
	below := annuity(ratio(yearBP, yearBP+uint64(rateBP)), months)
	return Terms{
		rateBP:  rateBP,
		months:  months,
		annuity: below.addULP(annuityErrorULP(months)),
		share:   below.reciprocal(),
	}, nil
}

// Months returns the tenure in months.
func (t Terms) Months() int { return t.months }

// RateBP returns the annual rate in basis points.
func (t Terms) RateBP() int64 { return t.rateBP }

// Instalment returns the equated monthly instalment for a principal in paise,
// rounded half up to the whole rupee. This is the amount to compare with a
// borrower's capacity, because the instalments of [Terms.Schedule] before the
// last one are never higher and only rarely lower.
//
// The unrounded instalment is too large by less than 2^-60 paise (see [fixed]). Exact ties are therefore rounded
// up. Any other loan is rounded correctly, except if its exact instalment is below a tie by less than this error.
func (t Terms) Instalment(principalPaise int64) int64 {
	return int64(t.instalment(clamp(principalPaise)))
}

func (t Terms) instalment(principalPaise uint64) uint64 {
	// Rounding half up to the rupee gives the same result for the truncated
	// paise as for the exact value, because half a rupee is a whole number of
	// paise.
	paise := t.share.times(principalPaise)
	return exact.DivHalfUp(paise, paisePerRupee) * paisePerRupee
}

// Principal returns the largest principal in whole paise whose unrounded
// instalment does not exceed instalmentPaise. It is not rounded to any limit
// step. If instalmentPaise is a whole number of rupees,
// Instalment(Principal(x)) is x again. Otherwise rounding can raise the result
// above x by up to 50 paise, so callers with a hard cap round the principal
// down to their step and check its Instalment.
func (t Terms) Principal(instalmentPaise int64) int64 {
	return int64(t.annuity.times(clamp(instalmentPaise)))
}

// clamp limits an amount to the range in which no computation of this package
// overflows.
func clamp(paise int64) uint64 {
	return uint64(min(max(paise, 0), maxPaise))
}
