package prover

import (
	"slices"

	"verdict/internal/engine"
	"verdict/internal/exact"
	"verdict/internal/rule"
)

// Outcome is what a policy decides for the applicants of a class.
type Outcome struct {
	Status engine.Status
	Grade  string // "" if declined
	RateBP int64  // annual percent × 100; 0 if declined
}

// Order says how a figure under the new policy compares with the figure under the old policy.
type Order int8

// The orders. The figures of declined applications are not compared: their order is Same.
const (
	Lower  Order = -1 // lower under the new policy
	Same   Order = 0
	Higher Order = 1
)

// Kind identifies a class: the outcomes under both policies and, if both make an offer, how the offers differ.
type Kind struct {
	From, To Outcome
	Limit    Order
	Tenure   Order
	Fee      Order  // order of the fee and the charges with their tax; Same if the limits differ
	Added    uint64 // conditions that only the new policy adds to the offer
	Removed  uint64 // conditions that only the old policy adds to the offer
}

// changed reports whether the two policies decide differently.
func (k *Kind) changed() bool {
	return k.From != k.To || k.Limit != Same || k.Tenure != Same || k.Fee != Same || k.Added != 0 || k.Removed != 0
}

// Direction says whether a change is better or worse for the applicant.
type Direction string

// The directions.
const (
	Better Direction = "better" // better for the applicant
	Worse  Direction = "worse"
	Mixed  Direction = "mixed" // better in some respects and worse in others, or neither
)

// Direction returns the direction of a class.
func (k *Kind) Direction() Direction {
	if k.From.Status != k.To.Status {
		if k.To.Status < k.From.Status {
			return Better
		}
		return Worse
	}
	better := k.To.RateBP < k.From.RateBP || k.Limit == Higher || k.Fee == Lower || k.Removed != 0
	worse := k.To.RateBP > k.From.RateBP || k.Limit == Lower || k.Fee == Higher || k.Added != 0
	switch {
	case better && !worse && k.Tenure == Same:
		return Better
	case worse && !better && k.Tenure == Same:
		return Worse
	default:
		return Mixed
	}
}

// compare returns the kind of two decisions on the same facts. terms has the conditions of the offer that are compared.
func compare(from, to *engine.Decision, terms []string) (k Kind) {
	outcome := func(d *engine.Decision) Outcome {
		if d.Status == engine.Declined {
			return Outcome{Status: engine.Declined}
		}
		return Outcome{Status: d.Status, Grade: d.Grade, RateBP: d.Offer.RateBP}
	}
	k.From, k.To = outcome(from), outcome(to)
	if from.Status == engine.Declined || to.Status == engine.Declined {
		return k
	}
	x, y := &from.Offer, &to.Offer
	k.Limit = Order(sign(y.LimitPaise - x.LimitPaise))
	k.Tenure = Order(sign(int64(y.TenureMonths - x.TenureMonths)))
	if k.Limit == Same {
		k.Fee = Order(sign(y.FeePaise + y.GSTPaise + y.ChargesPaise - x.FeePaise - x.GSTPaise - x.ChargesPaise))
	}
	bitsOf := func(o *engine.Offer) (b uint64) {
		for _, t := range o.Terms {
			if at := slices.Index(terms, t.Code); at >= 0 {
				b |= 1 << at
			}
		}
		return b
	}
	old, changed := bitsOf(x), bitsOf(y)
	k.Added, k.Removed = changed&^old, old&^changed
	return k
}

// kindOf returns the kind of a combination of statuses and orders within a leaf.
func (p *pricing) kindOf(x, y *view, from, to engine.Status, limit, fee Order) (k Kind) {
	k.From, k.To = x.outcome(from), y.outcome(to)
	if from == engine.Declined || to == engine.Declined {
		return k
	}
	k.Limit, k.Fee = limit, fee
	k.Tenure = Order(sign(int64(y.months - x.months)))
	k.Added, k.Removed = y.state.terms&^x.state.terms, x.state.terms&^y.state.terms
	return k
}

func (v *view) outcome(s engine.Status) Outcome {
	if s == engine.Declined {
		return Outcome{Status: s}
	}
	return Outcome{Status: s, Grade: v.band.Grade, RateBP: v.band.RateBP}
}

// kinds calls visit for every kind of change that can occur within a box of a leaf. It may call visit for kinds that
// do not occur, but never misses one.
func (p *pricing) kinds(s *pairState, b *box, visit func(Kind)) {
	x, y := p.view(0, s.sides[0], b), p.view(1, s.sides[1], b)
	emit := func(from, to uint8, limit, fee Order) {
		for f := engine.Approved; f <= engine.Declined; f++ {
			for t := engine.Approved; t <= engine.Declined; t++ {
				if from>>f&1 == 0 || to>>t&1 == 0 {
					continue
				}
				if k := p.kindOf(&x, &y, f, t, limit, fee); k.changed() {
					visit(k)
				}
			}
		}
	}
	const declined = uint8(1) << engine.Declined
	switch {
	case x.declined:
		if from, ok := p.lendable(1, &y); ok {
			emit(declined, p.statuses(1, &y, b, from, y.high), Same, Same)
		}
		return
	case y.declined:
		if from, ok := p.lendable(0, &x); ok {
			emit(p.statuses(0, &x, b, from, x.high), declined, Same, Same)
		}
		return
	}
	p.splitCaps(&x, &y, b)
	d := p.dominates(&x, &y, b)
	p.segments(&x, &y, &d, func(x, y *view, equal bool) {
		if equal || d.equal {
			p.jointKinds(x, y, b, emit)
		} else {
			p.apartKinds(x, y, b, d, emit)
		}
	})
}

// segments divides the limits of a box into parts and calls visit with the limits of each part. Some bounds of a limit
// are shared by both policies, others belong to one of them. The limit is the smallest bound, so the policies have
// equal limits wherever the shared bounds are the smallest. equal reports whether that is so in a whole part.
func (p *pricing) segments(x, y *view, d *dominance, visit func(x, y *view, equal bool)) {
	step := p.sides[0].policy.LimitStepPaise
	if step != p.sides[1].policy.LimitStepPaise {
		visit(x, y, false)
		return
	}
	low, high := int64(unbounded), int64(unbounded) // the lowest and the highest value of the smallest shared bound
	own := [2][2]int64{{unbounded, unbounded}, {unbounded, unbounded}}
	for k, shared := range d.shared {
		if shared {
			low, high = min(low, x.bounds[0][k]), min(high, x.bounds[1][k])
			continue
		}
		for i, v := range []*view{x, y} {
			own[i][0], own[i][1] = min(own[i][0], v.bounds[0][k]), min(own[i][1], v.bounds[1][k])
		}
	}
	cuts := []int64{low, high + step}
	for _, cut := range []int64{
		own[0][0] + step, own[0][1] + step, own[1][0] + step, own[1][1] + step, x.band.MinLimitPaise,
		y.band.MinLimitPaise,
	} {
		if cut = exact.DivCeil(cut, step) * step; low < cut && cut <= high {
			cuts = append(cuts, cut)
		}
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	for i, from := range cuts[:len(cuts)-1] {
		to := cuts[i+1] - step
		l, r := *x, *y
		l.low, l.high = min(own[0][0], from), min(own[0][1], to)
		r.low, r.high = min(own[1][0], from), min(own[1][1], to)
		visit(&l, &r, to <= min(own[0][0], own[1][0]))
	}
}

// lendable returns the lowest limit of a view at which the policy makes an offer. ok is false if there is none.
func (p *pricing) lendable(i int, v *view) (from int64, ok bool) {
	from = max(v.low, p.leastOffer(i, v.band))
	return from, from <= v.high
}

// leastOffer returns the lowest limit at which a band makes an offer.
func (p *pricing) leastOffer(i int, b *engine.Band) int64 {
	step := p.sides[i].policy.LimitStepPaise
	return exact.DivCeil(b.MinLimitPaise, step) * step
}

// jointKinds visits the kinds of a leaf in which both policies have the same limit. It divides the range of limits
// wherever the decision of one of the policies can change.
func (p *pricing) jointKinds(x, y *view, b *box, emit func(from, to uint8, limit, fee Order)) {
	const declined = uint8(1) << engine.Declined
	step := p.sides[0].policy.LimitStepPaise
	cuts := []int64{x.low, x.high + step}
	cut := func(at int64) {
		if at = exact.DivCeil(at, step) * step; x.low < at && at <= x.high {
			cuts = append(cuts, at)
		}
	}
	cut(x.band.MinLimitPaise)
	cut(y.band.MinLimitPaise)
	for i, v := range []*view{x, y} {
		if len(p.lists[v.state.list].ids) > 0 {
			for _, r := range p.runsOf(i, v) {
				cut(r.from)
			}
		}
		for _, at := range p.consumption(i, v).turns {
			cut(at)
		}
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	for i, from := range cuts[:len(cuts)-1] {
		to := cuts[i+1] - step
		sets := [2]uint8{declined, declined}
		offered := 0
		for k, v := range []*view{x, y} {
			if from >= v.band.MinLimitPaise {
				sets[k] = p.statuses(k, v, b, from, to)
				offered++
			}
		}
		if offered < 2 {
			emit(sets[0], sets[1], Same, Same)
			continue
		}
		emitFees(p.feeOrders(x, y, from, to), sets, emit)
	}
}

// emitFees calls emit for equal limits, once for each possible order of the fees.
func emitFees(orders uint8, sets [2]uint8, emit func(from, to uint8, limit, fee Order)) {
	for k, fee := range [...]Order{Higher, Same, Lower} { // bit 0 means lower under the old policy
		if orders>>k&1 != 0 {
			emit(sets[0], sets[1], Same, fee)
		}
	}
}

// apartKinds visits the kinds of a leaf in which the limits of the two policies may differ.
func (p *pricing) apartKinds(x, y *view, b *box, d dominance, emit func(from, to uint8, limit, fee Order)) {
	const declined = uint8(1) << engine.Declined
	least, offers := p.lendable(0, x)
	lowest, offersToo := p.lendable(1, y)
	below, belowToo := x.low < x.band.MinLimitPaise, y.low < y.band.MinLimitPaise
	minX, minY := p.leastOffer(0, x.band), p.leastOffer(1, y.band)
	if below && offersToo && !(d.more && minX <= minY) {
		emit(declined, p.statuses(1, y, b, lowest, y.high), Same, Same)
	}
	if offers && belowToo && !(d.less && minY <= minX) {
		emit(p.statuses(0, x, b, least, x.high), declined, Same, Same)
	}
	if !offers || !offersToo {
		return
	}
	sets := [2]uint8{p.statuses(0, x, b, least, x.high), p.statuses(1, y, b, lowest, y.high)}
	if least < y.high && !d.atLeast {
		emit(sets[0], sets[1], Higher, Same)
	}
	if x.high > lowest && !d.atMost {
		emit(sets[0], sets[1], Lower, Same)
	}
	if from, to := max(least, lowest), min(x.high, y.high); from <= to {
		emitFees(p.feeOrders(x, y, from, to), sets, emit)
	}
}

// limits returns the lowest and the highest limit that the policy can offer within a box.
func (v *view) limits() (low, high rule.Number) {
	if v.declined {
		return 0, 0
	}
	return rule.Rupees(max(v.low, v.band.MinLimitPaise)), rule.Rupees(max(v.high, v.band.MinLimitPaise))
}
