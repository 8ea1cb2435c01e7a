package engine

import (
	"verdict/internal/rule"
)

// reasons ranks the principal reasons. For a decline or a referral: an unmet
// requirement, the rules that hit in policy order, the price or limit, then
// the factors by the points they fall short of their best; each code once,
// four at most. For a counter-offer, what bound it. Under semantics 2 only
// causes count.
func (p *Plan) reasons(d *Decision) {
	if d.Status == Approved {
		if d.Offer.CounterOffer {
			d.reason(p.bindingCode(d, p.own[ownBandCap]), byLimit, 0)
		}
		return
	}
	if p.policy.Semantics > FirstSemantics {
		p.causes(d)
		return
	}
	if d.missing >= 0 {
		d.reason(p.own[ownMissingInput], byRequirement, d.missing)
	}
	for i := range d.hits {
		d.reason(p.hitCode(d, &d.hits[i]), byRule, int32(i))
	}
	if d.limit.belowMinimum {
		if code := p.bindingCode(d, noCode); code != noCode {
			d.reason(code, byLimit, 0)
		}
	}
	switch {
	case d.eligibility:
		return
	case d.band == nil && !p.pointsHelp(d):
		// More points would not have helped, so points lost do not explain it.
		d.reason(p.own[ownNoBand], byBand, 0)
		return
	case d.band != nil && d.band.NTC && d.band.Action == Refer:
		d.reason(p.own[ownNewToCredit], byBand, 0)
	}
	d.addLost()
	d.rankLost(false)
	p.lastResort(d)
}

// hitCode is the reason code of a knockout that hit: the policy's, or that of
// the predicates that made the condition hold.
func (p *Plan) hitCode(d *Decision, h *Hit) int32 {
	if h.absent && d.lacks(h.Knockout) {
		return p.own[ownMissingInput] // the rule did not see a bad value; it saw none
	}
	if n := p.codeNodes[h.Knockout]; n != nil {
		if _, code := p.codeOfNode(n, &d.frame); code != noCode {
			return code
		}
	}
	return p.knockoutCodes[h.Knockout]
}

// lastResort gives the reason for a decline that nothing else explains. A
// referral by a band that nobody lost a point for has no reason but the
// policy's word.
func (p *Plan) lastResort(d *Decision) {
	switch {
	case len(d.Reasons) > 0 || d.Status != Declined:
	case d.limit.belowMinimum:
		d.reason(p.own[ownBelowMinimum], byMinimum, 0)
	default:
		d.reason(p.own[ownNoBand], byBand, 0)
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
func (p *Plan) bindingCode(d *Decision, bandCode int32) int32 {
	switch d.limit.binding {
	case FOIRCapacity:
		return p.own[ownFOIRHigh]
	case IncomeMultiple:
		return p.own[ownIncomeLow]
	case RequestedAmount:
		return p.own[ownAmountMinimum]
	case DefaultLimit:
		if bandCode == noCode {
			return noCode
		}
		if _, known := p.paise(d, p.inputs.income); !known {
			return p.own[ownIncomeMissing]
		}
		return p.own[ownMissingInput]
	default:
		return bandCode
	}
}

// reason adds one reason unless its code is there already or four are.
func (d *Decision) reason(code int32, kind reasonKind, at int32) {
	if len(d.Reasons) == MaxReasons {
		return
	}
	for i := range d.Reasons {
		if d.Reasons[i].code == code {
			return
		}
	}
	d.Reasons = append(d.Reasons, Reason{Code: d.plan.codes[code], Rank: len(d.Reasons) + 1, kind: kind, at: at, code: code})
}

// lostPoints is what was lost under one code.
type lostPoints struct {
	points rule.Number
	place  int32 // of the first factor or adjustment that lost any
	firm   bool  // an adjustment, or the firm outcome of a factor, is among them
}

// rankLost adds the codes with the most points lost, as addLost added them up;
// if onlyFirm, only those of firm losses.
func (d *Decision) rankLost(onlyFirm bool) {
	worst := d.worstLost(onlyFirm)
	d.giveLost(worst[:])
}

// giveLost adds the codes of losses, which are in order; zeros end them.
func (d *Decision) giveLost(list []lostPoints) {
	for i := range list {
		if list[i].points == 0 {
			return
		}
		code := d.codeAt(int(list[i].place))
		d.reason(code, byPoints, code)
	}
}

// worstLost returns the greatest losses, the greatest first, and zeros for
// those there are not. Points lost under one code are added up; of equals the
// one whose factor stands first in the policy ranks higher, adjustments after
// factors. If onlyFirm, losses that are not firm are left out.
func (d *Decision) worstLost(onlyFirm bool) (worst [MaxReasons]lostPoints) {
	if len(d.Reasons) == MaxReasons || len(d.bins) == 0 && len(d.plan.adjustments) == 0 {
		return worst
	}
	// One number holds the points and, below them, the place in the order. Each
	// sinks past those that are greater: the four greatest are found in one
	// pass and without a branch, which no processor could guess. Four are
	// enough: of the codes already given there are no more than they displace.
	const placeBits = 11
	const _ = uint(1<<placeBits - maxFactors - maxAdjustments) // every place fits
	var first, second, third, fourth uint64
	for i := range d.lost {
		l := &d.lost[i]
		key := uint64(l.points/pointsUnit)<<placeBits | uint64(1<<placeBits-1-l.place)
		if l.points == 0 || onlyFirm && !l.firm {
			key = 0
		}
		first, key = max(first, key), min(first, key)
		second, key = max(second, key), min(second, key)
		third, key = max(third, key), min(third, key)
		fourth = max(fourth, key)
	}
	for i, key := range [MaxReasons]uint64{first, second, third, fourth} {
		if key > 0 {
			worst[i] = lostPoints{
				points: rule.Number(key>>placeBits) * pointsUnit, place: 1<<placeBits - 1 - int32(key&(1<<placeBits-1)),
			}
		}
	}
	return worst
}

// codeAt is the code that a factor, or after them an adjustment, lost points
// under.
func (d *Decision) codeAt(place int) int32 {
	if place < len(d.bins) {
		return d.plan.scoring.outcomes[d.bins[place]].code
	}
	return d.plan.adjustments[place-len(d.bins)].code
}

// addLost adds up the points lost under each code. It is asked only where
// something was declined or referred. Whatever loses nothing loses nothing
// under noCode, so that nothing has to be told apart.
func (d *Decision) addLost() {
	p := d.plan
	if cap(d.lost) < p.lostCodes {
		d.lost = make([]lostPoints, p.lostCodes)
	}
	d.lost = d.lost[:p.lostCodes]
	clear(d.lost)
	for i, bin := range d.bins {
		o := &p.scoring.outcomes[bin]
		d.lost[o.code].add(o.lost, i)
		d.lost[o.code].firm = d.lost[o.code].firm || o.firm
	}
	for i := d.adjusted.Next(0); i >= 0; i = d.adjusted.Next(i + 1) {
		if a := &p.adjustments[i]; a.code != noCode && d.adjusted.At(i) == rule.Holds {
			d.lost[a.code].add(-a.delta, len(d.bins)+i)
			d.lost[a.code].firm = true
		}
	}
}

func (l *lostPoints) add(points rule.Number, place int) {
	first := l.place
	if l.points == 0 {
		first = int32(place)
	}
	l.points, l.place = l.points+points, first
}
