package engine

import (
	"verdict/internal/rule"
)

// Rules lists the rules that were evaluated: Stage 1, then the adjustments that applied, then Stage 2, each in
// declared order. A knockout whose condition is unknown is listed only if its on_absent is not "pass". Eligibility
// lists no such knockout. The list is valid until d is used again.
func (d *Decision) Rules() []FiredRule {
	if r := &d.rules; !r.done && d.plan != nil {
		r.list = r.list[:0]
		d.listStage(&d.plan.stage1, &d.stage1)
		for i := d.adjusted.Next(0); i >= 0; i = d.adjusted.Next(i + 1) {
			if a := &d.plan.adjustments[i]; d.adjusted.At(i) == rule.Holds {
				r.list = append(r.list, FiredRule{ID: a.id, Delta: a.delta, Result: ResultApplied})
			}
		}
		if !d.eligibility {
			d.listStage(&d.plan.stage2, &d.stage2)
		}
		r.done = true
	}
	return d.rules.list
}

func (d *Decision) listStage(s *stage, truths *rule.Truths) {
	for i := range s.rules {
		r := &s.rules[i]
		truth := truths.At(i)
		result := r.result(truth, d.eligibility)
		if truth == rule.Unknown && result == ResultPass {
			continue // an unknown condition that passes is not listed
		}
		d.rules.list = append(d.rules.list, FiredRule{ID: r.id, Result: result})
	}
}

// Contributions lists the parts of the score: the base, the factors that take part, in declared order, and the clamp
// if it changes the sum. The list is valid until d is used again.
func (d *Decision) Contributions() []Contribution {
	if c := &d.contributions; !c.done && d.plan != nil {
		c.list, c.done = d.plan.scoring.contributions(c.list[:0], d.bins, d.sum), true
	}
	return d.contributions.list
}

// Alternatives lists the same limit over the other tenures that the band allows. It leaves out a tenure whose
// instalment exceeds the capacity, if the capacity is known. It is empty if no offer was made. The list is valid until
// d is used again.
func (d *Decision) Alternatives() []Alternative {
	if a := &d.alternatives; !a.done {
		a.list, a.done = a.list[:0], true
		if d.Offer.Made {
			a.list = d.band.alternatives(a.list, &d.limit)
		}
	}
	return d.alternatives.list
}

func (b *compiledBand) alternatives(list []Alternative, l *limit) []Alternative {
	for i := range b.tenures {
		if i == l.at {
			continue
		}
		t := &b.tenures[i]
		emi := t.terms.Instalment(l.paise)
		if l.hasCapacity && emi > l.capacityPaise {
			continue
		}
		if emi <= t.earlyPaise {
			emi = t.terms.Schedule(l.paise).InstalmentPaise
		}
		list = append(list, Alternative{TenureMonths: t.terms.Months(), InstalmentPaise: emi})
	}
	return list
}
