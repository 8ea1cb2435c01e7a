package training

import (
	"errors"
	"io"

	"verdict/internal/fault"
	"verdict/internal/rule"
	"verdict/internal/sheet"
)

// Source opens the rows from the beginning, as CSV with a header. A Source is
// called several times and must return the same bytes each time.
type Source func() (io.Reader, error)

// blockBytes is the size of a block of rows.
const blockBytes = 1 << 20

// probe reads all rows to find their encoding.
func (s Source) probe() (sheet.Probe, error) {
	in, err := s()
	if err != nil {
		return sheet.Probe{}, err
	}
	return sheet.FindEncoding(in)
}

// decoded returns a source that converts the bytes from an encoding to UTF-8.
func (s Source) decoded(e sheet.Encoding) Source {
	if e == sheet.UTF8 {
		return s
	}
	return func() (io.Reader, error) {
		in, err := s()
		if err != nil {
			return nil, err
		}
		return e.Decode(in), nil
	}
}

// header reads the names of the columns.
func (s Source) header() ([]string, error) {
	in, err := s()
	if err != nil {
		return nil, err
	}
	return sheet.NewReader(in, blockBytes).Header()
}

// scan calls visit with every well-formed row and returns the number of
// malformed rows. Rows are numbered from 1.
func (s Source) scan(visit func(row int64, cells [][]byte) error) (malformed int64, err error) {
	in, err := s()
	if err != nil {
		return 0, err
	}
	reader := sheet.NewReader(in, blockBytes)
	header, err := reader.Header()
	if err != nil {
		return 0, err
	}
	cursor := sheet.NewCursor(len(header))
	var block sheet.Block
	for {
		block, err = reader.Next(block.Data[:0])
		if errors.Is(err, io.EOF) {
			return malformed, nil
		}
		if err != nil {
			return malformed, err
		}
		row := block.First
		cursor.ResetBlock(&block)
		for ; cursor.Next(); row++ {
			if row > maxRows {
				return malformed, fault.New(fault.TooLarge, fault.CodeTooManyRows,
					"a scorecard is fitted to at most %d rows", maxRows)
			}
			cells := cursor.Cells()
			if cells == nil {
				malformed++
				continue
			}
			if err := visit(row, cells); err != nil {
				if unspelt, ok := errors.AsType[*OutcomeError](err); ok {
					unspelt.Line = cursor.Line()
				}
				return malformed, err
			}
		}
	}
}

// parse reads a cell as a number in the same way as a request: with six
// decimals, rounded half away from zero.
func parse(cell []byte) (rule.Number, bool) {
	if n, ok := parsePlain(cell); ok {
		return n, true
	}
	if !isNumber(cell) {
		return 0, false
	}
	n, _, ok := rule.ParseNumber(string(cell))
	return n, ok
}

// parsePlain is the fast path of parse for common numbers: up to twelve digits
// before the point and up to six after it.
func parsePlain(cell []byte) (rule.Number, bool) {
	digits, negative := cell, false
	if len(digits) > 0 && digits[0] == '-' {
		digits, negative = digits[1:], true
	}
	var n int64
	i := 0
	for ; i < len(digits) && digits[i]-'0' <= 9; i++ {
		n = n*10 + int64(digits[i]-'0')
		if i == 12 {
			return 0, false
		}
	}
	if i == 0 || i > 1 && digits[0] == '0' {
		return 0, false
	}
	n *= int64(rule.One)
	if i < len(digits) {
		unit := int64(rule.One)
		if digits[i] != '.' || i+1 == len(digits) || len(digits)-i-1 > rule.Places {
			return 0, false
		}
		for _, c := range digits[i+1:] {
			if c-'0' > 9 {
				return 0, false
			}
			unit /= 10
			n += int64(c-'0') * unit
		}
	}
	if negative {
		n = -n
	}
	return rule.Number(n), true
}

// isNumber reports whether a cell is written as a JSON number.
func isNumber(cell []byte) bool {
	i := 0
	digits := func() bool {
		from := i
		for i < len(cell) && cell[i]-'0' <= 9 {
			i++
		}
		return i > from
	}
	if i < len(cell) && cell[i] == '-' {
		i++
	}
	from := i
	if !digits() || cell[from] == '0' && i > from+1 {
		return false
	}
	if i < len(cell) && cell[i] == '.' {
		i++
		if !digits() {
			return false
		}
	}
	if i < len(cell) && (cell[i] == 'e' || cell[i] == 'E') {
		i++
		if i < len(cell) && (cell[i] == '+' || cell[i] == '-') {
			i++
		}
		if !digits() {
			return false
		}
	}
	return i == len(cell)
}
