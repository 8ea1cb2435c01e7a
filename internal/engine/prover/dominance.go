package prover

import (
	"verdict/internal/engine"
	"verdict/internal/exact"
	"verdict/internal/loan"
	"verdict/internal/rule"
)

// dominance says what is known about the limits of two bands for all applicants of a box.
type dominance struct {
	// atLeast means that the limit of the old policy is never below that of the new policy if both make an offer.
	// atMost means that it is never above.
	atLeast, atMost bool
	more, less      bool // like atLeast and atMost, but before rounding to steps and even if a policy makes no offer
	equal           bool // the limits are the same
	shared          [bounds]bool
}

// dominates compares the limits of two views. A limit grows with each of the settings that are compared here. So if
// every setting of one view is at most as large as in the other view, the limit is also at most as large.
func (p *pricing) dominates(x, y *view, b *box) (d dominance) {
	l, r := p.sides[0], p.sides[1]
	if !p.paired && (l.dims[dimIncome] != r.dims[dimIncome] || l.dims[dimFOIR] != r.dims[dimFOIR]) {
		return d
	}
	d.more, d.less = true, true
	compare := func(bound int, pairs ...[2]int64) {
		d.shared[bound] = true
		for _, v := range pairs {
			d.more, d.less = d.more && v[0] >= v[1], d.less && v[0] <= v[1]
			d.shared[bound] = d.shared[bound] && v[0] == v[1]
		}
	}
	given := func(dim int) bool {
		k := p.lending.of[0][dim]
		return k >= 0 && b.given[k]
	}
	foir, income := given(dimFOIR), given(dimIncome) && b.lo[p.lending.of[0][dimIncome]] >= 0
	caps := [2]int64{int64(x.band.FOIRCap), int64(y.band.FOIRCap)}
	defaults := [2]int64{x.band.DefaultLimitPaise, y.band.DefaultLimitPaise}
	switch {
	case foir && income:
		d.shared[boundCapacity] = caps[0] == caps[1] && x.band.RateBP == y.band.RateBP && x.months == y.months
		d.more = d.shared[boundCapacity] || p.repaysMore(x, y, b)
		d.less = d.shared[boundCapacity] || p.repaysMore(y, x, b)
	case foir:
		compare(boundCapacity, caps, defaults)
	default:
		compare(boundCapacity, defaults)
	}
	compare(boundMultiple)
	if income {
		l, r := multiple(x.band), multiple(y.band)
		d.shared[boundMultiple] = l == r
		bounded := foir && b.lo[p.lending.of[0][dimFOIR]] >= 0
		d.more = d.more && (l >= r || bounded && l >= reach(y))
		d.less = d.less && (l <= r || bounded && r >= reach(x))
	}
	compare(boundMax, [2]int64{x.band.MaxLimitPaise, y.band.MaxLimitPaise})
	compare(boundRoom, [2]int64{exposureOr(l), exposureOr(r)})
	compare(boundRequested)
	compare(boundCaps)
	compare(boundCommon)
	fine, coarse := l.policy.LimitStepPaise, r.policy.LimitStepPaise
	p.shift(&d)
	d.atLeast, d.atMost = d.more && coarse%fine == 0, d.less && fine%coarse == 0
	p.compareCaps(&d, x, y, b)
	d.equal = d.more && d.less && coarse == fine
	return d
}

// repaysMore compares the amounts that the capacity to repay allows. It reports whether view x allows at least as
// much as view y for all incomes and FOIRs of a box. Income and FOIR must be given.
func (p *pricing) repaysMore(x, y *view, b *box) bool {
	share, otherShare := x.band.FOIRCap, y.band.FOIRCap
	if share >= otherShare && x.band.RateBP <= y.band.RateBP && x.months >= y.months {
		return true
	}
	worth, other := annuity(x), annuity(y)
	if worth < 0 || other < 0 {
		return false // cannot happen: the reader of policies bounds rate and months
	}
	// The annuities are rounded down, so worth is known to be larger only if it exceeds other by more than one unit.
	if share >= otherShare && worth > other+1 {
		return true
	}
	const small = 1_000 * rule.One // bounds the shares of income, so that no product below overflows
	k := p.lending.of[0][dimFOIR]
	least, income := b.lo[k], b.lo[p.lending.of[0][dimIncome]].Paise()
	if least >= otherShare {
		return true // the other view has no capacity left
	}
	// If the annuity is at least twice the instalment, the comparison stays true even if amounts reach the largest
	// possible loan.
	if income <= 0 || least < -small || max(share, otherShare) > small || worth < 2*instalment {
		return false
	}
	// The amount that can be lent is the annuity times the income times the part of the FOIR cap that is left. The
	// difference of two such products is linear in the FOIR, so it is enough to compare them at both ends. Rounding
	// the capacity to the paisa and the instalment to the rupee costs less than 52 paise of an instalment.
	const roundings = 52
	margin := exact.DivCeil(roundings*(worth+1)*int64(rule.One), income)
	for _, foir := range []rule.Number{least, min(b.hi[k], otherShare)} {
		if int64(share-foir)*worth-int64(otherShare-foir)*(other+1) < margin {
			return false
		}
	}
	return true
}

// instalment is the instalment, in paise, for which annuities are computed. It is large enough for six exact digits.
const instalment = 1_000_000

// annuity returns the principal that the instalment above repays in a view, rounded down. It returns -1 if the rate or
// the months are not possible.
func annuity(v *view) int64 {
	terms, err := loan.NewTerms(v.band.RateBP, v.months)
	if err != nil {
		return -1
	}
	return terms.Principal(instalment)
}

// reach returns the largest multiple of income, in millionths, that the capacity to repay allows in a view if income
// and FOIR are known. It is rounded up.
func reach(v *view) int64 {
	const most = int64(rule.MaxNumber)
	terms, err := loan.NewTerms(v.band.RateBP, v.months)
	if err != nil {
		return most // cannot happen: the reader of policies bounds rate and months
	}
	const capacity = 1_000_000_000 // in paise, so that the principal is exact to nine digits
	times, ok := exact.MulDivFloor(uint64(terms.Principal(capacity))+1, uint64(v.band.FOIRCap), capacity)
	if !ok || times >= uint64(most) {
		return most
	}
	return int64(times) + 1
}

func multiple(b *engine.Band) int64 {
	if !b.HasIncomeMultiple {
		return int64(rule.MaxNumber)
	}
	return int64(b.IncomeMultiple)
}

func exposureOr(s *side) int64 {
	if at := exposureOf(s); at >= 0 {
		return at
	}
	return int64(rule.MaxNumber)
}
