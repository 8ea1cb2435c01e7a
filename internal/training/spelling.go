package training

import (
	"verdict/internal/rule"
	"verdict/internal/sheet"
)

// numberSpelling says how a cell of a numeric column is written.
type numberSpelling uint8

const (
	noNumber        numberSpelling = iota
	plainNumber                    // as a request writes it
	formattedNumber                // with thousands separators or a currency
	percentNumber                  // with a percent sign
	spelledMissing                 // a common spelling of a missing value
)

// readNumber reads a cell without surrounding spaces as a number.
func readNumber(cell []byte) (rule.Number, numberSpelling) {
	if n, ok := parse(cell); ok {
		return n, plainNumber
	}
	plain, how := sheet.ReadFormatted(cell)
	if how == sheet.Missing {
		return 0, spelledMissing
	}
	n, ok := parse(plain)
	switch {
	case how == sheet.NoNumber || !ok:
		return 0, noNumber
	case how == sheet.Percent:
		return n, percentNumber
	}
	return n, formattedNumber
}

// number reads a cell as a number in the unit of the column's field. A foir is
// divided by 100 if the options or the cell say that it is a percentage.
func (s *source) number(cell []byte) (rule.Number, numberSpelling) {
	n, how := readNumber(cell)
	if s.foir && (s.percent && how != noNumber || how == percentNumber) {
		// Above 0 this rounds half up. A percentage just below 0 becomes 0, which the functions of package exact
		// would not do, and the field's range excludes the other negative results.
		n = (n + 50) / 100
	}
	if how == percentNumber {
		how = formattedNumber
	}
	return n, how
}
