package engine

import (
	"verdict/internal/rule"
)

// Effect says what each rule, band and reason code of a policy did in one decision. It refers to them by index,
// because a backtest counts millions of effects and must neither look up names nor allocate.
type Effect struct {
	Band    int32   // index in the policy's bands; -1 if there is none
	Hits    []Hit   // knockouts that failed or referred, in order of evaluation
	Unknown []int32 // knockouts whose condition was unknown
	Applied []int32 // adjustments that applied
	Unsure  []int32 // adjustments whose condition was unknown
	Reasons []int32 // the principal reasons as indexes in the tracer's Codes

	// Sole is the knockout that alone caused the status: without it a declined
	// application would not be declined, and a referred one would be approved.
	// It is -1 if there is no such knockout.
	Sole int32
}

// Tracer reads the effects of one plan's decisions. It must not be used
// concurrently.
type Tracer struct {
	plan   *Plan
	effect Effect
}

// NewTracer returns a tracer for decisions of this plan.
func (p *Plan) NewTracer() *Tracer { return &Tracer{plan: p} }

// Codes lists every reason code that a decision of the plan can give. The order
// depends only on the policy.
func (t *Tracer) Codes() []string { return t.plan.codes[noCode+1:] }

// Read returns the effect of a decision that Decide made with the tracer's plan
// and that was not changed since. The result is valid until the next call, or
// until the decision is used again.
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

// sole returns the knockout that alone caused the status, or -1 for none.
// Knockouts do not affect each other, the score or the price, so leaving one
// out removes only its own result.
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
