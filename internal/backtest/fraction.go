package backtest

import (
	"math"
	"math/big"

	"verdict/internal/exact"
	"verdict/internal/rule"
)

// Each figure is one division of integers, rounded half away from zero, so that it does not depend on a
// processor's floating point. The only exceptions are the figures that the function "rounded" returns.

// ratio returns a/b. The figure is unknown if b is zero.
func ratio(a, b int64) Figure {
	var w wide
	w.add(a, int64(rule.One))
	return w.mean(b, 1)
}

// mean returns the sum divided by weight. The figure is unknown if weight is zero
// or if the result does not fit in 64 bits. unit is the value of 1 in the sum, in
// millionths.
func (s *wide) mean(weight int64, unit rule.Number) Figure {
	if weight == 0 {
		return Figure{}
	}
	n := exact.BigHalfAway(new(big.Int).Mul(s.big(), big.NewInt(int64(unit))), big.NewInt(weight))
	if !n.IsInt64() {
		return Figure{}
	}
	return Figure{rule.Number(n.Int64()), true}
}

// money returns the sum divided by weight. The sum consists of amounts in paise
// multiplied by weights.
func (s *wide) money(weight int64) Money {
	return fraction{new(big.Rat).SetInt(s.big())}.moneyOver(weight)
}

func (s *wide) times(n int64) fraction {
	return fraction{new(big.Rat).SetInt(new(big.Int).Mul(s.big(), big.NewInt(n)))}
}

// over returns s/t. t must not be zero.
func (s *wide) over(t *wide) Figure {
	n := exact.BigHalfAway(new(big.Int).Mul(s.big(), big.NewInt(int64(rule.One))), t.big())
	return Figure{rule.Number(n.Int64()), true}
}

func (s *wide) float() float64 {
	f, _ := new(big.Float).SetInt(s.big()).Float64()
	return f
}

// fraction is an exact amount of paise before rounding.
type fraction struct{ rat *big.Rat }

func newFraction() fraction { return fraction{new(big.Rat)} }

// add adds s·a/b to f.
func (f fraction) add(s *wide, a, b int64) {
	n := new(big.Int).Mul(s.big(), big.NewInt(a))
	f.rat.Add(f.rat, new(big.Rat).SetFrac(n, big.NewInt(b)))
}

func (f fraction) times(n int64) fraction {
	return fraction{new(big.Rat).Mul(f.rat, new(big.Rat).SetInt64(n))}
}

// moneyOver divides f by the product of numbers and rounds to the paisa. The
// result is unknown if a number is zero, or if the result does not fit in 64
// bits.
func (f fraction) moneyOver(numbers ...int64) Money {
	over := big.NewInt(1)
	for _, n := range numbers {
		over.Mul(over, big.NewInt(n))
	}
	if over.Sign() == 0 {
		return Money{}
	}
	n := exact.BigHalfAway(f.rat.Num(), over.Mul(over, f.rat.Denom()))
	if !n.IsInt64() {
		return Money{}
	}
	return Money{n.Int64(), true}
}

// rounded rounds a metric to six decimals. The metric was computed in floating
// point, and rounding removes differences between processors.
func rounded(x float64) Figure {
	if math.IsNaN(x) || math.Abs(x) > 1e12 {
		return Figure{}
	}
	return Figure{rule.Number(math.Round(float64(x * float64(rule.One)))), true}
}
