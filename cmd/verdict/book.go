package main

import (
	"bufio"
	"flag"
	"fmt"
	"strconv"
	"strings"

	"verdict/internal/backtest"
	"verdict/internal/fault"
	"verdict/internal/rule"
)

const bookHelp = `Write a synthetic book of unsecured loans as CSV: applicants with correlated
incomes, obligations, enquiries, late payments and scores, and the outcomes of
their loans. The same seed gives the same bytes on every machine.

  verdict book -n 100000 -seed 7 > book.csv
  verdict book -n 1000000 -bad-rate 0.04 -months 24 | gzip > book.csv.gz

It contains no real data. "verdict backtest -synthetic N" decides such a book
without writing it.
`

// bookOptions holds the flags that describe a synthetic book.
type bookOptions struct {
	backtest.Book
	set bool // whether at least one flag was given
}

func (o *bookOptions) declare(fs *flag.FlagSet) {
	o.Seed = backtest.DefaultSeed
	fs.Func("seed", fmt.Sprintf("`number` that seeds the synthetic book; default: %d", backtest.DefaultSeed),
		func(text string) (err error) {
			o.set = true
			if o.Seed, err = strconv.ParseUint(text, 10, 64); err != nil {
				return fmt.Errorf("must be a whole number, not negative and below 2^64")
			}
			return nil
		})
	fs.Func("months", fmt.Sprintf("`months` of origination and of observation; default: %d", backtest.DefaultMonths),
		func(text string) error {
			o.set = true
			n, err := strconv.Atoi(text)
			if err != nil || n == 0 {
				n = -1 // out of range, so that Check reports the bounds
			}
			o.Months = n
			return bookMistake(backtest.Book{Months: o.Months})
		})
	fs.Func("bad-rate", fmt.Sprintf("`share` of the loans that go bad; default: %s", backtest.DefaultBadRate),
		func(text string) error {
			o.set = true
			n, exact, ok := rule.ParseNumber(text)
			if !ok || !exact || n == 0 {
				n = -1
			}
			o.BadRate = n
			return bookMistake(backtest.Book{BadRate: o.BadRate})
		})
}

// bookMistake returns the first fault of a book as an error about a flag.
func bookMistake(b backtest.Book) error {
	var faults fault.List
	b.Check("", &faults)
	for _, item := range faults.Items() {
		return fmt.Errorf("%s", item.Detail)
	}
	return nil
}

func (o *bookOptions) given() bool { return o.set }

// bookBlock is the number of rows of a synthetic book in one block.
const bookBlock = 8192

func writeBook(c *command) int {
	fs := c.flags(bookHelp)
	var o bookOptions
	rows := fs.Int64("n", 1000, "`number` of rows")
	o.declare(fs)
	if code, done := c.parse(fs, 0); done {
		return code
	}
	if *rows < 1 || *rows > maxRows {
		return c.usage("-n must be a number from 1 to %d", maxRows)
	}
	bar := c.progress(*rows, "writing the book")
	out := bufio.NewWriterSize(c.stdout, 1<<20)
	_, err := out.WriteString(strings.Join(o.Header(), ",") + "\n")
	var block []byte
	for first := int64(1); first <= *rows && err == nil; first += bookBlock {
		n := min(bookBlock, *rows-first+1)
		block = o.Append(block[:0], first, int(n))
		_, err = out.Write(block)
		_ = bar.Add64(n)
	}
	_ = bar.Finish()
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		return c.usage("write the answer: %v", err)
	}
	return exitOK
}
