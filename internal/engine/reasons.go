package engine

import (
	"verdict/internal/rule"
)

// reasons adds the principal reasons in order of rank. For a decline or a
// referral these are an unmet requirement, the rules that hit in policy order,
// the price or limit, then the factors by points lost; each code once, at most
// four. For a counter-offer it is the constraint that determined the limit.
// Under semantics 2 only causes count.
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
		// More points would not have helped, so lost points do not explain the
		// decline.
		d.reason(p.own[ownNoBand], byBand, 0)
		return
	case d.band != nil && d.band.NTC && d.band.Action == Refer:
		d.reason(p.own[ownNewToCredit], byBand, 0)
	}
	d.addLost()
	d.rankLost(false)
	p.fallbackReason(d)
}

// hitCode returns the reason code of a knockout that hit: that of the policy,
// or that of the predicates that made the condition hold.
func (p *Plan) hitCode(d *Decision, h *Hit) int32 {
	if h.absent && d.lacks(h.Knockout) {
		return p.own[ownMissingInput] // the rule hit because of a missing value, not a bad one
	}
	if n := p.codeNodes[h.Knockout]; n != nil {
		if _, code := p.codeOfNode(n, &d.frame); code != noCode {
			return code
		}
	}
	return p.knockoutCodes[h.Knockout]
}

// fallbackReason adds a reason for a decline that nothing else explains. A
// referral by a band for which no points were lost has no reason other than the
// policy itself.
func (p *Plan) fallbackReason(d *Decision) {
	switch {
	case len(d.Reasons) > 0 || d.Status != Declined:
	case d.limit.belowMinimum:
		d.reason(p.own[ownBelowMinimum], byMinimum, 0)
	default:
		d.reason(p.own[ownNoBand], byBand, 0)
	}
}

// pointsHelp reports whether more points would have given an applicant without
// a band a loan: there are lending bands above the score and none below it.
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

// lacks reports whether a request field that a knockout compares was not given.
// If all were given, the condition is unknown for another reason, such as a
// division by zero or an offer that was not made.
func (d *Decision) lacks(knockout int32) bool {
	for _, slot := range d.plan.compared[knockout] {
		if !d.frame.Given(slot) {
			return true
		}
	}
	return false
}

// bindingCode returns the reason code of the constraint that determined the
// limit. bandCode is the code of the constraints without one of their own.
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

// reason adds one reason unless its code is already there or there are already
// four.
func (d *Decision) reason(code int32, kind reasonKind, at int32) {
	if len(d.Reasons) == MaxReasons {
		return
	}
	for i := range d.Reasons {
		if d.Reasons[i].code == code {
			return
		}
	}
	d.Reasons = append(d.Reasons, Reason{
		Code: d.plan.codes[code],
		Rank: len(d.Reasons) + 1,
		kind: kind,
		at:   at,
		code: code,
	})
}

// lostPoints is the points lost under one code.
type lostPoints struct {
	points rule.Number
	place  int32 // position of the first factor or adjustment that lost points
	firm   bool  // includes an adjustment or a firm outcome of a factor
}

// rankLost adds the codes with the most points lost, as computed by addLost. If
// onlyFirm, it adds only those with firm losses.
func (d *Decision) rankLost(onlyFirm bool) {
	worst := d.worstLost(onlyFirm)
	d.addLostReasons(worst[:])
}

// addLostReasons adds the codes of a sorted list of losses. The first loss of 0
// ends the list.
func (d *Decision) addLostReasons(list []lostPoints) {
	for i := range list {
		if list[i].points == 0 {
			return
		}
		code := d.codeAt(int(list[i].place))
		d.reason(code, byPoints, code)
	}
}

// worstLost returns the largest losses in descending order, padded with zeros.
// Points lost under one code are added up. Of equal losses, the one whose
// factor comes first in the policy ranks higher, and adjustments rank after
// factors. If onlyFirm, it skips losses that are not firm.
func (d *Decision) worstLost(onlyFirm bool) (worst [MaxReasons]lostPoints) {
	if len(d.Reasons) == MaxReasons || len(d.bins) == 0 && len(d.plan.adjustments) == 0 {
		return worst
	}
	// Each key has the points in its high bits and the position in its low
	// bits. A chain of max and min keeps the four largest keys in one pass
	// without unpredictable branches. Four are enough: the codes already given
	// are at most as many as the slots that they take.
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

// codeAt returns the code under which the factor or adjustment at a position
// lost points. Adjustments come after factors.
func (d *Decision) codeAt(place int) int32 {
	if place < len(d.bins) {
		return d.plan.scoring.outcomes[d.bins[place]].code
	}
	return d.plan.adjustments[place-len(d.bins)].code
}

// addLost adds up the points lost under each code. It is called only for
// declines and referrals. Outcomes that lose nothing add 0 to noCode, so the
// loop needs no special case.
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
