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
	for _, ntc := range [...]bool{false, true} {
		a.monotonicity(ntc)
		if a.policy.HasSegments() {
			a.overlapping(ntc, a.shadowed(ntc))
		}
	}
	if !slices.ContainsFunc(a.policy.Bands, func(b engine.Band) bool { return b.NTC }) {
		a.report(SeverityInfo, fault.CodeNoNTCBand, location{section: atBand, index: -1},
			"No pricing band accepts applicants who are new to credit: all of them are declined as "+
				engine.ReasonNoBand+".",
			[]rule.NamedValue{{Name: field.BureauIsNTC, Value: rule.Bool(true)}})
	}
	a.lending()
}

// monotonicity reports bands of a segment with worse terms than a band for lower scores. It reports each pair of bands
// at most once, even if several segments have both.
func (a bandCheck) monotonicity(ntc bool) {
	ladders, keys := a.ladders(ntc)
	var compared [][2]int
	for i, ladder := range ladders {
		a.compare(ladder, a.segmentOf(keys, i), func(better, worse int) bool {
			pair := [2]int{better, worse}
			if slices.Contains(compared, pair) {
				return false
			}
			compared = append(compared, pair)
			return len(keys) == 1 || a.solver.Budget.Spend(len(compared))
		})
	}
}

// segment is the group of applicants for whom the same conditions of bands hold.
type segment struct {
	who      string   // the beginning of a sentence; "" if no band has a condition
	severity Severity // severity of findings about the segment
}

func (a bandCheck) segmentOf(keys []string, i int) segment {
	if len(keys) == 1 {
		return segment{severity: SeverityError}
	}
	s := segment{who: "For applicants who satisfy no \"when\" of a band: ", severity: SeverityWarning}
	if a.certain(keys, keys[i]) {
		s.severity = SeverityError
	}
	if at := slices.IndexFunc(a.policy.Bands, func(b engine.Band) bool { return segmentKey(&b) == keys[i] }); i > 0 {
		s.who = "For applicants with " + excerpt(a.policy.Bands[at].When) + ": "
	}
	return s
}

// compare compares each band with lower bands: its action with that of the next lower band, and its price with that
// of the next lower band that lends. fresh returns false if a pair was already reported, or if the budget is exhausted.
func (a bandCheck) compare(ladder []piece, s segment, fresh func(better, worse int) bool) {
	var below, priced *piece
	for i := range ladder {
		p := &ladder[i]
		b := &a.policy.Bands[p.band]
		offers := b.Priced && b.Action != engine.Decline
		if below != nil {
			if lower := &a.policy.Bands[below.band]; b.Action > lower.Action && fresh(p.band, below.band) {
				a.worse(s, p, below, []string{fmt.Sprintf("action %s instead of %s", b.Action, lower.Action)})
			}
		}
		if offers && priced != nil {
			worse := worseTerms(b, &a.policy.Bands[priced.band])
			if len(worse) > 0 && fresh(p.band, priced.band) {
				a.worse(s, p, priced, worse)
			}
		}
		below = p
		if offers {
			priced = p
		}
	}
}

// ladderOrder returns the indexes of bands in the order of their lowest scores. If ntc is set, they are the bands
// for new-to-credit applicants, otherwise all other bands.
func ladderOrder(bands []engine.Band, ntc bool) (order []int) {
	for i := range bands {
		if bands[i].NTC == ntc {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(bands[i].MinScore, bands[j].MinScore) })
	return order
}

func (a bandCheck) worse(s segment, p, below *piece, members []string) {
	bands := a.policy.Bands
	opening := s.who + "A better"
	if s.who != "" {
		opening = s.who + "a better"
	}
	f := a.report(s.severity, fault.CodeBetterScoreWorsePrice, location{section: atBand, index: p.band},
		fmt.Sprintf("%s score gets worse terms: score %d (%s) has %s, compared with score %d (%s).",
			opening, p.least, bands[p.band].ID, enumerate(members), below.greatest, bands[below.band].ID), nil)
	f.Proved = s.severity == SeverityError // a warning is not proved, because the segment may have no applicants
}

// worseTerms lists the price terms of a band that are worse for the borrower than those of the band below.
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
