package sheet

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf8"

	"verdict/internal/fault"
)

// Cursor iterates over the rows of a block. It belongs to one goroutine and
// allocates nothing once it has seen its longest row.
type Cursor struct {
	scanner scanner
	nul     int      // position of the next NUL; len(data) for none, -1 if not searched yet
	cells   [][]byte // one for each column
	found   int      // number of cells in this row, which may exceed len(cells)
	high    uint64   // bitwise or of this row's bytes, in words of eight
	fault   string
	plain   []byte // cells whose doubled quotes were removed
}

// NewCursor returns a cursor over rows with the given number of columns.
func NewCursor(columns int) *Cursor {
	return &Cursor{cells: make([][]byte, columns)}
}

// Reset starts over with other data, which must not change while the cursor uses
// it.
func (c *Cursor) Reset(data []byte) {
	c.scanner.reset(data)
	c.nul = -1
	c.plain = c.plain[:0]
}

// ResetBlock starts over with the rows of a block, like Reset. Line then returns numbers of lines of the file.
func (c *Cursor) ResetBlock(b *Block) {
	c.Reset(b.Data)
	c.scanner.lines = b.before
}

// Line returns the number of the line where the row begins. Unlike the number of the row, it counts the header, blank
// lines and the lines of a cell with line ends.
func (c *Cursor) Line() int64 { return c.scanner.line }

// Next advances to the next row and reports whether there is one. Blank lines are
// skipped and do not count as rows.
func (c *Cursor) Next() bool {
	r, ok := c.scanner.next()
	if !ok {
		return false
	}
	c.found, c.high, c.fault = 0, 0, ""
	if r.quoted {
		c.splitQuoted(r)
	} else {
		last := c.split(r.from, r.to)
		c.cell(c.scanner.data[last:r.to])
	}
	if c.fault == "" && c.found != len(c.cells) {
		c.fault = fault.CodeWrongNumberOfCells
	}
	if !c.clean(r) {
		c.fault = fault.CodeBadUTF8
	}
	return true
}

// Cells returns the cells of the row, or nil if the row is malformed. The quotes around a cell are removed and
// doubled quotes are made single; otherwise the cells are unchanged. The list is valid until Next, and the cells are
// valid until Reset. The capacity of a cell may extend into the data after it, so that a parser of numbers can load
// eight bytes together. Callers must therefore not append to a cell.
func (c *Cursor) Cells() [][]byte {
	if c.fault != "" {
		return nil
	}
	return c.cells
}

// Fault returns why the row is malformed: fault.CodeWrongNumberOfCells,
// fault.CodeBadQuote or fault.CodeBadUTF8. It returns "" if the row is
// well-formed.
func (c *Cursor) Fault() (code string) { return c.fault }

// clean reports whether the row is UTF-8 text without NULs.
func (c *Cursor) clean(r row) bool {
	data := c.scanner.data
	if c.nul < r.from {
		c.nul = len(data)
		if i := bytes.IndexByte(data[r.from:], 0); i >= 0 {
			c.nul = r.from + i
		}
	}
	return c.nul >= r.to && (c.high&highs == 0 && !r.quoted || utf8.Valid(data[r.from:r.to]))
}

// cell adds one cell.
func (c *Cursor) cell(text []byte) {
	if c.found < len(c.cells) {
		c.cells[c.found] = text
	}
	c.found++
}

const (
	ones   = 0x0101010101010101
	highs  = 0x80 * ones
	commas = ',' * ones
)

// split splits data without quotes at the commas, eight bytes at a time. It
// returns the beginning of the last cell, which it does not add.
func (c *Cursor) split(from, to int) (last int) {
	data, cells := c.scanner.data, c.cells
	at, found, high := from, c.found, c.high
	for ; at < to && at+8 <= len(data); at += 8 {
		word := binary.LittleEndian.Uint64(data[at:])
		if past := at + 8 - to; past > 0 {
			word &= 1<<(64-8*past) - 1 // clear the bytes after the row
		}
		high |= word
		// Set the high bit of every byte that is a comma: adding 0x7f to the low
		// seven bits of x carries into the high bit unless they are zero.
		x := word ^ commas
		marks := ^((x&^highs + ^uint64(highs)) | x) & highs
		for ; marks != 0; marks &= marks - 1 {
			comma := at + bits.TrailingZeros64(marks)>>3
			if found < len(cells) {
				cells[found] = data[from:comma]
			}
			found++
			from = comma + 1
		}
	}
	for ; at < to; at++ { // the last few bytes of the block
		high |= uint64(data[at])
		if data[at] == ',' {
			if found < len(cells) {
				cells[found] = data[from:at]
			}
			found++
			from = at + 1
		}
	}
	c.found, c.high = found, high
	return from
}

// splitQuoted splits a row that contains quotes.
func (c *Cursor) splitQuoted(r row) {
	line := c.scanner.data[:r.to]
	for at := r.from; ; {
		quote := len(line)
		if i := bytes.IndexByte(line[at:], '"'); i >= 0 {
			quote = at + i
		}
		last := c.split(at, quote)
		if quote == len(line) {
			c.cell(line[last:])
			return
		}
		closing, doubled := closingQuote(line, quote+1)
		after := closing + 1
		if last != quote || closing == len(line) || after < len(line) && line[after] != ',' {
			c.fault = fault.CodeBadQuote
			return
		}
		text := line[quote+1 : closing : closing]
		if doubled {
			text = c.undouble(text)
		}
		c.cell(text)
		if after == len(line) {
			return
		}
		at = after + 1
	}
}

// undouble removes one of every two quotes from a cell. The buffer keeps the cells of all rows until Reset. If it has
// to grow, earlier cells still refer to the old buffer.
func (c *Cursor) undouble(text []byte) []byte {
	from := len(c.plain)
	for {
		i := bytes.IndexByte(text, '"')
		if i < 0 {
			c.plain = append(c.plain, text...)
			return c.plain[from:len(c.plain):len(c.plain)]
		}
		c.plain = append(c.plain, text[:i+1]...)
		text = text[i+2:]
	}
}
