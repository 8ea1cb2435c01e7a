package main

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/schollz/progressbar/v3"

	"verdict/internal/backtest"
	"verdict/internal/fault"
	"verdict/internal/sheet"
)

// rowSource is the source of the rows of a backtest.
type rowSource struct {
	name  string // name that people see
	setup backtest.Setup
	bar   *progressbar.ProgressBar
	// next returns the next block, or io.EOF at the end. It reuses the memory of the slice "into" if that
	// memory is large enough. Only one goroutine calls next.
	next func(into []byte) (sheet.Block, error)
	// fill creates the data of a block that next returned without data. It is nil if next returns blocks with data. Any
	// goroutine may call fill, so that rows are created in parallel.
	fill  func(b *sheet.Block, into []byte)
	close func()
}

// open opens the file or the synthetic book and reads the header. If ok is
// false, it has already reported the error, and code is the exit code.
func (t *trial) open() (code int, ok bool) {
	if t.options.synthetic > 0 {
		t.source = t.syntheticSource()
		return exitOK, true
	}
	setup, err := t.options.columns.setup()
	if err != nil {
		return t.refused("the options", err), false
	}
	in, size, err := t.rows(t.options.csv)
	if err != nil {
		return t.usage("%v", err), false
	}
	bar := t.progress(size, "deciding")
	s := &rowSource{
		name: shownName(t.options.csv), setup: setup, bar: bar,
		close: func() { _ = in.Close() }, // the file is only read
	}
	t.source = s
	reader, err := expand(&meter{in: in, bar: bar})
	if err != nil {
		s.close()
		return t.unreadable(err), false
	}
	text, encoding, err := sheet.Sniff(reader, 256<<10)
	if err != nil {
		s.close()
		return t.unreadable(err), false
	}
	if encoding != sheet.UTF8 {
		s.setup.Encoding = encoding.String()
	}
	rows := sheet.NewReader(text, 0)
	if s.setup.Header, err = rows.Header(); err != nil {
		s.close()
		return t.unreadable(err), false
	}
	s.next = rows.Next
	return exitOK, true
}

// rows opens a file of any size. size is -1 if the size is unknown.
func (c *command) rows(name string) (in io.ReadCloser, size int64, err error) {
	if name == standardInput {
		return io.NopCloser(c.stdin), -1, nil
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, 0, err
	}
	size = -1
	if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
		size = info.Size()
	}
	return file, size, nil
}

// meter advances the progress bar by the number of bytes read from the file.
type meter struct {
	in  io.Reader
	bar *progressbar.ProgressBar
}

func (m *meter) Read(p []byte) (n int, err error) {
	n, err = m.in.Read(p)
	_ = m.bar.Add(n)
	return n, err
}

// expand returns a reader of the content of "in". The reader decompresses the content if it begins like a gzip
// file.
func expand(in io.Reader) (io.Reader, error) {
	const buffer = 256 << 10
	buffered := bufio.NewReaderSize(in, buffer)
	magic, err := buffered.Peek(2)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if len(magic) < 2 || magic[0] != 0x1f || magic[1] != 0x8b {
		return buffered, nil
	}
	unzipped, err := gzip.NewReader(buffered)
	if err != nil {
		return nil, asDamaged(err)
	}
	return unpacker{unzipped}, nil
}

// errDamaged is the error of a compressed file that cannot be decompressed.
var errDamaged = errors.New("the gzip data are damaged or truncated; compress the file again, or copy all of it")

// unpacker decompresses a file. Its errors say what is wrong with the file.
type unpacker struct{ r *gzip.Reader }

func (u unpacker) Read(p []byte) (int, error) {
	n, err := u.r.Read(p)
	return n, asDamaged(err)
}

// asDamaged returns errDamaged for an error that the content of a compressed file has caused, and other errors
// unchanged.
func asDamaged(err error) error {
	_, corrupt := errors.AsType[flate.CorruptInputError](err)
	if corrupt || errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) ||
		errors.Is(err, io.ErrUnexpectedEOF) {
		return errDamaged
	}
	return err
}

// unreadable reports an error in reading rows and returns the exit code. Wrong
// content of a file is a refusal; a failure of the system is a usage error.
func (t *trial) unreadable(err error) int {
	switch {
	case fault.Of(err) != nil:
		return t.refused(t.source.name, err)
	case errors.Is(err, errDamaged):
		return t.refused(t.source.name, errDamaged)
	}
	return t.usage("read %s: %v", t.source.name, err)
}

// syntheticSource returns a source that creates the rows of a book on demand.
func (t *trial) syntheticSource() *rowSource {
	book, rows := t.options.book.Book, t.options.synthetic
	bar := t.progress(rows, "deciding")
	first := int64(1)
	return &rowSource{
		name: fmt.Sprintf("a synthetic book of seed %d", book.Seed), setup: book.Setup(), bar: bar, close: func() {},
		next: func([]byte) (sheet.Block, error) {
			if first > rows {
				return sheet.Block{}, io.EOF
			}
			b := sheet.Block{First: first, Rows: int(min(bookBlock, rows-first+1))}
			first += int64(b.Rows)
			_ = bar.Add(b.Rows)
			return b, nil
		},
		fill: func(b *sheet.Block, into []byte) { b.Data = book.Append(into[:0], b.First, b.Rows) },
	}
}
