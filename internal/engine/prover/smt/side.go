package smt

import (
	"fmt"
	"slices"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// side is one of the two policies, or one of the two decisions of a monotone guarantee.
type side struct {
	name   string
	plan   *engine.Plan
	policy *engine.Policy
	writer *writer
	reads  map[string]rule.Ref // by name: the facts that the policy reads instead of derived figures
	// outcomes has the parts of the outcome that a condition of a guarantee can name.
	outcomes map[string]fact
}

func newSide(name string, p *engine.Plan) *side {
	return &side{name: name, plan: p, policy: p.Policy(), reads: map[string]rule.Ref{}}
}

// derive finds the facts that represent the derived income and FOIR. A figure with a single source is represented by
// that source. Otherwise it is a fact of its own, which may have any value. Both policies share that fact if they
// derive the figure in the same way.
func (s *side) derive(other *side) {
	a, b := s.policy.CountedSources(), other.policy.CountedSources()
	same := func(x, y engine.Source) bool {
		return slices.Equal(x.Of, y.Of) && (x.Take == y.Take || len(x.Of) == 1)
	}
	alike := a.AllPeople == b.AllPeople && same(a.Income, b.Income) &&
		(!a.AllPeople || same(a.Obligations, b.Obligations))
	catalogue := s.plan.Catalogue()
	stand := func(figure, source string, shared bool) {
		id, ok := catalogue.Lookup(source)
		switch {
		case ok && catalogue.Field(id).BoundedBelow && catalogue.Field(id).Min >= 0:
			s.reads[figure] = rule.Ref{Name: source, ID: id, Type: rule.NumberType}
		case !shared:
			s.reads[figure] = rule.Ref{Name: s.name + " " + figure, ID: rule.Undeclared, Type: rule.NumberType}
		}
	}
	income, foir := "", ""
	if len(a.Income.Of) == 1 && !a.AllPeople {
		income = a.Income.Of[0]
		if income == field.MonthlyIncome && len(a.Obligations.Of) == 1 && a.CountsDeclared() {
			foir = field.FOIR
		}
	}
	stand(field.IncomeEffective, income, alike)
	stand(field.FOIREffective, foir, alike && same(a.Obligations, b.Obligations))
}

// fact returns a field as the policy reads it.
func (s *side) fact(ref rule.Ref) fact {
	if f, ok := s.outcomes[ref.Name]; ok {
		return f
	}
	if other, ok := s.reads[ref.Name]; ok {
		ref = other
	}
	if s.policy.People == nil || ref.Name != field.BureauScore && ref.Name != field.BureauIsNTC {
		return s.writer.fact(ref)
	}
	return s.chosen(ref)
}

// chosen returns the bureau score that counts, or the fact that says whether the applicant counts as new to credit.
func (s *side) chosen(ref rule.Ref) fact {
	of := func(name string) (rule.Ref, bool) {
		id, ok := s.plan.Catalogue().Lookup(name)
		if !ok {
			return rule.Ref{}, false
		}
		return rule.Ref{Name: name, ID: id, Type: s.plan.Catalogue().Field(id).Type}, true
	}
	out := s.writer.fact(ref)
	first, ok := of(field.BureauScore)
	second, known := of(field.OfRole(field.CoApplicant, field.BureauScore))
	if _, flagged := of(field.BureauIsNTC); !ok || !known || !flagged {
		return out
	}
	own, other := s.writer.fact(first), s.writer.fact(second)
	if s.policy.People.Score == engine.LowestScore {
		if ref.Name == field.BureauScore {
			lower := and(own.given, other.given, compared(rule.Lt, other.value, own.value))
			out.value = ite(lower, other.value, own.value)
		}
		return out
	}
	higher := and(other.given, or(not(own.given), compared(rule.Gt, other.value, own.value)))
	out.given = or(out.given, higher)
	if ref.Name == field.BureauScore {
		out.value = ite(higher, other.value, own.value)
	} else {
		out.value = ite(higher, "false", out.value)
	}
	return out
}

// write defines the status, the grade and the rate of the policy.
func (s *side) write(grades []string) {
	var declines, refers []string
	for _, req := range s.policy.Required {
		var any []string
		for _, ref := range req.Any {
			any = append(any, s.fact(ref).given)
		}
		declines = append(declines, not(or(any...)))
	}
	if id, ok := s.plan.Catalogue().Lookup(field.OwnReference); ok && s.plan.UsesOwn() {
		f := s.writer.fact(rule.Ref{Name: field.OwnReference, ID: id, Type: rule.BoolType})
		declines = append(declines, not(and(f.given, f.value)))
	}
	for i := range s.policy.Knockouts {
		k := &s.policy.Knockouts[i]
		if k.Stage == 2 {
			continue
		}
		t := s.condition(&k.Condition)
		name := s.name + " " + k.ID
		s.writer.define(name, "Bool", t.holds)
		add := func(a engine.Action, term string) {
			switch a {
			case engine.Decline:
				declines = append(declines, term)
			case engine.Refer:
				refers = append(refers, term)
			}
		}
		add(k.Action, quoted(name))
		unknown := not(or(t.holds, t.fails))
		switch k.OnAbsent {
		case engine.FailWhenAbsent:
			add(engine.Decline, unknown)
		case engine.ReferWhenAbsent:
			add(engine.Refer, unknown)
		}
	}
	s.score()
	s.band()
	action, grade, rate := "2", "0", "0" // the values of an application without a band
	for i := len(s.policy.Bands) - 1; i >= 0; i-- {
		b := &s.policy.Bands[i]
		is := fmt.Sprintf("(= %s %d)", quoted(s.name+" band"), i)
		action = ite(is, fmt.Sprint(uint8(b.Action)), action)
		grade = ite(is, fmt.Sprint(slices.Index(grades, b.Grade)), grade)
		rate = ite(is, fmt.Sprint(b.RateBP), rate)
	}
	s.writer.define(s.name+" action", "Int", action)
	s.writer.define(s.name+" grade", "Int", grade)
	s.writer.define(s.name+" rate", "Int", rate)
	by := quoted(s.name + " action")
	s.writer.define(s.name+" status", "Int",
		ite(or(append(declines, "(= "+by+" 2)")...), "2", ite(or(append(refers, "(= "+by+" 1)")...), "1", "0")))
}

// score defines the final score in millionths.
func (s *side) score() {
	card := s.policy.Scorecard
	terms := []string{"0", integer(int64(card.Base))}
	for i := range card.Factors {
		f := &card.Factors[i]
		name := s.name + " factor " + f.Name
		s.writer.define(name, "Int", s.factor(f))
		terms = append(terms, quoted(name))
	}
	for i := range s.policy.Adjustments {
		a := &s.policy.Adjustments[i]
		terms = append(terms, ite(s.condition(&a.Condition).holds, integer(int64(a.Delta)), "0"))
	}
	sum := quoted(s.name + " sum")
	s.writer.define(s.name+" sum", "Int", join("+", "0", terms))
	least, most := integer(int64(card.MinScore)), integer(int64(card.MaxScore))
	s.writer.define(s.name+" score", "Int",
		ite("(< "+sum+" "+least+")", least, ite("(> "+sum+" "+most+")", most, sum)))
}

// factor returns the term that computes the points of a factor. Bins of special values come before the ranges.
func (s *side) factor(f *engine.Factor) string {
	value := s.fact(f.Field)
	points := "0"
	for i := len(f.Bins) - 1; i >= 0; i-- {
		b := &f.Bins[i]
		if len(b.Special) == 0 {
			points = ite(s.inBin(&value, b), integer(int64(f.Weighted(b.Points))), points)
		}
	}
	for i := range f.Bins {
		b := &f.Bins[i]
		for _, n := range b.Special {
			points = ite(s.equals(&value, rule.Num(n)), integer(int64(f.Weighted(b.Points))), points)
		}
	}
	missing := "0"
	if f.HasMissing {
		missing = integer(int64(f.Weighted(f.Missing)))
	}
	points = ite(value.given, points, missing)
	if f.When != nil {
		points = ite(s.condition(f.When).holds, points, "0")
	}
	return points
}

// inBin returns the term that is true if a value is in a bin.
func (s *side) inBin(value *fact, b *engine.Bin) string {
	switch {
	case b.Else:
		return "true"
	case value.typ != rule.NumberType:
		var any []string
		for _, v := range b.In {
			any = append(any, s.equals(value, v))
		}
		return or(any...)
	}
	var all []string
	if b.HasMin {
		all = append(all, compared(rule.Gte, value.value, integer(int64(b.Min))))
	}
	if b.HasMax {
		all = append(all, compared(rule.Lt, value.value, integer(int64(b.Max))))
	}
	return and(all...)
}

// band defines the index of the applicant's band: the first band whose scores and conditions the applicant meets. It
// is -1 if there is none.
func (s *side) band() {
	ntc := "false"
	if id, ok := s.plan.Catalogue().Lookup(field.BureauIsNTC); ok {
		f := s.fact(rule.Ref{Name: field.BureauIsNTC, ID: id, Type: rule.BoolType})
		ntc = and(f.given, f.value)
	}
	at := "(- 1)"
	score := quoted(s.name + " score")
	for i := len(s.policy.Bands) - 1; i >= 0; i-- {
		b := &s.policy.Bands[i]
		takes := []string{not(ntc)}
		if b.NTC {
			takes[0] = ntc
		}
		if b.Ranged { // the score is rounded down to a whole number
			takes = append(takes, compared(rule.Gte, score, integer(int64(rule.Int(b.MinScore)))),
				compared(rule.Lt, score, integer(int64(rule.Int(b.MaxScore+1)))))
		}
		if b.When != nil {
			takes = append(takes, s.condition(b.When).holds)
		}
		at = ite(and(takes...), fmt.Sprint(i), at)
	}
	s.writer.define(s.name+" band", "Int", at)
}
