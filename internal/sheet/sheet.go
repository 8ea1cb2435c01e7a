// Package sheet is CSV at the speed of a backtest: a stream cut into blocks of
// whole rows, a cursor over the cells of a block, and a writer.
//
// It reads RFC 4180 and what spreadsheets really write: a byte-order mark,
// line ends of every kind and mixed, quoted cells with doubled quotes and line
// ends inside, blank lines, a last line without an end. Cells are given as they
// stand, spaces included; only the quotes around them are taken off.
//
// On well-formed input it agrees with encoding/csv, and differs where a book of
// a million applications needs it to:
//
//   - a malformed row is one row with a fault, and the next line is read on;
//   - a row with a NUL or with bytes that are not UTF-8 is malformed;
//   - a carriage return alone ends a line too, and one inside quotes is kept;
//   - a row is at most MaxLine bytes long, so that memory is bounded.
//
// What the cells mean is not known here.
package sheet

// Bounds on what a stranger can make us hold.
const (
	MaxColumns = 1000
	MaxLine    = 1 << 20 // bytes of one row, without its line end
	MaxName    = 256     // bytes of the name of a column
)

// Block is a run of whole rows without the header, as they stand in the file.
type Block struct {
	Data  []byte
	First int64 // the number of its first row, from 1
	Rows  int
}
