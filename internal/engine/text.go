package engine

import (
	"fmt"

	"verdict/internal/rule"
)

var statusWords = [...]string{Approved: "Approved", Referred: "Referred", Declined: "Declined"}

// Text explains the decision to the lender in sentences: the outcome, the band
// and the limit, the reasons and any other hits, then the adjustments of the
// score and the conditions of the offer. The decision hash does not cover the
// sentences, so they may be reworded.
func (d *Decision) Text() []string {
	n := narrative{decision: d, detailer: detailer{d, masked}, said: map[string]bool{}}
	n.add(fmt.Sprintf("%s: grade %s, score %s", statusWords[d.Status], d.Grade, d.FinalScore))
	n.add(n.band())
	n.add(n.limit())
	n.addReasons()
	n.addHits()
	n.addScore()
	n.addTerms()
	return n.lines
}

// narrative collects the sentences that explain a decision.
type narrative struct {
	decision *Decision
	detailer detailer
	lines    []string
	said     map[string]bool // the rules that a reason mentions
}

// add appends a line, unless it is empty.
func (n *narrative) add(line string) {
	if line != "" {
		n.lines = append(n.lines, line)
	}
}

// addReasons appends the reasons except those that the lines about the band and
// the limit cover.
func (n *narrative) addReasons() {
	for _, r := range n.decision.Reasons {
		switch r.kind {
		case byBand, byLimit, byMinimum:
			continue
		default:
		}
		detail := n.detailer.reason(r)
		n.said[detail.RuleID] = true
		n.add(fmt.Sprintf("%s: %s", r.Code, detail.Text))
	}
}

// addHits appends the knockouts that hit but that no reason mentions.
func (n *narrative) addHits() {
	for _, h := range n.decision.hits {
		if !n.said[n.decision.plan.policy.Knockouts[h.Knockout].ID] {
			n.lines = append(n.lines, n.detailer.rule(h).Text)
		}
	}
}

// band returns a sentence about the band if the decision has no band or its
// band does not approve, otherwise "".
func (n *narrative) band() string {
	b := n.decision.band
	if b == nil {
		return sentence(n.detailer.band().Text)
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
		return fmt.Sprintf("%s %s scores from %d to %d", b.ID, does, b.MinScore, b.MaxScore) + n.detailer.who(b.Band)
	}
}

// limit returns a sentence that says what determined the limit, and whether the limit was offered or was too small. It
// returns "" if no limit was computed, or if the application was declined for another reason.
func (n *narrative) limit() string {
	d := n.decision
	l, b := &d.limit, d.band
	if !l.computed || !l.belowMinimum && d.Status == Declined {
		return ""
	}
	if l.consumed {
		return sentence(n.detailer.consumed().Text)
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
		by = fmt.Sprintf("set by the amount asked for, %s", rule.Rupees(n.requestedPaise()))
	case ExposureCap:
		by = fmt.Sprintf("capped by the exposure of %s that the policy allows in all",
			rule.Rupees(d.plan.policy.Exposure.MaxTotalPaise))
	case LimitCapped:
		by = n.limitCap()
	case BandMaxLimit:
		by = fmt.Sprintf("capped by %s maximum %s", b.ID, rule.Rupees(b.MaxLimitPaise))
	default:
		by = fmt.Sprintf("set by %s default %s, because there is no %s", b.ID, rule.Rupees(b.DefaultLimitPaise),
			n.detailer.limit().Field)
	}
	if !l.belowMinimum {
		return "Limit " + by
	}
	return fmt.Sprintf("Limit of %s, %s, is below %s minimum %s", rule.Rupees(l.paise), by, b.ID,
		rule.Rupees(b.MinLimitPaise))
}

// requestedPaise returns the requested amount as the limit uses it: 0 if it is
// absent or negative.
func (n *narrative) requestedPaise() int64 {
	d := n.decision
	requested, _ := paiseIn(&d.frame, d.plan.inputs.requested)
	return max(0, requested)
}

// addScore appends the adjustments that applied but that no reason mentions,
// and then the clamp.
func (n *narrative) addScore() {
	d := n.decision
	for _, r := range d.Rules() {
		if r.Result != ResultApplied || n.said[r.ID] {
			continue
		}
		does, points := "added", r.Delta
		if points < 0 {
			does, points = "took", -points
		}
		n.add(fmt.Sprintf("%s %s %s points", r.ID, does, points))
	}
	if d.sum != d.FinalScore {
		n.add(fmt.Sprintf("Score of %s clamped to %s", d.sum, d.FinalScore))
	}
}

// addTerms appends the conditions of the offer, and a line if the requested tenure is not available.
func (n *narrative) addTerms() {
	offer := &n.decision.Offer
	for _, t := range offer.Terms {
		n.add(fmt.Sprintf("Condition %s: %s", t.Code, t.Text))
	}
	if offer.TenureNotAvailable {
		n.add(fmt.Sprintf(
			"Tenure of %d months, the usual one of %s, which does not allow the one asked for",
			offer.TenureMonths, offer.BandID))
	}
}

// sentence returns the text with a capital first letter.
func sentence(text string) string {
	if text == "" || text[0] < 'a' || text[0] > 'z' {
		return text
	}
	return string(text[0]-'a'+'A') + text[1:]
}
