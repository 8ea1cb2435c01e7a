package prover

import (
	"slices"

	"verdict/internal/engine"
	"verdict/internal/engine/space"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// findTerms lists the conditions of the offer that differ between the policies. Conditions that are the same in both
// need not be compared.
func (m *model) findTerms() {
	text := func(s *side, t *engine.Term) string {
		c := s.renamed(&t.Condition)
		return t.Code + " " + m.textOf(s, &c)
	}
	have := [2]map[string]string{{}, {}}
	for i, s := range m.sides {
		for k := range s.policy.Terms {
			t := &s.policy.Terms[k]
			have[i][t.Code] = text(s, t)
		}
	}
	for i, s := range m.sides {
		for k := range s.policy.Terms {
			code := s.policy.Terms[k].Code
			if have[i][code] != have[1-i][code] && !slices.Contains(m.terms, code) {
				m.terms = append(m.terms, code)
			}
		}
	}
	if len(m.terms) > 64 {
		m.unknown, m.terms = append(m.unknown, "more than 64 different conditions of the offer"), nil
	}
}

// clauses collects the clauses of a policy.
func (m *model) clauses(s *side) {
	p := s.policy
	decline := func(t *expr) {
		s.raw = append(s.raw, rawClause{kind: ruleEffect, onTrue: engine.Decline, t: t})
	}
	for _, req := range p.Required {
		none := &expr{kind: andNode}
		for _, ref := range req.Any {
			none.kids = append(none.kids, m.states(s.ref(ref), space.OnlyAbsent()))
		}
		decline(none)
	}
	if s.plan.UsesOwn() {
		if id, ok := m.catalogue.Lookup(field.OwnReference); ok {
			v := m.variable(rule.Ref{Name: field.OwnReference, ID: id, Type: rule.BoolType})
			decline(m.literal(v, m.solver.Sets.Difference(m.vars[v].all, space.OnlyTrue())))
		}
	}
	for i := range p.Knockouts {
		if m.stop() {
			return
		}
		k := &p.Knockouts[i]
		c := s.renamed(&k.Condition)
		r := rawClause{kind: ruleEffect, onTrue: k.Action, t: m.condition(&c, true)}
		switch k.OnAbsent {
		case engine.ReferWhenAbsent:
			r.onUnknown = engine.Refer
		case engine.FailWhenAbsent:
			r.onUnknown = engine.Decline
		}
		if r.onUnknown != engine.Approve {
			r.f = m.condition(&c, false)
		}
		s.raw = append(s.raw, r)
	}
	for i := range p.Adjustments {
		if m.stop() {
			return
		}
		a := &p.Adjustments[i]
		c := s.renamed(&a.Condition)
		s.raw = append(s.raw, rawClause{kind: scoreEffect, delta: a.Delta, t: m.condition(&c, true)})
	}
	for i := range p.Scorecard.Factors {
		if m.stop() {
			return
		}
		m.factor(s, &p.Scorecard.Factors[i])
	}
	for i := range p.Terms {
		if at := slices.Index(m.terms, p.Terms[i].Code); at >= 0 {
			c := s.renamed(&p.Terms[i].Condition)
			s.raw = append(s.raw, rawClause{kind: termEffect, term: uint8(at), t: m.condition(&c, true)})
		}
	}
}

func (m *model) factor(s *side, f *engine.Factor) {
	when := &expr{is: true}
	if f.When != nil {
		c := s.renamed(f.When)
		when = m.condition(&c, true)
	}
	ref := s.ref(f.Field)
	if m.isChosen(ref) {
		m.chosenFactor(s, f, ref, when)
		return
	}
	s.raw = append(s.raw, rawClause{kind: factorEffect, factor: f, v: m.variable(ref), t: when})
}

// lending finds the variables on which the limits of a policy depend.
func (m *model) lending(s *side) {
	for i := range s.dims {
		s.dims[i] = noDim
	}
	names := map[int]string{
		dimIncome: field.MonthlyIncome, dimFOIR: field.FOIR, dimRequested: field.RequestedAmount,
		dimTenure: field.RequestedTenureMonths,
	}
	if s.policy.Affordability != nil {
		names[dimIncome], names[dimFOIR] = field.IncomeEffective, field.FOIREffective
	}
	if s.policy.Exposure != nil {
		names[dimOutstanding], names[dimOffers] = field.OwnOutstanding, field.OwnOtherOpenOffer
		names[dimPartnerOutstanding] = field.OfRole(field.CoApplicant, field.OwnOutstanding)
		names[dimPartnerOffers] = field.OfRole(field.CoApplicant, field.OwnOtherOpenOffer)
	}
	for dim := range s.dims {
		id, ok := m.catalogue.Lookup(names[dim])
		if !ok {
			continue
		}
		v := m.variable(s.ref(rule.Ref{Name: names[dim], ID: id, Type: m.catalogue.Field(id).Type}))
		s.dims[dim], m.vars[v].dim = v, dim
		// A negative amount counts as absent, so it must not share a cell with other amounts.
		x := m.space.Domain(m.vars[v].field)
		m.test(v, m.solver.Compared(x, rule.Gte, rule.Num(0)))
		m.test(v, space.OnlyAbsent())
		if dim == dimTenure {
			for i := range s.policy.Bands {
				for _, months := range s.policy.Bands[i].Tenures {
					m.test(v, m.solver.Compared(x, rule.Eq, rule.Num(rule.Int(int64(months)))))
				}
			}
		}
	}
}
