package page

import (
	"strconv"

	"verdict/internal/backtest"
	"verdict/internal/chart"
)

// none is shown in place of an undefined figure.
const none = "–"

func count(n int64) string { return chart.Count.Format(float64(n)) }

// in formats a figure in the unit u.
func in(u chart.Unit, f backtest.Figure) string {
	if !f.Known {
		return none
	}
	return u.Format(f.Float())
}

func percent(f backtest.Figure) string { return in(chart.Percent, f) }
func ratio(f backtest.Figure) string   { return in(chart.Ratio, f) }
func score(f backtest.Figure) string   { return in(chart.Score, f) }

// badRate formats a bad rate as a percentage with two decimals. Bad rates are
// small, so differences below a tenth of a percentage point matter.
func badRate(f backtest.Figure) string {
	if !f.Known {
		return none
	}
	return hundredths(f) + " %"
}

func hundredths(f backtest.Figure) string { return strconv.FormatFloat(f.Float()*100, 'f', 2, 64) }

// yearly formats a yearly rate. The report already gives such rates in percent.
func yearly(f backtest.Figure) string {
	if !f.Known {
		return none
	}
	return strconv.FormatFloat(f.Float(), 'f', 2, 64) + " %"
}

func money(m backtest.Money) string {
	if !m.Known {
		return none
	}
	return chart.Rupees.Format(m.Float())
}

func shortMoney(m backtest.Money) string {
	if !m.Known {
		return none
	}
	return chart.Rupees.Headline(m.Float())
}

// interval formats the 95 % confidence interval of a bad rate.
func interval(s backtest.Share) string {
	if !s.Low.Known || !s.High.Known {
		return none
	}
	return hundredths(s.Low) + "–" + badRate(s.High)
}

// rated formats a bad rate with the number of labelled rows that it is computed
// from.
func rated(s backtest.Share) string {
	if !s.Rate.Known {
		return none
	}
	return badRate(s.Rate) + " of " + count(s.Labelled)
}

// signed puts a plus sign before text if v is positive.
func signed(v float64, text string) string {
	if v > 0 {
		return "+" + text
	}
	return text
}

// points formats the difference of two rates in percentage points.
func points(a, b backtest.Figure) string {
	if !a.Known || !b.Known {
		return none
	}
	return pointsOf(b.Float()-a.Float(), 100)
}

func pointsOf(difference, scale float64) string {
	v := difference * scale
	text := strconv.FormatFloat(v, 'f', 2, 64)
	if text == "-0.00" {
		text = "0.00"
	}
	if rest := text[1:]; text[0] == '-' {
		text = "−" + rest
	}
	if text == "0.00" {
		return text + " pp"
	}
	return signed(v, text) + " pp"
}

// difference formats b minus a in the unit u, with a plus sign if it is
// positive.
func difference(u chart.Unit, a, b backtest.Figure) string {
	if !a.Known || !b.Known {
		return none
	}
	v := b.Float() - a.Float()
	return signed(v, u.Format(v))
}

func moneyDifference(a, b backtest.Money) string {
	if !a.Known || !b.Known {
		return none
	}
	change := backtest.Money{Paise: b.Paise - a.Paise, Known: true}
	return signed(change.Float(), shortMoney(change))
}

func signedMoney(m backtest.Money) string { return signed(m.Float(), money(m)) }

// plural formats a count with its noun.
func plural(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return count(n) + " " + many
}
