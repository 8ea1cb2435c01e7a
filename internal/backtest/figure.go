package backtest

import (
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// Figure is a number of the report, rounded to six decimals. Known is false if
// the number is undefined or does not fit. For example, the bad rate of no rows is
// unknown and not zero.
type Figure struct {
	Value rule.Number
	Known bool
}

// Float returns the figure for charts, or 0 if it is unknown.
func (f Figure) Float() float64 { return float64(f.Value) / float64(rule.One) }

// String returns the figure in its shortest form, or "" if it is unknown.
func (f Figure) String() string {
	if !f.Known {
		return ""
	}
	return f.Value.String()
}

func (f Figure) write(w *wire.Writer) {
	if !f.Known {
		w.Null()
		return
	}
	w.Decimal(int64(f.Value), rule.Places)
}

// Money is an amount in paise. Known is false if the amount is undefined or does
// not fit in 64 bits.
type Money struct {
	Paise int64
	Known bool
}

// Float returns the amount in rupees for charts, or 0 if it is unknown.
func (m Money) Float() float64 { return float64(m.Paise) / 100 }

// String returns the amount in rupees in its shortest form, or "" if it is
// unknown.
func (m Money) String() string {
	if !m.Known {
		return ""
	}
	return string(wire.AppendDecimal(nil, m.Paise, 2))
}

func (m Money) write(w *wire.Writer) {
	if !m.Known {
		w.Null()
		return
	}
	w.Decimal(m.Paise, 2)
}
