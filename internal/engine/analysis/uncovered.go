package analysis

import (
	"fmt"
	"slices"

	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/rule"
)

// uncovered reports scores that applicants can reach but that are in no band. Such scores may be below the lowest
// band, between two bands, or above the highest band; in the last case the best applicants are declined. If the
// highest band declines, the scores above it are not reported. If the lowest band declines, the scores below it are
// not reported.
func (a scoreCheck) uncovered(ntc bool, reach *reach) {
	order := ladderOrder(a.policy.Bands, ntc)
	if len(order) == 0 || slices.ContainsFunc(order, func(i int) bool { return !a.policy.Bands[i].Ranged }) {
		return
	}
	least, most := reach.clamped()
	band := func(k int) *engine.Band { return &a.policy.Bands[order[k]] }
	highest := 0 // the band with the highest MaxScore so far, as an index in order; bands with a condition may overlap
	for k := 1; k < len(order); k++ {
		low, high := band(highest), band(k)
		if low.MaxScore+1 < high.MinScore && reach.hits(rule.Int(low.MaxScore+1), rule.Int(high.MinScore)-1) {
			a.report(SeverityWarning, fault.CodeScoresWithoutBand, location{section: atBand, index: order[k]},
				fmt.Sprintf(
					"Scores from %d to %d, between %s and %s, have no band and are declined.", low.MaxScore+1,
					high.MinScore-1, low.ID, high.ID), nil).
				Proved = a.someWithoutBand(ntc, rule.Int(low.MaxScore+1), rule.Int(high.MinScore)-1)
		}
		if high.MaxScore > low.MaxScore {
			highest = k
		}
	}
	top := band(highest)
	if from := rule.Int(top.MaxScore + 1); top.Action != engine.Decline && from <= most && reach.hits(from, most) {
		severity := SeverityWarning
		if a.freeFactors() {
			severity = SeverityError
		}
		a.report(severity, fault.CodeBetterScoreWorsePrice, location{section: atBand, index: order[highest]},
			fmt.Sprintf(
				"Scores from %d to %s have no band: applicants who score better than %s are declined.",
				top.MaxScore+1, most, top.ID), nil).Proved = a.someWithoutBand(ntc, from, most)
	}
	bottom := band(0)
	if to := rule.Int(bottom.MinScore) - 1; bottom.Action != engine.Decline && least <= to && reach.hits(least, to) {
		a.report(SeverityInfo, fault.CodeScoresWithoutBand, location{section: atBand, index: order[0]}, fmt.Sprintf(
			"Scores below %d have no band and are declined; a band that declines would give them a grade.",
			bottom.MinScore), nil).Proved = a.someWithoutBand(ntc, least, to)
	}
}

// freeFactors reports whether all factors can give their best points together:
// no two factors share a field, no factor is conditional, and no adjustment
// takes points away. Otherwise a score that looks reachable may not be.
func (a scoreCheck) freeFactors() bool {
	var fields []string
	for i := range a.policy.Scorecard.Factors {
		f := &a.policy.Scorecard.Factors[i]
		if f.When != nil || slices.Contains(fields, f.Field.Name) {
			return false
		}
		fields = append(fields, f.Field.Name)
	}
	return !slices.ContainsFunc(a.policy.Adjustments, func(adj engine.Adjustment) bool { return adj.Delta < 0 })
}
