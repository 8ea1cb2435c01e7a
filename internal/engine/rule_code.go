package engine

import (
	"verdict/internal/rule"
)

// strongerCode returns the code, a or b, for two predicates that hit together. A code about a value takes precedence
// over a code about a missing value. Apart from that, a takes precedence over b.
func strongerCode[T comparable](a, b, missing, none T) T {
	switch {
	case a != none && a != missing:
		return a
	case b != none:
		return b
	default:
		return a
	}
}

// possibleCodes considers all applicants for whom a condition is true, or false if holds is false. It returns the
// codes that can be true of them. The set includes "" if no code is true of some of these applicants.
func possibleCodes(c *rule.Condition, holds bool, catalogue *rule.Catalogue) map[string]bool {
	switch c.Op {
	case rule.Not:
		return possibleCodes(&c.Args[0], !holds, catalogue)
	case rule.And, rule.Or:
	default:
		return map[string]bool{PredicateCode(c, holds, catalogue): true}
	}
	together := (c.Op == rule.And) == holds // all arguments count, not only the first deciding one
	var codes map[string]bool
	for i := range c.Args {
		of := possibleCodes(&c.Args[i], holds, catalogue)
		if codes == nil {
			codes = of
			continue
		}
		joined := map[string]bool{}
		for b := range of {
			if !together {
				joined[b] = true
			}
			for a := range codes {
				if together {
					joined[strongerCode(a, b, ReasonMissingInput, "")] = true
				} else {
					joined[a] = true
				}
			}
		}
		codes = joined
	}
	return codes
}

// settledCode returns the reason code that is true of every applicant whom a
// condition hits, or "" if there is no such code.
func settledCode(c *rule.Condition, catalogue *rule.Catalogue) string {
	codes := possibleCodes(c, true, catalogue)
	if len(codes) != 1 {
		return ""
	}
	for code := range codes {
		return code
	}
	return ""
}

// rulePrefix starts the generated reason code of a rule that names no code, if no
// code of the catalogue is true.
const rulePrefix = "RULE_"

// Code returns the reason code of the rule as a whole: ReasonCode, or a code
// generated from the rule's id if ReasonCode is empty. In the second case, the
// reason for a hit depends on the predicates that hit; see hitCode.
func (k *Knockout) Code() string {
	if k.ReasonCode != "" {
		return k.ReasonCode
	}
	return codeOf(rulePrefix, k.ID)
}

// codeNode is a condition that is compiled to find the reason codes of the
// predicates that made it hold.
type codeNode struct {
	op           rule.Op
	args         []codeNode
	test         rule.Test
	holds, fails int32 // the code of a predicate that holds, and the code of a predicate that fails
}

// codeNode compiles a condition. The argument code is a function that returns the reason code for a predicate and
// its result.
func (c *compiler) codeNode(condition *rule.Condition, code func(leaf *rule.Condition, holds bool) int32) codeNode {
	n := codeNode{op: condition.Op}
	if len(condition.Args) == 0 {
		n.test = c.plan.code.Add(condition)
		n.holds, n.fails = code(condition, true), code(condition, false)
		return n
	}
	for i := range condition.Args {
		n.args = append(n.args, c.codeNode(&condition.Args[i], code))
	}
	return n
}

// predicateCode returns the index of the code of a predicate, or noCode if it has none.
func (c *compiler) predicateCode(leaf *rule.Condition, holds bool) int32 {
	if code := PredicateCode(leaf, holds, c.plan.catalogue); code != "" {
		return c.codeIndex(code)
	}
	return noCode
}

// eval evaluates a node. It returns the truth value, and the code of the predicates that determined it. These are
// the predicates that rule.Explain would name. The code is noCode if there is none.
func (n *codeNode) eval(p *Plan, fr *rule.Frame) (rule.Truth, int32) {
	switch n.op {
	case rule.Not:
		switch truth, code := n.args[0].eval(p, fr); truth {
		case rule.Holds:
			return rule.Fails, code
		case rule.Fails:
			return rule.Holds, code
		default:
			return rule.Unknown, noCode
		}
	case rule.And, rule.Or:
		return n.evalArgs(p, fr)
	default:
	}
	switch truth := p.code.Eval(n.test, fr); truth {
	case rule.Holds:
		return truth, n.holds
	case rule.Fails:
		return truth, n.fails
	default:
		return truth, noCode
	}
}

// evalArgs does the work of eval for an "and" or an "or". If one argument
// determines the result, only the first such argument counts; otherwise all
// arguments count.
func (n *codeNode) evalArgs(p *Plan, fr *rule.Frame) (rule.Truth, int32) {
	settles, otherwise := rule.Holds, rule.Fails
	if n.op == rule.And {
		settles, otherwise = rule.Fails, rule.Holds
	}
	unknown, all := false, noCode
	for i := range n.args {
		truth, code := n.args[i].eval(p, fr)
		if truth == settles {
			return truth, code
		}
		unknown = unknown || truth == rule.Unknown
		all = strongerCode(all, code, p.own[ownMissingInput], noCode)
	}
	if unknown {
		return rule.Unknown, noCode
	}
	return otherwise, all
}
