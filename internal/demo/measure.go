package demo

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"verdict/internal/backtest"
	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/study"
	"verdict/internal/training"
)

// measurements schedules backtests and scorecards.
func (d *envFill) measurements() {
	d.ago(20*day, "make a scorecard", func(ctx context.Context) error {
		card, err := engine.ReadScorecard(body(handmade), field.Catalogue())
		if err != nil {
			return err
		}
		_, err = d.service.Policies.CreateScorecard(ctx, d.by(d.staff.ravi), card, nil)
		return err
	})
	d.ago(13*day, "fit a scorecard", d.fitted)
	d.ago(26*day, "run a synthetic book", func(ctx context.Context) error {
		_, err := d.service.Backtests.RunBook(ctx, d.by(d.staff.ravi), study.BookRequest{
			Policies: study.Policies{ChallengerID: d.rules.draft},
			Book:     study.Book{Rows: int64(d.rows()), Book: backtest.Book{Seed: 7}},
		})
		return err
	})
	d.ago(day, "backtest last year's file", func(ctx context.Context) error {
		return d.backtest(ctx, study.BacktestRequest{
			Policies: d.drafted(),
			CSV:      strings.NewReader(d.lastYear()),
			Setup:    backtest.Setup{Outcome: "outcome", ID: "applicant_id", Protected: "branch"},
		})
	})
	d.ago(7*time.Hour, "replay the month", func(ctx context.Context) error {
		return d.backtest(ctx, study.BacktestRequest{
			Policies: d.drafted(),
			Replay:   &study.Replay{From: d.end.Add(-7 * day).UTC().Truncate(time.Second)},
		})
	})
	d.ago(6*time.Hour, "begin a backtest", func(ctx context.Context) error {
		book := study.DefaultBook()
		book.Rows = 200_000
		return d.backtest(ctx, study.BacktestRequest{Book: &book, Async: true})
	})
}

// drafted returns the active policy, and the draft as its challenger.
func (d *envFill) drafted() study.Policies {
	return study.Policies{RuleSetID: d.rules.active, ChallengerID: d.rules.draft}
}

// backtest runs a backtest. If the backtest is asynchronous, it is only started, and is
// cancelled a few minutes later.
func (d *envFill) backtest(ctx context.Context, r study.BacktestRequest) error {
	run, err := d.service.Backtests.Run(ctx, d.by(d.staff.ravi), r, nil)
	if err != nil || !r.Async {
		return err
	}
	d.schedule.add(d.clock.now().Add(4*time.Minute), "cancel a backtest", func(ctx context.Context) error {
		_, err := d.service.Backtests.Cancel(ctx, d.by(d.staff.ravi), run.ID, nil)
		return err
	})
	return nil
}

// branches lists the branches of last year's loans.
var branches = []string{"Mumbai", "Bengaluru", "Chennai", "Kolkata", "Jaipur", "Pune"}

// rows returns the number of rows of a file or a book. It is Options.Decisions, but at
// most 2,500 and at least 700, because a scorecard cannot be fitted to fewer rows.
func (d *envFill) rows() int { return min(max(d.options.Decisions, 700), 2_500) }

// lastYear returns a CSV file of loans with their outcomes. The bad rate of the loans
// is twice the default.
func (d *envFill) lastYear() string {
	book := backtest.Book{Seed: 2025, BadRate: 2 * backtest.DefaultBadRate}
	var out strings.Builder
	out.WriteString(strings.Join(book.Header(), ",") + ",branch\n")
	branches := append(slices.Clone(branches), d.options.Texts.Branch)
	for row, line := range lines(book, 1, d.rows()) {
		_, _ = fmt.Fprintf(&out, "%s,\"%s\"\n", line, strings.ReplaceAll(branches[row%len(branches)], `"`, `""`))
	}
	return out.String()
}

// fitted fits a scorecard to last year's file.
func (d *envFill) fitted(ctx context.Context) error {
	options := training.Defaults()
	options.Name, options.Target = "Learnt from last year", "outcome"
	options.Exclude = []string{"applicant_id", "vintage", "bad_month", "branch"}
	_, err := d.service.Fitting.Fit(ctx, d.by(d.staff.ravi), study.FitRequest{
		Options: options,
		Rows:    d.lastYear(),
		Save:    true,
	}, nil)
	return err
}

// handmade is a scorecard that was written by hand.
var handmade = map[string]any{
	"name":         "Thin files",
	"base_points":  620,
	"min_score":    300,
	"max_score":    900,
	"pdo":          40,
	"anchor_score": 700,
	"anchor_odds":  30,
	"factors": []map[string]any{
		{"factor": "foir", "field": "foir", "missing_points": -10, "bins": []map[string]any{
			{"lt": 0.2, "points": 24}, {"gte": 0.2, "lt": 0.4, "points": 10}, {"gte": 0.4, "points": -20},
		}},
		{"factor": "monthly_income", "field": "monthly_income", "bins": []map[string]any{
			{"lt": 25_000, "points": -12}, {"gte": 25_000, "lt": 60_000, "points": 8}, {"gte": 60_000, "points": 20},
		}},
		{"factor": "employment_type", "field": "employment_type", "bins": []map[string]any{
			{"in": []string{"SALARIED"}, "points": 12}, {"else": true, "points": 0},
		}},
	},
}
