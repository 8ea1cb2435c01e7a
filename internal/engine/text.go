package engine

import (
	"fmt"

	"verdict/internal/rule"
)

var statusWords = [...]string{Approved: "Approved", Referred: "Referred", Declined: "Declined"}

// Text explains the decision to the lender in sentences: the outcome, the band
// and the limit, the reasons and any other hits, then the adjustments of the
// score and the conditions of the offer. The hash does not cover it, so
// sentences may be reworded.
func (d *Decision) Text() []string {
	lines := []string{fmt.Sprintf("%s: grade %s, score %s", statusWords[d.Status], d.Grade, d.FinalScore)}
	for _, line := range [...]string{d.bandText(), d.limitText()} {
		if line != "" {
			lines = append(lines, line)
		}
	}
	said := map[string]bool{} // the rules that a reason mentions
	for _, r := range d.Reasons {
		switch r.kind {
		case byBand, byLimit, byMinimum: // already covered by the lines above
			continue
		default:
		}
		detail := d.Detail(r)
		said[detail.RuleID] = true
		lines = append(lines, fmt.Sprintf("%s: %s", r.Code, detail.Text))
	}
	for _, h := range d.hits {
		if !said[d.plan.policy.Knockouts[h.Knockout].ID] {
			lines = append(lines, d.ruleDetail(h, masked).Text)
		}
	}
	return d.appendTerms(d.appendScore(lines, said))
}

// bandText describes the band if there is none or it does not approve.
// Otherwise it returns "".
func (d *Decision) bandText() string {
	b := d.band
	if b == nil {
		return sentence(d.bandDetail().Text)
	}
	does := "declines"
	switch b.Action {
	case Approve:
		return ""
	case Refer:
		does = "refers"
	case Decline:
	}
	switch {
	case b.NTC && !b.Ranged:
		return fmt.Sprintf("%s %s applicants who are new to credit", b.ID, does)
	case b.NTC:
		return fmt.Sprintf("%s %s applicants who are new to credit with scores from %d to %d", b.ID, does, b.MinScore,
			b.MaxScore)
	default:
		return fmt.Sprintf("%s %s scores from %d to %d", b.ID, does, b.MinScore, b.MaxScore)
	}
}

// limitText says what determined the limit of an offer that was made, or of one
// that would have been too small.
func (d *Decision) limitText() string {
	l, b := &d.limit, d.band
	if !l.computed || !l.belowMinimum && d.Status == Declined {
		return ""
	}
	var by string
	switch l.binding {
	case FOIRCapacity:
		by = fmt.Sprintf("capped by %s FOIR cap %s", b.ID, b.FOIRCap)
		if l.hasCapacity {
			by += fmt.Sprintf(", which leaves instalments of %s", rule.Rupees(l.capacityPaise))
		}
	case IncomeMultiple:
		by = fmt.Sprintf("capped by %s income multiple %s", b.ID, b.IncomeMultiple)
	case RequestedAmount:
		by = fmt.Sprintf("set by the amount asked for, %s", rule.Rupees(d.limitRequested()))
	case BandMaxLimit:
		by = fmt.Sprintf("capped by %s maximum %s", b.ID, rule.Rupees(b.MaxLimitPaise))
	default:
		by = fmt.Sprintf("set by %s default %s, for want of %s", b.ID, rule.Rupees(b.DefaultLimitPaise),
			d.limitDetail().Field)
	}
	if !l.belowMinimum {
		return "Limit " + by
	}
	return fmt.Sprintf("Limit of %s, %s, is below %s minimum %s", rule.Rupees(l.paise), by, b.ID,
		rule.Rupees(b.MinLimitPaise))
}

// limitRequested returns the requested amount as the limit uses it.
func (d *Decision) limitRequested() int64 {
	requested, _ := d.plan.paise(d, d.plan.inputs.requested)
	return max(0, requested)
}

// appendScore appends the adjustments that applied and that no reason mentions,
// and the clamp.
func (d *Decision) appendScore(lines []string, said map[string]bool) []string {
	for _, r := range d.Rules() {
		if r.Result != ResultApplied || said[r.ID] {
			continue
		}
		does, points := "added", r.Delta
		if points < 0 {
			does, points = "took", -points
		}
		lines = append(lines, fmt.Sprintf("%s %s %s points", r.ID, does, points))
	}
	if d.sum != d.FinalScore {
		lines = append(lines, fmt.Sprintf("Score of %s clamped to %s", d.sum, d.FinalScore))
	}
	return lines
}

// appendTerms appends the conditions of the offer.
func (d *Decision) appendTerms(lines []string) []string {
	for _, t := range d.Offer.Terms {
		lines = append(lines, fmt.Sprintf("Condition %s: %s", t.Code, t.Text))
	}
	if d.Offer.TenureNotAvailable {
		lines = append(lines, fmt.Sprintf(
			"Tenure of %d months, the usual one of %s, which does not allow the one asked for",
			d.Offer.TenureMonths, d.Offer.BandID))
	}
	return lines
}

// sentence returns the text with a capital first letter.
func sentence(text string) string {
	if text == "" || text[0] < 'a' || text[0] > 'z' {
		return text
	}
	return string(text[0]-'a'+'A') + text[1:]
}
