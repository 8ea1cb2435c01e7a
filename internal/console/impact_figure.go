package console

import (
	"strconv"

	"verdict/internal/chart"
	"verdict/internal/wire"
)

// impactFigures are the figures that are asked for first.
func impactFigures(champion, challenger wire.Value) []impactFigure {
	var list []impactFigure
	for _, f := range []struct {
		label, section, name string
		unit                 impactUnit
	}{
		{"Approval rate", "summary", "approval_rate", rateUnit},
		{"Referral rate", "summary", "referral_rate", rateUnit},
		{"Decline rate", "summary", "decline_rate", rateUnit},
		{"Average limit", "summary", "avg_limit", moneyUnit},
		{"Approved in total", "summary", "total_limit", moneyUnit},
		{"Average interest", "summary", "avg_interest_rate", priceUnit},
		{"Average APR", "summary", "avg_apr", priceUnit},
		{"Bad rate of approved", "performance", "bad_rate_approved", rateUnit},
		{"Expected loss", "performance", "expected_loss", moneyUnit},
		{"Net margin", "economics", "net_margin", moneyUnit},
	} {
		before, after := champion.Get(f.section).Get(f.name), challenger.Get(f.section).Get(f.name)
		if !before.Given() && !after.Given() {
			continue
		}
		row := impactFigure{Label: f.label, Before: f.unit.text(before), After: f.unit.text(after)}
		if before.Given() && after.Given() {
			row.Change = f.unit.change(number(before), number(after))
		}
		list = append(list, row)
	}
	return list
}

// impactUnit is how a figure is written.
type impactUnit int

const (
	rateUnit  impactUnit = iota // a share of one
	moneyUnit                   // rupees
	priceUnit                   // percent a year
)

func (u impactUnit) text(v wire.Value) string {
	if !v.Given() {
		return "–"
	}
	switch u {
	case moneyUnit:
		return chart.Rupees.Headline(number(v))
	case priceUnit:
		return strconv.FormatFloat(number(v), 'f', 2, 64) + " %"
	default:
		return chart.Percent.Format(number(v))
	}
}

// change says by how much a figure moves, with its sign.
func (u impactUnit) change(before, after float64) string {
	d := after - before
	sign := "+"
	if d < 0 {
		sign, d = "−", -d
	}
	switch {
	case d < 5e-7:
		return "unchanged"
	case u == moneyUnit:
		return sign + chart.Rupees.Headline(d)
	case u == priceUnit:
		return sign + strconv.FormatFloat(d, 'f', 2, 64) + " points"
	default:
		return sign + strconv.FormatFloat(d*100, 'f', 2, 64) + " points"
	}
}

func number(v wire.Value) float64 {
	n, _ := strconv.ParseFloat(v.Text(), 64) // a report's own number
	return n
}

func whole64(v wire.Value) int64 {
	n, _ := strconv.ParseInt(v.Text(), 10, 64)
	return n
}

func shareText(v wire.Value) string {
	if !v.Given() {
		return ""
	}
	return chart.Percent.Format(number(v)) + " bad"
}
