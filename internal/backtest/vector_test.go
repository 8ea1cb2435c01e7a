package backtest

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"verdict/internal/rule"
)

func figureIs(t *testing.T, what string, got Figure, want, within float64) {
	t.Helper()
	if !got.Known || math.Abs(got.Float()-want) > within {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// TestGoldenSeparation checks that a complete run gives the figures that were
// computed by hand.
func TestGoldenSeparation(t *testing.T) {
	t.Parallel()
	csv := "score,bad\n820,0\n790,0\n760,0\n745,1\n730,0\n700,0\n690,1\n660,0\n640,1\n610,1\n"
	p := reportOf(t, csv, Setup{}, columnPlan(t), nil).Performance
	figureIs(t, "AUC", p.AUC, 0.83333, 0.000005)
	figureIs(t, "Gini", p.Gini, 0.66667, 0.000005)
	figureIs(t, "KS", p.KS, 0.58333, 0.000005)
	if p.Labelled != 10 || p.Bad != 4 {
		t.Errorf("%d labelled, %d bad", p.Labelled, p.Bad)
	}
	figureIs(t, "the bad rate of those approved", p.Approved.Rate, 0.25, 0)
	figureIs(t, "the bad rate of those declined", p.Declined.Rate, 1, 0)
}

// TestGoldenEvidence checks the weight of evidence for goods (50, 150, 300) and
// bads (30, 15, 5) in the three bands.
func TestGoldenEvidence(t *testing.T) {
	t.Parallel()
	var csv strings.Builder
	csv.WriteString("score,outcome\n")
	for _, band := range []struct{ score, goods, bads int }{{600, 50, 30}, {700, 150, 15}, {800, 300, 5}} {
		csv.WriteString(strings.Repeat(fmt.Sprintf("%d,good\n", band.score), band.goods))
		csv.WriteString(strings.Repeat(fmt.Sprintf("%d,BAD\n", band.score), band.bads))
	}
	r := reportOf(t, csv.String(), Setup{}, columnPlan(t), nil)
	if len(r.ScoreBands) != 3 {
		t.Fatalf("%d score bands", len(r.ScoreBands))
	}
	for i, want := range []float64{-1.7918, 0, 1.7918} {
		figureIs(t, "the weight of evidence", r.ScoreBands[i].WOE, want, 0.00005)
	}
	figureIs(t, "the information value", r.Performance.IV, 1.7918, 0.00005)
}

// TestGoldenStability checks the PSI of a shift from (.2, .3, .3, .2) to (.1,
// .25, .35, .3).
func TestGoldenStability(t *testing.T) {
	t.Parallel()
	book := func(counts ...int) string {
		var csv strings.Builder
		csv.WriteString("score\n")
		for i, n := range counts {
			csv.WriteString(strings.Repeat(fmt.Sprintf("%d\n", 600+50*i), n))
		}
		return csv.String()
	}
	before := reportOf(t, book(20, 30, 30, 20), Setup{}, columnPlan(t), nil)
	if before.PSI != nil {
		t.Error("a shift from no reference")
	}
	after := reportOf(t, book(10, 25, 35, 30), Setup{Reference: before.Distribution.Reference()}, columnPlan(t), nil)
	figureIs(t, "the stability index", after.PSI.PSI, 0.126685, 0.0000005)
	same := reportOf(t, book(20, 30, 30, 20), Setup{Reference: before.Distribution.Reference()}, columnPlan(t), nil)
	figureIs(t, "the stability index of the same book", same.PSI.PSI, 0, 0)
}

// TestGoldenScaling checks the expected loss that follows from the scaling of a
// scorecard. With odds of 50:1 at 600 and 20 points to double the odds, a score
// of 540 means a PD of 13.79 %. At a limit of 1 lakh and a loss given default
// of 65 % the expected loss is 8,963.50.
func TestGoldenScaling(t *testing.T) {
	t.Parallel()
	policy := edited(t, columnPolicy(), `"max_score": 900, "factors"`,
		`"max_score": 900, "pdo": 20, "anchor_score": 600, "anchor_odds": 50, "factors"`,
		`"min_score": 300, "max_score": 649, "action": "decline"`,
		`"min_score": 300, "max_score": 500, "action": "decline"`, `"min_score": 650, "max_score": 749`,
		`"min_score": 501, "max_score": 539`,
		`"min_score": 750, "max_score": 900, "interest_rate"`, `"min_score": 540, "max_score": 900, "interest_rate"`)
	r := reportOf(t, "score,bad\n540,0\n", Setup{}, planOf(t, policy), nil)
	if got := r.Performance.ExpectedLoss; got.Paise != 896350 || r.Performance.PDSource != PDScorecard {
		t.Errorf("the expected loss is %v by %s", got, r.Performance.PDSource)
	}
	if len(r.Calibration) != 1 || r.Calibration[0].Predicted.Value != 137900 {
		t.Errorf("the calibration is %+v", r.Calibration)
	}
}

// TestObservedLoss checks the expected loss of a scorecard without scaling, which uses the bad rate of each
// grade among approved rows. The expected loss is 65 % × (1/5 × 5 × 100,000 + 1/2 × 2 × 50,000).
func TestObservedLoss(t *testing.T) {
	t.Parallel()
	csv := "score,bad\n800,0\n800,0\n800,1\n800,0\n800,0\n700,1\n700,0\n600,1\n"
	r := reportOf(t, csv, Setup{}, columnPlan(t), nil)
	if got := r.Performance.ExpectedLoss; got.Paise != 97_500_00 || r.Performance.PDSource != PDByGrade {
		t.Errorf("the expected loss is %v by %s", got, r.Performance.PDSource)
	}
	e := r.Economics
	if sum := e.InterestIncome.Paise +
		e.FeeIncome.Paise - e.FundingCost.Paise - e.ExpectedLoss.Paise; sum != e.NetMargin.Paise {
		t.Errorf("the margin is %v, the parts make %d", e.NetMargin, sum)
	}
	// The rate is 12 % and the funding rate 9 %, so 9/12 of the interest is
	// funding cost.
	only := reportOf(t, "score\n800\n", Setup{FundingRate: rule.One * 9 / 100}, columnPlan(t), nil).Economics
	if want := (only.InterestIncome.Paise*9 + 6) / 12; only.FundingCost.Paise != want {
		t.Errorf("the funding cost is %v of %v", only.FundingCost, only.InterestIncome)
	}
}

// TestNothingToReport checks that figures are unknown and nothing fails if
// there are no labels or no rows.
func TestNothingToReport(t *testing.T) {
	t.Parallel()
	for _, csv := range []string{"score\n", "score\n700\n", "score,bad\n700,\n", "score,bad\nx,1\n"} {
		r := reportOf(t, csv, Setup{}, columnPlan(t), columnPlan(t))
		if r.Performance.AUC.Known || r.Performance.All.Rate.Known || len(r.Calibration) > 0 || len(r.ROC) > 0 {
			t.Errorf("%q has %+v", csv, r.Performance)
		}
		if text := jsonOf(t, r); strings.Contains(text, "NaN") || !strings.Contains(text, `"auc": null`) {
			t.Errorf("%q gives %s", csv, text)
		}
	}
}
