package main

import (
	"bytes"
	"errors"
	"io"
	"sync"

	"verdict/internal/backtest"
	"verdict/internal/durablefile"
	"verdict/internal/fault"
	"verdict/internal/rule"
	"verdict/internal/sheet"
)

// decide runs the rows through the policies. One goroutine reads blocks and
// several decide them. Their partial results merge exactly, so the report does
// not depend on which goroutine decided a block. The number of blocks in
// progress limits the memory, regardless of the size of the file. If ok is
// false, decide has already reported the error, and code is the exit code.
func (t *trial) decide() (report *backtest.Report, code int, ok bool) {
	var total *backtest.Partial
	run := func(out io.Writer) (err error) {
		total, err = t.decideAll(out)
		return err
	}
	var err error
	switch t.options.out {
	case "":
		err = run(nil)
	case standardInput:
		err = run(t.stdout)
	default:
		err = durablefile.Replace(t.options.out, run)
	}
	_ = t.source.bar.Finish()
	var unread *unreadError
	switch {
	case errors.As(err, &unread):
		return nil, t.unreadable(unread.cause), false
	case err != nil:
		return nil, t.usage("write the rows: %v", err), false
	}
	return t.run.Report(total), exitOK, true
}

// unreadError is a failure to read rows. It is distinguished from a failure to
// write them.
type unreadError struct{ cause error }

func (e *unreadError) Error() string { return e.cause.Error() }

// errNoRows is the refusal of a file that has only a header.
var errNoRows = fault.New(fault.Invalid, fault.CodeNoRows, "there are no rows to decide")

// load is a block of rows that passes through the workers, with its result.
type load struct {
	number int // from 0, in the order of the file
	block  sheet.Block
	memory []byte
	rows   []byte // the decided rows as CSV
}

// decideAll decides every row in several goroutines. It writes the rows to out
// if out is not nil.
func (t *trial) decideAll(out io.Writer) (*backtest.Partial, error) {
	if out != nil {
		header := sheet.NewWriter(out)
		t.run.WriteRowsHeader(header)
		if err := header.Flush(); err != nil {
			return nil, err
		}
	}
	workers := t.options.workers
	idle := make(chan *load, 2*workers)
	for range cap(idle) {
		idle <- &load{}
	}
	work, done := make(chan *load), make(chan *load)
	stop := make(chan struct{})
	var readErr error
	go func() {
		defer close(work)
		readErr = t.read(idle, work, stop)
	}()
	partials := make([]*backtest.Partial, workers)
	var group sync.WaitGroup
	for i := range partials {
		group.Go(func() { partials[i] = t.work(work, done, out != nil) })
	}
	go func() {
		group.Wait()
		close(done)
	}()
	writeErr := collect(out, idle, done, stop)
	switch {
	case writeErr != nil:
		return nil, writeErr
	case readErr != nil:
		return nil, &unreadError{readErr}
	}
	total := backtest.NewPartial()
	for _, p := range partials {
		total.Merge(p)
	}
	if evaluated, failed := total.Rows(); evaluated+failed == 0 {
		return nil, &unreadError{errNoRows}
	}
	return total, nil
}

// read sends the blocks of the source to the workers. It stops when the source ends, when an error occurs, or when
// the channel stop is closed.
func (t *trial) read(idle <-chan *load, work chan<- *load, stop <-chan struct{}) error {
	for number := 0; ; number++ {
		var l *load
		select {
		case l = <-idle:
		case <-stop:
			return nil
		}
		block, err := t.source.next(l.memory)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		l.number, l.block = number, block
		work <- l
	}
}

// work decides blocks until the channel is closed, and returns the merged
// result.
func (t *trial) work(work <-chan *load, done chan<- *load, rows bool) *backtest.Partial {
	w := t.run.NewWorker()
	if files := &t.options.files; files.given() {
		w.LookUp(func(lookups []rule.NamedLookup, tables []rule.Table, facts *rule.Facts) error {
			files.lookUp(lookups, tables, facts, files.now)
			return nil
		})
	}
	var text bytes.Buffer
	var out *sheet.Writer
	if rows {
		out = sheet.NewWriter(&text)
		w.WriteRows(out, t.options.swapped)
	}
	for l := range work {
		if t.source.fill != nil {
			t.source.fill(&l.block, l.memory)
		}
		w.Block(l.block)
		l.memory = l.block.Data[:0]
		if rows {
			_ = out.Flush() // a write to memory cannot fail
			l.rows = append(l.rows[:0], text.Bytes()...)
			text.Reset()
		}
		done <- l
	}
	return w.Take()
}

// collect receives the decided blocks, writes their rows in the order of the
// file, and sends the memory back for reuse. After an error it stops the
// reading but continues to receive the blocks in progress, so that no goroutine
// blocks.
func collect(out io.Writer, idle chan<- *load, done <-chan *load, stop chan<- struct{}) (err error) {
	waiting := map[int]*load{}
	next := 0
	for l := range done {
		waiting[l.number] = l
		for ; waiting[next] != nil; next++ {
			l := waiting[next]
			delete(waiting, next)
			if out != nil && err == nil {
				if _, err = out.Write(l.rows); err != nil {
					close(stop)
				}
			}
			idle <- l
		}
	}
	return err
}
