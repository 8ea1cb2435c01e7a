package sheet

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Writer writes CSV with line feeds. It puts an apostrophe before a text that a
// spreadsheet would take for a formula, so that opening the file runs nothing.
// After the first error it writes nothing more; Flush returns the error.
type Writer struct {
	w     io.Writer
	buf   []byte
	cells int // number of cells in this row
	bare  int // position in buf at which this row begins
	err   error
}

const flushAt = 64 << 10

// NewWriter returns a writer. Its output is buffered, so call Flush at the end.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Text writes a cell with any text, quoted and escaped as needed.
func (w *Writer) Text(s string) {
	w.separate()
	if !utf8.ValidString(s) || strings.IndexByte(s, 0) >= 0 {
		s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
	}
	formula := isFormula(s)
	if !strings.ContainsAny(s, ",\"\r\n") {
		if formula {
			w.buf = append(w.buf, '\'')
		}
		w.buf = append(w.buf, s...)
		return
	}
	w.buf = append(w.buf, '"')
	if formula {
		w.buf = append(w.buf, '\'')
	}
	for {
		i := strings.IndexByte(s, '"')
		if i < 0 {
			break
		}
		w.buf = append(w.buf, s[:i+1]...)
		w.buf = append(w.buf, '"')
		s = s[i+1:]
	}
	w.buf = append(w.buf, s...)
	w.buf = append(w.buf, '"')
}

// isFormula reports whether a spreadsheet could take a text for a formula. Some
// spreadsheets ignore leading spaces.
func isFormula(s string) bool {
	s = strings.TrimLeft(s, " \u00a0")
	return s != "" && strings.IndexByte("=+-@\t\r\n", s[0]) >= 0
}

// Raw writes a cell as it is, without quotes or an apostrophe. It is for numbers
// and fixed names; a negative number must not be treated as a formula.
func (w *Writer) Raw(b []byte) {
	w.separate()
	w.buf = append(w.buf, b...)
}

func (w *Writer) separate() {
	if w.cells > 0 {
		w.buf = append(w.buf, ',')
	}
	w.cells++
}

// End ends the row.
func (w *Writer) End() {
	if w.cells == 1 && len(w.buf) == w.bare {
		w.buf = append(w.buf, `""`...) // a blank line would not count as a row
	}
	w.buf = append(w.buf, '\n')
	w.cells = 0
	if len(w.buf) >= flushAt {
		w.write()
	}
	w.bare = len(w.buf)
}

// Flush writes the buffered rows and returns the first error.
func (w *Writer) Flush() error {
	w.write()
	w.bare = 0
	return w.err
}

func (w *Writer) write() {
	if w.err == nil && len(w.buf) > 0 {
		if _, err := w.w.Write(w.buf); err != nil {
			w.err = fmt.Errorf("write csv: %w", err)
		}
	}
	w.buf = w.buf[:0]
}
