package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"unicode/utf8"

	"verdict/internal/durablefile"
	"verdict/internal/fault"
	"verdict/internal/sheet"
	"verdict/internal/training"
	"verdict/internal/wire"
)

const scorecardHelp = `Fit a scorecard to rows whose outcome is known, and write a training report.
The file is CSV with a header, optionally compressed with gzip, in UTF-8 or
Windows-1252; it is read several times.

  verdict scorecard fit -csv loans.csv -target bad -out card.json
  verdict scorecard fit -csv loans.csv -target outcome -bad charged_off,90dpd -split sample=test
  verdict scorecard fit -csv loans.csv.gz -target bad -exclude branch,agent -special -1,-2 -json

Some rows are held out: the fit does not use them, and the report measures the
card on them. -split selects them by the value of a column. -split-file names a CSV
file with a column "split" and one row for each row of the data; the rows that it
does not mark as "train" are held out. Without both, -holdout is the share of rows
to hold out, by default a quarter. docs/SCORECARD.md explains the method.
`

// scorecardCommand runs the subcommands of "verdict scorecard".
func scorecardCommand(c *command) int { return c.subcommand(scorecardHelp, verbs{"fit": scorecardFit}) }

// fitFlags holds the flags of "verdict scorecard fit".
type fitFlags struct {
	options                     training.Options
	csv, splitFile, out, report string
	asJSON                      bool
}

func scorecardFit(c *command) int {
	fs := c.flags(scorecardHelp)
	f := fitFlags{options: training.Defaults()}
	f.register(fs)
	if code, done := c.parse(fs, 0); done {
		return code
	}
	switch {
	case f.csv == "":
		return c.usage("give the file of rows with -csv")
	case f.csv == standardInput:
		return c.usage(
			"the rows are read several times, which is not possible with standard input: give a file with -csv")
	case f.options.Target == "":
		return c.usage("give the column of outcomes with -target")
	case f.splitFile != "" && f.options.SplitColumn != "":
		return c.usage("give either -split or -split-file")
	}
	if strings.TrimSpace(f.options.Name) == "" {
		f.options.Name = nameOf(f.csv)
	}
	if f.splitFile != "" {
		held, err := readSplit(f.splitFile)
		if err != nil {
			return refuseRows(c, &f, f.splitFile, err)
		}
		f.options.HoldOut = held
	}
	result, err := fitScorecard(c, &f)
	if err != nil {
		return refuseRows(c, &f, f.csv, err)
	}
	return printFit(c, &f, result)
}

// nameOf returns a name for a scorecard, derived from the name of its file of
// rows. With a name, the card can be sent to a server unchanged.
func nameOf(file string) string {
	name := strings.TrimSuffix(filepath.Base(file), ".gz")
	name = strings.ToValidUTF8(strings.TrimSuffix(name, filepath.Ext(name)), "?")
	for len(name) > maxName {
		_, size := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-size]
	}
	return cmp.Or(strings.TrimSpace(name), "scorecard")
}

// maxName is the maximum length of a scorecard's name, in bytes.
const maxName = 120

// refuseRows reports an error of the training and returns the exit code. The exit
// code for a refusal differs from the exit code for a file that cannot be read.
func refuseRows(c *command, f *fitFlags, file string, err error) int {
	if fault.Of(err) == nil {
		return c.usage("%v", err)
	}
	if unspelt, ok := errors.AsType[*training.OutcomeError](err); ok {
		return c.refused(file, f.unspelt(unspelt))
	}
	refused, ok := errors.AsType[*training.HeaderError](err)
	if !ok {
		return c.refused(file, f.inFlags(err, nil))
	}
	code := c.refused(file, f.inFlags(err, refused.Header))
	_, _ = fmt.Fprintf(c.stderr, "The columns of %s: %s\n", file, sheet.Names(refused.Header))
	return code
}

// fitScorecard runs the training. It shows a progress bar for both passes over the rows.
func fitScorecard(c *command, f *fitFlags) (*training.Result, error) {
	info, err := os.Stat(f.csv)
	if err != nil {
		return nil, err
	}
	bar := c.progress(2*info.Size(), string(training.Surveying))
	defer func() { _ = bar.Finish() }()
	var opened []*os.File
	defer func() {
		for _, file := range opened {
			_ = file.Close() // the file is only read
		}
	}()
	uncounted := 2 // the passes for the encoding and the header do not count as progress
	open := func() (io.Reader, error) {
		file, err := os.Open(f.csv)
		if err != nil {
			return nil, err
		}
		opened = append(opened, file)
		var in io.Reader = file
		if uncounted--; uncounted < 0 {
			in = io.TeeReader(file, bar)
		}
		return expand(in)
	}
	options := f.options
	options.Workers = runtime.GOMAXPROCS(0)
	return training.Fit(open, options, func(s training.Stage) error {
		bar.Describe(string(s))
		return nil
	})
}

// readSplit reads which rows are held out for validation.
func readSplit(name string) (func(row int64) bool, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // the file is only read
	in, err := expand(file)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	held, err := training.ReadSplit(sheet.NewReader(in, 0))
	if err != nil {
		return nil, err
	}
	return held, nil
}

// printFit writes the requested files and prints the result.
func printFit(c *command, f *fitFlags, r *training.Result) int {
	var report wire.Writer
	r.Report.Write(&report)
	for _, file := range []struct {
		name     string
		document []byte
	}{{f.out, r.Card.Document()}, {f.report, report.Buf}} {
		if file.name == "" {
			continue
		}
		var indented bytes.Buffer
		if err := json.Indent(&indented, file.document, "", "  "); err != nil {
			return c.refused("the answer", err)
		}
		indented.WriteByte('\n')
		if file.name == standardInput {
			if code := c.print(indented.Bytes()); code != exitOK {
				return code
			}
			continue
		}
		if err := durablefile.Replace(file.name,
			func(w io.Writer) error { _, err := w.Write(indented.Bytes()); return err }); err != nil {
			return c.usage("%v", err)
		}
	}
	switch {
	case f.asJSON:
		var w wire.Writer
		w.Object().Key("scorecard").Raw(r.Card.Document()).Key("inputs")
		r.WriteInputs(&w)
		w.Key("report").Raw(report.Buf).EndObject()
		return c.printJSON(w.Buf, false)
	case f.out == standardInput || f.report == standardInput:
		return exitOK
	}
	var text bytes.Buffer
	if err := r.WriteText(&text); err != nil {
		return c.usage("%v", err)
	}
	return c.print(text.Bytes())
}
