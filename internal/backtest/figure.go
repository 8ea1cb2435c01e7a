package backtest

import (
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// Figure is a number of the report, exact to six decimals, or none where it is
// undefined: a rate of nothing is unknown, not zero.
type Figure struct {
	Value rule.Number
	Known bool
}

// Float is the figure for drawing; 0 when it is unknown.
func (f Figure) Float() float64 { return float64(f.Value) / float64(rule.One) }

// String is the figure in its shortest form, "" when it is unknown.
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

// Money is an amount in paise, or none where it is undefined. An amount
// beyond what 64 bits hold, which no lender has, is none too.
type Money struct {
	Paise int64
	Known bool
}

// Float is the amount in rupees, for drawing; 0 when it is unknown.
func (m Money) Float() float64 { return float64(m.Paise) / 100 }

// String is the amount in rupees in its shortest form, "" when it is unknown.
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
