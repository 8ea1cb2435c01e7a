package sheet

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"verdict/internal/fault"
)

const usualBlock = 1 << 20

// Reader cuts a stream into blocks of whole rows. It holds a block and at most
// one row more, whatever comes. Rows and their numbers do not depend on how
// large the blocks are.
type Reader struct {
	r      io.Reader
	size   int
	rest   []byte // the beginning of a row whose end has not come yet
	rows   int64  // that were handed out
	err    error  // what Next says once the rows before it are handed out; io.EOF at the end
	header bool   // has been read
}

// NewReader makes a reader of blocks of about blockBytes, 1 MiB when it is 0.
func NewReader(r io.Reader, blockBytes int) *Reader {
	if blockBytes <= 0 {
		blockBytes = usualBlock
	}
	return &Reader{r: r, size: blockBytes}
}

// Next reads the next block, into the memory of into where that is enough. At
// the end it returns io.EOF; a row that is too long is a *fault.Error that says
// which one it is, after the rows before it. A header that was not asked for is
// skipped.
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
			first := r.rows + 1
			r.rows += int64(rows)
			return Block{Data: data[:whole], First: first, Rows: rows}, nil
		}
		data = append(data[:0], data[whole:]...) // blank lines are not kept
	}
	return Block{}, r.err
}

// fill reads until there is a block, or twice of what is there already: a long
// row is not looked through again for every few bytes that come.
func (r *Reader) fill(data []byte) []byte {
	have, want := len(data), r.size
	if have >= want {
		want = 2 * have
	}
	data = slices.Grow(data, want-have)[:want]
	// Not io.ReadFull: the end of a stream and a compressed one that was cut
	// off must not look the same.
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

// count counts the whole rows and says where the rest begins. At the end of
// the stream the last line is a row without a line end too.
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
			return line.from, rows // its end has not come yet
		}
		rows++
	}
}

func tooLong(row int64) *fault.Error {
	return fault.New(fault.Invalid, fault.CodeLineTooLong,
		"row %d is longer than %d bytes; a quote that is never closed makes all that follows one row", row, MaxLine)
}

// byteOrderMark is what some programs put before UTF-8.
var byteOrderMark = []byte("\xef\xbb\xbf")
