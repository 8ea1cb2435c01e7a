package smt

import (
	"fmt"
	"slices"
	"strings"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// Violate asks whether there is an applicant for whom a guarantee of a plan's policy does not hold. The status in the
// question is the one after Stage 1, the scorecard and the bands. If the guarantee is about something that the text
// does not cover, why gives the reason, and there is no question.
func Violate(p *engine.Plan, g *engine.Guarantee) (q Question, why string) {
	w := &writer{catalogue: p.Catalogue(), texts: map[string]int{}, declared: map[string]bool{}}
	if g.Monotone != nil {
		why = w.monotone(p, g.Monotone)
	} else {
		why = w.never(p, g)
	}
	if why != "" {
		return Question{}, why
	}
	title := "Is there an applicant for whom this guarantee does not hold? sat: yes; unsat: no.\n; " + g.ID + ": " +
		strings.ReplaceAll(g.Text, "\n", " ")
	return w.question(title, "violated"), ""
}

// never and monotone each define the violation of one form of guarantee. never is for a guarantee that excludes an
// outcome.
func (w *writer) never(p *engine.Plan, g *engine.Guarantee) (why string) {
	c := *g.Never
	c.Fields(func(ref rule.Ref) {
		if why == "" && !slices.Contains(outcomes, ref.Name) && isResult(w.catalogue, ref) {
			why = ref.Name + " depends on the limit, which the text does not cover"
		}
	})
	if why != "" {
		return why
	}
	s := newSide("policy", p)
	s.derive(s)
	s.writer = w
	grades := gradesOf(p.Policy())
	s.write(grades)
	when := truth{"true", "false"}
	if g.When != nil {
		when = s.condition(g.When)
	}
	s.addOutcomes(grades)
	w.define("violated", "Bool", and(when.holds, s.condition(&c).holds))
	w.newToCredit()
	w.named()
	return ""
}

// outcomes are the names of the parts of an outcome that the text covers.
var outcomes = []string{engine.OutcomeStatus, engine.OutcomeRate, field.Grade, field.FinalScore}

// isResult reports whether a field is known only after the decision.
func isResult(catalogue *rule.Catalogue, ref rule.Ref) bool {
	return ref.Name == engine.OutcomeAPR || ref.ID >= 0 && catalogue.Field(ref.ID).Supply == rule.FromEngine
}

// addOutcomes makes the parts of the policy's outcome available as facts that a condition can name. A declined
// application has only a status.
func (s *side) addOutcomes(grades []string) {
	status := quoted(s.name + " status")
	offered := "(< " + status + " 2)"
	s.outcomes = map[string]fact{
		engine.OutcomeStatus: {given: "true", value: status, typ: rule.StringType, words: []string{
			engine.Approved.String(), engine.Referred.String(), engine.Declined.String(),
		}},
		field.Grade:      {given: offered, value: quoted(s.name + " grade"), typ: rule.StringType, words: grades},
		field.FinalScore: {given: offered, value: quoted(s.name + " score"), typ: rule.NumberType},
		engine.OutcomeRate: {
			given: offered, typ: rule.NumberType,
			value: fmt.Sprintf("(* %d %s)", int64(rule.Paisa), quoted(s.name+" rate")),
		},
	}
}

// gradesOf returns the grades of the policies, each once.
func gradesOf(policies ...*engine.Policy) []string {
	grades := []string{engine.NoGrade}
	for _, p := range policies {
		for i := range p.Bands {
			if g := p.Bands[i].Grade; !slices.Contains(grades, g) {
				grades = append(grades, g)
			}
		}
	}
	return grades
}

// monotone defines the violation of a guarantee about the change of one field. The policy decides twice, and the
// second decision reads another value of the field.
func (w *writer) monotone(p *engine.Plan, m *engine.Monotone) (why string) {
	policy := p.Policy()
	name, why := varied(policy, m)
	if why != "" {
		return why
	}
	id, ok := w.catalogue.Lookup(name)
	if !ok {
		id = rule.Undeclared
	}
	grades := gradesOf(policy)
	changed := rule.Ref{Name: name + " (changed)", ID: id, Type: rule.NumberType}
	for _, decision := range []string{"first", "second"} {
		s := newSide(decision, p)
		s.derive(s)
		if decision == "second" {
			for figure, source := range s.reads {
				if source.Name == name {
					s.reads[figure] = changed
				}
			}
			s.reads[name] = changed
		}
		s.writer = w
		s.write(grades)
	}
	before, after := w.fact(rule.Ref{Name: name, ID: id, Type: rule.NumberType}), w.fact(changed)
	op := rule.Gt
	if m.Down {
		op = rule.Lt
	}
	w.define("violated", "Bool", and(before.given, after.given, compared(op, after.value, before.value),
		w.worse(policy, grades, m.Of)))
	w.newToCredit()
	w.named()
	return ""
}

// varied returns the field whose value changes. If the text does not cover the change, why gives the reason.
func varied(p *engine.Policy, m *engine.Monotone) (name, why string) {
	name = m.Field.Name
	sources := p.CountedSources()
	isSource := slices.Contains(sources.Income.Of, name) || name == field.FOIR || name == field.MonthlyIncome ||
		name == field.IncomeEffective || name == field.FOIREffective || name == field.BureauOwnEMI ||
		name == field.BankDueEMI || name == field.OwnEMI
	isKey := func(t rule.Table) bool {
		return slices.ContainsFunc(t.Keys, func(k rule.TableKey) bool { return k.Field.Name == name })
	}
	switch {
	case slices.Contains(m.Of, engine.FigureLimit):
		return "", "the limit is not covered"
	case p.People != nil || sources.AllPeople:
		return "", "the policy combines facts of several people"
	case isSource && p.Affordability != nil:
		return "", "a figure that is derived from several facts changes with " + name
	case slices.ContainsFunc(p.Lookups(), func(l rule.NamedLookup) bool { return l.Field.Name == name }),
		slices.ContainsFunc(p.Tables, isKey), slices.Contains(p.FeatureNames(), name):
		return "", "other facts depend on " + name
	case name == field.IncomeEffective:
		return field.MonthlyIncome, ""
	case name == field.FOIREffective:
		return field.FOIR, ""
	default:
		return name, ""
	}
}

// worse returns the term that is true if one of the figures is worse in the second decision.
func (w *writer) worse(p *engine.Policy, grades []string, of []engine.Figure) string {
	var any []string
	both := "(< |first status| 2) (< |second status| 2)"
	for _, figure := range of {
		switch figure {
		case engine.FigureStatus:
			any = append(any, "(> |second status| |first status|)")
		case engine.FigureRate:
			any = append(any, "(and "+both+" (> |second rate| |first rate|))")
		case engine.FigureGrade:
			any = append(any, fmt.Sprintf("(and %s (< %s %s))", both, rank(p, grades, "|second grade|"),
				rank(p, grades, "|first grade|")))
		}
	}
	return or(any...)
}

// rank returns the term that computes the rank of a grade: the lowest score of its best band.
func rank(p *engine.Policy, grades []string, grade string) string {
	out := "0"
	for code, name := range grades {
		best, known := int64(0), false
		for i := range p.Bands {
			if b := &p.Bands[i]; b.Grade == name && (!known || b.MinScore > best) {
				best, known = b.MinScore, true
			}
		}
		if known {
			out = ite(fmt.Sprintf("(= %s %d)", grade, code), integer(best), out)
		}
	}
	return out
}
