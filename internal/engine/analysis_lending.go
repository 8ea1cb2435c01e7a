package engine

import (
	"fmt"
	"slices"

	"verdict/internal/fault"
	"verdict/internal/loan"
	"verdict/internal/rule"
)

// lending reports priced bands whose limits, rounded down to the step, are
// below their own minimum, and bands in which the rounding of the instalment
// grows larger than the instalment.
func (a *analysis) lending() {
	step := a.policy.LimitStepPaise
	for i := range a.policy.Bands {
		b := &a.policy.Bands[i]
		if !b.Priced || b.Action == Decline {
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
		if months, ok := runaway(b); ok {
			a.report(SeverityError, fault.CodeRunawayLastInstalment, at, fmt.Sprintf(
				"Over %d months at %s percent the rounding of the instalment grows to several instalments of "+
					"%s's smallest loan, all due in the last month; raise min_limit or shorten the tenure.",
				months, rule.Number(b.RateBP)*rule.Paisa, b.ID), nil)
		}
	}
}

// runaway returns a tenure over which half a rupee a month, the most that
// rounding adds to or takes from the instalment, grows to more than three
// instalments of the smallest loan.
func runaway(b *Band) (months int, found bool) {
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

// uncovered reports scores that applicants can reach and no band takes: above
// the highest band, where the best applicants are declined, between two bands,
// and below the lowest.
func (a *analysis) uncovered(ntc bool, reach *reach) {
	order := a.ladderOrder(ntc)
	if len(order) == 0 || !a.policy.Bands[order[0]].Ranged {
		return
	}
	least, most := reach.clamped()
	band := func(k int) *Band { return &a.policy.Bands[order[k]] }
	top, last := band(len(order)-1), len(order)-1
	if from := rule.Int(top.MaxScore + 1); top.Action != Decline && from <= most && reach.hits(from, most) {
		severity := SeverityWarning
		if a.freeFactors() {
			severity = SeverityError
		}
		a.report(severity, fault.CodeBetterScoreWorsePrice, location{section: atBand, index: order[last]}, fmt.Sprintf(
			"Scores from %d to %s have no band: whoever scores better than %s is declined.", top.MaxScore+1, most,
			top.ID), nil)
	}
	for k := 1; k < len(order); k++ {
		low, high := band(k-1), band(k)
		if low.MaxScore+1 < high.MinScore && reach.hits(rule.Int(low.MaxScore+1), rule.Int(high.MinScore)-1) {
			a.report(SeverityWarning, fault.CodeScoresWithoutBand, location{section: atBand, index: order[k]},
				fmt.Sprintf(
					"Scores from %d to %d, between %s and %s, have no band and are declined.", low.MaxScore+1,
					high.MinScore-1, low.ID, high.ID), nil)
		}
	}
	bottom := band(0)
	if to := rule.Int(bottom.MinScore) - 1; bottom.Action != Decline && least <= to && reach.hits(least, to) {
		a.report(SeverityInfo, fault.CodeScoresWithoutBand, location{section: atBand, index: order[0]}, fmt.Sprintf(
			"Scores below %d have no band and are declined; a band that declines would give them a grade.",
			bottom.MinScore), nil)
	}
}

// freeFactors reports whether every sum of points that the scorecard allows is
// reached by some applicant: no two factors share a field, none is conditional,
// and no adjustment takes points away. Otherwise a score that looks reachable
// may not be.
func (a *analysis) freeFactors() bool {
	var fields []string
	for i := range a.policy.Scorecard.Factors {
		f := &a.policy.Scorecard.Factors[i]
		if f.When != nil || slices.Contains(fields, f.Field.Name) {
			return false
		}
		fields = append(fields, f.Field.Name)
	}
	return !slices.ContainsFunc(a.policy.Adjustments, func(adj Adjustment) bool { return adj.Delta < 0 })
}
