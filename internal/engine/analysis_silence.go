package engine

import (
	"fmt"
	"slices"

	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// silence reports the knockouts that an applicant avoids by having no credit
// history, or by leaving a field out.
func (a *analysis) silence() {
	a.requirements()
	handled := a.ntcHandled()
	for i := range a.knockouts {
		if c := &a.knockouts[i]; a.evadable(c) {
			a.silentForNTC(c, handled)
		}
	}
	a.silentWhenAbsent()
}

// evadable reports whether leaving a field out could keep a knockout from
// hitting: it can hit, and it does nothing if its condition is unknown.
func (a *analysis) evadable(c *clause) bool {
	return a.passesAbsence(c) && a.possibleClause(c)
}

// passesAbsence reports whether a knockout does nothing if its condition is
// unknown.
func (a *analysis) passesAbsence(c *clause) bool {
	k := &a.policy.Knockouts[c.at.index]
	return !k.System && k.OnAbsent == PassWhenAbsent
}

// possibleClause reports whether a clause can hold for somebody.
func (a *analysis) possibleClause(c *clause) bool {
	return c.known && len(c.upper) > 0 && a.supplied(c.upper)
}

// requirements marks the fields that required_fields lists. Of several
// alternatives none is certain to be given. The exception is a list of bureau
// score and new-to-credit fields: an applicant without a score is new to
// credit, which is checked separately.
func (a *analysis) requirements() {
	for _, req := range a.policy.Required {
		history := true
		for _, ref := range req.Any {
			at := a.place(ref)
			history = history && (at == a.ntc || a.fields[at].scored)
		}
		for _, ref := range req.Any {
			if history || len(req.Any) == 1 {
				a.fields[a.place(ref)].required = true
			}
		}
	}
}

// ntcHandled says how the policy treats new-to-credit applicants. It is empty
// if the policy does not consider them and approves them.
func (a *analysis) ntcHandled() string {
	for _, req := range a.policy.Required {
		if len(req.Any) == 1 && a.fields[a.place(req.Any[0])].scored {
			return "the policy requires it of everybody."
		}
	}
	for i := range a.knockouts {
		if slices.Contains(a.knockouts[i].reads, a.ntc) {
			return "other knockouts look at them."
		}
	}
	for i := range a.policy.Bands {
		if b := &a.policy.Bands[i]; b.NTC && b.Action == Approve {
			return ""
		}
	}
	return "no pricing band approves them."
}

// silentForNTC reports a knockout that depends only on the credit history and
// does not say what happens to applicants without one.
func (a *analysis) silentForNTC(c *clause, handled string) {
	if a.ntc < 0 || slices.Contains(c.reads, a.ntc) {
		return
	}
	scored := slices.IndexFunc(c.reads, func(at int32) bool { return a.fields[at].scored })
	if scored < 0 {
		return
	}
	for _, b := range c.upper {
		if a.states(b, a.ntc).contains(1) {
			return // some new-to-credit applicant can be hit
		}
	}
	severity, rest := SeverityInfo, handled
	if handled == "" {
		severity, rest = SeverityWarning, "no knockout looks at them, and a pricing band approves them."
	}
	a.report(severity, fault.CodeSilentForNTC, c.at,
		fmt.Sprintf("%s never hits an applicant who is new to credit, because %s is absent for them; %s",
			c.name, a.fields[c.reads[scored]].ref.Name, rest),
		[]rule.NamedValue{{Name: field.BureauIsNTC, Value: rule.Bool(true)}})
}

// without returns the facts of an applicant for whom a clause would hold if one
// absent field were given, including the fields that the policy requires.
func (a *analysis) without(c *clause, at int32) []rule.NamedValue {
	i := slices.IndexFunc(c.lower, func(b box) bool { return a.supply(b) != 0 })
	if i < 0 {
		return nil
	}
	b := a.with(c.lower[i], at, onlyAbsent)
	for _, req := range a.policy.Required {
		if !slices.ContainsFunc(req.Any, func(ref rule.Ref) bool { return a.needs(b, a.place(ref)) }) {
			b = a.given(b, req.Any, at)
		}
	}
	facts, _ := a.facts(b)
	return facts
}

// needs reports whether everybody in a box has a field.
func (a *analysis) needs(b box, at int32) bool { return !a.states(b, at).contains(codeAbsent) }

// given returns the box with the first of the fields that can be given set to
// its highest value, which is the best value of a score.
func (a *analysis) given(b box, refs []rule.Ref, except int32) box {
	for _, ref := range refs {
		at := a.place(ref)
		top := a.fields[at].given[0].hi
		if at == except || !a.states(b, at).contains(top) {
			continue
		}
		if with, ok := a.tightened(a.with(b, at, set{{top, top}})); ok && a.supply(with) != 0 {
			return with
		}
	}
	return b
}
