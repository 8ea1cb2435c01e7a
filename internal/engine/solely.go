package engine

import (
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

// Tracer reads the effects of one plan's decisions. It belongs to one
// goroutine.
type Tracer struct {
	plan   *Plan
	effect Effect
}

// NewTracer makes a tracer for decisions of this plan.
func (p *Plan) NewTracer() *Tracer { return &Tracer{plan: p} }

// Codes lists every reason code that a decision of the plan can give. The
// order depends on the policy alone.
func (t *Tracer) Codes() []string { return t.plan.codes[noCode+1:] }

// Read reads a decision of the tracer's plan, as Decide left it. The answer is
// valid until the next one, or until the decision is used again.
func (t *Tracer) Read(d *Decision) *Effect {
	e := &t.effect
	e.Band = -1
	if d.band != nil {
		e.Band = d.band.index
	}
	e.Hits, e.Unknown = d.hits, d.unknown
	e.Applied, e.Unsure = e.Applied[:0], e.Unsure[:0]
	for i := d.adjusted.Next(0); i >= 0; i = d.adjusted.Next(i + 1) {
		if d.adjusted.At(i) == rule.Holds {
			e.Applied = append(e.Applied, int32(i))
		} else {
			e.Unsure = append(e.Unsure, int32(i))
		}
	}
	e.Reasons = e.Reasons[:0]
	for i := range d.Reasons {
		e.Reasons = append(e.Reasons, d.Reasons[i].code-noCode-1)
	}
	e.Sole = d.sole()
	return e
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
	for _, h := range d.hits {
		if h.Result == result {
			if only >= 0 {
				return -1
			}
			only = h.Knockout
		}
	}
	return only
}
