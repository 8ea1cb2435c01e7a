package engine

import (
	"verdict/internal/fault"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

func (r *policyReader) knockouts(f *wire.Form) {
	list := f.Array("knockouts", maxKnockouts)
	r.policy.Knockouts = make([]Knockout, 0, list.Len()+3)
	for _, v := range list.Elements() {
		if r.interrupted() {
			return
		}
		// Append first and fill the element in place, which avoids a copy: a
		// Knockout is a large struct, and a policy has many.
		n := len(r.policy.Knockouts)
		r.policy.Knockouts = append(r.policy.Knockouts, Knockout{})
		k := &r.policy.Knockouts[n]
		r.knockout(v, k)
		if k.System && !r.policy.IncludeDefaults {
			// This is a stored document whose include_defaults was turned off.
			r.policy.Knockouts = r.policy.Knockouts[:n]
		}
	}
	if !r.policy.IncludeDefaults {
		return
	}
	r.policy.Knockouts = append(r.policy.Knockouts, systemKnockouts(r.policy.Semantics, r.src.Catalogue, r.ids)...)
}

func (r *policyReader) knockout(v wire.Value, k *Knockout) {
	form := wire.NewForm(v, &r.faults)
	f := &form
	k.ID, k.Stage = r.id(f, r.ids), 1
	if stage, ok := f.Decimal("stage", 0, 1, 2); ok {
		k.Stage = int(stage)
	}
	k.Action = Decline
	if f.Choice("action", 0, Decline.String(), Refer.String()) == 1 {
		k.Action = Refer
	}
	k.OnAbsent = OnAbsent(f.Choice("on_absent", 0, onAbsentNames[:]...))
	k.ReasonCode = readReasonCode(f)
	k.Message, _ = f.Text("message", maxText)
	k.ApplicantMessage, _ = f.Text("applicant_message", maxText)
	k.System = f.Bool("system", false) && isSystemRule(k.ID, r.policy.Semantics)
	before := r.faults.Len()
	k.Condition = r.condition(f, "the condition under which the rule hits", k.Stage == 2)
	readable := r.faults.Len() == before
	r.template(f, k.Message, k.Stage == 2)
	if k.ReasonCode == "" {
		k.ReasonCode = r.defaultReason(&k.Condition)
		suggested := k.ReasonCode != "" || fieldReason(&k.Condition, r.src.Catalogue) != ""
		if !suggested && readable && f.Value().Kind() == wire.Object {
			f.Fail("reason_code", fault.CodeRequired, "is required: the condition's fields have no default reason code")
		}
	}
	f.Done()
}

// template checks the names in a message's braces, so that no message shows the
// lender a name instead of a value.
func (r *policyReader) template(f *wire.Form, message string, stage2 bool) {
	scope := r.scope
	scope.Stage2 = stage2
	for name := range templateNames(message) {
		if name == thresholdName {
			continue
		}
		if _, detail := scope.Resolve(name, r.faults.SkipHints()); detail != "" {
			f.Fail("message", rule.UnknownCode(name), "{%s} %s", name, detail)
		}
	}
}

// defaultReason returns the reason code of a rule or adjustment that names no code. Under semantics 1 it is the code
// of the condition's first field with a reason code. Under semantics 2 it is the code that is true of every applicant
// whom the condition hits. It returns "" if there is no such code, for example because the code depends on which
// predicate hit.
func (r *policyReader) defaultReason(c *rule.Condition) string {
	if r.policy.Semantics > FirstSemantics {
		return settledCode(c, r.src.Catalogue)
	}
	return fieldReason(c, r.src.Catalogue)
}

// fieldReason returns the reason code of the condition's first field that has a reason code in the catalogue, or "" if
// no field has one.
func fieldReason(c *rule.Condition, catalogue *rule.Catalogue) (code string) {
	c.Fields(func(ref rule.Ref) {
		if code == "" && ref.ID >= 0 {
			code = catalogue.Field(ref.ID).ReasonCode
		}
	})
	return code
}
