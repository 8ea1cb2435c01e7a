package study

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"

	"verdict/internal/backtest"
	"verdict/internal/fault"
	"verdict/internal/journal"
	"verdict/internal/operation"
	"verdict/internal/sheet"
	"verdict/internal/store"
)

// piece holds consecutive rows of a run. Each piece becomes one chunk.
type piece struct {
	first, rows int64
	block       []byte // rows of a CSV file
	input       []byte // identifies the rows if they are not CSV
}

// chunk returns the piece in the form in which it is stored. Uploaded rows are encrypted with the key of the upload.
func (p *piece) chunk(
	upload *journal.Upload, environment, backtestID string, number int64,
) (store.BacktestChunk, error) {
	c := store.BacktestChunk{Number: number, First: p.first, Rows: p.rows, Input: p.input}
	if p.block == nil {
		return c, nil
	}
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
	if err != nil {
		return c, err
	}
	_, _ = w.Write(p.block) // writing to a buffer cannot fail
	if err := w.Close(); err != nil {
		return c, err
	}
	c.Input = upload.SealBacktest(environment, backtestID, number, packed.Bytes())
	return c, nil
}

// maxBlock is the maximum size of the rows of a CSV chunk, in bytes. A block of
// sheet.Reader is not larger, because it holds at most ChunkBytes. So only a corrupt or
// forged chunk, for instance in a restored backup, exceeds maxBlock.
const maxBlock = 16 << 20

// unpack returns the block of rows of a CSV chunk. It returns an error if the rows are
// larger than maxBlock.
func unpack(c store.BacktestChunk) (sheet.Block, error) {
	r, err := gzip.NewReader(bytes.NewReader(c.Input))
	if err != nil {
		return sheet.Block{}, fmt.Errorf("unpack rows: %w", err)
	}
	data, err := io.ReadAll(io.LimitReader(r, maxBlock+1))
	switch {
	case err != nil:
		return sheet.Block{}, fmt.Errorf("unpack rows: %w", err)
	case len(data) > maxBlock:
		return sheet.Block{}, fmt.Errorf("unpack rows: chunk %d is larger than %d bytes", c.Number, maxBlock)
	}
	return sheet.Block{Data: data, First: c.First, Rows: int(c.Rows)}, nil
}

// feed returns the rows of a run piece by piece, and io.EOF after the last piece. The
// memory of a piece is valid until the next call with reuse set.
type feed interface {
	next(ctx context.Context, reuse bool) (piece, error)
}

// fileFeed reads a CSV file.
type fileFeed struct {
	reader *sheet.Reader
	memory []byte
}

func (f *fileFeed) next(_ context.Context, reuse bool) (piece, error) {
	var into []byte
	if reuse {
		into = f.memory
	}
	b, err := f.reader.Next(into)
	if err != nil {
		return piece{}, err
	}
	if reuse {
		f.memory = b.Data[:0]
	}
	return piece{first: b.First, rows: int64(b.Rows), block: b.Data}, nil
}

// bookFeed splits a synthetic book into pieces. The rows are generated when the chunks
// run.
type bookFeed struct{ rows, done, each int64 }

func (f *bookFeed) next(context.Context, bool) (piece, error) {
	n := min(f.each, f.rows-f.done)
	if n <= 0 {
		return piece{}, io.EOF
	}
	p := piece{first: f.done + 1, rows: n}
	f.done += n
	return p, nil
}

// bounded is a reader that returns an error if a file exceeds its limit after
// decompression.
type bounded struct {
	r          io.Reader
	left, most int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fault.New(fault.TooLarge, fault.CodeRequestTooLarge, "the rows are larger than %d bytes", b.most)
	}
	n, err := b.r.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

// feed opens the rows of a request and determines how they are read.
func (s *Backtests) feed(scope *store.Scope, a *asked) (feed, *backtest.Run, error) {
	limits := &s.options.Backtests
	var rows feed
	switch a.source {
	case sourceSynthetic:
		rows = &bookFeed{rows: a.rows, each: limits.ChunkRows}
	case sourceDecisions:
		rows = &replayFeed{scope: scope, which: a.replay, each: limits.ReplayRows}
	default:
		size := limits.ChunkBytes
		if text, whole := a.csv.(interface{ Len() int }); whole {
			size = min(size, text.Len()+1) // the text is in memory, so no larger buffer is needed
		}
		text, encoding, err := sheet.Sniff(&bounded{a.csv, limits.MaxBytes, limits.MaxBytes}, min(size, sniffed))
		if err != nil {
			return nil, nil, err
		}
		if encoding != sheet.UTF8 {
			a.setup.Encoding, size = encoding.String(), limits.ChunkBytes
		}
		reader := sheet.NewReader(text, size)
		header, err := reader.Header()
		if err != nil {
			return nil, nil, headerRefusal(a, err)
		}
		a.setup.Header = header
		rows = &fileFeed{reader: reader}
	}
	run, err := a.run()
	return rows, run, err
}

// sniffed is the number of bytes from which the encoding of a file is detected.
const sniffed = 256 << 10

// headerRefusal translates an error about the header of a file into an error about the
// request. If the request was a list of rows, an empty file means that the list was
// empty. Errors about column names become faults of fields.
func headerRefusal(a *asked, err error) error {
	if a.source == sourceRows && fault.CodeOf(err) == fault.CodeEmptyCSV {
		return noRows()
	}
	return asFields(err)
}

// asFields translates an error about column names into faults of fields.
func asFields(err error) error {
	refusal := fault.Of(err)
	if refusal == nil || len(refusal.Items) == 0 {
		return err
	}
	var faults fault.List
	operation.AddAll(&faults, refusal.Items)
	return faults.Err()
}

func noRows() error {
	return fault.New(fault.Invalid, fault.CodeNoRows, "there are no rows to decide")
}

func (a *asked) run() (*backtest.Run, error) {
	if a.challenger == nil {
		return backtest.New(a.setup, a.champion.Plan, nil)
	}
	return backtest.New(a.setup, a.champion.Plan, a.challenger.Plan)
}
