package backtest

import (
	"math"
	"testing"
)

// TestBookFunctions checks that the integer arithmetic is close to the floating-point functions.
func TestBookFunctions(t *testing.T) {
	t.Parallel()
	for x := int64(-10 * unit); x <= 12*unit; x += 977 {
		want := math.Exp(float64(x)/unit) * unit
		if got := float64(exp(x)); math.Abs(got-want) > 1+want/20_000 {
			t.Fatalf("exp(%d) = %g, want %g", x, got, want)
		}
		odds := math.Exp(float64(-x) / unit)
		if got, want := float64(logistic(x))/certain, 1/(1+odds); math.Abs(got-want) > 2e-5 {
			t.Fatalf("logistic(%d) = %g, want %g", x, got, want)
		}
	}
	var d draws = 5
	var normals, betas, counts []float64
	for range 100_000 {
		normals = append(normals, float64(d.normal())/unit)
		betas = append(betas, float64(d.beta())/unit)
		counts = append(counts, float64(d.poisson(2*unit, 100)))
	}
	for _, tt := range []struct {
		name            string
		sample          []float64
		mean, deviation float64
	}{
		{"normal", normals, 0, 1},
		{"beta", betas, 1. / 3, math.Sqrt(2 * 4 / (36. * 7))},
		{"poisson", counts, 2, math.Sqrt2},
	} {
		mean, deviation := moments(tt.sample)
		if math.Abs(mean-tt.mean) > 0.015 || math.Abs(deviation-tt.deviation) > 0.015 {
			t.Errorf("%s: mean %.4f and deviation %.4f, want %.4f and %.4f",
				tt.name, mean, deviation, tt.mean, tt.deviation)
		}
	}
}
