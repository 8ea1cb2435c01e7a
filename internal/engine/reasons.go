package engine

import (
	"verdict/internal/rule"
)

// reasoner finds the principal reasons of a decision that a plan has made. It
// consists of two pointers and is passed by value, so that finding reasons
// allocates nothing.
type reasoner struct {
	plan     *Plan
	decision *Decision
}

// addAll adds the principal reasons in order of rank: each code once, and at most four. For a decline or a referral
// the order is: first an unmet requirement, then the rules that hit (in policy order), then the price or limit, and
// last the factors and adjustments (by lost points). For a counter-offer the only reason is the constraint that
// determined the limit. Under semantics 2 only causes count.
func (x reasoner) addAll() {
	p, d := x.plan, x.decision
	if d.Status == Approved {
		if d.Offer.CounterOffer {
			x.add(x.bindingCode(p.own[ownBandCap]), byLimit, 0)
		}
		return
	}
	if p.policy.Semantics > FirstSemantics {
		x.causes()
		return
	}
	if d.missing >= 0 {
		x.add(p.own[ownMissingInput], byRequirement, d.missing)
	}
	for i := range d.hits {
		x.add(x.ruleCode(&d.hits[i]), byRule, int32(i))
	}
	if d.limit.belowMinimum {
		if code := x.bindingCode(noCode); code != noCode {
			x.add(code, byLimit, 0)
		}
	}
	switch {
	case d.eligibility:
		return
	case d.band == nil && !x.pointsHelp():
		// More points would not have helped, so lost points do not explain the decline.
		x.add(p.own[ownNoBand], byBand, 0)
		return
	case d.band != nil && d.band.NTC && d.band.Action == Refer:
		x.add(p.own[ownNewToCredit], byBand, 0)
	}
	x.sumLost()
	x.rankLost(false)
	x.addFallback()
}

// hitCode returns the reason code of a knockout that hit. If the knockout hit because a value is missing, it is the
// code for a missing input. Otherwise it is the code that the policy states, or the code of the predicates that made
// the condition hold.
func (x reasoner) hitCode(h *Hit) int32 {
	p := x.plan
	if h.absent && x.lacks(h.Knockout) {
		return p.own[ownMissingInput] // the rule hit because of a missing value, not a bad one
	}
	if n := p.codeNodes[h.Knockout]; n != nil {
		if _, code := n.eval(p, &x.decision.frame); code != noCode {
			return code
		}
	}
	return p.knockoutCodes[h.Knockout]
}

// addFallback adds a reason for a decline that nothing else explains. It adds
// none for a referral: if a band refers and no points were lost, the policy
// itself is the only reason.
func (x reasoner) addFallback() {
	p, d := x.plan, x.decision
	switch {
	case len(d.Reasons) > 0 || d.Status != Declined:
	case d.limit.belowMinimum:
		x.add(p.own[ownBelowMinimum], byMinimum, 0)
	default:
		x.add(p.own[ownNoBand], byBand, 0)
	}
}

// pointsHelp reports whether more points would have given a loan to an applicant
// without a band. That is so if there are lending bands above the score and none
// below it.
func (x reasoner) pointsHelp() bool {
	score, above := x.decision.FinalScore.Floor(), false
	l := x.plan.ladder(x.decision)
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

// lacks reports whether a field that a knockout compares was not given in the request. If all were given, the
// condition is unknown for another reason, such as a division by zero or an offer that was not made.
func (x reasoner) lacks(knockout int32) bool {
	for _, slot := range x.plan.compared[knockout] {
		if !x.decision.frame.Given(slot) {
			return true
		}
	}
	return false
}

// bindingCode returns the reason code of the constraint that determined the limit. It returns bandCode for a
// constraint that has no code of its own. If bandCode is noCode, it also returns noCode for the default limit, which
// otherwise has a code.
func (x reasoner) bindingCode(bandCode int32) int32 {
	p, d := x.plan, x.decision
	if d.limit.consumed {
		return p.own[ownChargesExceed]
	}
	switch d.limit.binding {
	case FOIRCapacity:
		return p.own[ownFOIRHigh]
	case IncomeMultiple:
		return p.own[ownIncomeLow]
	case RequestedAmount:
		return p.own[ownAmountMinimum]
	case ExposureCap:
		return p.own[ownExposureCap]
	case LimitCapped:
		if d.limit.capUnknown {
			return p.own[ownMissingInput]
		}
		if d.othersScore && p.scores.caps[d.limit.capAt] {
			return p.scores.otherCode
		}
		if code := p.caps[d.limit.capAt].code; code != noCode {
			return code
		}
		return bandCode
	case DefaultLimit:
		if bandCode == noCode {
			return noCode
		}
		if _, known := paiseIn(&d.frame, p.inputs.income); !known {
			return p.own[ownIncomeMissing]
		}
		return p.own[ownMissingInput]
	default:
		return bandCode
	}
}

// add adds one reason unless the decision already has that code or already has
// MaxReasons reasons.
func (x reasoner) add(code int32, kind reasonKind, at int32) {
	d := x.decision
	if len(d.Reasons) == MaxReasons {
		return
	}
	for i := range d.Reasons {
		if d.Reasons[i].code == code {
			return
		}
	}
	d.Reasons = append(d.Reasons, Reason{
		Code: x.plan.codes[code],
		Rank: len(d.Reasons) + 1,
		kind: kind,
		at:   at,
		code: code,
	})
}

// lostPoints has the points lost under one reason code.
type lostPoints struct {
	points rule.Number
	place  int32 // position of the first factor or adjustment that lost points
	firm   bool  // the points include an adjustment, or an outcome that is firm (see outcome.firm)
}

// rankLost adds the codes with the most points lost, as computed by sumLost. If
// onlyFirm is set, it adds only those with firm losses.
func (x reasoner) rankLost(onlyFirm bool) {
	worst := x.worstLost(onlyFirm)
	x.addLost(worst[:])
}

// addLost adds the codes of a sorted list of losses. The first loss of 0
// ends the list.
func (x reasoner) addLost(list []lostPoints) {
	for i := range list {
		if list[i].points == 0 {
			return
		}
		code := x.codeAt(int(list[i].place))
		x.add(code, byPoints, code)
	}
}

// worstLost returns the largest losses in descending order, padded with zeros. Points lost under one code are added
// up. If losses are equal, the loss whose factor comes first in the policy ranks higher, and adjustments rank after
// factors. If onlyFirm is set, it skips losses that are not firm.
func (x reasoner) worstLost(onlyFirm bool) (worst [MaxReasons]lostPoints) {
	d := x.decision
	if len(d.Reasons) == MaxReasons || len(d.bins) == 0 && len(x.plan.adjustments) == 0 {
		return worst
	}
	// Each key has the points in its high bits and the position in its low bits.
	// A chain of max and min finds the four largest keys in one pass without
	// unpredictable branches. Four are enough even if the decision already has
	// some of their codes, because each of those codes already occupies one of
	// the four reasons.
	const placeBits = 11
	const _ = uint(1<<placeBits - maxFactors - maxAdjustments) // fails to compile if placeBits is too small
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

// codeAt returns the code under which the factor or adjustment at the given position lost points. The positions of
// adjustments follow those of the factors.
func (x reasoner) codeAt(place int) int32 {
	bins := x.decision.bins
	if place < len(bins) {
		return x.factorCode(place)
	}
	return x.adjustmentCode(place - len(bins))
}

// sumLost adds up the points lost under each code. It is called only for
// declines and referrals. Outcomes that lose nothing add 0 to noCode, so the
// loop needs no special case.
func (x reasoner) sumLost() {
	p, d := x.plan, x.decision
	if cap(d.lost) < p.lostCodes {
		d.lost = make([]lostPoints, p.lostCodes)
	}
	d.lost = d.lost[:p.lostCodes]
	clear(d.lost)
	for i, bin := range d.bins {
		o := &p.scoring.outcomes[bin]
		code := x.factorCode(i)
		d.lost[code].add(o.lost, i)
		d.lost[code].firm = d.lost[code].firm || o.firm
	}
	for i := d.adjusted.Next(0); i >= 0; i = d.adjusted.Next(i + 1) {
		if a := &p.adjustments[i]; a.code != noCode && d.adjusted.At(i) == rule.Holds {
			code := x.adjustmentCode(i)
			d.lost[code].add(-a.delta, len(d.bins)+i)
			d.lost[code].firm = true
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
