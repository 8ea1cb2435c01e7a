package engine

import (
	"verdict/internal/rule"
)

// Decide decides one application and stores the decision in d. It overwrites all of d. It evaluates all knockouts, the
// scorecard and the price even after a knockout hit, because the reasons depend on them. It cannot fail. It allocates
// no memory if d has been used before.
func (p *Plan) Decide(facts *rule.Facts, d *Decision) {
	p.begin(facts, d)
	p.rules(d, &p.stage1, &d.stage1)
	p.score(d)
	p.finish(d)
}

// finish completes a decision whose Stage 1 and score are done.
func (p *Plan) finish(d *Decision) {
	pricer{p, d}.price()
	p.runStage2(d)
	p.conclude(d)
}

// begin clears d but reuses its memory. It then loads the facts and checks the
// fields that the policy requires.
func (p *Plan) begin(facts *rule.Facts, d *Decision) {
	p.clear(d)
	d.stage1.Reset()
	d.adjusted.Reset()
	d.bins = d.bins[:0]
	p.slots.Clear(&d.frame)
	d.othersScore = p.load(facts, &d.frame)
	p.require(d)
}

// clear removes the results of the previous decision from d, except the results of Stage 1 and of the score.
func (p *Plan) clear(d *Decision) {
	d.plan = p
	d.Status, d.Grade, d.FinalScore, d.sum = Approved, NoGrade, 0, 0
	if d.Offer.Made {
		d.Offer = Offer{Terms: d.Offer.Terms[:0]}
	}
	if d.limit.computed {
		d.limit = limit{}
	}
	d.stage2.Reset()
	d.rules.done, d.contributions.done, d.alternatives.done = false, false, false
	d.Reasons, d.unknown, d.hits = d.Reasons[:0], d.unknown[:0], d.hits[:0]
	d.missing, d.band, d.eligibility, d.hash = -1, nil, false, ""
}

// load adds the facts, and the figures that are derived before Stage 1, to a frame. othersScore is true if the
// co-applicant's bureau score counts and the reasons must say so.
func (p *Plan) load(facts *rule.Facts, fr *rule.Frame) (othersScore bool) {
	p.slots.Merge(facts, fr)
	othersScore = p.scores.active && p.scores.choose(p.slots, fr) &&
		p.scores.present >= 0 && fr.Given(p.scores.present)
	if p.afford.active {
		p.afford.derive(p.slots, fr)
	}
	return othersScore
}

// require declines an application that lacks a field that the policy requires.
func (p *Plan) require(d *Decision) {
	for i, slots := range p.required {
		if !anyGiven(slots, &d.frame) {
			d.missing = int32(i)
			d.Status = Declined
			break
		}
	}
	if d.missing < 0 && p.lacksReference(&d.frame) {
		d.missing = int32(len(p.required))
		d.Status = Declined
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

// rules evaluates the knockouts of a stage in declared order.
func (p *Plan) rules(d *Decision, s *stage, truths *rule.Truths) {
	p.code.EvalAll(s.tests, &d.frame, truths)
	p.hit(d, s, truths)
}

// hit applies the results of the knockouts of a stage.
func (p *Plan) hit(d *Decision, s *stage, truths *rule.Truths) {
	for i := truths.Next(0); i >= 0; i = truths.Next(i + 1) {
		r := &s.rules[i]
		truth := truths.At(i)
		if truth == rule.Unknown {
			d.unknown = append(d.unknown, r.index)
		}
		if result := r.result(truth, d.eligibility); result != ResultPass {
			d.Status = max(d.Status, resultStatus[result])
			d.hits = append(d.hits, Hit{Knockout: r.index, Result: result, absent: truth == rule.Unknown})
		}
	}
}

// result returns the result of a rule whose condition has the given truth
// value. An unknown condition passes unless on_absent says otherwise.
// Eligibility ignores on_absent.
func (r *compiledRule) result(truth rule.Truth, eligibility bool) Result {
	switch {
	case truth == rule.Holds:
		return r.hit
	case truth == rule.Unknown && !eligibility:
		return r.whenAbsent
	default:
		return ResultPass
	}
}

var resultStatus = [...]Status{
	ResultPass:    Approved,
	ResultRefer:   Referred,
	ResultFail:    Declined,
	ResultApplied: Approved,
}

// score adds the base, the factors and the adjustments in declared order and
// clamps the sum at the end.
func (p *Plan) score(d *Decision) {
	d.bins, d.sum = p.scoring.add(p.code, &d.frame, d.bins)
	p.code.EvalAll(p.adjusting, &d.frame, &d.adjusted)
	p.adjust(d)
}

// adjust adds to the sum the points of every adjustment whose condition holds. It then clamps the sum to get the final
// score.
func (p *Plan) adjust(d *Decision) {
	for i := d.adjusted.Next(0); i >= 0; i = d.adjusted.Next(i + 1) {
		if d.adjusted.At(i) == rule.Holds {
			d.sum += p.adjustments[i].delta
		}
	}
	d.FinalScore = p.scoring.clamp(d.sum)
}

// price finds the band of the score and computes the limit.
func (x pricer) price() {
	d := x.decision
	d.band = x.match()
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
	x.limit()
	if !d.limit.belowMinimum && x.consumed() {
		d.limit.belowMinimum, d.limit.consumed = true, true
	}
	if d.limit.belowMinimum {
		d.Status = Declined
	}
}

// match returns the band of the final score, or nil if there is none. If several bands contain the score, the first
// one whose condition holds applies. Bands marked new-to-credit take only applicants who are new to credit, and
// other bands take only other applicants.
func (x pricer) match() *compiledBand {
	p, d := x.plan, x.decision
	l := p.ladder(d)
	if !l.conditional {
		return l.find(d.FinalScore)
	}
	p.code.EvalAll(l.whens, &d.frame, &d.segments)
	return l.segmentAt(d.FinalScore.Floor(), d)
}

// ladder returns the bands that an application can get.
func (p *Plan) ladder(d *Decision) *ladder {
	if p.inputs.ntc >= 0 {
		if ntc, ok := d.frame.Number(p.inputs.ntc); ok && ntc == 1 {
			return &p.ntcBands
		}
	}
	return &p.bands
}

// runStage2 stores the engine's results in the fields that only Stage 2 can
// read, and evaluates the rules of Stage 2.
func (p *Plan) runStage2(d *Decision) {
	if len(p.stage2.rules) > 0 {
		p.putResults(d)
		p.rules(d, &p.stage2, &d.stage2)
	}
}

// putResults stores the engine's results in the fields that Stage 2 reads.
func (p *Plan) putResults(d *Decision) {
	put := func(slot int32, v rule.Value) {
		if slot >= 0 {
			p.slots.Put(&d.frame, slot, v)
		}
	}
	r := &p.results
	put(r.score, rule.Num(d.FinalScore))
	put(r.grade, rule.Str(d.Grade))
	// Overwrite these fields even if there is no result, because a request may
	// have sent values under the same names.
	var limit, emi, apr, foir rule.Value
	if d.limit.offered() {
		limit = rule.Num(rule.Rupees(d.limit.paise))
		if r.emi >= 0 || r.apr >= 0 || r.foir >= 0 {
			pricer{p, d}.makeOffer()
			emi = rule.Num(rule.Rupees(d.Offer.InstalmentPaise))
			apr = rule.Num(rule.Number(d.Offer.APR) * rule.Paisa)
			if d.Offer.HasPostFOIR {
				foir = rule.Num(d.Offer.PostFOIRRatio())
			}
		}
	}
	put(r.limit, limit)
	put(r.emi, emi)
	put(r.apr, apr)
	put(r.foir, foir)
}

// conclude completes the offer if the status allows one, and adds the reasons.
func (p *Plan) conclude(d *Decision) {
	switch {
	case d.Status == Declined && d.Offer.Made: // the offer was needed only to evaluate the rules of Stage 2
		d.Offer = Offer{Terms: d.Offer.Terms[:0]}
	case d.Status != Declined:
		if !d.Offer.Made {
			pricer{p, d}.makeOffer()
		}
		d.Offer.Indicative = d.Status == Referred
		for i := range p.terms {
			if p.code.Satisfied(p.terms[i], &d.frame) {
				d.Offer.Terms = append(d.Offer.Terms, &p.policy.Terms[i])
			}
		}
	}
	reasoner{p, d}.addAll()
}
