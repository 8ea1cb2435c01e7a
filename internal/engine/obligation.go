package engine

import (
	"verdict/internal/exact"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// Derived lists, in name order, the values that the engine derived from the
// facts before Stage 1. It is meant for display. It returns nil if the plan
// derives nothing.
func (d *Decision) Derived() []rule.NamedValue {
	if !d.plan.afford.active {
		return nil
	}
	var out []rule.NamedValue
	for _, name := range []string{field.FOIREffective, field.IncomeEffective} {
		if v := d.named(name); v.Type() != rule.Absent {
			out = append(out, rule.NamedValue{Name: name, Value: v})
		}
	}
	return out
}

// AddDerived adds the values that were derived before Stage 1 to the facts of a
// decision. It is meant for display; a new decision derives them again.
func (d *Decision) AddDerived(facts *rule.Facts) {
	if d.plan.afford.active {
		facts.Set(field.IncomeEffective, d.named(field.IncomeEffective))
		facts.Set(field.FOIREffective, d.named(field.FOIREffective))
	}
}

// Derives reports whether the plan derives foir_effective and income_effective.
func (p *Plan) Derives() bool { return p.afford.active }

// Obligations has the monthly obligations of one application by source. It is
// used to compute the effect of paying off some of them.
type Obligations struct {
	// FOIR is foir_effective. It is absent if it cannot be derived.
	FOIR rule.Value

	income  rule.Value // income_effective
	monthly rule.Value // the income to which the declared ratio refers
	ratio   rule.Value // the declared ratio
	amounts []rule.NamedValue
}

// Obligations returns the obligations of an application as the plan counts
// them.
func (p *Plan) Obligations(facts *rule.Facts) Obligations {
	var fr rule.Frame
	p.slots.Load(facts, &fr)
	p.afford.derive(p.slots, &fr)
	value := func(slot int32) rule.Value { return p.slots.Value(&fr, slot) }
	o := Obligations{
		FOIR: value(p.afford.foirOut), income: value(p.afford.incomeOut), monthly: value(p.afford.monthly),
	}
	if p.afford.addsUp(&fr) {
		// The sum depends on the figures of two people, so it is not known how much the applicant must pay off.
		return Obligations{income: o.income}
	}
	for _, slot := range p.afford.obligations {
		if slot == declaredSlot {
			o.ratio = value(p.afford.foir)
		} else if v := value(slot); v.Type() != rule.Absent {
			o.amounts = append(o.amounts, rule.NamedValue{Name: p.slots.Ref(slot).Name, Value: v})
		}
	}
	return o
}

// Lower calls the function set with each fact that changes if obligations are paid off until they take the share
// foir of the income. It lowers each source that states more than that share and leaves the others unchanged.
func (o *Obligations) Lower(foir rule.Number, set func(name string, v rule.Value)) {
	income := o.income.Number()
	if o.ratio.Type() != rule.Absent {
		ratio := foir
		if monthly := o.monthly.Number(); o.income.Type() != rule.Absent && o.monthly.Type() != rule.Absent &&
			monthly > 0 {
			ratio = timesOver(foir, income, monthly)
		}
		if ratio < o.ratio.Number() {
			set(field.FOIR, rule.Num(ratio))
		}
	}
	for _, a := range o.amounts {
		if amount := timesOver(foir, income, rule.One); amount < a.Value.Number() {
			set(a.Name, rule.Num(amount))
		}
	}
}

// Income returns income_effective. known is false if it cannot be derived.
func (o *Obligations) Income() (income rule.Number, known bool) {
	return o.income.Number(), o.income.Type() != rule.Absent
}

// At lists the values of an absent field for which the obligations would take the given share of the income. The field
// is the declared ratio, an amount owed or the declared income. The list is empty if no such value can be computed.
func (o *Obligations) At(name string, share rule.Number) (list []rule.Number) {
	income, known := o.Income()
	switch {
	case name == field.MonthlyIncome:
		for _, a := range o.amounts {
			list = append(list, timesOver(a.Value.Number(), rule.One, share))
		}
	case name == field.FOIR:
		if monthly := o.monthly.Number(); known && monthly > 0 {
			list = append(list, timesOver(share, income, monthly))
		}
	case known:
		list = append(list, timesOver(share, income, rule.One))
	}
	return list
}

// PayOff returns the monthly obligations, in whole rupees, that must be paid
// off so that the rest takes the share foir of the income. It is the largest
// amount by which a source exceeds that share, rounded up. known is false if
// the income is unknown or there is nothing to pay off.
func (o *Obligations) PayOff(foir rule.Number) (amount rule.Number, known bool) {
	income, known := o.Income()
	if !known {
		return 0, false
	}
	left := timesOver(foir, income, rule.One)
	if o.ratio.Type() != rule.Absent && o.monthly.Type() != rule.Absent {
		amount = timesOver(o.ratio.Number(), o.monthly.Number(), rule.One) - left
	}
	for _, a := range o.amounts {
		amount = max(amount, a.Value.Number()-left)
	}
	return rule.Int(-(-amount).Floor()), amount > 0
}

// timesOver returns a × b ÷ c, rounded down to the millionth and capped at
// rule.MaxNumber.
func timesOver(a, b, c rule.Number) rule.Number {
	q, ok := exact.MulDivFloor(uint64(a), uint64(b), uint64(c))
	if !ok {
		return rule.MaxNumber
	}
	return rule.Number(min(q, uint64(rule.MaxNumber)))
}
