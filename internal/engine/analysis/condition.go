package analysis

import (
	"fmt"
	"slices"
	"strings"

	"verdict/internal/engine/space"
	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// conditionCheck solves every condition of the policy and reports conditions
// that nobody or everybody satisfies, and branches that never hold. It stores
// the shapes in the clauses for the other checks.
type conditionCheck struct {
	*analysis
	path []int // path from the clause's condition to the node that is being checked
}

// run solves and checks all conditions. All fields of the policy must be placed
// in the space before, because the domains of fields from several rules
// together decide which applicants can exist.
func (a *conditionCheck) run() {
	for _, list := range a.lists() {
		for i := range list {
			c := &list[i]
			a.solver.Budget.Checkpoint(1 + len(c.cond.Args) + len(c.cond.Values))
			if a.solver.Budget.Err() != nil {
				return
			}
			if c.Shape = a.solver.Shape(c.cond); c.Known {
				a.satisfiability(c)
			} else {
				a.noteTooLarge(c)
			}
		}
	}
}

// satisfiability reports a condition that nobody or everybody satisfies, and
// its branches that never hold.
func (a *conditionCheck) satisfiability(c *clause) {
	constant := len(c.reads) == 0 && !asksPresence(c.cond)
	switch {
	case len(c.Upper) == 0 && constant:
		a.report(SeverityInfo, fault.CodeNeverFires,
			c.at, c.opening()+" is switched off: its condition never holds.", nil)
	case len(c.Upper) == 0:
		a.report(SeverityWarning, fault.CodeNeverFires, c.at,
			fmt.Sprintf("%s can never apply: no applicant satisfies %s%s.", c.opening(), excerpt(c.cond), a.hint(c)),
			nil)
	case !a.solver.Supplied(c.Upper):
		a.report(SeverityError, fault.CodeUnsuppliedFields, c.at,
			fmt.Sprintf("%s can never apply: it needs %s.", c.opening(), a.conflict(c.Upper[0])), nil)
	case c.at.section == atKnockout && constant && c.Lower.HasEverybody():
		a.report(SeverityInfo, fault.CodeAlwaysFires, c.at,
			c.opening()+" hits every applicant: its condition is always true.", nil)
	default:
		mark := a.solver.Mark()
		if c.at.section == atKnockout {
			a.always(c)
		}
		a.path = a.path[:0]
		a.branches(c, c.cond, true, space.Everybody())
		a.solver.Release(mark)
	}
}

// always is the check for a knockout that hits everybody who supplies the fields whose values the knockout reads.
// It reports such a knockout. If a rule only tests whether a field is present, the field is not assumed to be
// given, because such a rule is meant to distinguish absent from given.
func (a *conditionCheck) always(c *clause) {
	supplied := space.Box{}
	for _, at := range c.reads {
		supplied = a.solver.With(supplied, at, a.space.Domain(at).Given)
	}
	supplied, ok := a.solver.Tightened(supplied)
	if !ok || a.solver.Supply(supplied) == 0 {
		return
	}
	if !a.solver.Covers(c.Lower, supplied) {
		return
	}
	who := "every applicant"
	if len(c.reads) > 0 {
		who += " who gives " + a.names(a.sources(c.reads))
	}
	witness, _ := a.solver.Facts(supplied)
	a.report(SeverityWarning, fault.CodeAlwaysFires, c.at,
		fmt.Sprintf("%s hits %s: %s is true for all possible values.", c.opening(), who, excerpt(c.cond)),
		witness)
}

// source returns the field that a request must contain so that the field "at" has a value. For the answer of a list or
// table it is the field that was looked up (see space.LookedUp), otherwise the field itself.
func (a *analysis) source(at space.Field) space.Field {
	if of, ok := a.space.LookedUp(a.space.Domain(at).Ref); ok {
		return a.space.FieldOf(of)
	}
	return at
}

// sources returns the sources of fields, each once.
func (a *analysis) sources(fields []space.Field) (list []space.Field) {
	for _, at := range fields {
		if at = a.source(at); !slices.Contains(list, at) {
			list = append(list, at)
		}
	}
	return list
}

func asksPresence(c *rule.Condition) (asks bool) {
	c.Walk(func(n *rule.Condition) { asks = asks || n.Op == rule.Exists || n.Op == rule.IsAbsent })
	return asks
}

// hint returns a sentence about why nobody satisfies a condition, or "" if that is obvious.
func (a *conditionCheck) hint(c *clause) string {
	if c.Nobody {
		for _, at := range c.reads {
			if of, ok := a.space.LookedUp(a.space.Domain(at).Ref); ok {
				return " (without " + of.Name + ", nothing is looked up)"
			}
			if t, ok := a.space.Table(a.space.Domain(at).Ref); ok {
				return " (without its keys, the table " + t.Name + " has no values)"
			}
		}
		return " (an applicant who is new to credit has no " + field.BureauScore + ")"
	}
	var words []string
	for _, at := range c.reads {
		if s := possibleValues(a.space.Domain(at)); s != "" {
			words = append(words, a.space.Domain(at).Ref.Name+" is "+s)
		}
	}
	if len(words) == 0 || len(words) > 2 {
		return ""
	}
	return " (" + strings.Join(words, ", ") + ")"
}

// conflict names the fields of a box that no request can contain together.
func (a *conditionCheck) conflict(b space.Box) string {
	carries := func(not rule.Supply) string {
		for _, c := range b {
			if !c.Allow.Contains(space.Absent) && a.space.Domain(c.Field).Supply&not == 0 {
				return a.space.Domain(c.Field).Ref.Name
			}
		}
		return ""
	}
	if name := carries(space.AnyRequest); name != "" {
		return name + ", which no request can contain"
	}
	return fmt.Sprintf("%s, which only /v1/decisions accepts, together with %s, which only /v1/evaluate accepts",
		carries(rule.FromEvaluate), carries(rule.FromDecisions))
}
