package rule_test

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"verdict/internal/rule"
)

// numbers generates Numbers of all sizes, including the ends of the range.
func numbers() *rapid.Generator[rule.Number] {
	most := int64(rule.MaxNumber)
	return rapid.Map(rapid.OneOf(
		rapid.Int64Range(-most, most),
		rapid.Int64Range(-2_500_000, 2_500_000),
		rapid.Int64Range(most-3, most),
		rapid.Int64Range(-most, -most+3),
		rapid.Map(rapid.Int64Range(-1_000_000, 1_000_000), func(n int64) int64 { return n * int64(rule.One) }),
		rapid.SampledFrom([]int64{0, 1, -1, 500_000, -500_000}),
	), func(n int64) rule.Number { return rule.Number(n) })
}

// exact returns the Number as a rational.
func exact(n rule.Number) *big.Rat { return big.NewRat(int64(n), 1_000_000) }

// TestNumberArithmetic compares each operation with rationals, rounded half
// away from zero at the sixth decimal.
func TestNumberArithmetic(t *testing.T) {
	t.Parallel()
	operations := []struct {
		name string
		do   func(n, m rule.Number) (rule.Number, bool)
	}{
		{"add", rule.Number.Plus},
		{"sub", rule.Number.Minus},
		{"mul", rule.Number.Times},
		{"div", rule.Number.Over},
	}
	rapid.Check(t, func(t *rapid.T) {
		n, m := numbers().Draw(t, "n"), numbers().Draw(t, "m")
		for _, o := range operations {
			got, ok := o.do(n, m)
			want := fold(o.name, exact(n), exact(m))
			switch {
			case ok != (want != nil):
				t.Errorf("%s(%s, %s): has a result: %t, the rational: %v", o.name, n, m, ok, want)
			case ok && exact(got).Cmp(want) != 0:
				t.Errorf("%s(%s, %s) = %s, want %s", o.name, n, m, got, want.FloatString(6))
			}
		}
	})
}

// TestNumberLaws checks that adding and subtracting a number gives the original
// number, that multiplication is commutative, and similar laws.
func TestNumberLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n, m := numbers().Draw(t, "n"), numbers().Draw(t, "m")
		if sum, ok := n.Plus(m); ok {
			if back, ok := sum.Minus(m); !ok || back != n {
				t.Errorf("%s + %s - %[2]s = %s", n, m, back)
			}
		}
		nm, ok1 := n.Times(m)
		mn, ok2 := m.Times(n)
		if nm != mn || ok1 != ok2 {
			t.Errorf("%s * %s depends on the order", n, m)
		}
		if same, ok := n.Times(rule.One); !ok || same != n {
			t.Errorf("%s * 1 = %s", n, same)
		}
		if same, ok := n.Over(rule.One); !ok || same != n {
			t.Errorf("%s / 1 = %s", n, same)
		}
		if _, ok := n.Over(0); ok {
			t.Errorf("%s / 0 has a result", n)
		}
	})
}

func TestNumberText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := numbers().Draw(t, "n")
		if rat(t, n.String()).Cmp(exact(n)) != 0 {
			t.Errorf("%d millionths are written %s", int64(n), n)
		}
		back, isExact, ok := rule.ParseNumber(n.String())
		if back != n || !isExact || !ok {
			t.Errorf("%s reads back as %s, exact %t, ok %t", n, back, isExact, ok)
		}
	})
	for n, want := range map[rule.Number]string{
		0: "0", 1: "0.000001", -1: "-0.000001", 1_500_000: "1.5", rule.Int(-7): "-7", 10: "0.00001",
		rule.MaxNumber: "1000000000000", -rule.MaxNumber: "-1000000000000",
	} {
		if n.String() != want {
			t.Errorf("%d millionths are written %s, want %s", int64(n), n, want)
		}
	}
}

// TestParseNumber compares ParseNumber with exact rational arithmetic. The literals have up
// to 15 digits before the point, up to 12 after it, and an exponent of up to two digits.
func TestParseNumber(t *testing.T) {
	t.Parallel()
	literals := rapid.StringMatching(`-?(0|[1-9][0-9]{0,14})(\.[0-9]{1,12})?([eE][+-]?[0-9]{1,2})?`)
	rapid.Check(t, func(t *rapid.T) {
		literal := literals.Draw(t, "literal")
		want := rat(t, literal)
		rounded := roundSix(want)
		n, isExact, ok := rule.ParseNumber(literal)
		if inside := rounded.Cmp(exact(rule.MaxNumber)) <= 0 && rounded.Cmp(exact(-rule.MaxNumber)) >= 0; ok != inside {
			t.Fatalf("%s: in range: %t, want %t", literal, ok, inside)
		}
		if !ok {
			return
		}
		if exact(n).Cmp(rounded) != 0 {
			t.Errorf("%s reads as %s, want %s", literal, n, rounded.FloatString(6))
		}
		if isExact != (want.Cmp(rounded) == 0) {
			t.Errorf("%s: exact: %t", literal, isExact)
		}
	})
}

func TestFloor(t *testing.T) {
	t.Parallel()
	for n, want := range map[rule.Number]int64{
		0: 0, 1: 0, 999_999: 0, 1_000_000: 1, 1_000_001: 1,
		-1: -1, -999_999: -1, -1_000_000: -1, -1_000_001: -2,
		rule.MaxNumber: 1e12, -rule.MaxNumber: -1e12, -rule.MaxNumber + 1: -1e12,
	} {
		if got := n.Floor(); got != want {
			t.Errorf("the floor of %s is %d, want %d", n, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		n := numbers().Draw(t, "n")
		r := exact(n)
		// Euclidean division by a positive denominator rounds down.
		want := new(big.Int).Div(r.Num(), r.Denom())
		if got := n.Floor(); want.Cmp(big.NewInt(got)) != 0 {
			t.Errorf("the floor of %s is %d, want %s", n, got, want)
		}
	})
}

func TestHasPlaces(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := numbers().Draw(t, "n")
		places := rapid.IntRange(0, 9).Draw(t, "places")
		_, decimals, _ := strings.Cut(n.String(), ".")
		if got := n.HasPlaces(places); got != (len(decimals) <= places) {
			t.Errorf("%s has at most %d decimals: %t", n, places, got)
		}
	})
	// HasPlaces accepts any number of places, although a Number has at most
	// six.
	if n := rule.Number(1); !n.HasPlaces(6) || !n.HasPlaces(7) || !n.HasPlaces(100) || n.HasPlaces(5) {
		t.Error("0.000001 has six decimals")
	}
}

// TestTimesAtTheEdge checks a product whose value in millionths is about
// MaxUint64 + 0.67. Rounding it up must not overflow to 0.
func TestTimesAtTheEdge(t *testing.T) {
	t.Parallel()
	if n, ok := rule.Number(922_335_866_298_471_448).Times(20_000_029); ok {
		t.Errorf("the product is %s", n)
	}
}

func TestRupees(t *testing.T) {
	t.Parallel()
	const most = int64(rule.MaxNumber / rule.Paisa)
	for _, c := range []struct {
		paise int64
		want  rule.Number
	}{
		{0, 0},
		{1, rule.Paisa},
		{-150, -rule.One - rule.One/2},
		{most, rule.MaxNumber},
		{-most, -rule.MaxNumber},
		{math.MaxInt64, math.MaxInt64},
		{math.MinInt64, math.MinInt64},
	} {
		if got := rule.Rupees(c.paise); got != c.want {
			t.Errorf("%d paise are %d millionths of a rupee, not %d", c.paise, got, c.want)
		}
	}
	for _, paise := range []int64{0, 1, -1, 12_345, most, -most} {
		if got := rule.Rupees(paise).Paise(); got != paise {
			t.Errorf("%d paise come back as %d", paise, got)
		}
	}
}
