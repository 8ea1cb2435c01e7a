package engine

import (
	"slices"

	"verdict/internal/field"
	"verdict/internal/rule"
)

// Watch decides applications and evaluates a guarantee on each of them. It must not be used by several goroutines at
// the same time.
type Watch struct {
	plan        *Plan
	when, never rule.Test
}

// NewWatch returns a watch for a guarantee of the policy. The guarantee must have Never.
func NewWatch(p *Policy, catalogue *rule.Catalogue, g *Guarantee) *Watch {
	when := rule.Condition{Op: rule.True}
	if g.When != nil {
		when = *g.When
	}
	// The conditions of the guarantee become conditions of the offer, so that the plan loads the facts that they read.
	// Conditions of the offer have no effect on the rest of a decision.
	watched := *p
	watched.Terms = append(slices.Clone(p.Terms), Term{Condition: when}, Term{Condition: *g.Never})
	w := &Watch{plan: Compile(&watched, catalogue)}
	at := len(p.Terms)
	w.when, w.never = w.plan.terms[at], w.plan.terms[at+1]
	w.plan.terms = w.plan.terms[:at]
	return w
}

// Violates decides an application, stores the decision in d, and reports whether the decision violates the guarantee.
func (w *Watch) Violates(facts *rule.Facts, d *Decision) bool {
	p := w.plan
	p.Decide(facts, d)
	put := func(name string, v rule.Value) {
		ref := rule.Ref{Name: name, ID: rule.Undeclared}
		if id, ok := p.catalogue.Lookup(name); ok {
			ref.ID = id
		}
		if slot, ok := p.slots.Find(ref); ok {
			p.slots.Put(&d.frame, slot, v)
		}
	}
	// Everything except the status belongs to an offer, so a declined application has only a status. Overwrite the
	// values that Stage 2 has read.
	var grade, score, rate, limit, emi, apr, foir rule.Value
	if o := &d.Offer; d.Status != Declined {
		grade, score = rule.Str(d.Grade), rule.Num(d.FinalScore)
		rate, limit = rule.Num(rule.Number(o.RateBP)*rule.Paisa), rule.Num(rule.Rupees(o.LimitPaise))
		emi, apr = rule.Num(rule.Rupees(o.InstalmentPaise)), rule.Num(rule.Number(o.APR)*rule.Paisa)
		if o.HasPostFOIR {
			foir = rule.Num(o.PostFOIRRatio())
		}
	}
	put(OutcomeStatus, rule.Str(d.Status.String()))
	put(OutcomeRate, rate)
	put(OutcomeAPR, apr)
	put(field.Grade, grade)
	put(field.FinalScore, score)
	put(field.OfferLimit, limit)
	put(field.OfferEMI, emi)
	put(field.OfferAPR, apr)
	put(field.PostOfferFOIR, foir)
	return p.code.Satisfied(w.when, &d.frame) && p.code.Satisfied(w.never, &d.frame)
}
