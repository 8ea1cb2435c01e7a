package prover

import (
	"slices"
	"strings"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// cellsOf returns the cell of every variable on the path through which a state of the last layer was first reached.
func (a *automaton) cellsOf(leaf int32) []int32 {
	cells := make([]int32, len(a.vars))
	at := leaf
	for i := len(a.vars); i > 0; i-- {
		s := &a.layers[i].states[at]
		cells[i-1], at = s.cell, s.parent
	}
	return cells
}

// confirm builds the applicant of a point of a leaf and lets both plans decide. It records the applicant as the
// witness of the class that the decisions show.
func (s *search) confirm(leaf int32, p *box) {
	cells := s.cellsOf(leaf)
	free := slices.ContainsFunc(s.vars, func(v *variable) bool { return v.kind == freeVariable })
	if s.decide(cells, p, 0) || s.decide(cells, p, 1) || s.decide(cells, p, 2) || !free {
		return
	}
	// Whether a free predicate holds depends on the values within the cells, so try several.
	for variant := 3; variant < 64; variant++ {
		if s.decide(cells, p, variant) {
			return
		}
	}
}

// decide builds an applicant and lets both plans decide. It reports whether the decisions show a class that had no
// witness before.
func (s *search) decide(cells []int32, p *box, variant int) bool {
	facts := rule.NewFacts(s.catalogue)
	s.fill(facts, cells, p, variant)
	if s.goal != nil {
		return s.goal.judge(s, facts, cells)
	}
	for i, side := range s.sides {
		side.plan.Decide(facts, &s.decisions[i])
	}
	k := compare(&s.decisions[0], &s.decisions[1], s.terms)
	if !k.changed() {
		return false
	}
	at := s.class(k)
	if at < 0 || s.classes[at].witness != nil {
		return false
	}
	w := &Witness{Facts: facts.Sorted(), From: decided(&s.decisions[0]), To: decided(&s.decisions[1])}
	w.Request = s.realise(w.Facts, &k)
	s.classes[at].witness = w
	return true
}

func decided(d *engine.Decision) Decided {
	out := Decided{Status: d.Status, Grade: d.Grade, Score: d.FinalScore}
	if d.Offer.Made {
		out.Offered, out.LimitPaise, out.RateBP, out.Tenure = true, d.Offer.LimitPaise, d.Offer.RateBP,
			d.Offer.TenureMonths
	}
	return out
}

// fill sets the facts of an applicant. variant selects which values of the cells are used.
func (s *search) fill(facts *rule.Facts, cells []int32, p *box, variant int) {
	var derived []rule.NamedValue
	for i, v := range s.vars {
		if v.kind != requestVariable {
			continue
		}
		c := &v.cells[cells[i]]
		value, given := s.value(v, c, variant)
		if k := slices.Index(s.lending.vars, v); k >= 0 {
			given = p.given[k]
			value = rule.Num(p.lo[k])
			if given && v.dim != dimTenure {
				unit := s.lending.units[k]
				value = rule.Num(rounded(p.lo[k], v.dim, variant, rule.Number(c.set[0].Lo)*unit,
					rule.Number(c.set[0].Hi)*unit))
			}
		}
		if !given {
			continue
		}
		if s.isDerived(v) {
			derived = append(derived, rule.NamedValue{Name: v.name, Value: value})
			continue
		}
		facts.Set(v.name, value)
	}
	s.fillSources(facts, cells, derived)
}

// value returns a value of a cell. It returns false if the cell contains absence; the fact is then left out.
func (s *search) value(v *variable, c *cell, variant int) (rule.Value, bool) {
	if c.absent {
		return rule.Value{}, false
	}
	d := s.space.Domain(v.field)
	if variant < 3 || d.Ref.Type != rule.NumberType {
		return s.space.Pick(d, c.set), true
	}
	span := c.set[variant%len(c.set)]
	code := span.Lo
	// Multiplicative hashing: for any two variables, some variants give the first one the larger value and some the
	// smaller.
	switch h := (uint32(variant)*40503 ^ uint32(v.at)*7919) * 2654435761 >> 16 % 5; h {
	case 0:
		code = span.Hi
	case 1:
		code = int64(between(rule.Number(span.Lo), rule.Number(span.Hi), 1))
	case 2:
		mid := between(rule.Number(span.Lo), rule.Number(span.Hi), 1)
		code = int64(between(mid, rule.Number(span.Hi), 1))
	case 3:
		mid := between(rule.Number(span.Lo), rule.Number(span.Hi), 1)
		code = int64(between(rule.Number(span.Lo), mid, 1))
	}
	return rule.Num(rule.Number(code) * d.Unit), true
}

// isDerived reports whether a variable is a figure that a policy derives from several sources.
func (s *search) isDerived(v *variable) bool {
	return slices.ContainsFunc([]string{field.IncomeEffective, field.FOIREffective}, func(name string) bool {
		return v.name == name || v.name == name+sideSuffix[0] || v.name == name+sideSuffix[1]
	})
}

// fillSources sets the sources of derived figures that are not set yet. The declared figures determine the derived
// figures if no other source is given, so they are tried first. Obligations can also come from the bureau report. Only
// the decisions show whether the sources really give the derived figures.
func (s *search) fillSources(facts *rule.Facts, cells []int32, derived []rule.NamedValue) {
	may := func(name string) bool { // the field is not set, and the path does not say that it is absent
		at, known := s.model.byKey[name]
		return facts.Get(name).Type() == rule.Absent &&
			(!known || int(s.model.vars[at].at) >= len(cells) ||
				!s.model.vars[at].cells[cells[s.model.vars[at].at]].absent)
	}
	for _, d := range derived {
		if !strings.HasPrefix(d.Name, field.IncomeEffective) {
			continue
		}
		if may(field.MonthlyIncome) || s.inCell(field.MonthlyIncome, cells, d.Value) {
			facts.Set(field.MonthlyIncome, s.stated(field.MonthlyIncome, d.Value))
			continue
		}
		s.fillPartner(facts, may, d.Value.Number(), derived)
	}
	for _, d := range derived {
		if !strings.HasPrefix(d.Name, field.FOIREffective) {
			continue
		}
		if may(field.FOIR) {
			facts.Set(field.FOIR, d.Value)
			continue
		}
		income := facts.Get(field.MonthlyIncome)
		if emi, ok := d.Value.Number().Times(income.Number()); ok && income.Type() != rule.Absent &&
			may(field.BureauOwnEMI) {
			facts.Set(field.BureauOwnEMI, rule.Num(emi))
		}
	}
}

// stated returns a number as its source states it. A derived figure may have more decimals than its source.
func (s *search) stated(name string, v rule.Value) rule.Value {
	id, ok := s.catalogue.Lookup(name)
	if !ok || !s.catalogue.Field(id).Paise {
		return v
	}
	return rule.Num(v.Number() - v.Number()%rule.Paisa)
}

// inCell reports whether a value is in the cell that the path has for a field.
func (s *search) inCell(name string, cells []int32, value rule.Value) bool {
	at, known := s.model.byKey[name]
	if !known || int(s.model.vars[at].at) >= len(cells) || s.model.vars[at].kind != requestVariable {
		return false
	}
	v := s.model.vars[at]
	code, ok := s.space.Code(s.space.Domain(v.field), value)
	return ok && v.cells[cells[v.at]].set.Contains(code)
}

// fillPartner sets the co-applicant's income and FOIR so that the figures of both people add up to the total income
// and to the derived FOIR.
func (s *search) fillPartner(
	facts *rule.Facts, may func(string) bool, total rule.Number, derived []rule.NamedValue,
) {
	income, ratio := field.OfRole(field.CoApplicant, field.MonthlyIncome), field.OfRole(field.CoApplicant, field.FOIR)
	own := facts.Get(field.MonthlyIncome)
	if own.Type() != rule.NumberType || own.Number() >= total || !may(income) || !may(ratio) {
		return
	}
	extra := total - own.Number()
	share := rule.Number(0)
	for _, d := range derived {
		if !strings.HasPrefix(d.Name, field.FOIREffective) {
			continue
		}
		if may(field.FOIR) {
			facts.Set(field.FOIR, d.Value)
		}
		owed, ok := d.Value.Number().Times(total)
		declared, fits := facts.Get(field.FOIR).Number().Times(own.Number())
		if left := owed - declared; ok && fits && left > 0 {
			share, _ = left.Over(extra)
		}
	}
	facts.Set(income, rule.Num(extra))
	facts.Set(ratio, rule.Num(share))
}
