package analysis

import (
	"cmp"
	"fmt"
	"slices"

	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// bandCheck reports bands with worse terms for better scores, a missing
// new-to-credit band, and bands that cannot lend as intended.
type bandCheck struct{ *analysis }

func (a bandCheck) run() {
	a.ladder(false)
	a.ladder(true)
	if !slices.ContainsFunc(a.policy.Bands, func(b engine.Band) bool { return b.NTC }) {
		a.report(SeverityInfo, fault.CodeNoNTCBand, location{section: atBand, index: -1},
			"No pricing band takes applicants who are new to credit: all of them are declined as "+
				engine.ReasonNoBand+".",
			[]rule.NamedValue{{Name: field.BureauIsNTC, Value: rule.Bool(true)}})
	}
	a.lending()
}

// ladder compares the action of each band with that of the next lower band, and
// its price with that of the next lower band that lends.
func (a bandCheck) ladder(ntc bool) {
	order := ladderOrder(a.policy.Bands, ntc)
	var below, priced *engine.Band
	for _, i := range order {
		b := &a.policy.Bands[i]
		offers := b.Priced && b.Action != engine.Decline
		if below != nil && b.Action > below.Action {
			a.worse(i, b, below, []string{fmt.Sprintf("action %s instead of %s", b.Action, below.Action)})
		}
		if offers && priced != nil {
			if worse := worseTerms(b, priced); len(worse) > 0 {
				a.worse(i, b, priced, worse)
			}
		}
		below = b
		if offers {
			priced = b
		}
	}
}

// ladderOrder returns the indexes of the bands for new-to-credit applicants if
// ntc is set, otherwise those of all other bands, by lowest score.
func ladderOrder(bands []engine.Band, ntc bool) (order []int) {
	for i := range bands {
		if bands[i].NTC == ntc {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(bands[i].MinScore, bands[j].MinScore) })
	return order
}

func (a bandCheck) worse(i int, b, below *engine.Band, members []string) {
	a.report(SeverityError, fault.CodeBetterScoreWorsePrice, location{section: atBand, index: i},
		fmt.Sprintf("A better score gets worse terms: score %d (%s) has %s, compared with score %d (%s).",
			b.MinScore, b.ID, enumerate(members), below.MaxScore, below.ID), nil)
}

// worseTerms lists the members of a band's price that are worse for the
// borrower than in the band below.
func worseTerms(b, below *engine.Band) (worse []string) {
	check := func(name string, better, lower rule.Number, mayRise bool) {
		if better != lower && better > lower != mayRise {
			worse = append(worse, fmt.Sprintf("%s %s instead of %s", name, better, lower))
		}
	}
	check("interest_rate", rule.Number(b.RateBP)*rule.Paisa, rule.Number(below.RateBP)*rule.Paisa, false)
	check("processing_fee_pct", b.FeePct, below.FeePct, false)
	check("processing_fee_min", rule.Rupees(b.FeeMinPaise), rule.Rupees(below.FeeMinPaise), false)
	check("min_limit", rule.Rupees(b.MinLimitPaise), rule.Rupees(below.MinLimitPaise), false)
	check("max_limit", rule.Rupees(b.MaxLimitPaise), rule.Rupees(below.MaxLimitPaise), true)
	check("default_limit", rule.Rupees(b.DefaultLimitPaise), rule.Rupees(below.DefaultLimitPaise), true)
	check("foir_cap", b.FOIRCap, below.FOIRCap, true)
	check("tenure_months", rule.Int(int64(b.TenureMonths)), rule.Int(int64(below.TenureMonths)), true)
	switch {
	case b.HasIncomeMultiple && below.HasIncomeMultiple:
		check("income_multiple", b.IncomeMultiple, below.IncomeMultiple, true)
	case b.HasIncomeMultiple:
		worse = append(worse, fmt.Sprintf("income_multiple %s instead of none", b.IncomeMultiple))
	}
	return worse
}
