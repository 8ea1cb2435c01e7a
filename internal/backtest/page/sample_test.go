package page_test

import (
	"verdict/internal/backtest"
	"verdict/internal/rule"
)

func figure(v float64) backtest.Figure {
	return backtest.Figure{Value: rule.Number(v*1e6 + 0.5), Known: true}
}

func rupees(v int64) backtest.Money { return backtest.Money{Paise: v * 100, Known: true} }

func share(bad, labelled int64, rate, low, high float64) backtest.Share {
	return backtest.Share{Labelled: labelled, Bad: bad, Rate: figure(rate), Low: figure(low), High: figure(high)}
}

// side returns the figures of a small book of a thousand applications under one policy.
func side() backtest.Side {
	return backtest.Side{
		Summary: backtest.Summary{
			Approved: 612, Referred: 88, Declined: 297,
			ApprovalRate: figure(0.613842), ReferralRate: figure(0.088265), DeclineRate: figure(0.297894),
			AvgLimit: rupees(214500), TotalLimit: rupees(131274000), TotalLimitReferred: rupees(9000000),
			AvgInterestRate: figure(15.2), AvgAPR: figure(17.01), AvgScore: figure(688.4),
		},
		Performance: backtest.Performance{
			Labelled: 900, Good: 827, Bad: 73,
			All: share(73, 900, 0.081111, 0.065, 0.1008), Approved: share(25, 600, 0.041667, 0.0284, 0.0608),
			AUC: figure(0.742), Gini: figure(0.484), KS: figure(0.371), KSAt: figure(662), IV: figure(0.52),
			ExpectedLoss: rupees(3100000), PDSource: backtest.PDScorecard, LGD: figure(0.65),
			HosmerLemeshow: figure(9.4),
		},
		ByGrade: []backtest.Grade{
			{
				Grade:        "A",
				Count:        210,
				Share:        figure(0.2106),
				Approved:     210,
				ApprovalRate: figure(1),
				BadRate:      share(7, 210, 0.033333, 0.0162, 0.0672),
				AvgRate:      figure(13.5),
				AvgLimit:     rupees(300000),
				TotalLimit:   rupees(63000000),
			},
			{
				Grade:        "B",
				Count:        787,
				Share:        figure(0.7894),
				Approved:     402,
				Referred:     88,
				Declined:     297,
				ApprovalRate: figure(0.5108),
				BadRate:      share(66, 690, 0.095652, 0.0758, 0.12),
				AvgRate:      figure(16.1),
				AvgLimit:     rupees(169800),
				TotalLimit:   rupees(68274000),
			},
		},
		ScoreBands: []backtest.ScoreBand{
			{
				Place:   backtest.Below,
				HasMax:  true,
				Max:     649,
				Count:   180,
				Good:    110,
				BadRate: share(40, 150, 0.266667, 0.2023, 0.3427),
				WOE:     figure(0),
				IV:      figure(0.21),
			},
			{
				Place:   backtest.InBand,
				Band:    "PB_B",
				Grade:   "B",
				HasMin:  true,
				Min:     650,
				HasMax:  true,
				Max:     719,
				Count:   607,
				Good:    514,
				BadRate: share(26, 540, 0.048148, 0.0331, 0.0696),
				WOE:     figure(0.556),
				IV:      figure(0.15),
			},
			{
				Place:   backtest.InBand,
				Band:    "PB_A",
				Grade:   "A",
				HasMin:  true,
				Min:     720,
				HasMax:  true,
				Max:     900,
				Count:   210,
				Good:    203,
				BadRate: share(7, 210, 0.033333, 0.0162, 0.0672),
				WOE:     figure(0.94),
				IV:      figure(0.16),
			},
		},
		Calibration: []backtest.Decile{
			{
				Number:    1,
				MinScore:  figure(540),
				MaxScore:  figure(660),
				Count:     450,
				Predicted: figure(0.13),
				Observed:  share(60, 450, 0.133333, 0.105, 0.168),
			},
			{
				Number:    2,
				MinScore:  figure(661),
				MaxScore:  figure(810),
				Count:     450,
				Predicted: figure(0.02),
				Observed:  share(13, 450, 0.028889, 0.017, 0.0488),
			},
		},
		Distribution: backtest.Distribution{Width: 10, Cells: []backtest.DistributionCell{
			{Min: 600, Good: 110, Bad: 40, Unlabelled: 30},
			{Min: 660, Good: 514, Bad: 26, Unlabelled: 67},
			{Min: 670, Good: 203, Bad: 7},
		}},
		ROC: []backtest.ROCPoint{
			{Good: figure(0), Bad: figure(0)},
			{Score: figure(600), Good: figure(0.1), Bad: figure(0.3)},
			{Score: figure(662), Good: figure(0.28), Bad: figure(0.651)},
			{Score: figure(810), Good: figure(1), Bad: figure(1)},
		},
		Reasons: []backtest.ReasonCount{
			{Code: "BUR_SCORE", Count: 120, First: 100, Declined: 110, Referred: 10},
			{Code: "FOIR_HIGH", Count: 61, First: 40, Declined: 30, Referred: 11, Approved: 20},
		},
		SoleReasons: []backtest.SoleReason{{
			Rule:         "KO_MIN_BUREAU_SCORE",
			ReasonCode:   "BUR_SCORE",
			Action:       "decline",
			Hits:         120,
			Declines:     120,
			SoleDeclines: 80,
			First:        120,
			Overlap:      40,
			BadRateSole:  share(20, 80, 0.25, 0.168, 0.355),
		}},
		Rules: []backtest.RuleCount{{
			Rule:      "KO_MIN_BUREAU_SCORE",
			Kind:      "knockout",
			Evaluated: 997,
			Hit:       120,
			Unknown:   60,
			HitRate:   figure(0.120361),
			BadRate:   share(30, 110, 0.272727, 0.198, 0.363),
		}},
		Economics: backtest.Economics{
			InterestIncome: rupees(33000000), FeeIncome: rupees(2600000), FundingCost: rupees(19000000),
			ExpectedLoss: rupees(3100000), NetMargin: rupees(13500000), NetMarginPct: figure(10.28),
			FundingRate: figure(0.09),
		},
	}
}

// sample returns a report in which every section has data.
func sample() *backtest.Report {
	other := side()
	other.Summary.Approved, other.Summary.ApprovalRate = 621, figure(0.622869)
	other.Performance.AUC, other.Performance.Gini = figure(0.75), figure(0.5)
	return &backtest.Report{
		RowsTotal: 1000, RowsEvaluated: 997, RowsFailed: 3,
		RowErrors: []backtest.RowError{
			{Row: 17, Field: "foir", Code: "out_of_range"},
			{Row: 18, Code: "bad_quote"},
			{Row: 901, Field: "foir", Code: "out_of_range"},
		},
		RowErrorsByCode: []backtest.CodeCount{{Code: "out_of_range", Count: 2}, {Code: "bad_quote", Count: 1}},
		ColumnsIgnored:  []string{"branch"},
		Weighted:        true, TotalWeight: figure(1994.5),
		Side: side(),
		Fairness: &backtest.Fairness{Column: "gender", FourFifths: false, Groups: []backtest.Group{
			{
				Name:            "F",
				Count:           500,
				Approved:        330,
				ApprovalRate:    figure(0.66),
				Ratio:           figure(1),
				FourFifths:      true,
				BadRateApproved: share(10, 320, 0.03125, 0.017, 0.0566),
			},
			{
				Name:            "M",
				Count:           490,
				Approved:        245,
				ApprovalRate:    figure(0.5),
				Ratio:           figure(0.757576),
				BadRateApproved: share(15, 240, 0.0625, 0.038, 0.1006),
			},
			{Name: "(blank)", Count: 7},
		}},
		Vintage: &backtest.Vintage{Approved: 600, NoMonth: 1, ByMonth: []backtest.VintageMonth{
			{Month: 1, Share: figure(0)},
			{Month: 2, Bad: 9, Share: figure(0.015)},
			{Month: 3, Bad: 15, Share: figure(0.04)},
		}},
		Actual: &backtest.Actual{
			Count:         997,
			Matrix:        backtest.Matrix{{560, 20, 30}, {22, 60, 8}, {30, 8, 259}},
			AgreementRate: figure(0.881645),
		},
		PSI: &backtest.Shift{PSI: figure(0.031), Groups: []backtest.ShiftGroup{
			{Expected: figure(0.5), Actual: figure(0.52)},
			{HasMin: true, Min: 680, Expected: figure(0.5), Actual: figure(0.48)},
		}},
		Challenger: &backtest.Challenger{
			Side:   other,
			Matrix: backtest.Matrix{{580, 4, 28}, {9, 70, 9}, {32, 0, 265}},
			SwapSet: backtest.SwapSet{
				BothApprove:    580,
				ChampionOnly:   32,
				ChallengerOnly: 41,
				BothDecline:    344,
				SwapIn:         share(2, 36, 0.055556, 0.0154, 0.1814),
				SwapOut:        share(3, 27, 0.111111, 0.0385, 0.2806),
				Both:           share(22, 570, 0.038596, 0.0256, 0.0578),
			},
			Shift: backtest.Change{
				Count:          580,
				LimitHigher:    100,
				LimitLower:     40,
				LimitSame:      440,
				RateHigher:     12,
				RateLower:      60,
				RateSame:       508,
				AvgLimitChange: rupees(-1250),
				AvgRateChange:  figure(0.12),
				AvgAPRChange:   figure(0.14),
			},
			PSI: backtest.Shift{
				PSI:    figure(0.031),
				Groups: []backtest.ShiftGroup{{Expected: figure(1), Actual: figure(1)}},
			},
			Changes: []backtest.PolicyChange{
				{
					Section: "knockouts",
					ID:      "KO_MIN_BUREAU_SCORE",
					What:    "changed",
					Before:  "decline when bureau_score < 650",
					After:   "decline when bureau_score < 640",
				},
				{Section: "adjustments", ID: "ADJ_NEW", What: "added", After: "+20 points when age > 30"},
			},
			SwapIn: backtest.Attribution{Count: 41, Explained: 38, Together: 3, ByChange: []backtest.ChangeCount{
				{Alone: 30, Needed: 33, BadRate: share(2, 26, 0.076923, 0.02, 0.24)},
				{Alone: 8, Needed: 11},
			}},
			SwapOut: backtest.Attribution{
				Count:     32,
				Explained: 32,
				ByChange:  []backtest.ChangeCount{{}, {Alone: 32, Needed: 32}},
			},
		},
	}
}
