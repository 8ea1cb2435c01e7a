package page

import (
	"math"

	"verdict/internal/backtest"
	"verdict/internal/chart"
)

// separation shows how well the score separates good loans from bad ones.
func separation(r *backtest.Report) section {
	s := section{
		ID:    "score",
		Title: "Score",
		Lead: "The distribution of scores, how well the score separates good from bad, and whether its predicted " +
			"probabilities are right.",
	}
	if len(r.Distribution.Cells) > 0 {
		s.figure(distribution(r.Side))
	}
	if len(r.ROC) > 1 {
		s.figure(roc(r))
		s.figure(ks(r.Side))
	}
	if len(r.Calibration) > 0 {
		s.figure(calibration(r.Side))
	}
	s.table("Score bands", "The bands of the policy, and the scores outside them. Weight of evidence and "+
		"information value are computed over the labelled rows.", across, bands(r.ScoreBands))
	if r.PSI != nil {
		s.table("Stability against the reference", "PSI "+ratio(r.PSI.PSI)+": below 0.10 the population is stable, "+
			"above 0.25 it has shifted.", column, shiftTable(*r.PSI, "Reference", "This run"))
	}
	return s
}

// maxColumns is the maximum number of columns of the distribution, including
// empty ones.
const maxColumns = 5000

func distribution(s backtest.Side) chart.Columns {
	d := s.Distribution
	first, last := d.Cells[0].Min, d.Cells[len(d.Cells)-1].Min
	width := max(d.Width, 1)
	n := (last-first)/width + 1
	c := chart.Columns{
		Head: chart.Head{
			Title: "Score distribution",
			Description: "Applications by final score, in steps of " + plural(width, "point",
				"points") + "; the mean is " + score(s.Summary.AvgScore) + ".",
		},
		X:    chart.Axis{Label: "Score", Unit: chart.Score},
		Y:    chart.Axis{Label: "Applications"},
		From: float64(first), Step: float64(width),
	}
	if n < 1 || n > maxColumns {
		return c
	}
	good, bad, unlabelled := make([]float64, n), make([]float64, n), make([]float64, n)
	labels, blanks := false, false
	for _, cell := range d.Cells {
		i := (cell.Min - first) / width
		if i < 0 || i >= n {
			continue
		}
		good[i], bad[i], unlabelled[i] = float64(cell.Good), float64(cell.Bad), float64(cell.Unlabelled)
		labels = labels || cell.Good+cell.Bad > 0
		blanks = blanks || cell.Unlabelled > 0
	}
	if !labels {
		c.Layers = []chart.Layer{{Tone: chart.Blue, Values: unlabelled}}
		return c
	}
	c.Layers = []chart.Layer{
		{Name: "bad", Tone: chart.Orange, Values: bad},
		{Name: "good", Tone: chart.Blue, Values: good},
	}
	if blanks {
		c.Layers = append(c.Layers, chart.Layer{Name: "outcome unknown", Tone: chart.Grey, Values: unlabelled})
	}
	return c
}

func roc(r *backtest.Report) chart.Line {
	p := r.Performance
	c := chart.Line{
		Head: chart.Head{
			Title: "ROC curve",
			Description: "AUC " + ratio(p.AUC) + ", Gini " + ratio(p.Gini) +
				". The further the curve bends from the diagonal, the better.",
		},
		X:        chart.Axis{Label: "Share of goods at or below a score", Unit: chart.Percent, To: 1},
		Y:        chart.Axis{Label: "Share of bads at or below it", Unit: chart.Percent, To: 1},
		Series:   []chart.Series{{Tone: chart.Blue, Area: true, Points: rocPoints(r.ROC)}},
		Diagonal: true,
	}
	if r.Challenger != nil && len(r.Challenger.ROC) > 1 {
		c.Description += " The challenger's AUC is " + ratio(r.Challenger.Performance.AUC) + "."
		c.Series[0].Name = "champion"
		c.Series = append(c.Series, chart.Series{
			Name:   "challenger",
			Tone:   chart.Violet,
			Dashed: true,
			Points: rocPoints(r.Challenger.ROC),
		})
	}
	return c
}

func rocPoints(roc []backtest.ROCPoint) []chart.Point {
	points := make([]chart.Point, len(roc))
	for i, q := range roc {
		points[i] = chart.Point{X: q.Good.Float(), Y: q.Bad.Float()}
	}
	return points
}

func ks(s backtest.Side) chart.Line {
	p := s.Performance
	var good, bad []chart.Point
	gap := chart.Gap{X: p.KSAt.Float(), Label: "KS " + ratio(p.KS)}
	nearest := math.Inf(1)
	for _, q := range s.ROC {
		if !q.Score.Known {
			continue
		}
		at := q.Score.Float()
		good = append(good, chart.Point{X: at, Y: q.Good.Float()})
		bad = append(bad, chart.Point{X: at, Y: q.Bad.Float()})
		if d := math.Abs(at - gap.X); d < nearest {
			nearest, gap.From, gap.To = d, q.Good.Float(), q.Bad.Float()
		}
	}
	c := chart.Line{
		Head: chart.Head{
			Title:       "Kolmogorov–Smirnov",
			Description: "Goods and bads at or below each score; they are farthest apart at " + score(p.KSAt) + ".",
		},
		X: chart.Axis{Label: "Score", Unit: chart.Score},
		Y: chart.Axis{Label: "Share at or below", Unit: chart.Percent, To: 1},
		Series: []chart.Series{
			{Name: "good", Tone: chart.Blue, Points: good},
			{Name: "bad", Tone: chart.Orange, Dashed: true, Points: bad},
		},
	}
	if p.KSAt.Known && len(good) > 0 {
		c.Gaps = []chart.Gap{gap}
	}
	return c
}

// calibration draws the observed bad rate against the claimed probability of
// default or, if the scorecard claims none, against the score.
func calibration(s backtest.Side) chart.Dots {
	c := chart.Dots{
		Head: chart.Head{
			Title:       "Calibration",
			Description: "Ten groups by score. Above the line more loans went bad than the scorecard predicts.",
		},
		X:        chart.Axis{Label: "Predicted probability of default", Unit: chart.Percent, Most: 1},
		Y:        chart.Axis{Label: "Observed bad rate", Unit: chart.Percent, Most: 1},
		NoteName: "Labelled", Tone: chart.Blue, Diagonal: true,
	}
	for _, d := range s.Calibration {
		c.Diagonal = c.Diagonal && d.Predicted.Known
	}
	if h := s.Performance.HosmerLemeshow; h.Known && c.Diagonal {
		c.Description += " Hosmer–Lemeshow " + ratio(h) + "."
	}
	if !c.Diagonal {
		c.Title, c.Description = "Bad rate by score",
			"Ten groups of equal size, each at the middle of its score range, with the 95 % interval."
		c.X = chart.Axis{Label: "Score", Unit: chart.Score}
	}
	for _, d := range s.Calibration {
		x := d.Predicted.Float()
		if !c.Diagonal {
			x = (d.MinScore.Float() + d.MaxScore.Float()) / 2
		}
		if d.Observed.Rate.Known {
			c.Dots = append(c.Dots, chart.Dot{
				X:    x,
				Y:    d.Observed.Rate.Float(),
				Low:  d.Observed.Low.Float(),
				High: d.Observed.High.Float(),
				Note: count(d.Count),
			})
		}
	}
	return c
}

func shiftTable(s backtest.Shift, before, after string) chart.Table {
	t := chart.Table{Columns: []string{"Score from", before, after}}
	for _, g := range s.Groups {
		from := "lowest"
		if g.HasMin {
			from = chart.Score.Format(float64(g.Min))
		}
		t.Rows = append(t.Rows, []string{from, percent(g.Expected), percent(g.Actual)})
	}
	return t
}
