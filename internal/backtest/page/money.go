package page

import (
	"verdict/internal/backtest"
	"verdict/internal/chart"
)

// economics shows the income, the costs and the margin of the approved loans.
func economics(r *backtest.Report) section {
	s := section{
		ID:    "economics",
		Title: "Economics",
		Lead: "What the approved loans earn if they run as scheduled, less what they are expected to lose. Fees " +
			"are without tax.",
	}
	if r.Summary.Approved == 0 && (r.Challenger == nil || r.Challenger.Summary.Approved == 0) {
		return s
	}
	if e := r.Economics; e.NetMargin.Known {
		s.figure(marginPicture("From interest to margin", e))
	}
	s.table("In rupees", "Funding at "+percent(r.Economics.FundingRate)+" a year, loss given default "+
		percent(r.Performance.LGD)+".", column, moneyTable(r))
	return s
}

func marginPicture(title string, e backtest.Economics) chart.Waterfall {
	c := chart.Waterfall{
		Head: chart.Head{
			Title:       title,
			Description: "The margin is " + yearly(e.NetMarginPct) + " of the approved limits.",
		},
		Unit: chart.Rupees,
		End:  "Net margin",
	}
	for _, step := range []struct {
		label string
		money backtest.Money
		sign  float64
	}{
		{"Interest", e.InterestIncome, 1},
		{"Fees", e.FeeIncome, 1},
		{"Funding", e.FundingCost, -1},
		{"Expected loss", e.ExpectedLoss, -1},
	} {
		if step.money.Known {
			c.Steps = append(c.Steps, chart.Step{Label: step.label, Value: step.sign * step.money.Float()})
		}
	}
	return c
}

func moneyTable(r *backtest.Report) chart.Table {
	t := chart.Table{Columns: []string{"", "Amount"}}
	sides := []backtest.Side{r.Side}
	if r.Challenger != nil {
		t.Columns = []string{"", "Champion", "Challenger"}
		sides = append(sides, r.Challenger.Side)
	}
	for _, line := range []struct {
		name string
		of   func(backtest.Side) string
	}{
		{"Approved limits", func(s backtest.Side) string { return money(s.Summary.TotalLimit) }},
		{"Referred, indicative", func(s backtest.Side) string { return money(s.Summary.TotalLimitReferred) }},
		{"Interest", func(s backtest.Side) string { return money(s.Economics.InterestIncome) }},
		{"Fees", func(s backtest.Side) string { return money(s.Economics.FeeIncome) }},
		{"Funding cost", func(s backtest.Side) string { return money(s.Economics.FundingCost) }},
		{"Expected loss", func(s backtest.Side) string { return money(s.Economics.ExpectedLoss) }},
		{"Net margin", func(s backtest.Side) string { return money(s.Economics.NetMargin) }},
		{"Net margin of limits", func(s backtest.Side) string { return yearly(s.Economics.NetMarginPct) }},
	} {
		row := []string{line.name}
		for _, s := range sides {
			row = append(row, line.of(s))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
