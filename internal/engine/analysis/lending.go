package analysis

import (
	"fmt"
	"slices"

	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/loan"
	"verdict/internal/rule"
)

// lending reports priced bands that cannot lend as intended. Such a band has a maximum or default limit that, rounded
// down to the step, is below its minimum; or its charges take more than half of its smallest loan; or the rounding of
// its instalments can add up to more than three instalments.
func (a bandCheck) lending() {
	step := a.policy.LimitStepPaise
	for i := range a.policy.Bands {
		b := &a.policy.Bands[i]
		if !b.Priced || b.Action == engine.Decline {
			continue
		}
		at := location{section: atBand, index: i}
		switch {
		case b.MaxLimitPaise-b.MaxLimitPaise%step < b.MinLimitPaise:
			a.report(SeverityError, fault.CodeUnlendableBand, at, fmt.Sprintf(
				"%s never lends: its max_limit of %s, floored to the limit_step of %s, is below its min_limit of %s.",
				b.ID, rule.Rupees(b.MaxLimitPaise), rule.Rupees(step), rule.Rupees(b.MinLimitPaise)), nil)
		case b.DefaultLimitPaise-b.DefaultLimitPaise%step < b.MinLimitPaise:
			a.report(SeverityWarning, fault.CodeUnlendableBand, at, fmt.Sprintf(
				"%s declines everybody whose income or FOIR is not known: its default_limit of %s, "+
					"floored to the limit_step of %s, is below its min_limit of %s.",
				b.ID, rule.Rupees(b.DefaultLimitPaise), rule.Rupees(step), rule.Rupees(b.MinLimitPaise)), nil)
		}
		a.charges(at, b)
		if months, ok := runaway(b); ok {
			// How much an instalment is rounded depends on the limit. The finding assumes half a rupee, the largest
			// possible rounding.
			a.suspect(SeverityError, fault.CodeRunawayLastInstalment, at, fmt.Sprintf(
				"Over %d months at %s percent, the rounding of the instalments for the smallest loan of %s adds "+
					"up to several instalments, all due in the last month; raise min_limit or shorten the tenure.",
				months, rule.Number(b.RateBP)*rule.Paisa, b.ID))
		}
	}
}

// charges reports charges that take the whole of a band's smallest loan, or more than half of it. For a policy
// without charges it reports nothing, because a policy cannot be saved if its fee alone takes more than half.
func (a bandCheck) charges(at location, b *engine.Band) {
	if len(a.policy.Charges) == 0 {
		return
	}
	fee := loan.Fee(b.MinLimitPaise, int64(b.FeePct), b.FeeMinPaise)
	taken := fee + loan.Tax(fee, int64(b.GSTPct)) + a.policy.ChargesOn(b.MinLimitPaise)
	switch {
	case taken >= b.MinLimitPaise:
		a.report(SeverityError, fault.CodeChargesExceedLoan, at, fmt.Sprintf(
			"Fee, charges and tax on the smallest loan of %s, %s, are %s: nothing is left to pay out, so such an "+
				"application is declined; raise min_limit or lower the charges.",
			b.ID, rule.Rupees(b.MinLimitPaise), rule.Rupees(taken)), nil)
	case taken > b.MinLimitPaise/2:
		a.report(SeverityWarning, fault.CodeChargesExceedLoan, at, fmt.Sprintf(
			"Fee, charges and tax on the smallest loan of %s, %s, are %s, more than half of it; raise min_limit or "+
				"lower the charges.",
			b.ID, rule.Rupees(b.MinLimitPaise), rule.Rupees(taken)), nil)
	}
}

// runaway returns the longest tenure over which the rounding of the instalments for the smallest loan can add up,
// with interest, to more than three instalments. Rounding changes an instalment by at most half a rupee. found is
// false if there is no such tenure.
func runaway(b *engine.Band) (months int, found bool) {
	for _, months := range slices.Backward(b.Tenures) {
		terms, err := loan.NewTerms(b.RateBP, months)
		if err != nil {
			continue
		}
		grown, rate := float64(months), float64(b.RateBP)/120_000
		if rate > 0 {
			grown = 0
			for range months {
				grown += float64(grown*rate) + 1
			}
		}
		if 50*grown > 3*float64(terms.Instalment(b.MinLimitPaise)) {
			return months, true
		}
	}
	return 0, false
}
