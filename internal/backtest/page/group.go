package page

import (
	"strings"

	"verdict/internal/backtest"
	"verdict/internal/chart"
	"verdict/internal/fault"
)

// fairness compares the groups of the protected column.
func fairness(r *backtest.Report) section {
	s := section{ID: "fairness", Title: "Fairness"}
	f := r.Fairness
	if f == nil || len(f.Groups) == 0 {
		return s
	}
	s.Lead = "Approval rates by " + f.Column +
		". This shows a difference, not whether it is justified."
	c := chart.Bars{
		Head: chart.Head{
			Title:       "Approval rate by group",
			Description: "The mark is four fifths of the best group's rate. " + verdict(f.FourFifths),
		},
		Of: "Group", Unit: chart.Percent, Full: 1,
	}
	t := chart.Table{Columns: []string{
		"Group",
		"Rows",
		"Approved",
		"Approval rate",
		"Ratio to best",
		"Four fifths",
		"Bad rate of approved",
	}, Texts: []int{5}}
	for _, g := range f.Groups {
		if g.ApprovalRate.Known {
			c.Rows = append(c.Rows, chart.Bar{
				Label:  g.Name,
				Text:   percent(g.ApprovalRate) + " of " + count(g.Count),
				Values: []float64{g.ApprovalRate.Float()},
			})
		}
		if g.Ratio.Known && g.Ratio.Value > 0 {
			c.Mark = 0.8 * g.ApprovalRate.Float() / g.Ratio.Float()
		}
		rule := "kept"
		if !g.FourFifths {
			rule = "below"
		}
		if !g.Ratio.Known {
			rule = none
		}
		t.Rows = append(t.Rows, []string{
			g.Name,
			count(g.Count),
			count(g.Approved),
			percent(g.ApprovalRate),
			ratio(g.Ratio),
			rule,
			rated(g.BadRateApproved),
		})
	}
	s.figure(c)
	s.table("By group", "Groups of fewer than 30 rows are not judged.", across, t)
	return s
}

func verdict(kept bool) string {
	if kept {
		return "No group of 30 rows or more is below it."
	}
	return "At least one group of 30 rows or more is below it."
}

// vintage shows, for each month on book, the share of approved loans that had
// gone bad by then.
func vintage(r *backtest.Report) section {
	s := section{ID: "vintage", Title: "Vintage"}
	v := r.Vintage
	if v == nil || len(v.ByMonth) == 0 {
		return s
	}
	c := chart.Line{
		Head: chart.Head{
			Title: "Ever bad by month on book",
			Description: "Share of " + plural(v.Approved, "approved loan",
				"approved loans") + " with a known outcome that had gone bad.",
		},
		X:      chart.Axis{Label: "Month on book", Unit: chart.Count},
		Y:      chart.Axis{Label: "Ever bad", Unit: chart.Percent, Most: 1},
		Series: []chart.Series{{Tone: chart.Orange, Area: true}},
	}
	for _, m := range v.ByMonth {
		if m.Share.Known {
			c.Series[0].Points = append(c.Series[0].Points, chart.Point{X: float64(m.Month), Y: m.Share.Float()})
		}
	}
	if v.NoMonth > 0 {
		c.Description += " " + plural(v.NoMonth, "bad loan does", "bad loans do") + " not state the month and " +
			"cannot be shown."
	}
	s.figure(c)
	return s
}

// rows lists the warnings, the rows that failed, and the columns that were
// ignored.
func rows(r *backtest.Report) section {
	s := section{ID: "rows", Title: "Rows"}
	if r.RowsFailed > 0 {
		s.Lead = "Not evaluated, and in no figure above: " + plural(r.RowsFailed, "row",
			"rows") + " of " + count(r.RowsTotal) + "."
	}
	doubts := chart.Table{Columns: []string{"Code", "What it says"}, Texts: []int{0, 1}}
	for _, w := range r.Warnings {
		text := w.Detail
		if len(w.Fields) > 0 {
			text += " (" + strings.Join(w.Fields, ", ") + ")"
		}
		doubts.Rows = append(doubts.Rows, []string{w.Code, text})
	}
	s.table("Warnings", "", under, doubts)
	byCode := chart.Table{Columns: []string{"Code", "Rows", "What to do"}, Texts: []int{2}}
	for _, c := range r.RowErrorsByCode {
		remedy := fault.Remedy(c.Code)
		if remedy == "" {
			remedy = none
		}
		byCode.Rows = append(byCode.Rows, []string{c.Code, count(c.Count), remedy})
	}
	s.table("What was wrong", "", column, byCode)
	ignored := chart.Table{Columns: []string{"Column"}}
	for _, name := range r.ColumnsIgnored {
		ignored.Rows = append(ignored.Rows, []string{name})
	}
	s.table("Columns that are not read", "", under, ignored)
	if len(r.RowErrors) > 0 {
		s.Blocks = append(s.Blocks, block{Pieces: []piece{{
			Heading: "The first of them",
			Note:    "Rows are counted from 1, the header not included. Open a row to see what to do.",
			Body:    failed(r.RowErrors),
		}}})
	}
	return s
}
