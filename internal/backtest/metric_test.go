package backtest

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if math.Abs(got-want) > within {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// TestGoldenMetrics compares the metrics with figures that were computed by
// hand.
func TestGoldenMetrics(t *testing.T) {
	t.Parallel()
	s, ok := Separate([]Outcome{
		{820, false}, {790, false}, {760, false}, {745, true}, {730, false},
		{700, false}, {690, true}, {660, false}, {640, true}, {610, true},
	})
	if !ok {
		t.Fatal("there are good and bad ones")
	}
	near(t, "AUC", s.AUC, 0.83333, 0.000005)
	near(t, "Gini", s.Gini, 0.66667, 0.000005)
	near(t, "KS", s.KS, 0.58333, 0.000005)

	e, ok := Weigh([]int64{50, 150, 300}, []int64{30, 15, 5})
	if !ok {
		t.Fatal("there are good and bad ones")
	}
	for i, want := range []float64{-1.7918, 0, 1.7918} {
		near(t, "the weight of evidence", e.WOE[i], want, 0.00005)
	}
	near(t, "the information value", e.IV, 1.7918, 0.00005)

	psi, ok := Stability([]float64{.2, .3, .3, .2}, []float64{.1, .25, .35, .3})
	if !ok {
		t.Fatal("the shares are as many")
	}
	near(t, "the stability index", psi, 0.126685, 0.0000005)
}

// TestSeparateIsPairs checks that the AUC equals the result of comparing every
// good outcome with every bad one, ties counting half, in any order.
func TestSeparateIsPairs(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		outcomes := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Outcome {
			return Outcome{Score: float64(rapid.IntRange(300, 310).Draw(t, "score")), Bad: rapid.Bool().Draw(t, "bad")}
		}), 0, 40).Draw(t, "outcomes")
		won, pairs := 0.0, 0.0
		for _, good := range outcomes {
			for _, bad := range outcomes {
				if good.Bad || !bad.Bad {
					continue
				}
				pairs++
				switch {
				case good.Score > bad.Score:
					won++
				case good.Score == bad.Score:
					won += 0.5
				}
			}
		}
		s, ok := Separate(outcomes)
		if ok != (pairs > 0) {
			t.Fatalf("ok is %t for %v pairs", ok, pairs)
		}
		if ok && math.Abs(s.AUC-won/pairs) > 1e-12 {
			t.Fatalf("the AUC is %v, want %v", s.AUC, won/pairs)
		}
		slices.Reverse(outcomes)
		if again, _ := Separate(outcomes); again != s {
			t.Fatalf("reversed it is %+v, and was %+v", again, s)
		}
	})
}

// TestNothingToMeasure checks that the metrics return false if there is not
// enough data.
func TestNothingToMeasure(t *testing.T) {
	t.Parallel()
	if _, ok := Separate([]Outcome{{700, false}}); ok {
		t.Error("separation without bad ones")
	}
	if _, ok := Weigh([]int64{1}, []int64{0}); ok {
		t.Error("evidence without bad ones")
	}
	if _, ok := Weigh([]int64{1, 2}, []int64{1}); ok {
		t.Error("evidence of bands that do not match")
	}
	if _, ok := Stability(nil, nil); ok {
		t.Error("stability of nothing")
	}
	// A perfect score separates completely; an empty band has a finite weight
	// of evidence.
	if s, _ := Separate([]Outcome{{800, false}, {600, true}}); s.AUC != 1 || s.Gini != 1 || s.KS != 1 {
		t.Errorf("a perfect score has %+v", s)
	}
	if e, ok := Weigh([]int64{10, 0}, []int64{5, 5}); !ok || math.IsInf(e.WOE[1], 0) {
		t.Errorf("an empty band weighs %v", e.WOE)
	}
}
