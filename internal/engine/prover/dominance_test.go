package prover

import (
	"math/rand/v2"
	"slices"
	"testing"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// lendingLab computes the limits of bands of the default policy with random prices.
type lendingLab struct {
	*rand.Rand
	*pricing
	bands int
}

func newLendingLab(tb testing.TB, seed uint64) *lendingLab {
	tb.Helper()
	l := &lendingLab{Rand: rand.New(rand.NewPCG(9, seed))}
	policy := *edited(tb).Policy()
	policy.LimitStepPaise = []int64{100, 100_00, 1_000_00}[l.IntN(3)]
	policy.Bands = slices.DeleteFunc(slices.Clone(policy.Bands), func(b engine.Band) bool { return !b.Priced })
	l.bands = len(policy.Bands)
	for i := range policy.Bands {
		b := &policy.Bands[i]
		b.RateBP, b.FOIRCap = 1_000+l.Int64N(40)*50, rule.Number(30+l.IntN(60))*rule.One/100
		b.Tenures = []int{1, 6, 12, 18, 24, 36, 60}
		b.TenureMonths = b.Tenures[l.IntN(len(b.Tenures))]
		if i > 0 && l.IntN(3) == 0 {
			b.FOIRCap = policy.Bands[i-1].FOIRCap
		}
	}
	p := engine.Compile(&policy, field.Catalogue())
	m := newModel(p, p, nil)
	m.divide()
	l.pricing = newPricing(newAutomaton(m, Options{}))
	return l
}

// box returns a random box of incomes and FOIRs.
func (l *lendingLab) box() (b box) {
	set := func(dim int, of rule.Number, values ...int64) {
		k := l.lending.of[0][dim]
		x, y := values[l.IntN(len(values))], values[l.IntN(len(values))]
		b.given[k], b.lo[k], b.hi[k] = true, rule.Number(min(x, y))*of, rule.Number(max(x, y))*of
	}
	set(dimIncome, rule.Paisa, 0, 1, 99, 1_234_56, 15_000_00, 25_000_00, 99_999_99, 1_000_000_00, 1_000_000_000_000_00)
	set(dimFOIR, rule.One/100, 0, 10, 20, 35, 45, 50, 59, 100)
	return b
}

// point returns a point of a box, often near one of its corners.
func (l *lendingLab) point(b *box) box {
	p := *b
	for k := range l.lending.vars {
		if !b.given[k] {
			continue
		}
		unit := l.lending.units[k]
		wide := int64(b.hi[k]-b.lo[k]) / int64(unit)
		n := l.Int64N(wide + 1)
		switch l.IntN(4) {
		case 0:
			n = min(wide, l.Int64N(100))
		case 1:
			n = wide - min(wide, l.Int64N(100))
		case 2:
			n = min(wide, l.Int64N(20_000_000)) // incomes whose limits are below the largest limit
		}
		p.lo[k] = b.lo[k] + rule.Number(n)*unit
		p.hi[k] = p.lo[k]
	}
	return p
}

// TestCapacityIsNeverOverstated checks repaysMore with the bounds at random points of boxes: if repaysMore says
// that one band lends at least as much as another band, the bounds must show this at every point.
func TestCapacityIsNeverOverstated(t *testing.T) {
	t.Parallel()
	claims, mixed := 0, 0
	for seed := range uint64(pairs(100)) {
		l := newLendingLab(t, seed)
		for range 60 {
			b := l.box()
			i, j := l.IntN(l.bands), l.IntN(l.bands)
			x, y := l.band(i), l.band(j)
			if !l.repaysMore(&x, &y, &b) {
				continue
			}
			claims++
			if x.band.FOIRCap < y.band.FOIRCap || annuity(&x) < annuity(&y) {
				mixed++
			}
			for range 40 {
				p := l.point(&b)
				more, _ := l.boundsAt(0, i, &p)
				less, _ := l.boundsAt(1, j, &p)
				// No band lends more than a trillion rupees.
				const most = int64(1_000_000_000_000_00)
				if min(more[boundCapacity], most) < min(less[boundCapacity], most) {
					t.Fatalf("seed %d: %v at %d for %d months lends %d, %v at %d for %d months lends %d, at %v", seed,
						x.band.FOIRCap, x.band.RateBP, x.months, more[boundCapacity], y.band.FOIRCap, y.band.RateBP,
						y.months, less[boundCapacity], p.lo[:4])
				}
			}
		}
	}
	t.Logf("%d claims, %d of them for settings that work in opposite directions", claims, mixed)
	if mixed < 50 {
		t.Error("too few")
	}
}

// band returns the view of a band that offers its default tenure.
func (l *lendingLab) band(i int) view {
	b := &l.sides[0].policy.Bands[i]
	return view{band: b, months: b.TenureMonths}
}

// TestOppositeSettings compares bands whose settings work in opposite directions. repaysMore must recognise a band
// that lends more to everybody. It must not prefer either of two bands if each lends more to some applicants.
func TestOppositeSettings(t *testing.T) {
	t.Parallel()
	l := newLendingLab(t, 1)
	income, foir := l.lending.of[0][dimIncome], l.lending.of[0][dimFOIR]
	var b box
	b.given[income], b.lo[income], b.hi[income] = true, rule.Int(15_000), rule.Int(1_000_000_000_000)
	b.given[foir], b.hi[foir] = true, rule.One*6/10
	band := func(rate int64, months int, cap rule.Number) view {
		return view{band: &engine.Band{RateBP: rate, FOIRCap: cap * rule.One / 100}, months: months}
	}
	for name, c := range map[string]struct {
		more, less view
	}{
		"a longer tenure at a higher rate":   {band(1_900, 36, 50), band(1_700, 24, 50)},
		"a higher FOIR cap at a higher rate": {band(2_300, 24, 50), band(2_000, 24, 45)},
	} {
		if !l.repaysMore(&c.more, &c.less, &b) || l.repaysMore(&c.less, &c.more, &b) {
			t.Errorf("%s does not lend more", name)
		}
	}
	x, y := band(1_200, 60, 40), band(2_000, 24, 60)
	if l.repaysMore(&x, &y, &b) || l.repaysMore(&y, &x, &b) {
		t.Error("one of two bands is said to lend more, but each lends more to some")
	}
}
