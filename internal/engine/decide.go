package engine

import (
	"verdict/internal/rule"
)

// Decide decides one application into d, overwriting whatever d held. All
// knockouts, the scorecard and the price are evaluated even after a knockout
// hit, or the reasons would be wrong (CONTRACT A5). It cannot fail, and it
// allocates nothing once d has been used.
func (p *Plan) Decide(facts *rule.Facts, d *Decision) {
	p.begin(facts, d)
	p.rules(d, p.stage1)
	p.score(d)
	p.price(d)
	p.second(d)
	p.conclude(d)
}

// begin clears d, keeping its memory, loads the facts and checks what the
// policy requires.
func (p *Plan) begin(facts *rule.Facts, d *Decision) {
	d.plan = p
	d.Status, d.Grade, d.FinalScore = Approved, noGrade, 0
	d.Offer = Offer{Terms: d.Offer.Terms[:0], Alternatives: d.Offer.Alternatives[:0]}
	d.Rules, d.Contributions, d.Reasons = d.Rules[:0], d.Contributions[:0], d.Reasons[:0]
	d.bins, d.unknown, d.losing = d.bins[:0], d.unknown[:0], d.losing[:0]
	d.missing, d.band, d.limit = -1, nil, limit{}
	p.slots.Load(facts, &d.frame)
	for i, any := range p.required {
		if !anyGiven(any, &d.frame) {
			d.missing = int32(i)
			d.Status = Declined
			break
		}
	}
}

func anyGiven(slots []int32, fr *rule.Frame) bool {
	for _, s := range slots {
		if fr.Given(s) {
			return true
		}
	}
	return false
}

// rules evaluates knockouts in declared order. An unknown one leaves no trace
// in the decision unless its on_absent says so.
func (p *Plan) rules(d *Decision, rules []compiledRule) {
	for i := range rules {
		r := &rules[i]
		result, byAbsence := ResultPass, false
		switch p.code.Eval(r.test, &d.frame) {
		case rule.Fails:
		case rule.Holds:
			result = r.hit
		default:
			d.unknown = append(d.unknown, r.index)
			switch r.onAbsent {
			case PassWhenAbsent:
				continue
			case ReferWhenAbsent:
				result = ResultRefer
			case FailWhenAbsent:
				result = ResultFail
			}
			byAbsence = true
		}
		d.Rules = append(d.Rules, FiredRule{ID: r.id, index: r.index, Result: result, absent: byAbsence})
		switch result {
		case ResultFail:
			d.Status = Declined
		case ResultRefer:
			d.Status = max(d.Status, Referred)
		}
	}
}

// score adds up the base, the factors and the adjustments, one after the
// other in declared order, and clamps the sum at the end.
func (p *Plan) score(d *Decision) {
	if cap(d.lost) < len(p.codes) {
		d.lost = make([]rule.Number, len(p.codes))
	}
	d.lost = d.lost[:len(p.codes)]
	clear(d.lost)
	sum := p.scoring.base
	d.Contributions = append(d.Contributions, Contribution{Factor: baseName, Points: sum})
	for i := range p.scoring.factors {
		f := &p.scoring.factors[i]
		bin := f.bin(p.code, &d.frame)
		d.bins = append(d.bins, bin)
		if bin == noBin {
			continue
		}
		o := f.outcome(bin)
		sum += o.points
		d.Contributions = append(d.Contributions, Contribution{Factor: f.name, Points: o.points})
		d.lose(o.code, o.lost)
	}
	for i := range p.adjustments {
		a := &p.adjustments[i]
		if !p.code.Satisfied(a.test, &d.frame) {
			continue
		}
		sum += a.delta
		d.Rules = append(d.Rules, FiredRule{ID: a.id, Delta: a.delta, index: int32(i), Result: ResultApplied})
		d.lose(a.code, -a.delta)
	}
	clamped := min(max(sum, p.scoring.min), p.scoring.max)
	if clamped != sum {
		d.Contributions = append(d.Contributions, Contribution{Factor: clampName, Points: clamped - sum})
	}
	d.FinalScore = clamped
}

// lose adds points lost under a reason code; none of them has a code of -1.
func (d *Decision) lose(code int32, points rule.Number) {
	if code < 0 {
		return
	}
	if d.lost[code] == 0 {
		d.losing = append(d.losing, code)
	}
	d.lost[code] += points
}

// price finds the band and the limit it can bear.
func (p *Plan) price(d *Decision) {
	d.band = p.match(d)
	if d.band == nil {
		d.Status = Declined
		return
	}
	d.Grade = d.band.Grade
	switch d.band.Action {
	case Decline:
		d.Status = Declined
	case Refer:
		d.Status = max(d.Status, Referred)
	}
	if !d.band.Priced || d.band.Action == Decline {
		return
	}
	d.limit = p.limit(d)
	if d.limit.belowMinimum {
		d.Status = Declined
	}
}

// match finds the band of the final score: bands marked new-to-credit are for
// applicants who are, and for nobody else.
func (p *Plan) match(d *Decision) *compiledBand {
	bands := p.bands
	if p.inputs.ntc >= 0 {
		if ntc, ok := d.frame.Number(p.inputs.ntc); ok && ntc == 1 {
			bands = p.ntcBands
		}
	}
	score := d.FinalScore.Floor()
	for i := range bands {
		if b := &bands[i]; !b.Ranged || b.MinScore <= score && score <= b.MaxScore {
			return b
		}
	}
	return nil
}

// second gives Stage 2 its fields and runs it.
func (p *Plan) second(d *Decision) {
	if len(p.stage2) == 0 {
		return
	}
	put := func(slot int32, v rule.Value) {
		if slot >= 0 {
			p.slots.Put(&d.frame, slot, v)
		}
	}
	r := &p.results
	put(r.score, rule.Num(d.FinalScore))
	put(r.grade, rule.Str(d.Grade))
	// Whatever a request called by these names is not what the engine found.
	var limit, emi, apr, foir rule.Value
	if d.limit.offered() {
		limit = rule.Num(paiseNumber(d.limit.paise))
		if r.emi >= 0 || r.apr >= 0 || r.foir >= 0 {
			p.makeOffer(d)
			emi = rule.Num(paiseNumber(d.Offer.InstalmentPaise))
			apr = rule.Num(rule.Number(d.Offer.APR) * (rule.One / 100))
			if d.Offer.HasPostFOIR {
				foir = rule.Num(rule.Number(d.Offer.PostFOIR) * (rule.One / 10_000))
			}
		}
	}
	put(r.limit, limit)
	put(r.emi, emi)
	put(r.apr, apr)
	put(r.foir, foir)
	p.rules(d, p.stage2)
}

// conclude fills in the offer that the status allows, and the reasons.
func (p *Plan) conclude(d *Decision) {
	if d.Status == Declined {
		d.Offer = Offer{Terms: d.Offer.Terms[:0], Alternatives: d.Offer.Alternatives[:0]}
	} else {
		if !d.Offer.Made {
			p.makeOffer(d)
		}
		d.Offer.Indicative = d.Status == Referred
		for i := range p.terms {
			if p.code.Satisfied(p.terms[i], &d.frame) {
				d.Offer.Terms = append(d.Offer.Terms, p.policy.Terms[i])
			}
		}
	}
	p.reasons(d)
}

const paiseUnit = rule.One / 100

func paiseNumber(paise int64) rule.Number { return rule.Number(paise) * paiseUnit }
