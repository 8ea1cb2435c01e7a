package sheet

import (
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
	lines  lines
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
// first returns all rows before a row that is too long or whose quote is never closed, and then a *fault.Error with the
// number of that row or the line of that quote. If Header was not called, Next skips the header.
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
		before := r.lines
		whole, rows := r.count(data)
		if rows > 0 {
			r.rest = append(r.rest, data[whole:]...)
			b := Block{Data: data[:whole], First: r.rows + 1, Rows: rows, before: before}
			r.rows += int64(rows)
			return b, nil
		}
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

// count returns where the last whole row ends and how many rows there are, and counts their lines. At the end of the
// stream a last line without a line end is a row too.
func (r *Reader) count(data []byte) (whole, rows int) {
	var s scanner
	s.reset(data)
	s.lines = r.lines
	for {
		line, ok := s.next()
		ended := errors.Is(r.err, io.EOF)
		switch {
		case !ok:
			if len(data) > 0 {
				r.lines = lines{s.lines.ends, data[len(data)-1] == '\r'}
			}
			return len(data), rows
		case line.to-line.from > MaxLine:
			r.err = s.tooLong(line, fmt.Sprintf("row %d", r.rows+int64(rows)+1))
			return line.from, rows
		case ended && line.quoted && s.open >= 0:
			r.err = notClosed(s.lineOf(line, s.open))
			return line.from, rows
		case !line.closed && !ended:
			r.lines = lines{ends: s.line - 1}
			return line.from, rows // the row is not complete yet
		}
		rows++
	}
}

// notClosed is the refusal of a file in which a quote is never closed. Where the cell was meant to end is unknown, so
// no row after the quote can be read.
func notClosed(line int64) error {
	return fault.New(fault.Malformed, fault.CodeBadQuote,
		"line %d opens a quote that is never closed, so the lines after it would be one cell; close the quote. If it "+
			"belongs to the text, write it twice and put quotes around the cell", line)
}

// tooLong is the refusal of a row or a header of more than MaxLine bytes.
func tooLong(what string) error {
	return fault.New(fault.Invalid, fault.CodeLineTooLong, "%s is longer than %d bytes; shorten it", what, MaxLine)
}

// byteOrderMark is the mark that some programs write at the start of UTF-8 files.
var byteOrderMark = []byte("\xef\xbb\xbf")
