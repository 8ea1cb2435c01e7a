// Package loan is the arithmetic of an instalment loan on a reducing balance:
// the equated monthly instalment, the amount an instalment can carry, the
// schedule to the paisa, the annual percentage rate, fee and tax, and the last
// moment of an offer.
//
// Money is integer paise and rates are integer basis points, so the same loan
// gives the same digits on every processor; a decision hash depends on it. The
// only floating point is in the APR, where every product is rounded before it
// is added. Each rounding is named at the one place where it happens.
//
// Amounts between 0 and 1e14 paise (a lakh crore rupees) are exact. A negative
// amount counts as 0 and a larger one as 1e14, so that nothing wraps around;
// callers who must tell such an amount apart refuse it before they come here.
//
// Which limit, rate and tenure to offer is not decided here.
package loan

import (
	"fmt"

	"verdict/internal/exact"
)

const (
	paisePerRupee = exact.PaisePerRupee

	// yearBP divides a balance times an annual rate in basis points into one
	// month's interest: 10,000 basis points to the whole, 12 months to the year.
	yearBP = 120_000

	maxPaise  = 100_000_000_000_000
	maxRateBP = 10_000
	maxMonths = 480
)

// Terms is a rate and a tenure, prepared once for repeated use: a policy
// compiles its bands to Terms and then prices each request with a
// multiplication. Terms is immutable and may be copied and shared. The zero
// Terms carries no loan: its instalments and principals are 0.
type Terms struct {
	rateBP int64
	months int

	// Both factors err upwards, by far less than any amount can show. An exact
	// answer that falls on a tie or on a whole paisa is therefore never
	// truncated to the one below.
	annuity fixed // principal per instalment: (1 − (1+i)^−n) / i, or n at 0 %
	share   fixed // instalment per principal: its reciprocal
}

// NewTerms prepares a rate in basis points a year, 0 to 10,000, and a tenure
// of 1 to 480 months. Anything else is an error rather than the nearest valid
// terms, because a loan at another rate is another loan.
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

// Months is the tenure.
func (t Terms) Months() int { return t.months }

// RateBP is the annual rate in basis points.
func (t Terms) RateBP() int64 { return t.rateBP }

// Instalment is the equated monthly instalment for a principal, rounded
// half-up to the whole rupee and given in paise. It is the figure to hold
// against a borrower's capacity; [Terms.Schedule] may in rare cases charge
// less, never more.
//
// The unrounded instalment is too large by less than 2^-60 paise (see
// [fixed]). Exact ties therefore go up, and no other loan is rounded wrongly
// unless its exact instalment lies that close below a tie.
func (t Terms) Instalment(principalPaise int64) int64 {
	return int64(t.instalment(clamp(principalPaise)))
}

func (t Terms) instalment(principal uint64) uint64 {
	// Half-up to the rupee is the same on the whole paise as on the exact
	// value, because half a rupee is a whole number of paise.
	paise := t.share.times(principal)
	return exact.DivHalfUp(paise, paisePerRupee) * paisePerRupee
}

// Principal is the largest principal, in whole paise and before any step, whose
// unrounded instalment does not exceed the given one. For an instalment in
// whole rupees, Instalment(Principal(x)) is x again; for any other, rounding
// can lift it above x by up to 50 paise, so callers with a hard cap floor the
// principal to their step and check its Instalment.
func (t Terms) Principal(instalmentPaise int64) int64 {
	return int64(t.annuity.times(clamp(instalmentPaise)))
}

// clamp brings an amount into the range that every computation here can hold.
func clamp(paise int64) uint64 {
	return uint64(min(max(paise, 0), maxPaise))
}
