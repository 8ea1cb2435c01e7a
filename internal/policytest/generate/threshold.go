package generate

import (
	"slices"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// thresholds has, for each fact, the constants that a policy compares it with.
type thresholds struct {
	facts []string // in the order in which the policy names them
	of    map[string][]rule.Value
}

func (t *thresholds) add(fact string, values ...rule.Value) {
	if _, ok := t.of[fact]; !ok {
		t.facts = append(t.facts, fact)
		t.of[fact] = nil
	}
	for _, v := range values {
		if v.Type() != rule.Absent && !slices.Contains(t.of[fact], v) {
			t.of[fact] = append(t.of[fact], v)
		}
	}
}

// thresholdsOf lists the facts that a policy reads, with their constants. The
// constants of a derived fact are also constants of the facts that give it its value.
func thresholdsOf(p *engine.Policy, conditions []*condition) *thresholds {
	t := &thresholds{of: map[string][]rule.Value{}}
	for _, c := range conditions {
		for _, l := range c.leaves {
			l.node.Operands(func(ref rule.Ref) { t.add(ref.Name) })
			if l.field != "" {
				t.add(l.field, l.constants()...)
			}
		}
	}
	for i := range p.Scorecard.Factors {
		f := &p.Scorecard.Factors[i]
		t.add(f.Field.Name)
		for k := range f.Bins {
			t.add(f.Field.Name, binConstants(&f.Bins[k])...)
		}
	}
	for _, r := range p.Required {
		for _, ref := range r.Any {
			t.add(ref.Name)
		}
	}
	if p.NeedsScore() {
		t.add(field.BureauScore)
	}
	t.price(p)
	t.caps(p)
	sources := p.CountedSources()
	for _, name := range sources.Income.Of {
		t.add(name, t.of[field.IncomeEffective]...)
	}
	if sources.CountsDeclared() {
		t.add(field.FOIR, t.of[field.FOIREffective]...)
	}
	for _, name := range []string{field.BureauOwnEMI, field.BankDueEMI} {
		if p.Affordability != nil && slices.Contains(engine.Compile(p, field.Catalogue()).Fields(), name) {
			t.add(name, amounts(0, 1_000, 10_000, 30_000)...)
		}
	}
	return t
}

// price adds the facts that the pricing of an offer reads.
func (t *thresholds) price(p *engine.Policy) {
	t.add(field.RequestedAmount)
	t.add(field.RequestedTenureMonths)
	t.add(field.MonthlyIncome, amounts(20_000, 60_000, 150_000, 400_000)...)
	t.add(field.FOIR, rule.Num(0))
	most := 0
	for i := range p.Bands {
		b := &p.Bands[i]
		if b.NTC {
			t.add(field.BureauIsNTC)
		}
		if !b.Priced {
			continue
		}
		t.add(field.FOIR, rule.Num(b.FOIRCap))
		t.add(field.RequestedAmount, rule.Num(rule.Rupees(b.MinLimitPaise)), rule.Num(rule.Rupees(b.MaxLimitPaise)),
			rule.Num(rule.Rupees(b.MaxLimitPaise+p.LimitStepPaise)))
		for _, months := range b.Tenures {
			t.add(field.RequestedTenureMonths, rule.Num(rule.Int(int64(months))))
			most = max(most, months)
		}
	}
	if most > 0 {
		t.add(field.RequestedTenureMonths, rule.Num(rule.Int(int64(most+1))))
	}
}

func amounts(rupees ...int64) (list []rule.Value) {
	for _, n := range rupees {
		list = append(list, rule.Num(rule.Int(n)))
	}
	return list
}

func binConstants(b *engine.Bin) (list []rule.Value) {
	if b.HasMin {
		list = append(list, rule.Num(b.Min))
	}
	if b.HasMax {
		list = append(list, rule.Num(b.Max))
	}
	for _, n := range b.Special {
		list = append(list, rule.Num(n))
	}
	return append(list, b.In...)
}

// scores returns the least and the greatest score that a policy can give.
func scores(p *engine.Policy) (least, greatest rule.Number) {
	least, greatest = p.Scorecard.Bounds()
	for i := range p.Adjustments {
		least += min(0, p.Adjustments[i].Delta)
		greatest += max(0, p.Adjustments[i].Delta)
	}
	return max(least, p.Scorecard.MinScore), min(greatest, p.Scorecard.MaxScore)
}

// domain describes the values that a fact can have.
type domain struct {
	typ        rule.Type
	unit       rule.Number // the distance between neighbours
	least      rule.Number
	most       rule.Number
	vocabulary []string
	group      string
}

// domainOf returns the domain of a fact, according to the catalogue or to the
// inputs that the policy declares. ok is false for other names.
func domainOf(p *engine.Policy, fact string) (d domain, ok bool) {
	d = domain{unit: 1, least: -rule.MaxNumber, most: rule.MaxNumber}
	c := field.Catalogue()
	id, known := c.Lookup(fact)
	if !known {
		d.typ, known = p.InputTypes()[fact]
		return d, known
	}
	f := c.Field(id)
	d.typ, d.vocabulary, d.group = f.Type, f.Values, f.Group
	switch {
	case f.Integer:
		d.unit = rule.One
	case f.Unit == "₹":
		d.unit = rule.Paisa
	}
	if f.BoundedBelow {
		d.least = f.Min
	}
	if f.BoundedAbove {
		d.most = f.Max
	}
	return d, true
}

// values returns the values of a fact that are worth trying: the constants, their
// neighbours, the whole vocabulary, both booleans.
func (d *domain) values(constants []rule.Value) (list []rule.Value) {
	switch d.typ {
	case rule.BoolType:
		return []rule.Value{rule.Bool(false), rule.Bool(true)}
	case rule.StringType:
		for _, word := range d.vocabulary {
			list = append(list, rule.Str(word))
		}
		if len(list) == 0 {
			list = append(list, constants...)
			list = append(list, rule.Str("other"))
		}
		return list
	}
	add := func(n rule.Number) {
		if d.least <= n && n <= d.most && !slices.Contains(list, rule.Num(n)) {
			list = append(list, rule.Num(n))
		}
	}
	for _, v := range constants {
		if v.Type() == rule.NumberType {
			add(v.Number() - d.unit)
			add(v.Number())
			add(v.Number() + d.unit)
		}
	}
	if d.least > -rule.MaxNumber {
		add(d.least)
	}
	if d.least > -rule.MaxNumber && d.most < rule.MaxNumber {
		middle := (d.least + d.most) / 2
		add(middle - middle%d.unit)
	}
	if len(list) < 2 {
		add(0)
		add(rule.One)
	}
	slices.SortFunc(list, func(x, y rule.Value) int { return int(min(1, max(-1, x.Number()-y.Number()))) })
	return list
}
