package loan

import "verdict/internal/exact"

// Schedule is what a loan costs over its whole life. The borrower pays
// InstalmentPaise in every month but the last and LastPaise in that one;
// PayablePaise is their sum, and InterestPaise what it exceeds the principal
// by.
type Schedule struct {
	InstalmentPaise int64
	LastPaise       int64
	InterestPaise   int64
	PayablePaise    int64
}

// maxBalance is where a growing balance stops: small enough that a month's
// interest at 100 % still fits 64 bits before it is divided. See
// [Terms.Schedule] for how a balance can grow.
const maxBalance = 9 * maxPaise

// Schedule amortises a principal month by month. Interest is rounded half-up
// to the paisa and the last instalment absorbs every difference.
//
// The instalment is that of [Terms.Instalment] unless that would repay the loan
// before its last month, as can happen to a small loan over many months. Then
// it is a rupee less, so that the last instalment is always positive. One rupee
// is enough: it leaves the instalment at least 50 paise below the unrounded
// one, which outweighs the half paisa that rounding can take off each month's
// interest.
//
// A difference of a rupee or so in the instalment compounds over the tenure.
// On loans made in practice the last instalment so differs by a few rupees, or
// some hundred over decades; at 100 % over 40 years the difference outgrows the
// loan itself, and is then capped near 9e14 paise instead of overflowing.
func (t Terms) Schedule(principalPaise int64) Schedule {
	principal := clamp(principalPaise)
	if principal == 0 {
		return Schedule{}
	}
	instalment := t.instalment(principal)
	last, ok := t.last(principal, instalment)
	if !ok {
		instalment -= paisePerRupee
		last, _ = t.last(principal, instalment)
	}
	payable := int64(instalment)*int64(t.months-1) + int64(last)
	return Schedule{
		InstalmentPaise: int64(instalment),
		LastPaise:       int64(last),
		InterestPaise:   payable - int64(principal),
		PayablePaise:    payable,
	}
}

// last is what remains to be paid in the last month after all the instalments
// before it. It reports false if those repay the loan early, which an
// instalment of 0 never does.
func (t Terms) last(principal, instalment uint64) (uint64, bool) {
	rateBP, balance := uint64(t.rateBP), principal
	for range t.months - 1 {
		accrued := interest(balance, rateBP)
		if balance+accrued <= instalment {
			return 0, false
		}
		balance = balance - instalment + accrued // May dip below 0 on the way; unsigned wraps back.
		if balance > maxBalance {
			balance = maxBalance // It only grew to this, and would grow on.
			break
		}
	}
	return balance + interest(balance, rateBP), true
}

// interest is one month's interest, half-up to the paisa.
func interest(balance, rateBP uint64) uint64 { return exact.DivHalfUp(balance*rateBP, yearBP) }
