package sheet

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"verdict/internal/fault"
)

const usualBlock = 1 << 20

// Reader divides a stream into blocks of whole rows. It holds at most a block and
// one more row in memory. Rows and their numbers do not depend on the size of the
// blocks.
type Reader struct {
	r      io.Reader
	size   int
	rest   []byte // data after the last block: the beginning of the next row
	rows   int64  // rows returned so far
	err    error  // the error that Next returns after all rows read so far; io.EOF at the end
	header bool   // the header has been read
	lines  *lineCounter
}

// CountLines makes the reader count lines, so that a Cursor knows the line of a row in the file. It must be called
// before the header is read.
func (r *Reader) CountLines() { r.lines = &lineCounter{} }

// lineCounter counts the line ends of data that is passed in parts. A pair of a carriage return and a line feed is one
// line end, also if it is split between two parts.
type lineCounter struct {
	ends int64
	cr   bool // the last part ended with a carriage return
}

// add counts the line ends of a part. It does nothing if l is nil.
func (l *lineCounter) add(data []byte) {
	if l == nil || len(data) == 0 {
		return
	}
	l.ends += int64(bytes.Count(data, []byte{'\n'}))
	if l.cr && data[0] == '\n' {
		l.ends--
	}
	if returns := bytes.Count(data, []byte{'\r'}); returns > 0 {
		l.ends += int64(returns - bytes.Count(data, []byte("\r\n")))
	}
	l.cr = data[len(data)-1] == '\r'
}

// NewReader returns a reader of blocks of about blockBytes, or 1 MiB if blockBytes
// is 0.
func NewReader(r io.Reader, blockBytes int) *Reader {
	if blockBytes <= 0 {
		blockBytes = usualBlock
	}
	return &Reader{r: r, size: blockBytes}
}

// Next reads the next block, reusing the memory of into if it is large enough. At the end it returns io.EOF. It
// first returns all rows before a row that is too long, and then a *fault.Error with the number of that row. If
// Header was not called, Next skips the header.
func (r *Reader) Next(into []byte) (Block, error) {
	if !r.header {
		if _, err := r.Header(); err != nil {
			return Block{}, err
		}
	}
	data := into[:0]
	data = append(data, r.rest...)
	r.rest = r.rest[:0]
	for r.err == nil {
		data = r.fill(data)
		whole, rows := r.count(data)
		if rows > 0 {
			r.rest = append(r.rest, data[whole:]...)
			b := Block{Data: data[:whole], First: r.rows + 1, Rows: rows}
			r.rows += int64(rows)
			if r.lines != nil {
				b.before = *r.lines
			}
			r.lines.add(b.Data)
			return b, nil
		}
		r.lines.add(data[:whole])
		data = append(data[:0], data[whole:]...) // blank lines are not kept
	}
	return Block{}, r.err
}

// fill reads until data has the size of a block. If data already has that size, fill reads until its length has
// doubled. Doubling avoids scanning a long row again for every few bytes.
func (r *Reader) fill(data []byte) []byte {
	have, want := len(data), r.size
	if have >= want {
		want = 2 * have
	}
	data = slices.Grow(data, want-have)[:want]
	// Do not use io.ReadFull: it would make a truncated compressed stream look
	// like the end of the stream.
	for idle := 0; have < want && r.err == nil; idle++ {
		n, err := r.r.Read(data[have:])
		have += n
		switch {
		case errors.Is(err, io.EOF):
			r.err = io.EOF
		case err != nil:
			r.err = fmt.Errorf("read csv: %w", err)
		case n > 0:
			idle = 0
		case idle == 100:
			r.err = fmt.Errorf("read csv: %w", io.ErrNoProgress)
		}
	}
	return data[:have]
}

// count returns where the last whole row ends and how many rows there are. At the
// end of the stream a last line without a line end is a row too.
func (r *Reader) count(data []byte) (whole, rows int) {
	var s scanner
	s.reset(data)
	for {
		line, ok := s.next()
		switch {
		case !ok:
			return len(data), rows
		case line.to-line.from > MaxLine:
			r.err = tooLong(r.rows + int64(rows) + 1)
			return line.from, rows
		case !line.closed && !errors.Is(r.err, io.EOF):
			return line.from, rows // the row is not complete yet
		}
		rows++
	}
}

func tooLong(row int64) *fault.Error {
	return fault.New(fault.Invalid, fault.CodeLineTooLong,
		"row %d is longer than %d bytes; perhaps a quote is never closed, "+
			"so that the rest of the file is one row", row, MaxLine)
}

// byteOrderMark is the mark that some programs write at the start of UTF-8 files.
var byteOrderMark = []byte("\xef\xbb\xbf")
