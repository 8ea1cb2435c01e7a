package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// bands reports better scores with worse terms, and a missing new-to-credit
// band.
func (a *analysis) bands() {
	a.ladder(false)
	a.ladder(true)
	if !slices.ContainsFunc(a.policy.Bands, func(b Band) bool { return b.NTC }) {
		a.report(SeverityInfo, fault.CodeNoNTCBand, location{section: atBand, index: -1},
			"No pricing band takes applicants who are new to credit: all of them are declined as "+ReasonNoBand+".",
			[]rule.NamedValue{{Name: field.BureauIsNTC, Value: rule.Bool(true)}})
	}
}

// ladder compares the action of each band with that of the next lower band, and
// its price with that of the next lower band that has one.
func (a *analysis) ladder(ntc bool) {
	order := a.ladderOrder(ntc)
	var below, priced *Band
	for _, i := range order {
		b := &a.policy.Bands[i]
		offers := b.Priced && b.Action != Decline
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

// ladderOrder returns the indexes of a ladder's bands, the lowest scores first.
func (a *analysis) ladderOrder(ntc bool) (order []int) {
	for i := range a.policy.Bands {
		if a.policy.Bands[i].NTC == ntc {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Compare(a.policy.Bands[i].MinScore, a.policy.Bands[j].MinScore)
	})
	return order
}

func (a *analysis) worse(i int, b, below *Band, members []string) {
	a.report(SeverityError, fault.CodeBetterScoreWorsePrice, location{section: atBand, index: i},
		fmt.Sprintf("A better score gets worse terms: score %d (%s) has %s, as against score %d (%s).",
			b.MinScore, b.ID, enumerate(members), below.MaxScore, below.ID), nil)
}

// worseTerms lists the members of a price that are worse for the borrower than
// in the band below.
func worseTerms(b, below *Band) (worse []string) {
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

// messages reports the tenant's own reason codes without an applicant-safe
// text, each once, where it first occurs.
func (a *analysis) messages() {
	var reported map[string]bool
	check := func(code string, at location, kind, by string) {
		if code == "" || reasonByCode[code] != nil || reported[code] {
			return
		}
		if reported == nil {
			reported = map[string]bool{}
		}
		reported[code] = true
		a.report(SeverityInfo, fault.CodeNoApplicantMessage, at,
			fmt.Sprintf("The reason code %s of %s%s has no applicant-safe text of its own: applicants read %q.",
				code, kind, by, applicantMessage(code)), nil)
	}
	for i := range a.policy.Knockouts {
		if k := &a.policy.Knockouts[i]; strings.TrimSpace(k.ApplicantMessage) == "" {
			check(k.ReasonCode, location{section: atKnockout, index: i}, "", k.ID)
		}
	}
	generic := compileGenericCodes(a.policy)
	for i := range a.policy.Adjustments {
		adj := &a.policy.Adjustments[i]
		check(generic.adjustments[adj.ID], location{section: atAdjustment, index: i}, "", adj.ID)
		check(adj.ReasonCode, location{section: atAdjustment, index: i}, "", adj.ID)
	}
	for i := range a.policy.Scorecard.Factors {
		f := &a.policy.Scorecard.Factors[i]
		at := location{section: atFactor, index: i}
		// Otherwise the applicant's text is the label.
		if f.Label == "" || !strings.HasPrefix(f.ReasonCode, factorPrefix) {
			check(f.ReasonCode, at, "the factor ", f.Name)
		}
		if code := generic.factors[f.Name]; code != "" && f.Label == "" {
			a.report(SeverityInfo, fault.CodeNoApplicantMessage, at, fmt.Sprintf(
				"The factor %s names no reason code and has no label: applicants read %q; give it a label or a "+
					"reason_code.",
				f.Name, criterion+spaced(f.Name)), nil)
		}
		for k := range f.Bins {
			check(f.Bins[k].ReasonCode, at, "the factor ", f.Name)
		}
	}
}
