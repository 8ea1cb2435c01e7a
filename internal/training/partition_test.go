package training

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"verdict/internal/backtest"
	"verdict/internal/rule"
)

// TestPartitionIsBest compares the result of the dynamic programming with a
// search of all possible cuts.
func TestPartitionIsBest(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "n")
		p := partition{
			least: float64(rapid.IntRange(1, 40).Draw(t, "least")), maxBins: rapid.IntRange(1, 6).Draw(t, "bins"),
			penalty: rapid.SampledFrom([]float64{0, 0.001, 0.05}).Draw(t, "penalty"),
			shape:   rapid.SampledFrom(slices.Concat(monotone, turning)).Draw(t, "shape"),
		}
		for range n {
			c := counts{float64(rapid.IntRange(0, 50).Draw(t, "good")), float64(rapid.IntRange(0, 50).Draw(t, "bad"))}
			p.cells = append(p.cells, c)
			p.total = p.total.plus(c)
		}
		if p.total.good == 0 || p.total.bad == 0 {
			return
		}
		starts, got := p.solve()
		best, found := math.Inf(-1), false
		for cuts := range 1 << (n - 1) {
			if v, ok := p.worth(cuts); ok {
				best, found = max(best, v), true
			}
		}
		if found != (starts != nil) || found && math.Abs(got-best) > 1e-9 {
			t.Fatalf("found %v worth %v, the best is worth %v (%v)", starts, got, best, found)
		}
	})
}

// worth returns the value of a partition. Bit i of cuts is set if there is a
// cut after cell i. ok is false if the partition breaks a rule.
func (p *partition) worth(cuts int) (value float64, ok bool) {
	bins := []counts{{}}
	for i, c := range p.cells {
		if i > 0 && cuts>>(i-1)&1 == 1 {
			bins = append(bins, counts{})
		}
		bins[len(bins)-1] = bins[len(bins)-1].plus(c)
	}
	turned := false
	for i, b := range bins {
		if b.rows() < p.least {
			return 0, false
		}
		_, iv := evidence(b, p.total, false)
		value += iv - p.penalty
		if i == 0 {
			continue
		}
		switch before := bins[i-1]; {
		case !b.worseThan(before) && !before.worseThan(b):
			return 0, false
		case b.worseThan(before) == p.shape.up && !turned:
		case b.worseThan(before) != p.shape.up && p.shape.turn:
			turned = true
		default:
			return 0, false
		}
	}
	return value, len(bins) <= p.maxBins
}

// TestEvidence checks that bins that are large enough have the weight of evidence
// that the definition gives.
func TestEvidence(t *testing.T) {
	t.Parallel()
	goods, bads := []int64{900, 500, 300}, []int64{30, 60, 210}
	want, ok := backtest.Weigh(goods, bads)
	if !ok {
		t.Fatal("nothing to weigh")
	}
	total := counts{1700, 300}
	sum := 0.0
	for i := range goods {
		woe, iv := evidence(counts{float64(goods[i]), float64(bads[i])}, total, false)
		if math.Abs(woe-want.WOE[i]) > 1e-6 {
			t.Errorf("bin %d: %v, want %v", i, woe, want.WOE[i])
		}
		sum += iv
	}
	if math.Abs(sum-want.IV) > 1e-5 {
		t.Errorf("information value %v, want %v", sum, want.IV)
	}
	if woe, _ := evidence(counts{3, 0}, total, true); woe <= 0 || woe > 0.1 {
		t.Errorf("three good rows weigh %v", woe)
	}
}

func TestExp(t *testing.T) {
	t.Parallel()
	for x := -40.0; x <= 40; x += 0.0137 {
		if got, want := exp(x), math.Exp(x); math.Abs(got/want-1) > 1e-14 {
			t.Fatalf("exp(%v) = %v, want %v", x, got, want)
		}
	}
}

func TestParseAgreesWithTheRequest(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`-?[0-9]{0,14}(\.[0-9]{0,8})?([eE][+-]?[0-9]{1,2})?`).Draw(t, "text")
		got, ok := parse([]byte(text))
		if !isNumber([]byte(text)) {
			if ok {
				t.Fatalf("%q is read as %s", text, got)
			}
			return
		}
		want, _, within := rule.ParseNumber(text)
		if ok != within || ok && got != want {
			t.Fatalf("%q: got %s %t, want %s %t", text, got, ok, want, within)
		}
	})
}

func TestRoundest(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ below, at, want string }{
		{"19987.5", "20341.27", "20000"},
		{"0", "1", "1"},
		{"-2", "-1", "-1"},
		{"-1.7", "-1.2", "-1.2"},
		{"-15", "-8", "-10"},
		{"3.14", "3.15", "3.15"},
		{"0.12345", "0.12399", "0.1239"},
	} {
		below, _, _ := rule.ParseNumber(c.below)
		at, _, _ := rule.ParseNumber(c.at)
		if got := roundest(below, at).String(); got != c.want {
			t.Errorf("between %s and %s: got %s, want %s", c.below, c.at, got, c.want)
		}
	}
}

// TestShapes checks that the nearest sequence of a shape has that shape, and that
// a sequence that already has the shape is returned unchanged.
func TestShapes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-2, 2), 1, 9).Draw(t, "values")
		weights := make([]float64, len(values))
		for i := range weights {
			weights[i] = float64(rapid.IntRange(1, 100).Draw(t, "weight"))
		}
		up := rising(values, weights)
		if !slices.IsSorted(up) {
			t.Fatalf("%v falls", up)
		}
		if again := rising(up, weights); !cmp.Equal(again, up, near) {
			t.Fatalf("%v became %v", up, again)
		}
		peak := turned(values, weights, rising, falling)
		turn := slices.Index(peak, slices.Max(peak))
		if !slices.IsSorted(peak[:turn+1]) || !fallsOn(peak[turn:]) {
			t.Fatalf("%v turns twice", peak)
		}
	})
}

func fallsOn(values []float64) bool {
	for i := 1; i < len(values); i++ {
		if values[i] > values[i-1]+1e-12 {
			return false
		}
	}
	return true
}

var near = cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-9 })

// TestRegression checks that the regression recovers the coefficients that
// generated the rows, and that the gradient of the likelihood is zero at the
// result.
func TestRegression(t *testing.T) {
	t.Parallel()
	const n = 20_000
	d := &draws{7 << 32}
	g := &design{
		table:  &table{bad: make([]uint8, n)},
		codes:  [][]uint8{make([]uint8, n), make([]uint8, n)},
		values: make([][256]float64, 2),
	}
	for k := range 10 {
		g.values[0][k], g.values[1][k] = float64(k)/3-1.5, float64(k%5)/2-1
	}
	for i := range n {
		g.codes[0][i], g.codes[1][i] = uint8(d.next()%10), uint8(d.next()%10)
		logit := 1.2 + 0.8*g.values[0][g.codes[0][i]] - 0.5*g.values[1][g.codes[1][i]]
		if d.unit() > 1/(1+exp(-logit)) {
			g.bad[i] = 1
		}
		g.rows = append(g.rows, int32(i))
	}
	m, err := g.regress(0, nil)
	if err != nil || !m.converged {
		t.Fatal(m, err)
	}
	for i, want := range []float64{1.2, 0.8, -0.5} {
		got := m.intercept
		if i > 0 {
			got = m.beta[i-1]
		}
		if math.Abs(got-want) > 4*math.Sqrt(m.spread[i][i]) {
			t.Errorf("coefficient %d: %v, want %v", i, got, want)
		}
	}
	for i, slope := range g.gather(m).slope {
		if math.Abs(slope) > 1e-3 {
			t.Errorf("the likelihood still rises by %v along %d", slope, i)
		}
	}
	// remove, which uses the curvature, gives nearly the same result as a new
	// regression without the column.
	one := &design{table: g.table, codes: g.codes[:1], values: g.values[:1], rows: g.rows}
	alone, err := one.regress(0, nil)
	if err != nil {
		t.Fatal(err)
	}
	m.remove(1)
	if math.Abs(m.beta[0]-alone.beta[0]) > 0.02 || math.Abs(m.intercept-alone.intercept) > 0.05 {
		t.Errorf("removed: %v %v, fitted anew: %v %v", m.intercept, m.beta, alone.intercept, alone.beta)
	}
}
