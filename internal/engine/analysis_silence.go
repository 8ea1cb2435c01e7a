package engine

import (
	"fmt"
	"slices"

	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// silence reports the knockouts that somebody gets around by having no credit
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

// evadable reports whether leaving something out could keep a knockout from
// hitting: it can hit at all, and does nothing when it is unknown.
func (a *analysis) evadable(c *clause) bool {
	return a.passesAbsence(c) && a.possibleClause(c)
}

// passesAbsence reports whether a knockout does nothing when it is unknown.
func (a *analysis) passesAbsence(c *clause) bool {
	k := &a.policy.Knockouts[c.at.index]
	return !k.System && k.OnAbsent == PassWhenAbsent
}

// possibleClause reports whether a clause can hold for somebody.
func (a *analysis) possibleClause(c *clause) bool {
	return c.known && len(c.upper) > 0 && a.supplied(c.upper)
}

// requirements notes the fields that required_fields asks for. Of several
// alternatives none is sure to be given, except that who has no score is new
// to credit, which is looked at by itself.
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

// ntcHandled says how the policy has thought of new-to-credit applicants; it is
// empty when it has not, and approves them.
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

// silentForNTC reports a knockout that stands on the credit history alone and
// does not say what becomes of applicants without one.
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

// without is an applicant whom a clause would hold for, were it not for one
// field that is left out, with what the policy requires of everybody.
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

// needs reports whether nobody in a box is without a field.
func (a *analysis) needs(b box, at int32) bool { return !a.states(b, at).contains(codeAbsent) }

// given is the box with the first of the fields given that can be; for the
// best value of a score and the like, the highest there is.
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
