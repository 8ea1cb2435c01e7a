package console

import (
	"strconv"

	"verdict/internal/backtest"
	"verdict/internal/chart"
)

// impactFigures returns the main figures of the champion and the challenger.
// challenger may be nil. Figures that neither side has are left out.
func impactFigures(champion, challenger *backtest.Side) []impactFigure {
	var list []impactFigure
	for _, f := range []struct {
		label string
		unit  impactUnit
		of    func(*backtest.Side) shownFigure
	}{
		{"Approval rate", rateUnit, func(s *backtest.Side) shownFigure { return shownRatio(s.Summary.ApprovalRate) }},
		{"Referral rate", rateUnit, func(s *backtest.Side) shownFigure { return shownRatio(s.Summary.ReferralRate) }},
		{"Decline rate", rateUnit, func(s *backtest.Side) shownFigure { return shownRatio(s.Summary.DeclineRate) }},
		{"Average limit", moneyUnit, func(s *backtest.Side) shownFigure { return shownMoney(s.Summary.AvgLimit) }},
		{"Approved in total", moneyUnit, func(s *backtest.Side) shownFigure {
			return shownMoney(s.Summary.TotalLimit)
		}},
		{"Average interest", priceUnit, func(s *backtest.Side) shownFigure {
			return shownRatio(s.Summary.AvgInterestRate)
		}},
		{"Average APR", priceUnit, func(s *backtest.Side) shownFigure { return shownRatio(s.Summary.AvgAPR) }},
		{"Bad rate of approved", rateUnit, func(s *backtest.Side) shownFigure {
			return shownRatio(s.Performance.Approved.Rate)
		}},
		{"Expected loss", moneyUnit, func(s *backtest.Side) shownFigure {
			return shownMoney(s.Performance.ExpectedLoss)
		}},
		{"Net margin", moneyUnit, func(s *backtest.Side) shownFigure { return shownMoney(s.Economics.NetMargin) }},
	} {
		before, after := f.of(champion), shownFigure{}
		if challenger != nil {
			after = f.of(challenger)
		}
		if !before.known && !after.known {
			continue
		}
		row := impactFigure{Label: f.label, Before: f.unit.text(before), After: f.unit.text(after)}
		if before.known && after.known {
			row.Change = f.unit.change(before.value, after.value)
		}
		list = append(list, row)
	}
	return list
}

// impactUnit is the unit in which a figure is written.
type impactUnit int

const (
	rateUnit  impactUnit = iota // a share between 0 and 1
	moneyUnit                   // rupees
	priceUnit                   // percent per year
)

func (u impactUnit) text(f shownFigure) string {
	if !f.known {
		return "–"
	}
	switch u {
	case moneyUnit:
		return chart.Rupees.Headline(f.value)
	case priceUnit:
		return strconv.FormatFloat(f.value, 'f', 2, 64) + " %"
	default:
		return chart.Percent.Format(f.value)
	}
}

// unchanged is the text of a difference that is too small to be written.
const unchanged = "unchanged"

// change writes the difference of a figure with its sign.
func (u impactUnit) change(before, after float64) string {
	d := after - before
	sign := "+"
	if d < 0 {
		sign, d = "−", -d
	}
	switch {
	case d < 5e-7:
		return unchanged
	case u == moneyUnit:
		return sign + chart.Rupees.Headline(d)
	case u == priceUnit:
		return sign + strconv.FormatFloat(d, 'f', 2, 64) + " points"
	default:
		return sign + strconv.FormatFloat(d*100, 'f', 2, 64) + " points"
	}
}

func shareText(f backtest.Figure) string {
	if !f.Known {
		return ""
	}
	return chart.Percent.Format(f.Float()) + " bad"
}
