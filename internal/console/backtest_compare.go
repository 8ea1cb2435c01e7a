package console

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"verdict/internal/backtest"
	"verdict/internal/chart"
	"verdict/internal/fault"
	"verdict/internal/operation"
)

// comparedRun is one of the two runs in a comparison.
type comparedRun struct {
	backtestRow
	report *backtest.Report
}

// comparison is the comparison of two runs.
type comparison struct {
	A, B    *comparedRun
	Figures []comparedFigure
	Grades  chart.Table
	Scores  chart.Line
	ROC     chart.Line
}

// comparedFigure is a figure of two runs side by side.
type comparedFigure struct{ Name, A, B, Change string }

// compareBacktests renders the form to choose two runs and, once they are
// chosen, their comparison.
func (p *backtestPages) compareBacktests(v *visit) error {
	runs, err := p.runs.List(v.ctx, v.caller(), "succeeded", operation.List{Limit: 2 * perPage})
	if err != nil {
		return err
	}

	rows, err := p.backtestRowsOf(v, runs.Data...)
	if err != nil {
		return err
	}

	choices := []option{{Value: "", Label: "Choose a run"}}
	for _, r := range rows {
		when, err := instant(r.CreatedMicros)
		if err != nil {
			return err
		}
		label := fmt.Sprintf("%s · %s · %s", when, r.From, r.Champion.Name)
		choices = append(choices, option{Value: r.ID, Label: label})
	}

	data := struct {
		Filters *form
		Runs    []option
		Shown   *comparison
	}{Filters: v.filters(), Runs: choices}
	if v.query("a") != "" && v.query("b") != "" {
		if data.Shown, err = p.comparison(v); err != nil {
			return err
		}
	}

	return v.render("backtest_compare", "Compare backtests", data)
}

func (p *backtestPages) comparison(v *visit) (*comparison, error) {
	var sides []*comparedRun
	for _, id := range []string{v.query("a"), v.query("b")} {
		run, err := p.runs.Get(v.ctx, v.caller(), id)
		if err != nil {
			return nil, err
		}
		if len(run.Report) == 0 {
			return nil, fault.New(fault.Conflict, fault.CodeNoReport, "only runs that have succeeded can be compared")
		}

		rows, err := p.backtestRowsOf(v, run)
		if err != nil {
			return nil, err
		}

		report, err := run.Figures()
		if err != nil {
			return nil, err
		}

		sides = append(sides, &comparedRun{rows[0], report})
	}

	a, b := sides[0], sides[1]
	return &comparison{
		A:       a,
		B:       b,
		Figures: comparedFigures(a.report, b.report),
		Grades:  comparedGrades(a.report, b.report),
		Scores:  comparedScores(a.report, b.report),
		ROC:     comparedROC(a.report, b.report),
	}, nil
}

// shownFigure is a figure of a report. known is false if the report does not contain the figure.
type shownFigure struct {
	value float64
	known bool
}

func shownRatio(f backtest.Figure) shownFigure { return shownFigure{f.Float(), f.Known} }

func shownMoney(m backtest.Money) shownFigure { return shownFigure{m.Float(), m.Known} }

// comparedField is a row of a comparison. If yearly is set, the figure is an annual rate, which is
// already in percent.
type comparedField struct {
	name   string
	unit   chart.Unit
	yearly bool
	of     func(*backtest.Report) shownFigure
}

func comparedRatio(name string, unit chart.Unit, of func(*backtest.Side) backtest.Figure) comparedField {
	find := func(r *backtest.Report) shownFigure { return shownRatio(of(&r.Side)) }
	return comparedField{name: name, unit: unit, of: find}
}

func comparedYearly(name string, of func(*backtest.Side) backtest.Figure) comparedField {
	field := comparedRatio(name, chart.Ratio, of)
	field.yearly = true
	return field
}

func comparedMoney(name string, of func(*backtest.Side) backtest.Money) comparedField {
	find := func(r *backtest.Report) shownFigure { return shownMoney(of(&r.Side)) }
	return comparedField{name: name, unit: chart.Rupees, of: find}
}

// comparedFields lists the rows of a comparison.
var comparedFields = []comparedField{
	{name: "Rows evaluated", unit: chart.Count, of: func(r *backtest.Report) shownFigure {
		return shownFigure{float64(r.RowsEvaluated), true}
	}},
	comparedRatio("Approval rate", chart.Percent,
		func(s *backtest.Side) backtest.Figure { return s.Summary.ApprovalRate }),
	comparedRatio("Referral rate", chart.Percent,
		func(s *backtest.Side) backtest.Figure { return s.Summary.ReferralRate }),
	comparedRatio("Decline rate", chart.Percent,
		func(s *backtest.Side) backtest.Figure { return s.Summary.DeclineRate }),
	comparedRatio("Bad rate of approved", chart.Percent,
		func(s *backtest.Side) backtest.Figure { return s.Performance.Approved.Rate }),
	comparedRatio("Bad rate of all", chart.Percent,
		func(s *backtest.Side) backtest.Figure { return s.Performance.All.Rate }),
	comparedRatio("AUC", chart.Ratio, func(s *backtest.Side) backtest.Figure { return s.Performance.AUC }),
	comparedRatio("Gini", chart.Ratio, func(s *backtest.Side) backtest.Figure { return s.Performance.Gini }),
	comparedRatio("KS", chart.Ratio, func(s *backtest.Side) backtest.Figure { return s.Performance.KS }),
	comparedRatio("Average score", chart.Score, func(s *backtest.Side) backtest.Figure { return s.Summary.AvgScore }),
	comparedMoney("Average limit", func(s *backtest.Side) backtest.Money { return s.Summary.AvgLimit }),
	comparedMoney("Total limit", func(s *backtest.Side) backtest.Money { return s.Summary.TotalLimit }),
	comparedYearly("Average rate", func(s *backtest.Side) backtest.Figure { return s.Summary.AvgInterestRate }),
	comparedYearly("Average APR", func(s *backtest.Side) backtest.Figure { return s.Summary.AvgAPR }),
	comparedMoney("Expected loss", func(s *backtest.Side) backtest.Money { return s.Performance.ExpectedLoss }),
	comparedMoney("Net margin", func(s *backtest.Side) backtest.Money { return s.Economics.NetMargin }),
}

func comparedFigures(a, b *backtest.Report) []comparedFigure {
	var list []comparedFigure
	for _, f := range comparedFields {
		write := f.unit.Format
		if f.yearly {
			write = func(x float64) string { return strconv.FormatFloat(x, 'f', 2, 64) + " %" }
		}

		x, y := f.of(a), f.of(b)
		row := comparedFigure{
			Name:   f.name,
			A:      "–",
			B:      "–",
			Change: "–",
		}
		if x.known {
			row.A = write(x.value)
		}
		if y.known {
			row.B = write(y.value)
		}
		if x.known && y.known {
			row.Change = signed(y.value-x.value, write)
			if f.unit == chart.Percent || f.yearly { // the difference of two percentages is in percentage points
				row.Change = strings.Replace(row.Change, "%", "points", 1)
			}
		}

		list = append(list, row)
	}
	return list
}

// signed writes a difference with its sign, or "the same" if it rounds to zero.
func signed(x float64, write func(float64) string) string {
	switch zero := write(0); {
	case x > 0 && write(x) != zero:
		return "+" + write(x)
	case x < 0 && write(-x) != zero:
		return "−" + write(-x)
	}
	return "the same"
}

// comparedGrades returns a table with a row for each grade that at least one of the runs has.
func comparedGrades(a, b *backtest.Report) chart.Table {
	t := chart.Table{Columns: []string{
		"Grade", "Share, A", "Share, B", "Approval, A", "Approval, B", "Bad rate, A", "Bad rate, B",
	}}
	var names []string
	byGrade := [2]map[string]backtest.Grade{{}, {}}
	for i, report := range []*backtest.Report{a, b} {
		for _, g := range report.ByGrade {
			byGrade[i][g.Grade] = g
			if !slices.Contains(names, g.Grade) {
				names = append(names, g.Grade)
			}
		}
	}

	for _, name := range names {
		row := []string{name}
		if name == "" {
			row[0] = "(no grade)"
		}

		one, other := byGrade[0][name], byGrade[1][name] // the figures of a grade that a run lacks are unknown
		for _, f := range []backtest.Figure{
			one.Share, other.Share, one.ApprovalRate, other.ApprovalRate, one.BadRate.Rate, other.BadRate.Rate,
		} {
			text := "–"
			if f.Known {
				text = chart.Percent.Format(f.Float())
			}
			row = append(row, text)
		}

		t.Rows = append(t.Rows, row)
	}

	return t
}

// comparedScores returns the chart of the score distributions, as shares, because the runs may have
// different numbers of rows.
func comparedScores(a, b *backtest.Report) chart.Line {
	c := chart.Line{
		Head:   chart.Head{ID: "scores", Title: "Scores", Description: "Share of applications by score in each run."},
		X:      chart.Axis{Label: "Score", Unit: chart.Score},
		Y:      chart.Axis{Label: "Share of the run", Unit: chart.Percent, Most: 1},
		Series: []chart.Series{{Name: "A", Tone: chart.Blue}, {Name: "B", Tone: chart.Orange, Dashed: true}},
	}
	for i, report := range []*backtest.Report{a, b} {
		total := 0.0
		var points []chart.Point
		for _, cell := range report.Distribution.Cells {
			n := float64(cell.Good + cell.Bad + cell.Unlabelled)
			total += n
			points = append(points, chart.Point{X: float64(2*cell.Min+report.Distribution.Width) / 2, Y: n})
		}

		for k := range points {
			if total > 0 {
				points[k].Y /= total
			}
		}

		c.Series[i].Points = points
	}
	return c
}

// comparedROC returns the chart of the ROC curves of both runs.
func comparedROC(a, b *backtest.Report) chart.Line {
	c := chart.Line{
		Head: chart.Head{
			ID:    "roc",
			Title: "ROC",
			Description: "The further a curve is above the diagonal, the better the score separates good from bad. " +
				"A and B are each measured on their own rows.",
		},
		X:        chart.Axis{Label: "Share of goods refused", Unit: chart.Percent, To: 1},
		Y:        chart.Axis{Label: "Share of bads refused", Unit: chart.Percent, To: 1},
		Series:   []chart.Series{{Name: "A", Tone: chart.Blue}, {Name: "B", Tone: chart.Orange, Dashed: true}},
		Diagonal: true,
	}
	for i, report := range []*backtest.Report{a, b} {
		for _, p := range report.ROC {
			if p.Good.Known && p.Bad.Known {
				c.Series[i].Points = append(c.Series[i].Points, chart.Point{X: p.Good.Float(), Y: p.Bad.Float()})
			}
		}
	}
	return c
}
