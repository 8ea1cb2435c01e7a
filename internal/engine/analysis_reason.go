package engine

import (
	"fmt"

	"verdict/internal/fault"
	"verdict/internal/rule"
)

// untrueReasons reports standard reason codes that contradict their condition:
// the condition reads a field of that code, but never in the direction that the
// code describes. Policies of semantics 1 keep their defaults.
func (a *analysis) untrueReasons() {
	if a.policy.Semantics == FirstSemantics {
		return
	}
	check := func(code string, c *rule.Condition, at location, id string) {
		text := reasonByCode[code]
		if text == nil || adverseByCode[code] == neither {
			return
		}
		if named, isTrue := a.codeInCondition(code, c, true); named && !isTrue {
			a.report(SeverityWarning, fault.CodeReasonCodeUntrue, at, fmt.Sprintf(
				"The reason code %s of %s tells applicants %q, and the condition does not say so; "+
					"leave reason_code out or name another.",
				code, id, text.Message), nil)
		}
	}
	for i := range a.policy.Knockouts {
		k := &a.policy.Knockouts[i]
		check(k.ReasonCode, &k.Condition, location{section: atKnockout, index: i}, k.ID)
	}
	for i := range a.policy.Adjustments {
		adj := &a.policy.Adjustments[i]
		check(adj.ReasonCode, &adj.Condition, location{section: atAdjustment, index: i}, adj.ID)
	}
}

// codeInCondition reports whether a condition names a field with a reason code,
// and whether the code is true of a predicate that can give the condition the
// result holds.
func (a *analysis) codeInCondition(code string, c *rule.Condition, holds bool) (named, isTrue bool) {
	if c.Op == rule.Not {
		holds = !holds
	}
	for i := range c.Args {
		n, t := a.codeInCondition(code, &c.Args[i], holds)
		named, isTrue = named || n, isTrue || t
	}
	if len(c.Args) > 0 {
		return named, isTrue
	}
	c.Operands(func(ref rule.Ref) {
		if ref.ID >= 0 {
			f := a.catalogue.Field(ref.ID)
			named = named || f.ReasonCode == code
			// In arithmetic over several fields the code of another field may
			// come first.
			isTrue = isTrue || f.ReasonCode == code && c.Left.Kind == rule.ArithOperand
		}
	})
	return named, isTrue || predicateCode(c, holds, a.catalogue) == code
}
