package engine

import (
	"slices"

	"verdict/internal/rule"
)

// Decide decides one application into d, overwriting whatever d held. All
// knockouts, the scorecard and the price are evaluated even after a knockout
// hit, or the reasons would be wrong. It cannot fail, and it allocates nothing
// once d has been used.
func (p *Plan) Decide(facts *rule.Facts, d *Decision) {
	p.begin(facts, d)
	p.rules(d, &p.stage1)
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
	if d.Offer.Made {
		d.Offer = Offer{Terms: d.Offer.Terms[:0], Alternatives: d.Offer.Alternatives[:0]}
	}
	if d.limit.computed {
		d.limit = limit{}
	}
	d.Rules, d.Contributions, d.Reasons = d.Rules[:0], d.Contributions[:0], d.Reasons[:0]
	d.bins, d.unknown, d.losing, d.hits = d.bins[:0], d.unknown[:0], d.losing[:0], d.hits[:0]
	d.missing, d.band, d.eligibility, d.hash = -1, nil, false, ""
	p.slots.Load(facts, &d.frame)
	for i, slots := range p.required {
		if !anyGiven(slots, &d.frame) {
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
func (p *Plan) rules(d *Decision, s *stage) {
	d.truths = slices.Grow(d.truths[:0], len(s.tests))[:len(s.tests)]
	p.code.EvalAll(s.tests, &d.frame, d.truths)
	n, status := len(d.Rules), d.Status
	fired := slices.Grow(d.Rules, len(s.rules))[:n+len(s.rules)]
	for i, truth := range d.truths {
		r := &s.rules[i]
		result, byAbsence := ResultPass, false
		switch truth {
		case rule.Fails:
		case rule.Holds:
			result = r.hit
		case rule.Unknown:
			d.unknown = append(d.unknown, r.index)
			if r.whenAbsent == ResultPass || d.eligibility {
				continue
			}
			result, byAbsence = r.whenAbsent, true
		}
		status = max(status, resultStatus[result])
		if result != ResultPass {
			d.hits = append(d.hits, int32(n))
		}
		// Written in place: a small struct put together elsewhere and copied
		// whole costs more than deciding the rule.
		f := &fired[n]
		f.ID, f.Delta, f.index, f.Result, f.absent = r.id, 0, r.index, result, byAbsence
		n++
	}
	d.Rules, d.Status = fired[:n], status
}

var resultStatus = [...]Status{ResultPass: Approved, ResultRefer: Referred, ResultFail: Declined, ResultApplied: Approved}

// score adds up the base, the factors and the adjustments, one after the
// other in declared order, and clamps the sum at the end.
func (p *Plan) score(d *Decision) {
	var sum rule.Number
	d.Contributions, d.bins, sum = p.scoring.add(p.code, &d.frame, d.Contributions, d.bins)
	for i := range p.adjustments {
		a := &p.adjustments[i]
		if p.code.Satisfied(a.test, &d.frame) {
			sum += a.delta
			d.Rules = append(d.Rules, FiredRule{ID: a.id, Delta: a.delta, index: int32(i), Result: ResultApplied})
		}
	}
	d.Contributions, d.FinalScore = p.scoring.clamp(d.Contributions, sum)
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
	case Approve:
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
	return p.ladder(d).find(d.FinalScore)
}

// ladder is the bands that are open to an application.
func (p *Plan) ladder(d *Decision) *ladder {
	if p.inputs.ntc >= 0 {
		if ntc, ok := d.frame.Number(p.inputs.ntc); ok && ntc == 1 {
			return &p.ntcBands
		}
	}
	return &p.bands
}

// second gives Stage 2 its fields and runs it.
func (p *Plan) second(d *Decision) {
	if len(p.stage2.rules) == 0 {
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
	p.rules(d, &p.stage2)
}

// conclude fills in the offer that the status allows, and the reasons.
func (p *Plan) conclude(d *Decision) {
	switch {
	case d.Status == Declined && d.Offer.Made: // it was for Stage 2 to look at
		d.Offer = Offer{Terms: d.Offer.Terms[:0], Alternatives: d.Offer.Alternatives[:0]}
	case d.Status != Declined:
		if !d.Offer.Made {
			p.makeOffer(d)
		}
		d.Offer.Indicative = d.Status == Referred
		for i := range p.terms {
			if p.code.Satisfied(p.terms[i], &d.frame) {
				d.Offer.Terms = append(d.Offer.Terms, &p.policy.Terms[i])
			}
		}
	}
	p.reasons(d)
}

const paiseUnit = rule.One / 100

func paiseNumber(paise int64) rule.Number { return rule.Number(paise) * paiseUnit }
