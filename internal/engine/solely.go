package engine

import (
	"slices"

	"verdict/internal/rule"
)

// Effect is what each part of a policy did to one decision, by its place in
// the policy: what a backtest counts, millions of times, without a name being
// looked up or a byte allocated.
type Effect struct {
	Band    int32   // in the policy's bands, -1 for none
	Hits    []Hit   // knockouts that failed or referred, as they were evaluated
	Unknown []int32 // knockouts whose condition had no result
	Applied []int32 // adjustments that applied
	Unsure  []int32 // adjustments whose condition had no result
	Reasons []int32 // the principal reasons, in the tracer's Codes

	// Sole is the knockout that alone brought the status about: without it a
	// declined application would not be declined, and a referred one would be
	// approved. It is -1 when there is none or when more than one thing did.
	Sole int32
}

// Hit is a knockout that failed or referred.
type Hit struct {
	Knockout int32
	Result   Result
}

// Tracer reads the effects of one plan's decisions. It belongs to one
// goroutine.
type Tracer struct {
	plan     *Plan
	tests    []rule.Test // of the adjustments
	truths   []rule.Truth
	codes    []string
	knockout []int32 // the code of each knockout
	points   []int32 // the code of each of the plan's codes
	fixed    []int32 // the codes that the engine itself gives
	effect   Effect
}

// engineCodes are the codes that the engine itself gives.
var engineCodes = []string{
	ReasonMissingInput, ReasonNoBand, ReasonBelowMinimum, ReasonFOIRHigh, ReasonIncomeLow, ReasonIncomeMissing,
	ReasonAmountMinimum, ReasonBandCap, ReasonNewToCredit,
}

// NewTracer makes a tracer for decisions of this plan.
func (p *Plan) NewTracer() *Tracer {
	t := &Tracer{plan: p}
	at := map[string]int32{}
	code := func(text string) int32 {
		i, ok := at[text]
		if !ok {
			i = int32(len(t.codes))
			at[text] = i
			t.codes = append(t.codes, text)
		}
		return i
	}
	for i := range p.policy.Knockouts {
		t.knockout = append(t.knockout, code(p.policy.Knockouts[i].ReasonCode))
	}
	for _, text := range p.codes {
		t.points = append(t.points, code(text))
	}
	for _, text := range engineCodes {
		t.fixed = append(t.fixed, code(text))
	}
	for i := range p.adjustments {
		t.tests = append(t.tests, p.adjustments[i].test)
	}
	t.truths = make([]rule.Truth, len(t.tests))
	return t
}

// Codes lists every reason code that a decision of the plan can give. The
// order depends on the policy alone.
func (t *Tracer) Codes() []string { return t.codes }

// Read reads a decision of the tracer's plan, as Decide left it. The answer is
// valid until the next one.
func (t *Tracer) Read(d *Decision) *Effect {
	e := &t.effect
	e.Band = -1
	if d.band != nil {
		e.Band = d.band.index
	}
	e.Hits = slices.Grow(e.Hits[:0], len(d.hits))
	for _, i := range d.hits {
		r := &d.Rules[i]
		e.Hits = append(e.Hits, Hit{Knockout: r.index, Result: r.Result})
	}
	e.Unknown = append(e.Unknown[:0], d.unknown...)
	t.adjustments(d)
	e.Reasons = e.Reasons[:0]
	for i := range d.Reasons {
		e.Reasons = append(e.Reasons, t.code(d, &d.Reasons[i]))
	}
	e.Sole = d.sole()
	return e
}

// adjustments finds out, besides which adjustments applied, which could not be
// evaluated.
func (t *Tracer) adjustments(d *Decision) {
	e := &t.effect
	e.Applied, e.Unsure = e.Applied[:0], e.Unsure[:0]
	t.plan.code.EvalAll(t.tests, &d.frame, t.truths)
	for i, truth := range t.truths {
		switch truth {
		case rule.Holds:
			e.Applied = append(e.Applied, int32(i))
		case rule.Unknown:
			e.Unsure = append(e.Unsure, int32(i))
		case rule.Fails:
		}
	}
}

// code is the place of a reason's code.
func (t *Tracer) code(d *Decision, r *Reason) int32 {
	switch r.kind {
	case byPoints:
		return t.points[r.at]
	case byRule:
		// A rule that saw no value gives another reason than its own.
		if at := t.knockout[d.Rules[r.at].index]; t.codes[at] == r.Code {
			return at
		}
	case byRequirement, byLimit, byMinimum, byBand:
	}
	for i, text := range engineCodes {
		if text == r.Code {
			return t.fixed[i]
		}
	}
	return t.fixed[0] // cannot be: every other code is the engine's own
}

// sole is the knockout that alone brought the status about, -1 for none.
// Knockouts do not see one another: the score, the price and every other rule
// are evaluated alike whatever a knockout says, so leaving one out takes away
// its own result and nothing else.
func (d *Decision) sole() int32 {
	var result Result
	switch d.Status {
	case Approved:
		return -1
	case Referred:
		result = ResultRefer
		if d.band.Action == Refer {
			return -1
		}
	case Declined:
		result = ResultFail
		if d.missing >= 0 || d.band == nil || d.band.Action == Decline || d.limit.belowMinimum {
			return -1
		}
	}
	only := int32(-1)
	for _, i := range d.hits {
		if r := &d.Rules[i]; r.Result == result {
			if only >= 0 {
				return -1
			}
			only = r.index
		}
	}
	return only
}
