package main

import (
	"verdict/internal/engine"
)

// conclude computes the rest of the decision from the rules, the adjustments and the
// points: the score, the band, the limit, the offer and the reasons. The hand-written
// program and all peers share this function, because no peer has a language for this
// part. worst is the worst status that any rule demands. wanted says which conditions
// of the offer hold.
func (o *Outcome) conclude(a *Applicant, worst engine.Status, wanted *[termCount]bool) {
	sum := basePoints
	for i := range o.Points {
		sum += o.Points[i].Points
	}
	for i := range o.Adjust {
		if o.Adjust[i].Applied {
			sum += deltas[i]
		}
	}
	o.Score = min(max(sum, minScore), maxScore)
	o.Clamp = o.Score - sum

	b := &bands[bandAt[o.Score-minScore]]
	o.Grade = b.grade
	var l lend
	tooSmall := false
	switch b.action {
	case engine.Decline:
		worst = engine.Declined
	case engine.Refer:
		worst = max(worst, engine.Referred)
	case engine.Approve:
	}
	if b.action != engine.Decline {
		if l = b.limit(a); l.paise < minLimitPaise {
			tooSmall, worst = true, engine.Declined
		}
	}
	o.Status = worst
	o.Reasons = o.Reasons[:0]
	if worst == engine.Declined {
		o.Offer.Made = false
		o.explain(tooSmall, l.binding)
		return
	}
	b.price(a, &l, &o.Offer)
	o.Offer.Terms = o.Offer.Terms[:0]
	for i, code := range termCodes {
		if wanted[i] {
			o.Offer.Terms = append(o.Offer.Terms, code)
		}
	}
	switch {
	case worst == engine.Referred:
		o.Offer.Indicative = true
		o.explain(false, l.binding)
	case o.Offer.CounterOffer:
		o.Reasons = append(o.Reasons, bindingReason(l.binding))
	}
}

func bindingReason(c engine.Constraint) string {
	switch c {
	case engine.FOIRCapacity:
		return engine.ReasonFOIRHigh
	case engine.IncomeMultiple:
		return engine.ReasonIncomeLow
	case engine.RequestedAmount:
		return engine.ReasonAmountMinimum
	default:
		return engine.ReasonBandCap
	}
}

// explain ranks the principal reasons: first the rules that hit, then the limit, then
// the codes by points lost. A declined application without any of these gets a code
// for its band or its limit.
func (o *Outcome) explain(tooSmall bool, binding engine.Constraint) {
	for i := range o.Rules {
		if o.Rules[i].Result != engine.ResultPass {
			o.reason(ruleReasons[i])
		}
	}
	if tooSmall && binding != engine.BandMaxLimit {
		o.reason(bindingReason(binding))
	}
	if len(o.Reasons) < engine.MaxReasons {
		o.rankLost()
	}
	if len(o.Reasons) == 0 && o.Status == engine.Declined {
		code := engine.ReasonNoBand
		if tooSmall {
			code = engine.ReasonBelowMinimum
		}
		o.Reasons = append(o.Reasons, code)
	}
}

func (o *Outcome) reason(code string) {
	if len(o.Reasons) == engine.MaxReasons {
		return
	}
	for _, given := range o.Reasons {
		if given == code {
			return
		}
	}
	o.Reasons = append(o.Reasons, code)
}

// rankLost adds the codes with the most points lost. Ties are broken by the order of
// the factors, then of the adjustments.
func (o *Outcome) rankLost() {
	var (
		lost  [len(lostCodes)]int
		order [len(lostCodes)]int // the codes in the order in which they first lost points
		n     int
	)
	lose := func(code, points int) {
		if lost[code] == 0 {
			order[n] = code
			n++
		}
		lost[code] += points
	}
	for i := range o.Points {
		if points := bestPoints[i] - o.Points[i].Points; points > 0 {
			lose(factorCode[i], points)
		}
	}
	for i := range o.Adjust {
		if o.Adjust[i].Applied && deltas[i] < 0 {
			lose(adjustmentCode[i], -deltas[i])
		}
	}
	for len(o.Reasons) < engine.MaxReasons {
		best, most := 0, 0
		for _, code := range order[:n] {
			if lost[code] > most {
				best, most = code, lost[code]
			}
		}
		if most == 0 {
			return
		}
		lost[best] = 0
		o.reason(lostCodes[best])
	}
}
