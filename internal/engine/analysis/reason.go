package analysis

import (
	"fmt"
	"strings"

	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/rule"
)

// reasonCheck reports reason codes without an applicant-safe text, reason codes
// that are untrue, and policies whose semantics can give untrue reasons.
type reasonCheck struct{ *analysis }

func (a reasonCheck) run() {
	a.messages()
	a.untrueReasons()
	a.semantics()
}

// messages reports the reason codes that are not standard and have no
// applicant-safe text, each once, at its first occurrence. Under semantics 2 it
// also reports every factor that has neither a reason code nor a label.
func (a reasonCheck) messages() {
	var reported map[string]bool
	check := func(code string, at location, kind, by string) {
		if _, standard := engine.StandardReason(code); code == "" || standard || reported[code] {
			return
		}
		if reported == nil {
			reported = map[string]bool{}
		}
		reported[code] = true
		a.report(SeverityInfo, fault.CodeNoApplicantMessage, at,
			fmt.Sprintf("The reason code %s of %s%s has no applicant-safe text of its own: applicants read %q.",
				code, kind, by, engine.ApplicantMessage(code)), nil)
	}
	for i := range a.policy.Knockouts {
		if k := &a.policy.Knockouts[i]; strings.TrimSpace(k.ApplicantMessage) == "" {
			check(k.ReasonCode, location{section: atKnockout, index: i}, "", k.ID)
		}
	}
	for i := range a.policy.LimitCaps {
		c := &a.policy.LimitCaps[i]
		if strings.TrimSpace(c.ApplicantMessage) != "" {
			continue
		}
		check(c.ReasonCode, location{section: atCap, index: i}, "the limit cap ", c.ID)
	}
	generated := a.policy.GeneratedCodes()
	for i := range a.policy.Adjustments {
		adj := &a.policy.Adjustments[i]
		check(generated.Adjustments[adj.ID], location{section: atAdjustment, index: i}, "", adj.ID)
		check(adj.ReasonCode, location{section: atAdjustment, index: i}, "", adj.ID)
	}
	for i := range a.policy.Scorecard.Factors {
		f := &a.policy.Scorecard.Factors[i]
		at := location{section: atFactor, index: i}
		// A factor with a label and a factor code shows the label to the
		// applicant.
		if f.Label == "" || !engine.IsFactorCode(f.ReasonCode) {
			check(f.ReasonCode, at, "the factor ", f.Name)
		}
		if code := generated.Factors[f.Name]; code != "" && f.Label == "" {
			a.report(SeverityInfo, fault.CodeNoApplicantMessage, at, fmt.Sprintf(
				"The factor %s names no reason code and has no label: applicants read %q; give it a label or a "+
					"reason_code.",
				f.Name, f.GeneratedMessage()), nil)
		}
		for k := range f.Bins {
			check(f.Bins[k].ReasonCode, at, "the factor ", f.Name)
		}
	}
}

// untrueReasons reports standard reason codes that contradict their condition:
// the condition reads a field of that code, but never in the direction that the
// code describes. It does not check policies of semantics 1, whose default
// codes may be untrue.
func (a reasonCheck) untrueReasons() {
	if a.policy.Semantics == engine.FirstSemantics {
		return
	}
	check := func(code string, c *rule.Condition, at location, id string) {
		text, standard := engine.StandardReason(code)
		if !standard || !engine.DescribesValue(code) {
			return
		}
		if named, isTrue := a.codeInCondition(code, c, true); named && !isTrue {
			a.suspect(SeverityWarning, fault.CodeReasonCodeUntrue, at, fmt.Sprintf(
				"The reason code %s of %s tells applicants %q, but the condition does not test that; leave "+
					"reason_code out or name another.",
				code, id, text.Message))
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

// codeInCondition reports whether a condition names a field that has the given reason code (named), and whether the
// code is true of one of its predicates (isTrue). If holds is set, it considers the predicates that can make the
// condition hold, otherwise those that can make the condition fail.
func (a reasonCheck) codeInCondition(code string, c *rule.Condition, holds bool) (named, isTrue bool) {
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
			// For arithmetic, PredicateCode may return the code of another
			// field, so assume that the code is true.
			isTrue = isTrue || f.ReasonCode == code && c.Left.Kind == rule.ArithOperand
		}
	})
	return named, isTrue || engine.PredicateCode(c, holds, a.catalogue) == code
}

// semantics recommends the newest semantics to policies of older semantics.
func (a reasonCheck) semantics() {
	if n := a.policy.Semantics; n < engine.NewestSemantics {
		a.report(SeverityInfo, fault.CodeSemanticsOld, location{section: atPolicy, rest: "/semantics"}, fmt.Sprintf(
			"The policy uses semantics %d; a version with \"semantics\": %d gives only reasons that caused the "+
				"decision, and may name the sources of income and obligations.",
			n, engine.NewestSemantics), nil)
	}
}
