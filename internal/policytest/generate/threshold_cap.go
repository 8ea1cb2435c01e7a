package generate

import (
	"slices"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// largestInput is the greatest value of a field that is tried for the amount of a cap.
const largestInput = 1_000_000_000

// caps adds the fields from which the caps are computed, with values that give the amounts at which a limit changes:
// less than the smallest limit, some steps between, and more than the largest limit.
func (t *thresholds) caps(p *engine.Policy) {
	var amounts []rule.Number
	for i := range p.Bands {
		b := &p.Bands[i]
		if !b.Priced || b.Action == engine.Decline {
			continue
		}
		middle := (b.MinLimitPaise + b.MaxLimitPaise) / 2
		for _, paise := range []int64{
			b.MinLimitPaise, middle - middle%p.LimitStepPaise, b.MaxLimitPaise, b.MaxLimitPaise + p.LimitStepPaise,
		} {
			if n := rule.Rupees(paise); !slices.Contains(amounts, n) && len(amounts) < 24 {
				amounts = append(amounts, n)
			}
		}
	}
	for i := range p.LimitCaps {
		of := &p.LimitCaps[i].Of
		var names []string
		of.Fields(func(ref rule.Ref) {
			if !slices.Contains(names, ref.Name) {
				names = append(names, ref.Name)
			}
		})
		for _, name := range names {
			t.add(name)
			for _, amount := range amounts {
				t.add(name, inputsFor(p, of, names, name, amount)...)
			}
		}
	}
}

// inputsFor returns values of a field with which an operand reaches an amount, by bisection. The other fields of the
// operand are 1 or 100,000, because a factor is about 1 and an amount is larger.
func inputsFor(
	p *engine.Policy, of *rule.Operand, names []string, name string, amount rule.Number,
) (list []rule.Value) {
	d, ok := domainOf(p, name)
	if !ok || d.typ != rule.NumberType {
		return nil
	}
	slots := rule.NewSlots(field.Catalogue())
	code := rule.NewCode(slots)
	expression := code.AddOperand(of)
	facts := rule.NewFacts(field.Catalogue())
	var frame rule.Frame
	others := []rule.Number{rule.One, rule.Int(100_000)}
	if len(names) == 1 {
		others = others[:1]
	}
	for _, other := range others {
		for _, n := range names {
			facts.Set(n, rule.Num(other))
		}
		enough := func(units rule.Number) bool {
			facts.Set(name, rule.Num(units*d.unit))
			slots.Load(facts, &frame)
			n, ok := code.Value(expression, &frame)
			return ok && n >= amount
		}
		low, high := max(d.least, 0)/d.unit, min(d.most, rule.Int(largestInput))/d.unit
		if !enough(high) {
			continue
		}
		for low < high {
			if middle := low + (high-low)/2; enough(middle) {
				high = middle
			} else {
				low = middle + 1
			}
		}
		list = append(list, rule.Num(low*d.unit))
	}
	return list
}
