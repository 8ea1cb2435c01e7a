package console

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"verdict/internal/chart"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/wire"
)

// comparedRun is one side of a comparison.
type comparedRun struct {
	backtestRow
	report wire.Value
}

// comparison is what the page shows of two runs.
type comparison struct {
	A, B    *comparedRun
	Figures []comparedFigure
	Grades  chart.Table
	Scores  chart.Line
	ROC     chart.Line
}

// comparedFigure is a figure of two runs side by side.
type comparedFigure struct{ Name, A, B, Change string }

// compareBacktests sets two runs side by side. Without both of them the page
// asks for them.
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

		report, err := wire.Parse(run.Report)
		if err != nil {
			return nil, fmt.Errorf("read the report of %s: %w", run.ID, err)
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

// comparedFields are the figures of a comparison, where they stand in a report
// and how they are written. A percentage of a year stands there as it is.
var comparedFields = []struct {
	name, object, member string
	unit                 chart.Unit
	yearly               bool
}{
	{name: "Rows evaluated", member: "rows_evaluated", unit: chart.Count},
	{name: "Approval rate", object: "summary", member: "approval_rate", unit: chart.Percent},
	{name: "Referral rate", object: "summary", member: "referral_rate", unit: chart.Percent},
	{name: "Decline rate", object: "summary", member: "decline_rate", unit: chart.Percent},
	{name: "Bad rate of approved", object: "performance", member: "bad_rate_approved", unit: chart.Percent},
	{name: "Bad rate of all", object: "performance", member: "bad_rate_all", unit: chart.Percent},
	{name: "AUC", object: "performance", member: "auc", unit: chart.Ratio},
	{name: "Gini", object: "performance", member: "gini", unit: chart.Ratio},
	{name: "KS", object: "performance", member: "ks", unit: chart.Ratio},
	{name: "Average score", object: "summary", member: "avg_score", unit: chart.Score},
	{name: "Average limit", object: "summary", member: "avg_limit", unit: chart.Rupees},
	{name: "Total limit", object: "summary", member: "total_limit", unit: chart.Rupees},
	{name: "Average rate", object: "summary", member: "avg_interest_rate", unit: chart.Ratio, yearly: true},
	{name: "Average APR", object: "summary", member: "avg_apr", unit: chart.Ratio, yearly: true},
	{name: "Expected loss", object: "performance", member: "expected_loss", unit: chart.Rupees},
	{name: "Net margin", object: "economics", member: "net_margin", unit: chart.Rupees},
}

func comparedFigures(a, b wire.Value) []comparedFigure {
	var list []comparedFigure
	for _, f := range comparedFields {
		of := func(report wire.Value) (float64, bool) {
			if f.object != "" {
				report = report.Get(f.object)
			}
			return float(report.Get(f.member))
		}
		write := f.unit.Format
		if f.yearly {
			write = func(x float64) string { return strconv.FormatFloat(x, 'f', 2, 64) + " %" }
		}

		x, hasX := of(a)
		y, hasY := of(b)
		row := comparedFigure{
			Name:   f.name,
			A:      "–",
			B:      "–",
			Change: "–",
		}
		if hasX {
			row.A = write(x)
		}
		if hasY {
			row.B = write(y)
		}
		if hasX && hasY {
			row.Change = signed(y-x, write)
			if f.unit == chart.Percent || f.yearly { // the difference of two shares is in points
				row.Change = strings.Replace(row.Change, "%", "points", 1)
			}
		}

		list = append(list, row)
	}
	return list
}

// signed writes a difference with its sign, which is no part of a unit.
func signed(x float64, write func(float64) string) string {
	switch zero := write(0); {
	case x > 0 && write(x) != zero:
		return "+" + write(x)
	case x < 0 && write(-x) != zero:
		return "−" + write(-x)
	}
	return "the same"
}

// float reads a number for a picture or a difference; ok is false where a
// report has none.
func float(v wire.Value) (x float64, ok bool) {
	if v.Kind() != wire.Number {
		return 0, false
	}
	x, err := strconv.ParseFloat(v.Text(), 64)
	return x, err == nil
}

// comparedGrades has a row for each grade that one of the runs has.
func comparedGrades(a, b wire.Value) chart.Table {
	t := chart.Table{Columns: []string{
		"Grade", "Share, A", "Share, B", "Approval, A", "Approval, B", "Bad rate, A", "Bad rate, B",
	}}
	var names []string
	byGrade := [2]map[string]wire.Value{{}, {}}
	for i, report := range []wire.Value{a, b} {
		for _, g := range report.Get("by_grade").Elements() {
			name := g.Get("grade").Text()
			byGrade[i][name] = g
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}

	for _, name := range names {
		row := []string{name}
		if name == "" {
			row[0] = "(no grade)"
		}

		for _, member := range []string{"share", "approval_rate", "bad_rate"} {
			for i := range byGrade {
				text := "–"
				if x, ok := float(byGrade[i][name].Get(member)); ok {
					text = chart.Percent.Format(x)
				}
				row = append(row, text)
			}
		}

		t.Rows = append(t.Rows, row)
	}

	return t
}

// comparedScores draws how the scores of both runs lie, as shares, because the
// runs may have different numbers of rows.
func comparedScores(a, b wire.Value) chart.Line {
	c := chart.Line{
		Head:   chart.Head{ID: "scores", Title: "Scores", Description: "Share of applications by score in each run."},
		X:      chart.Axis{Label: "Score", Unit: chart.Score},
		Y:      chart.Axis{Label: "Share of the run", Unit: chart.Percent},
		Series: []chart.Series{{Name: "A", Tone: chart.Blue}, {Name: "B", Tone: chart.Orange, Dashed: true}},
	}
	for i, report := range []wire.Value{a, b} {
		total := 0.0
		var points []chart.Point
		for _, cell := range report.Get("distribution").Elements() {
			least, _ := float(cell.Get("min"))
			most, _ := float(cell.Get("max"))
			n := 0.0
			for _, member := range []string{"good", "bad", "unlabelled"} {
				part, _ := float(cell.Get(member))
				n += part
			}

			total += n
			points = append(points, chart.Point{X: (least + most + 1) / 2, Y: n})
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

// comparedROC draws how well the scores of both runs tell the bad from the good.
func comparedROC(a, b wire.Value) chart.Line {
	c := chart.Line{
		Head: chart.Head{
			ID:    "roc",
			Title: "ROC",
			Description: "The further above the diagonal, the better the scores separate. " +
				"A and B are each measured on their own rows.",
		},
		X:        chart.Axis{Label: "Share of goods refused", Unit: chart.Percent, To: 1},
		Y:        chart.Axis{Label: "Share of bads refused", Unit: chart.Percent, To: 1},
		Series:   []chart.Series{{Name: "A", Tone: chart.Blue}, {Name: "B", Tone: chart.Orange, Dashed: true}},
		Diagonal: true,
	}
	for i, report := range []wire.Value{a, b} {
		for _, p := range report.Get("roc").Elements() {
			x, hasX := float(p.Get("good"))
			y, hasY := float(p.Get("bad"))
			if hasX && hasY {
				c.Series[i].Points = append(c.Series[i].Points, chart.Point{X: x, Y: y})
			}
		}
	}
	return c
}
