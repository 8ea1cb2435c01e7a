package engine

import (
	"math"
	"testing"

	"verdict/internal/rule"
)

// TestScalingGolden compares odds, probabilities, factor and offset with
// published figures for "points to double the odds".
func TestScalingGolden(t *testing.T) {
	t.Parallel()
	classic := &Scaling{PDO: rule.Int(20), AnchorScore: rule.Int(600), AnchorOdds: rule.Int(50)}
	if got := classic.Factor(); math.Abs(got-28.8539) > 0.00005 {
		t.Errorf("the factor is %.4f, want 28.8539", got)
	}
	if got := classic.Offset(); math.Abs(got-487.1229) > 0.00005 {
		t.Errorf("the offset is %.4f, want 487.1229", got)
	}
	ours := DefaultPolicy().Scorecard.Scaling // odds 30:1 at 700, doubling every 40 points
	for _, tc := range []struct {
		scaling  *Scaling
		score    int64
		odds, pd string
	}{
		{classic, 600, "50", "0.0196"},
		{classic, 620, "100", "0.0099"},
		{classic, 580, "25", "0.0385"},
		{classic, 540, "6.25", "0.1379"},
		{ours, 700, "30", "0.0323"},
		{ours, 712, "36.93", "0.0264"},
	} {
		score := rule.Int(tc.score)
		if got := tc.scaling.Odds(score).String(); got != tc.odds {
			t.Errorf("the odds at %d are %s, want %s", tc.score, got, tc.odds)
		}
		if got := tc.scaling.PD(score).String(); got != tc.pd {
			t.Errorf("the probability of default at %d is %s, want %s", tc.score, got, tc.pd)
		}
	}
}

// TestScalingEverywhere checks that odds computed in steps equal math.Pow up to
// rounding errors, and that the odds stay within the range of a Number for
// every score.
func TestScalingEverywhere(t *testing.T) {
	t.Parallel()
	s := &Scaling{PDO: rule.Int(40), AnchorScore: rule.Int(700), AnchorOdds: rule.Int(30)}
	previous := rule.Number(-1)
	for score := int64(-200); score <= 1200; score++ {
		want := 30 * math.Pow(2, float64(score-700)/40)
		if got := s.odds(rule.Int(score)); math.Abs(got-want) > 1e-12*want {
			t.Fatalf("the odds at %d are %v, want %v", score, got, want)
		}
		odds := s.Odds(rule.Int(score))
		if odds < previous {
			t.Fatalf("the odds fall at %d", score)
		}
		previous = odds
	}
	for _, score := range []rule.Number{-rule.MaxNumber, rule.MaxNumber} {
		if pd := s.PD(score); pd < 0 || pd > rule.One {
			t.Errorf("the probability of default at %s is %s", score, pd)
		}
		if odds := s.Odds(score); odds < 0 || odds > rule.MaxNumber {
			t.Errorf("the odds at %s are %s", score, odds)
		}
	}
}
