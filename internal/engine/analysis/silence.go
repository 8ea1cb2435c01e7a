package analysis

import (
	"fmt"
	"slices"

	"verdict/internal/engine"
	"verdict/internal/engine/space"
	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// silenceCheck reports the rules and factors that do not apply to applicants
// without a credit history or to applicants who leave a field out.
type silenceCheck struct {
	*analysis
	notes []fieldNote // indexed by field
}

// fieldNote says how the policy treats the absence of one field.
type fieldNote struct {
	required bool // required_fields lists the field; see requirements
	tested   bool // some condition tests whether the field is present
	hit      absenceHit
}

// absenceHit says whether some knockout hits everybody without a field.
type absenceHit uint8

const (
	notComputed absenceHit = iota
	notHit
	hit
)

func (a *silenceCheck) run() {
	a.requirements()
	a.presenceTests()
	handled := a.ntcHandled()
	for i := range a.knockouts {
		if c := &a.knockouts[i]; a.evadable(c) {
			a.silentForNTC(c, handled)
		}
	}
	a.silentWhenAbsent()
}

// evadable reports whether leaving a field out could prevent a knockout from
// hitting. That is so if the knockout can hit and has no effect when its
// condition is unknown.
func (a *silenceCheck) evadable(c *clause) bool {
	return a.passesAbsence(c) && a.possibleClause(c)
}

// passesAbsence reports whether a knockout has no effect if its condition is
// unknown. It returns false for a system rule.
func (a *silenceCheck) passesAbsence(c *clause) bool {
	k := &a.policy.Knockouts[c.at.index]
	return !k.System && k.OnAbsent == engine.PassWhenAbsent
}

// possibleClause reports whether a clause can hold for somebody.
func (a *silenceCheck) possibleClause(c *clause) bool {
	return c.Known && len(c.Upper) > 0 && a.solver.Supplied(c.Upper)
}

// requirements marks the fields that required_fields lists, and the fields about the lender's own decisions. It does
// not mark alternatives, because no single alternative is certain to be given. There is one exception: if all
// alternatives are bureau score or new-to-credit fields, it marks them all. An applicant without a score is new to
// credit, and that is checked separately.
func (a *silenceCheck) requirements() {
	for _, req := range a.policy.Required {
		for _, ref := range req.Any {
			a.space.FieldOf(ref)
		}
	}
	a.notes = make([]fieldNote, a.space.Len()) // no field is placed after this point
	for i := range a.notes {
		// A policy that reads a field about the lender's own decisions requires applicant_ref. The service then reads
		// the field itself, so no request can leave it out.
		a.notes[i].required = field.IsOwn(a.space.Domain(space.Field(i)).Ref.Name)
	}
	for _, req := range a.policy.Required {
		history := true
		for _, ref := range req.Any {
			at := a.space.FieldOf(ref)
			history = history && (at == a.space.NTC() || a.space.Domain(at).Scored)
		}
		for _, ref := range req.Any {
			if history || len(req.Any) == 1 {
				a.notes[a.space.FieldOf(ref)].required = true
			}
		}
	}
}

// presenceTests marks the fields whose presence some condition tests.
func (a *silenceCheck) presenceTests() {
	for _, list := range a.lists() {
		for i := range list {
			list[i].cond.Walk(func(n *rule.Condition) {
				if n.Op == rule.Exists || n.Op == rule.IsAbsent {
					a.notes[a.space.FieldOf(n.Left.Field)].tested = true
				}
			})
		}
	}
}

// ntcHandled returns the part of a sentence that says how the policy treats
// new-to-credit applicants. It returns "" if no requirement and no knockout
// considers them and a band approves them.
func (a *silenceCheck) ntcHandled() string {
	for _, req := range a.policy.Required {
		if len(req.Any) == 1 && a.space.Domain(a.space.FieldOf(req.Any[0])).Scored {
			return "the policy requires it of everybody."
		}
	}
	for i := range a.knockouts {
		if slices.Contains(a.knockouts[i].reads, a.space.NTC()) {
			return "other knockouts check them."
		}
	}
	for i := range a.policy.Bands {
		if b := &a.policy.Bands[i]; b.NTC && b.Action == engine.Approve {
			return ""
		}
	}
	return "no pricing band approves them."
}

// silentForNTC reports a knockout that reads a bureau score and so never hits
// an applicant who is new to credit.
func (a *silenceCheck) silentForNTC(c *clause, handled string) {
	ntc := a.space.NTC()
	if ntc == space.NoField || slices.Contains(c.reads, ntc) {
		return
	}
	scored := slices.IndexFunc(c.reads, func(at space.Field) bool { return a.space.Domain(at).Scored })
	if scored < 0 {
		return
	}
	for _, b := range c.Upper {
		if a.solver.States(b, ntc).Contains(space.True) {
			return // the knockout can hit a new-to-credit applicant
		}
	}
	severity, rest := SeverityInfo, handled
	if handled == "" {
		severity, rest = SeverityWarning, "no knockout checks them, and a pricing band approves them."
	}
	a.report(severity, fault.CodeSilentForNTC, c.at,
		fmt.Sprintf("%s never hits an applicant who is new to credit, because %s is absent for them; %s",
			c.name, a.space.Domain(c.reads[scored]).Ref.Name, rest),
		[]rule.NamedValue{{Name: field.BureauIsNTC, Value: rule.Bool(true)}})
}

// without returns the facts of an applicant who leaves out the field "at", and for whom the clause could hold if the
// field were given. The facts include the other fields that the policy requires. It returns nil if it finds no such
// applicant.
func (a *silenceCheck) without(c *clause, at space.Field) []rule.NamedValue {
	i := slices.IndexFunc(c.Lower, func(b space.Box) bool { return a.solver.Supply(b) != 0 })
	if i < 0 {
		return nil
	}
	b := a.solver.Without(c.Lower[i], at)
	for _, req := range a.policy.Required {
		if !slices.ContainsFunc(req.Any, func(ref rule.Ref) bool { return a.needs(b, a.space.FieldOf(ref)) }) {
			b = a.given(b, req.Any, at)
		}
	}
	facts, _ := a.solver.Facts(b)
	return facts
}

// needs reports whether every application in the box b has the field "at".
func (a *silenceCheck) needs(b space.Box, at space.Field) bool {
	return !a.solver.States(b, at).Contains(space.Absent)
}

// given restricts the box b to applicants who give one of the fields in refs with its highest value, which for a
// score is the best value. It uses the first field that can be given, and skips the field "except". It returns b
// unchanged if no field can be given.
func (a *silenceCheck) given(b space.Box, refs []rule.Ref, except space.Field) space.Box {
	for _, ref := range refs {
		at := a.space.FieldOf(ref)
		top := a.space.Domain(at).Given[0].Hi
		if at == except || !a.solver.States(b, at).Contains(top) {
			continue
		}
		with, ok := a.solver.Tightened(a.solver.With(b, at, space.Set{{Lo: top, Hi: top}}))
		if ok && a.solver.Supply(with) != 0 {
			return with
		}
	}
	return b
}
