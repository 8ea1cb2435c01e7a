package engine

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// section is a part of the document, in the order of the findings.
type section uint8

const (
	atPolicy section = iota
	atKnockout
	atAdjustment
	atFactor
	atBand
	atTerm
)

// location is the place in the document that a finding is about.
type location struct {
	section section
	index   int    // within the section, -1 for all of it
	rest    string // the rest of the pointer
}

var sectionPointers = [...]string{
	atPolicy: "", atKnockout: "/knockouts", atAdjustment: "/adjustments", atFactor: "/scorecard/factors",
	atBand: "/pricing_bands", atTerm: "/conditions",
}

func (l location) pointer() string {
	base := sectionPointers[l.section]
	if l.section != atPolicy && l.index >= 0 {
		base += "/" + strconv.Itoa(l.index)
	}
	return base + l.rest
}

func (l location) compare(m location) int {
	return cmp.Or(cmp.Compare(l.section, m.section), cmp.Compare(l.index, m.index))
}

// found is a finding with the location that orders it.
type found struct {
	Finding
	at location
}

func (a *analysis) report(s Severity, code string, at location, detail string, witness []rule.NamedValue) *Finding {
	a.found = append(a.found, found{at: at, Finding: Finding{
		Severity: s,
		Code:     code,
		Pointer:  at.pointer(),
		Key:      code + "@" + a.stablePointer(at),
		Detail:   detail,
		Witness:  witness,
	}})
	return &a.found[len(a.found)-1].Finding
}

// stablePointer returns the pointer of a location with the id of the rule,
// factor or band instead of its position, which changes when others are added
// or removed.
func (a *analysis) stablePointer(l location) string {
	base := sectionPointers[l.section]
	if l.section != atPolicy && l.index >= 0 {
		base += "/" + a.idAt(l)
	}
	if base+l.rest == "" {
		return "/"
	}
	return base + l.rest
}

// idAt returns the id of the entry at a location. Ids need no escaping in a
// pointer: they have only letters, digits and a few other characters.
func (a *analysis) idAt(l location) string {
	switch p := a.policy; l.section {
	case atKnockout:
		return p.Knockouts[l.index].ID
	case atAdjustment:
		return p.Adjustments[l.index].ID
	case atFactor:
		return p.Scorecard.Factors[l.index].Name
	case atBand:
		return p.Bands[l.index].ID
	case atTerm:
		return p.Terms[l.index].Code
	default:
		return ""
	}
}

// clause is one condition of the policy, its location, and the result of its
// analysis.
type clause struct {
	at    location
	name  string // name of the rule, the factor or the term
	cond  *rule.Condition
	reads []int32 // the fields whose values it reads
	shape
}

// label returns the name of the clause within a sentence.
func (c *clause) label() string {
	switch c.at.section {
	case atFactor:
		return "the when of the factor " + c.name
	case atTerm:
		return "the condition " + c.name
	default:
		return c.name
	}
}

// opening returns the name of the clause at the beginning of a sentence.
func (c *clause) opening() string {
	if rest, ok := strings.CutPrefix(c.label(), "the "); ok {
		return "The " + rest
	}
	return c.name
}

// clauses analyses every condition of the policy and reports the findings about
// single conditions.
func (a *analysis) clauses() {
	p := a.policy
	add := func(list []clause, s section, i int, name string, c *rule.Condition) []clause {
		mark := len(a.reads)
		a.checkpoint(1 + len(c.Args))
		a.reads = a.named(c, a.reads, mark)
		return append(list, clause{
			at:    location{section: s, index: i},
			name:  name,
			cond:  c,
			reads: a.reads[mark:len(a.reads):len(a.reads)],
		})
	}
	a.knockouts = make([]clause, 0, len(p.Knockouts))
	for i := range p.Knockouts {
		k := &p.Knockouts[i]
		a.knockouts = add(a.knockouts, atKnockout, i, k.ID, &k.Condition)
	}
	for i := range p.Adjustments {
		adj := &p.Adjustments[i]
		a.adjustments = add(a.adjustments, atAdjustment, i, adj.ID, &adj.Condition)
	}
	for i := range p.Scorecard.Factors {
		f := &p.Scorecard.Factors[i]
		a.place(f.Field)
		if f.When != nil {
			a.whens = add(a.whens, atFactor, i, f.Name, f.When)
			a.whens[len(a.whens)-1].at.rest = "/when"
		}
	}
	for i := range p.Terms {
		t := &p.Terms[i]
		a.terms = add(a.terms, atTerm, i, t.Code, &t.Condition)
	}

	// Start only when every field has its domain: two rules together may show
	// that something is impossible for an applicant.
	for _, list := range [...][]clause{a.knockouts, a.adjustments, a.whens, a.terms} {
		for i := range list {
			c := &list[i]
			a.checkpoint(1 + len(c.cond.Args) + len(c.cond.Values))
			if a.err != nil {
				return
			}
			if c.shape = a.shape(c.cond); c.known {
				a.satisfiability(c)
			} else {
				a.noteTooLarge(c)
			}
		}
	}
}

// satisfiability reports a condition that nobody or everybody satisfies, and
// its branches that never hold.
func (a *analysis) satisfiability(c *clause) {
	constant := len(c.reads) == 0 && !asksPresence(c.cond)
	switch {
	case len(c.upper) == 0 && constant:
		a.report(SeverityInfo, fault.CodeNeverFires,
			c.at, c.opening()+" is switched off: its condition never holds.", nil)
	case len(c.upper) == 0:
		a.report(SeverityWarning, fault.CodeNeverFires, c.at,
			fmt.Sprintf("%s can never apply: no applicant satisfies %s%s.", c.opening(), excerpt(c.cond), a.hint(c)),
			nil)
	case !a.supplied(c.upper):
		a.report(SeverityError, fault.CodeUnsuppliedFields, c.at,
			fmt.Sprintf("%s can never apply: it needs %s.", c.opening(), a.conflict(c.upper[0])), nil)
	case c.at.section == atKnockout && constant && c.lower.everybody():
		a.report(SeverityInfo, fault.CodeAlwaysFires, c.at,
			c.opening()+" hits every applicant: its condition is always true.", nil)
	default:
		before := a.memory
		if c.at.section == atKnockout {
			a.always(c)
		}
		a.path = a.path[:0]
		a.branches(c, c.cond, true, everybody)
		a.memory = before
	}
}

// always reports a knockout that hits everybody who supplies the fields whose
// values it reads. A rule that tests whether a field is present does so on
// purpose, so fields that are only tested for presence are not constrained.
func (a *analysis) always(c *clause) {
	supplied := box{}
	for _, at := range c.reads {
		supplied = a.with(supplied, at, a.fields[at].given)
	}
	supplied, ok := a.tightened(supplied)
	if !ok || a.supply(supplied) == 0 {
		return
	}
	a.pairSteps = maxPairSteps
	if !a.covered(supplied, c.lower) {
		return
	}
	who := "every applicant"
	if len(c.reads) > 0 {
		who += " who gives " + a.names(c.reads)
	}
	witness, _ := a.facts(supplied)
	a.report(SeverityWarning, fault.CodeAlwaysFires, c.at,
		fmt.Sprintf("%s hits %s: within the values possible, %s is always true.", c.opening(), who, excerpt(c.cond)),
		witness)
}

func asksPresence(c *rule.Condition) (asks bool) {
	c.Walk(func(n *rule.Condition) { asks = asks || n.Op == rule.Exists || n.Op == rule.IsAbsent })
	return asks
}

// hint says why nobody satisfies a condition, if that is not obvious.
func (a *analysis) hint(c *clause) string {
	if c.nobody {
		return " (an applicant who is new to credit has no " + field.BureauScore + ")"
	}
	var words []string
	for _, at := range c.reads {
		if s := a.fields[at].text(); s != "" {
			words = append(words, a.fields[at].ref.Name+" is "+s)
		}
	}
	if len(words) == 0 || len(words) > 2 {
		return ""
	}
	return " (" + strings.Join(words, ", ") + ")"
}

// conflict names the fields of a box that no request carries together.
func (a *analysis) conflict(b box) string {
	carries := func(not rule.Supply) string {
		for _, c := range b {
			if !c.allow.contains(codeAbsent) && a.fields[c.field].supply&not == 0 {
				return a.fields[c.field].ref.Name
			}
		}
		return ""
	}
	if name := carries(anyRequest); name != "" {
		return name + ", which no request can carry"
	}
	return fmt.Sprintf("%s, which only /v1/decisions carries, together with %s, which only /v1/evaluate carries",
		carries(rule.FromEvaluate), carries(rule.FromDecisions))
}
