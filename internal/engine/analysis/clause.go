package analysis

import (
	"strings"

	"verdict/internal/engine/space"
	"verdict/internal/rule"
)

// clause is one condition of the policy, its location, and the shape that
// describes the applicants for whom it holds.
type clause struct {
	at          location
	name        string // name of the rule, the factor or the term
	cond        *rule.Condition
	reads       []space.Field // the fields whose values it reads
	space.Shape               // set by conditionCheck
}

// label returns the name of the clause within a sentence.
func (c *clause) label() string {
	switch c.at.section {
	case atFactor:
		return "the \"when\" of the factor " + c.name
	case atBand:
		return "the \"when\" of the band " + c.name
	case atCap:
		return "the \"when\" of the limit cap " + c.name
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

// clauses collects every condition of the policy and places its fields in the
// space. It does not compute the shapes; conditionCheck does.
func (a *analysis) clauses() {
	p := a.policy
	add := func(list []clause, s section, i int, name string, c *rule.Condition) []clause {
		mark := len(a.reads)
		a.solver.Budget.Checkpoint(1 + len(c.Args))
		a.reads = a.space.Reads(c, a.reads, mark)
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
		a.space.FieldOf(f.Field)
		if f.When != nil {
			a.whens = add(a.whens, atFactor, i, f.Name, f.When)
			a.whens[len(a.whens)-1].at.rest = "/when"
		}
	}
	for i := range p.Bands {
		if b := &p.Bands[i]; b.When != nil {
			a.segments = add(a.segments, atBand, i, b.ID, b.When)
			a.segments[len(a.segments)-1].at.rest = "/when"
		}
	}
	for i := range p.LimitCaps {
		if c := &p.LimitCaps[i]; c.When != nil {
			a.caps = add(a.caps, atCap, i, c.ID, c.When)
			a.caps[len(a.caps)-1].at.rest = "/when"
		}
	}
	for i := range p.Terms {
		t := &p.Terms[i]
		a.terms = add(a.terms, atTerm, i, t.Code, &t.Condition)
	}
}
