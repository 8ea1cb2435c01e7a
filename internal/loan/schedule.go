package loan

import "verdict/internal/exact"

// Schedule has the payments and the total cost of a loan. The borrower pays
// InstalmentPaise in every month but the last and LastPaise in the last month.
// PayablePaise is the sum of all payments, and InterestPaise is PayablePaise
// minus the principal.
type Schedule struct {
	InstalmentPaise int64
	LastPaise       int64
	InterestPaise   int64
	PayablePaise    int64
}

// maxBalance caps a growing balance. At this value, the product that is divided
// to get one month's interest at 100 % still fits in 64 bits. See
// [Terms.Schedule] for how a balance can grow.
const maxBalance = 9 * maxPaise

// Schedule amortises a principal month by month. It rounds interest half up to
// the paisa, and the last instalment absorbs every difference.
//
// The instalment is that of [Terms.Instalment] unless it would repay the loan
// before the last month, which can happen with a small loan over many months.
// In that case the instalment is one rupee lower, so that the last instalment
// is always positive. One rupee is enough: the instalment is then at least 50
// paise below the unrounded one, and rounding reduces each month's interest by
// at most half a paisa.
//
// A difference of about a rupee in the instalment compounds over the tenure. So
// for usual loans the last instalment differs from the others by a few rupees,
// or by some hundred rupees over decades. At 100 % over 40 years the difference
// becomes larger than the loan itself; it is then capped near 9e14 paise
// instead of overflowing.
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

// last returns the amount due in the last month after all earlier instalments.
// It returns false if the earlier instalments repay the loan before the last
// month. That cannot happen with an instalment of 0.
func (t Terms) last(principalPaise, instalmentPaise uint64) (uint64, bool) {
	rateBP, balancePaise := uint64(t.rateBP), principalPaise
	for range t.months - 1 {
		accruedPaise := interest(balancePaise, rateBP)
		if balancePaise+accruedPaise <= instalmentPaise {
			return 0, false
		}
		// The difference may wrap below 0; adding the interest wraps it back.
		balancePaise = balancePaise - instalmentPaise + accruedPaise
		if balancePaise > maxBalance {
			balancePaise = maxBalance // A balance this large can only grow further.
			break
		}
	}
	return balancePaise + interest(balancePaise, rateBP), true
}

// interest returns one month's interest, rounded half up to the paisa.
func interest(balancePaise, rateBP uint64) uint64 {
	return exact.DivHalfUp(balancePaise*rateBP, yearBP)
}

// Instalment is one row of a repayment schedule. Amounts are in paise.
type Instalment struct {
	OutstandingPaise int64 // the principal owed before the instalment
	PrincipalPaise   int64 // the part that repays principal; negative while a capped balance grows
	InterestPaise    int64
	PaidPaise        int64 // principal and interest
}

// Instalments returns the rows of the schedule that [Terms.Schedule] summarizes. The paid amounts add up to its
// PayablePaise and the interest to its InterestPaise; the principal adds up to principalPaise.
func (t Terms) Instalments(principalPaise int64) []Instalment {
	s := t.Schedule(principalPaise)
	if s.PayablePaise == 0 {
		return nil
	}
	balance := int64(clamp(principalPaise))
	rows := make([]Instalment, t.months)
	for i := range rows {
		row := Instalment{OutstandingPaise: balance, PaidPaise: s.InstalmentPaise}
		row.InterestPaise = int64(interest(uint64(min(balance, maxBalance)), uint64(t.rateBP)))
		if i == t.months-1 {
			// The last instalment repays the balance, and the rest of this instalment is interest. It equals
			// the interest on the balance unless a growing balance was capped.
			row.PaidPaise = s.LastPaise
			row.InterestPaise = s.LastPaise - balance
		}
		row.PrincipalPaise = row.PaidPaise - row.InterestPaise
		balance -= row.PrincipalPaise
		rows[i] = row
	}
	return rows
}
