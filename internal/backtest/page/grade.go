package page

import (
	"verdict/internal/backtest"
	"verdict/internal/chart"
)

// grades shows the bad rate and the number of applications by status for each
// grade.
func grades(r *backtest.Report) section {
	s := section{ID: "grades", Title: "Grades"}
	if p := gradePicture(r.ByGrade); len(p.Rows) > 0 {
		s.figure(p)
	}
	s.figure(gradeMix(r))
	s.table("By grade", "", across, gradeTable(r.ByGrade))
	if len(r.ByGrade) == 0 {
		s.Blocks = nil
	}
	return s
}

func gradePicture(grades []backtest.Grade) chart.Bars {
	c := chart.Bars{
		Head: chart.Head{
			Title:       "Bad rate by grade",
			Description: "Of labelled rows, with the 95 % interval. It should rise from the best grade to the worst.",
		},
		Of:    "Grade",
		Unit:  chart.Percent,
		Parts: []chart.Part{{Tone: chart.Orange}},
	}
	for _, g := range grades {
		if b := g.BadRate; b.Rate.Known {
			c.Rows = append(c.Rows, chart.Bar{
				Label:  gradeName(g.Grade),
				Text:   badRate(b.Rate) + " (" + interval(b) + ")",
				Values: []float64{b.Rate.Float()},
			})
		}
	}
	return c
}

func gradeMix(r *backtest.Report) chart.Bars {
	c := chart.Bars{
		Head: chart.Head{
			Title:       "Applications by grade",
			Description: "Applications in each grade, by status.",
		},
		Of: "Grade",
		Parts: []chart.Part{
			{Name: "approved", Tone: chart.Approved},
			{Name: "referred", Tone: chart.Referred},
			{Name: "declined", Tone: chart.Declined},
		},
	}
	for _, g := range r.ByGrade {
		c.Rows = append(c.Rows, chart.Bar{
			Label:  gradeName(g.Grade),
			Text:   count(g.Count) + " · " + percent(g.Share),
			Values: []float64{float64(g.Approved), float64(g.Referred), float64(g.Declined)},
		})
	}
	return c
}

func gradeName(grade string) string {
	if grade == "" {
		return "(no grade)"
	}
	return grade
}

func gradeTable(grades []backtest.Grade) chart.Table {
	t := chart.Table{Columns: []string{
		"Grade",
		"Rows",
		"Share",
		"Approval",
		"Labelled",
		"Bad",
		"Bad rate",
		"95 % interval",
		"Rate",
		"Average limit",
		"Total limit",
	}}
	for _, g := range grades {
		t.Rows = append(t.Rows, []string{
			gradeName(g.Grade), count(g.Count), percent(g.Share), percent(g.ApprovalRate),
			count(g.BadRate.Labelled), count(g.BadRate.Bad), badRate(g.BadRate.Rate), interval(g.BadRate),
			yearly(g.AvgRate), money(g.AvgLimit), money(g.TotalLimit),
		})
	}
	return t
}

func bands(bands []backtest.ScoreBand) chart.Table {
	t := chart.Table{
		Columns: []string{"Score", "Grade", "Rows", "Good", "Bad", "Bad rate", "95 % interval", "WoE", "IV"},
		Texts:   []int{1},
	}
	for _, b := range bands {
		grade := b.Grade
		if b.Place != backtest.InBand {
			grade = "outside"
		}
		t.Rows = append(t.Rows, []string{
			bandRange(b), grade, count(b.Count), count(b.Good), count(b.BadRate.Bad),
			badRate(b.BadRate.Rate), interval(b.BadRate), ratio(b.WOE), ratio(b.IV),
		})
	}
	return t
}

func bandRange(b backtest.ScoreBand) string {
	low, high := chart.Score.Format(float64(b.Min)), chart.Score.Format(float64(b.Max))
	switch {
	case b.HasMin && b.HasMax:
		return low + "–" + high
	case b.HasMin:
		return low + " and above"
	case b.HasMax:
		return "up to " + high
	}
	return "any"
}
