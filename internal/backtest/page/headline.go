package page

import (
	"strings"

	"verdict/internal/backtest"
	"verdict/internal/chart"
)

// tile is one headline figure. Other is the challenger's figure.
type tile struct{ Name, Value, Other, Note string }

// lead returns the first sentence of the page, which says how many applications
// were evaluated.
func lead(r *backtest.Report) string {
	var b strings.Builder
	b.WriteString(plural(r.RowsEvaluated, "application", "applications") + " evaluated")
	if r.RowsFailed > 0 {
		b.WriteString(", " + plural(r.RowsFailed, "row", "rows") + " not evaluated")
	}
	switch {
	case r.Performance.Labelled > 0:
		b.WriteString(", " + count(r.Performance.Labelled) + " with a known outcome")
	default:
		b.WriteString(", none with a known outcome")
	}
	b.WriteString(".")
	if r.Weighted {
		b.WriteString(" Rates, metrics and money are weighted; the rows represent " + in(chart.Count,
			r.TotalWeight) + " applicants.")
	}
	if r.Challenger != nil {
		b.WriteString(" The champion is compared with a challenger on the same rows.")
	}
	return b.String()
}

// tiles returns the headline figures, those that a risk committee reads first.
func tiles(r *backtest.Report) []tile {
	s, p := r.Summary, r.Performance
	all := []tile{
		{"Approval rate", percent(s.ApprovalRate), "", count(s.Approved) + " approved"},
		{"Bad rate of approved", badRate(p.Approved.Rate), "", badNote(p.Approved)},
		{"Gini", ratio(p.Gini), "", "AUC " + ratio(p.AUC)},
		{"KS", ratio(p.KS), "", "at score " + score(p.KSAt)},
		{"Average limit", shortMoney(s.AvgLimit), "", shortMoney(s.TotalLimit) + " in all"},
		{"Average rate", yearly(s.AvgInterestRate), "", "APR " + yearly(s.AvgAPR)},
		{"Expected loss", shortMoney(p.ExpectedLoss), "", lossNote(p)},
		{"Net margin", shortMoney(r.Economics.NetMargin), "", marginNote(r.Economics)},
	}
	if c := r.Challenger; c != nil {
		others := []string{
			percent(c.Summary.ApprovalRate), badRate(c.Performance.Approved.Rate), ratio(c.Performance.Gini),
			ratio(c.Performance.KS), shortMoney(c.Summary.AvgLimit), yearly(c.Summary.AvgInterestRate),
			shortMoney(c.Performance.ExpectedLoss), shortMoney(c.Economics.NetMargin),
		}
		for i := range all {
			if others[i] != none {
				all[i].Other = "challenger " + others[i]
			}
		}
	}
	known := all[:0]
	for _, t := range all {
		if t.Value != none || t.Other != "" {
			known = append(known, t)
		}
	}
	return known
}

func badNote(s backtest.Share) string {
	if !s.Rate.Known {
		return ""
	}
	return interval(s) + ", " + count(s.Labelled) + " labelled"
}

func lossNote(p backtest.Performance) string {
	switch p.PDSource {
	case backtest.PDScorecard:
		return "PD of the scorecard, LGD " + percent(p.LGD)
	case backtest.PDByGrade:
		return "PD as observed by grade, LGD " + percent(p.LGD)
	case backtest.PDNone:
	}
	return ""
}

func marginNote(e backtest.Economics) string {
	if !e.NetMarginPct.Known {
		return ""
	}
	return yearly(e.NetMarginPct) + " of limits"
}

// outcomes shows the statuses of the applications and, if known, compares them
// with the decisions made at the time.
func outcomes(r *backtest.Report) section {
	s := section{ID: "outcomes", Title: "Outcomes"}
	const title = "Applications by status"
	if c := r.Challenger; c == nil {
		s.figure(statusBar(title, "All evaluated applications, by their status.", r.Summary))
	} else {
		s.figure(statusBar(title+": champion", "All evaluated applications, by their status.", r.Summary))
		s.figure(statusBar(title+": challenger", "The same applications under the challenger.", c.Summary))
	}
	if a := r.Actual; a != nil {
		s.figure(statusMatrix(chart.Head{
			Title: "Compared with the decisions at the time",
			Description: "Of " + plural(a.Count, "row",
				"rows") + " with a decision at the time, " + percent(a.AgreementRate) + " get the same status again.",
		}, "Then", "Now", a.Matrix, nil))
	}
	return s
}

func statusBar(title, description string, s backtest.Summary) chart.Share {
	return chart.Share{
		Head: chart.Head{Title: title, Description: description},
		Slices: []chart.Slice{
			{Name: "Approved", Tone: chart.Approved, Value: float64(s.Approved)},
			{Name: "Referred", Tone: chart.Referred, Value: float64(s.Referred)},
			{Name: "Declined", Tone: chart.Declined, Value: float64(s.Declined)},
		},
	}
}

// statusMatrix returns a 3×3 matrix of statuses, with notes by row and column.
func statusMatrix(h chart.Head, rows, columns string, m backtest.Matrix, notes map[[2]int]string) chart.Matrix {
	names := []string{"Approved", "Referred", "Declined"}
	cells := chart.TransitionCells(m)
	for at, note := range notes {
		cells[at[0]][at[1]].Note = note
	}
	return chart.Matrix{
		Head:        h,
		RowTitle:    rows,
		ColumnTitle: columns,
		Rows:        names,
		Columns:     names,
		Cells:       cells,
	}
}
