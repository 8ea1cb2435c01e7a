package engine

import (
	"verdict/internal/rule"
)

// reasons ranks the principal reasons. For a decline or a referral: an unmet
// requirement, the rules that hit in policy order, the price or limit, then
// the factors by the points they fall short of their best; each code once,
// four at most. For a counter-offer, what bound it.
func (p *Plan) reasons(d *Decision) {
	if d.Status == Approved {
		if d.Offer.CounterOffer {
			d.reason(p.bindingCode(d, ReasonBandCap), byLimit, 0)
		}
		return
	}
	if d.missing >= 0 {
		d.reason(ReasonMissingInput, byRequirement, d.missing)
	}
	for _, i := range d.hits {
		r := &d.Rules[i]
		code := p.policy.Knockouts[r.index].ReasonCode
		if r.absent && d.lacks(r.index) {
			// The rule did not see a bad value; it saw none.
			code = ReasonMissingInput
		}
		d.reason(code, byRule, i)
	}
	if d.limit.belowMinimum {
		if code := p.bindingCode(d, ""); code != "" {
			d.reason(code, byLimit, 0)
		}
	}
	switch {
	case d.eligibility:
		return
	case d.band == nil && !p.pointsHelp(d):
		// More points would not have helped, so points lost do not explain it.
		d.reason(ReasonNoBand, byBand, 0)
		return
	case d.band != nil && d.band.NTC && d.band.Action == Refer:
		d.reason(ReasonNewToCredit, byBand, 0)
	}
	d.rankLost()
	// Only when nothing else explains a decline. A referral by a band that
	// nobody lost a point for has no reason but the policy's word.
	switch {
	case len(d.Reasons) > 0 || d.Status != Declined:
	case d.limit.belowMinimum:
		d.reason(ReasonBelowMinimum, byMinimum, 0)
	default:
		d.reason(ReasonNoBand, byBand, 0)
	}
}

// pointsHelp reports whether an applicant without a band failed for want of
// points: bands that lend lie above the score, and none below it.
func (p *Plan) pointsHelp(d *Decision) bool {
	score, above := d.FinalScore.Floor(), false
	l := p.ladder(d)
	for i, r := range l.ranges {
		if l.bands[i].Action == Decline {
			continue
		}
		if r.greatest < score {
			return false
		}
		above = above || r.least > score
	}
	return above
}

// lacks reports whether a request field that a knockout compares was not
// given. Without one its condition is unknown for another reason: a division
// by zero, or an offer that was not made.
func (d *Decision) lacks(knockout int32) bool {
	for _, slot := range d.plan.compared[knockout] {
		if !d.frame.Given(slot) {
			return true
		}
	}
	return false
}

// bindingCode is the reason code of the constraint that bound the limit.
func (p *Plan) bindingCode(d *Decision, bandCode string) string {
	switch d.limit.binding {
	case FOIRCapacity:
		return ReasonFOIRHigh
	case IncomeMultiple:
		return ReasonIncomeLow
	case RequestedAmount:
		return ReasonAmountMinimum
	case DefaultLimit:
		if bandCode == "" {
			return ""
		}
		if _, known := p.paise(d, p.inputs.income); !known {
			return ReasonIncomeMissing
		}
		return ReasonMissingInput
	default:
		return bandCode
	}
}

// reason adds one reason unless its code is there already or four are.
func (d *Decision) reason(code string, kind reasonKind, at int32) {
	if len(d.Reasons) == MaxReasons {
		return
	}
	for i := range d.Reasons {
		if d.Reasons[i].Code == code {
			return
		}
	}
	d.Reasons = append(d.Reasons, Reason{Code: code, Rank: len(d.Reasons) + 1, kind: kind, at: at})
}

// rankLost adds the codes with the most points lost. Points lost under one
// code are added up; of equals the one whose factor stands first in the policy
// ranks higher, adjustments after factors.
func (d *Decision) rankLost() {
	if len(d.Reasons) == MaxReasons || len(d.bins) == 0 && len(d.plan.adjustments) == 0 {
		return
	}
	d.addLost()
	// One number holds the points and, below them, the place in the order, so
	// that the worst of them is a maximum and nothing has to be sorted.
	const placeBits = 11
	const _ = uint(1<<placeBits - maxFactors - maxAdjustments) // every place fits
	d.keys = d.keys[:0]
	for i, code := range d.losing {
		d.keys = append(d.keys, uint64(d.lost[code]/pointsUnit)<<placeBits|uint64(1<<placeBits-1-i))
	}
	for len(d.Reasons) < MaxReasons {
		var worst uint64
		for _, key := range d.keys {
			worst = max(worst, key)
		}
		if worst == 0 {
			return
		}
		i := 1<<placeBits - 1 - int(worst&(1<<placeBits-1))
		d.keys[i] = 0
		code := d.losing[i]
		d.reason(d.plan.codes[code], byPoints, code)
	}
}

// addLost adds up the points lost under each code. It is asked only where
// something was declined or referred.
func (d *Decision) addLost() {
	p := d.plan
	if cap(d.lost) < len(p.codes) {
		d.lost = make([]rule.Number, len(p.codes))
	}
	d.lost = d.lost[:len(p.codes)]
	clear(d.lost)
	for i, bin := range d.bins {
		if bin != noBin {
			o := p.scoring.factors[i].outcome(bin)
			d.lose(o.code, o.lost)
		}
	}
	for i := range d.Rules {
		if r := &d.Rules[i]; r.Result == ResultApplied {
			d.lose(p.adjustments[r.index].code, -r.Delta)
		}
	}
}

// lose adds points lost under a reason code; a code of -1 is none.
func (d *Decision) lose(code int32, points rule.Number) {
	if code < 0 {
		return
	}
	if d.lost[code] == 0 {
		d.losing = append(d.losing, code)
	}
	d.lost[code] += points
}
