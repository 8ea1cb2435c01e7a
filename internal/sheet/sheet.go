// Package sheet reads and writes CSV fast enough for a backtest. A reader divides a stream into blocks of whole rows, a
// cursor iterates over the cells of a block, and a writer writes rows.
//
// It reads RFC 4180 and the variants that spreadsheets write: a byte-order mark, line ends of every kind (even
// mixed in one file), quoted cells with doubled quotes and line ends inside, blank lines, and a last line without a
// line end. Cells are returned unchanged, including spaces, except that the quotes around them are removed and
// doubled quotes become single.
//
// On well-formed input it agrees with encoding/csv. It differs in these points, because a file may have a million
// applications:
//
//   - a malformed row is one row with a fault, and reading continues after it; only a quote that is never closed
//     ends reading, because nobody can tell which of the lines after it are rows;
//   - a row with a NUL or with bytes that are not UTF-8 is malformed;
//   - a carriage return alone ends a line too, and a carriage return inside quotes
//     is kept;
//   - a row is at most MaxLine bytes long, so that memory is bounded.
//
// The package does not interpret cells, except for numbers that are formatted for people, spellings of missing numbers,
// and spellings of a loan's outcome.
package sheet

// Bounds on the memory that a file can take.
const (
	MaxColumns = 1000
	MaxLine    = 1 << 20 // bytes of one row, without its line end
	MaxName    = 256     // bytes of the name of a column
)

// Block is a sequence of whole rows, without the header, as they are in the file.
type Block struct {
	Data  []byte
	First int64 // number of the block's first row; the row after the header is 1
	Rows  int

	before lines // the line ends before the block
}
