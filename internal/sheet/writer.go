package sheet

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Writer writes CSV with line feeds. A stranger's text that a spreadsheet would
// take for a formula gets an apostrophe in front of it, so that opening our file
// runs nothing. The first error stops the writing; Flush tells it.
type Writer struct {
	w     io.Writer
	buf   []byte
	cells int // of this row
	bare  int // where this row begins in buf
	err   error
}

const flushAt = 64 << 10

// NewWriter makes a writer; nothing arrives for certain before Flush.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Text writes a cell whatever is in it.
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
// of them drop the spaces before they look.
func isFormula(s string) bool {
	s = strings.TrimLeft(s, " \u00a0")
	return s != "" && strings.IndexByte("=+-@\t\r\n", s[0]) >= 0
}

// Raw writes a number or a name of ours, which needs neither quotes nor an
// apostrophe: a negative number is no formula.
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
		w.buf = append(w.buf, `""`...) // a blank line would be no row
	}
	w.buf = append(w.buf, '\n')
	w.cells = 0
	if len(w.buf) >= flushAt {
		w.write()
	}
	w.bare = len(w.buf)
}

// Flush hands over what is left, and tells the first error there was.
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
