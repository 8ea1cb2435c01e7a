package prover

import (
	"slices"

	"verdict/internal/engine"
	"verdict/internal/loan"
)

// sameCharges reports whether two policies charge the same for every loan, apart from the fees of the bands.
func sameCharges(a, b *side) bool {
	return slices.EqualFunc(a.policy.Charges, b.policy.Charges, func(x, y engine.Charge) bool {
		return x.Amount == y.Amount
	})
}

// costs returns the amount that a policy deducts from a limit: the band's fee and the charges, with their tax.
func (s *side) costs(b *engine.Band, limitPaise int64) int64 {
	feePaise := loan.Fee(limitPaise, int64(b.FeePct), b.FeeMinPaise)
	return feePaise + loan.Tax(feePaise, int64(b.GSTPct)) + s.policy.ChargesOn(limitPaise)
}

// consumption says at which limits of a band the fee and the charges leave nothing to pay out, so that no offer is
// made.
type consumption struct {
	computed bool    // false if the band has too many limits to compute; then any limit may be used up
	first    bool    // true if the lowest limit is used up
	turns    []int64 // ascending: each limit at which the consumption begins or ends
}

// consumption computes the consumption of a band.
func (p *pricing) consumption(i int, v *view) consumption {
	s := p.sides[i]
	if len(s.policy.Charges) == 0 {
		return consumption{computed: true} // a policy cannot be saved if a fee leaves nothing to pay out
	}
	key := [2]int{i, v.bandAt}
	if known, ok := p.spent[key]; ok {
		return known
	}
	step := s.policy.LimitStepPaise
	from, to := p.leastOffer(i, v.band), v.band.MaxLimitPaise
	out := consumption{computed: (to-from)/step < maxSteps}
	if out.computed {
		out.first = s.costs(v.band, from) >= from
		before := out.first
		for limit := from + step; limit <= to; limit += step {
			if p.tired() {
				return consumption{}
			}
			if now := s.costs(v.band, limit) >= limit; now != before {
				out.turns, before = append(out.turns, limit), now
			}
		}
	}
	p.spent[key] = out
	return out
}

// consumes reports whether the fee and the charges use up some of the limits in a range, and whether they use up every
// one. The limits must be at least the smallest loan of the band.
func (p *pricing) consumes(i int, v *view, from, to int64) (some, every bool) {
	c := p.consumption(i, v)
	if !c.computed {
		return true, false
	}
	now, every := c.first, true
	for k := range len(c.turns) + 1 {
		// now is true if the limits between turn k-1 and turn k are used up.
		starts := k == 0 || c.turns[k-1] <= to
		ends := k < len(c.turns) && c.turns[k] <= from
		if starts && !ends {
			some, every = some || now, every && now
		}
		now = !now
	}
	return some, every
}
