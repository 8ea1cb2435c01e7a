package engine

import (
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// NotEvaluated is a rule that could not be evaluated and the fields that it
// lacks.
type NotEvaluated struct {
	ID      string
	Missing []string
}

// NotEvaluated lists the knockouts and adjustments that could not be evaluated,
// in declared order. The list is not part of the decision hash.
func (d *Decision) NotEvaluated() []NotEvaluated {
	var out []NotEvaluated
	add := func(id string, c *rule.Condition) {
		if e := d.plan.code.Explain(c, &d.frame); e.Truth == rule.Unknown {
			out = append(out, NotEvaluated{ID: id, Missing: d.absentFacts(e.Missing)})
		}
	}
	for _, i := range d.unknown {
		k := &d.plan.policy.Knockouts[i]
		add(k.ID, &k.Condition)
	}
	if !d.eligibility { // eligibility runs no adjustments
		for i := range d.plan.policy.Adjustments {
			a := &d.plan.policy.Adjustments[i]
			add(a.ID, &a.Condition)
		}
	}
	return out
}

// Eligibility is the outcome of Stage 1 alone.
type Eligibility struct {
	d Decision
}

// Eligible runs the Stage 1 knockouts only. No field is required and on_absent
// is ignored, because eligibility is checked before a bureau report is paid
// for. Rules that could not be evaluated are listed instead.
func (p *Plan) Eligible(facts *rule.Facts, e *Eligibility) {
	d := &e.d
	p.begin(facts, d)
	d.Status, d.missing, d.eligibility = Approved, -1, true
	p.rules(d, &p.stage1, &d.stage1)
	if d.Status != Approved {
		reasoner{p, d}.addAll()
	}
}

// Eligible reports whether the result is neither declined nor undetermined.
func (e *Eligibility) Eligible() bool { return e.d.Status != Declined && !e.Undetermined() }

// Undetermined reports whether the policy has Stage 1 rules and none of them
// could be evaluated, so that the rules say nothing about the applicant.
func (e *Eligibility) Undetermined() bool {
	return len(e.d.unknown) > 0 && len(e.d.unknown) == len(e.d.plan.stage1.rules)
}

// Complete reports whether every Stage 1 rule could be evaluated.
func (e *Eligibility) Complete() bool { return len(e.d.unknown) == 0 }

// Status returns ELIGIBLE, REFERRED, DECLINED or UNDETERMINED.
func (e *Eligibility) Status() string {
	switch {
	case e.Undetermined():
		return "UNDETERMINED"
	case e.d.Status == Approved:
		return "ELIGIBLE"
	}
	return e.d.Status.String()
}

// Write writes the response of the eligibility endpoint.
func (e *Eligibility) Write(w *wire.Writer, env *Envelope) {
	d := &e.d
	w.Object().Key("eligible").Bool(e.Eligible()).Key("status").String(e.Status()).Key("stage").Int(1)
	w.Key("complete").Bool(e.Complete())
	w.Key("fired_rules")
	writeFired(w, d.Rules(), false)
	w.Key("reasons")
	d.writeReasons(w)
	w.Key("not_evaluated")
	WriteNotEvaluated(w, d.NotEvaluated())
	w.Key("policy").Object()
	w.Optional("id", env.PolicyID)
	if env.PolicyVersion > 0 {
		w.Key("version").Int(int64(env.PolicyVersion))
	}
	w.Key("checksum").String(d.plan.checksum).EndObject()
	writeVersions(w, "lists", env.Lists)
	writeVersions(w, "tables", env.Tables)
	writeWarnings(w, env.Warnings)
	w.Key("persisted").Bool(false).EndObject()
}

// WriteNotEvaluated writes the rules that could not be evaluated as an array.
func WriteNotEvaluated(w *wire.Writer, list []NotEvaluated) {
	w.Array()
	for _, n := range list {
		w.Object().Key("id").String(n.ID).Key("missing")
		w.Strings(n.Missing)
		w.EndObject()
	}
	w.EndArray()
}
