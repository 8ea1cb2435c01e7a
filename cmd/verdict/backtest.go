package main

import (
	"flag"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"verdict/internal/backtest"
	"verdict/internal/backtest/page"
	"verdict/internal/durablefile"
	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/sheet"
	"verdict/internal/wire"
)

const backtestHelp = `Decide every row of a CSV file with a policy, exactly as the service would, and
report the results: approvals, grades and prices, how the loans turned out, and
what each rule did. With a challenger it also reports what would change, and
which change of the policy causes it.

  verdict backtest -policy policy.json -csv book.csv.gz
  verdict backtest -csv book.csv -challenger draft.json -html report.html -out rows.csv -swapped
  verdict backtest -csv book.csv -outcome default_flag -bad Y -map cibil=score,salary=monthly_income
  verdict backtest -synthetic 100000 -seed 7

The columns are fields of the catalogue ("verdict fields") or paths of a decision
request (applicant.monthly_income); a blank cell is an absent value. An outcome
is taken from the column "outcome" or "bad". A row that cannot be read is counted
and left out, and never stops the run. The file may be compressed with gzip.

Prints a summary, or with -json the report of the API. Use - instead of a
file for standard input or output; only one result can go to standard output.
` + lookupHelp

// backtestOptions holds the values of the flags.
type backtestOptions struct {
	policy, challenger, csv, reference string
	html, out                          string
	asJSON, swapped                    bool
	workers                            int
	columns                            columnOptions
	synthetic                          int64
	files                              lookupFiles
	book                               bookOptions
}

func (o *backtestOptions) declare(fs *flag.FlagSet) {
	fs.StringVar(&o.policy, "policy", "", "policy `file`; default: the default policy")
	fs.StringVar(&o.challenger, "challenger", "", "policy `file` to compare with")
	fs.StringVar(&o.csv, "csv", "", "`file` of rows, - for standard input; gzip is recognised")
	fs.Int64Var(&o.synthetic, "synthetic", 0,
		"generate a synthetic book with this number of `rows` instead of reading a file")
	o.book.declare(fs)
	o.files.declare(fs)
	o.columns.declare(fs)
	fs.StringVar(&o.reference, "reference", "",
		"report `file` (-json) of another run, to measure how far the scores have shifted since then")
	fs.BoolVar(&o.asJSON, "json", false, "print the report as JSON")
	fs.StringVar(&o.html, "html", "", "write the report as a page to `file`")
	fs.StringVar(&o.out, "out", "", "write the decision of each row to a CSV `file`")
	fs.BoolVar(&o.swapped, "swapped", false,
		"with -out: only the rows that one of the two policies approves and the other does not")
	fs.IntVar(&o.workers, "workers", runtime.GOMAXPROCS(0), "`number` of blocks of rows that are decided in parallel")
}

// mistake returns the error in the combination of flags, or "" if there is
// none.
func (o *backtestOptions) mistake() string {
	answers, inputs := 0, 0
	for _, claims := range []bool{o.asJSON, o.html == standardInput, o.out == standardInput} {
		if claims {
			answers++
		}
	}
	for _, name := range []string{o.policy, o.challenger, o.csv, o.reference} {
		if name == standardInput {
			inputs++
		}
	}
	switch {
	case (o.csv == "") == (o.synthetic == 0):
		return "give either -csv or -synthetic"
	case o.synthetic < 0 || o.synthetic > maxRows:
		return fmt.Sprintf("-synthetic must be a number from 1 to %d", maxRows)
	case o.synthetic == 0 && o.book.given():
		return "-seed, -months and -bad-rate need -synthetic"
	case o.synthetic != 0 && o.columns.given():
		return "the columns of a synthetic book are fixed: -map, -outcome and similar flags need -csv"
	case answers > 1:
		return `only one result can go to standard output: use only one of -json, "-html -" and "-out -", ` +
			"or give -html and -out a file"
	case inputs > 1:
		return "only one file can be standard input"
	case o.swapped && (o.out == "" || o.challenger == ""):
		return "-swapped needs -out and -challenger"
	case o.workers < 1 || o.workers > maxWorkers:
		return fmt.Sprintf("-workers must be a number from 1 to %d", maxWorkers)
	}
	return ""
}

// Limits of one run.
const (
	maxRows    = 1_000_000_000_000
	maxWorkers = 256
)

func runBacktest(c *command) int {
	fs := c.flags(backtestHelp)
	var o backtestOptions
	o.declare(fs)
	if code, done := c.parse(fs, 0); done {
		return code
	}
	if mistake := o.mistake(); mistake != "" {
		return c.usage("%s", mistake)
	}
	t := &trial{command: c, options: &o}
	if code, ok := t.policies(); !ok {
		return code
	}
	if code, ok := t.open(); !ok {
		return code
	}
	defer t.source.close()
	if code, ok := t.prepare(); !ok {
		return code
	}
	report, code, ok := t.decide()
	if !ok {
		return code
	}
	return t.answer(report)
}

// trial is one run of a backtest, from its flags to its report.
type trial struct {
	*command
	options              *backtestOptions
	champion, challenger *engine.Policy
	source               *rowSource
	run                  *backtest.Run
}

func (t *trial) policies() (code int, ok bool) {
	files := &t.options.files
	if code, ok := files.readTables(t.command); !ok {
		return code, false
	}
	if t.champion, code, ok = files.policy(t.command, t.options.policy); !ok {
		return code, false
	}
	if t.options.challenger != "" {
		if t.challenger, code, ok = files.policy(t.command, t.options.challenger); !ok {
			return code, false
		}
	}
	return files.complete(t.command, t.champion, t.challenger)
}

// prepare determines what each column means and compiles the policies. If ok is
// false, it has already reported the error, and code is the exit code.
func (t *trial) prepare() (code int, ok bool) {
	setup := t.source.setup
	if t.options.reference != "" {
		document, code, ok := t.document(t.options.reference)
		if !ok {
			return code, false
		}
		reference, err := backtest.ReadReference(document)
		if err != nil {
			return t.refused(t.options.reference, err), false
		}
		setup.Reference = reference
	}
	champion := engine.Compile(t.champion, field.Catalogue())
	var challenger *engine.Plan
	if t.challenger != nil {
		challenger = engine.Compile(t.challenger, field.Catalogue())
	}
	run, err := backtest.New(setup, champion, challenger)
	if err != nil {
		return t.refusedHeader(err), false
	}
	t.run = run
	return exitOK, true
}

// refusedHeader reports that the columns of the file do not fit, and which flags say what a column means. It returns
// the exit code.
func (t *trial) refusedHeader(err error) int {
	code := t.refused(t.source.name, err)
	refused, header := fault.Of(err), t.source.setup.Header
	if refused == nil || t.options.csv == "" {
		return code
	}
	listed := false
	for _, item := range refused.Items {
		column, mapped := strings.CutPrefix(item.Pointer, "/map/")
		switch {
		case mapped && slices.Contains(header, t.source.setup.Map[column]):
			t.note("write -map column=field, for example -map %s=%s", t.source.setup.Map[column], column)
		case mapped:
			t.note("-map takes column=field, for example -map income=monthly_income")
		case item.Pointer == "/header" && item.Code == fault.CodeRequired:
			t.note("if a column has another name, write -map COLUMN=score")
		default:
			continue
		}
		listed = true
	}
	if listed {
		_, _ = fmt.Fprintf(t.stderr, "The columns of %s: %s\n", t.source.name, sheet.Names(header))
	}
	return code
}

// names returns the title of the report and the challenger's name. If both policies have the same name, the title and
// the challenger's name say which file each policy is from.
func (t *trial) names() (title, challenger string) {
	title = "Backtest of " + t.champion.Name
	if t.challenger == nil {
		return title, ""
	}
	challenger = strconv.Quote(t.challenger.Name)
	if t.challenger.Name == t.champion.Name {
		champion := "the default policy"
		if t.options.policy != "" {
			champion = shownName(t.options.policy)
		}
		other := shownName(t.options.challenger)
		title += ", champion " + champion + ", challenger " + other
		challenger += " (" + other + ")"
	}
	return title, challenger
}

// answer prints the report and writes the requested files.
func (t *trial) answer(report *backtest.Report) int {
	o := t.options
	title, challenger := t.names()
	if o.html != "" && o.html != standardInput {
		if err := durablefile.Replace(
			o.html, func(w io.Writer) error { return page.Write(w, title, report) },
		); err != nil {
			return t.usage("write the page: %v", err)
		}
		t.note("the report is in %s", o.html)
	}
	switch {
	case o.asJSON:
		var w wire.Writer
		w.Object()
		report.WriteMembers(&w)
		w.EndObject()
		return t.printJSON(w.Buf, false)
	case o.html == standardInput:
		if err := page.Write(t.stdout, title, report); err != nil {
			return t.usage("write the answer: %v", err)
		}
		return exitOK
	case o.out == standardInput:
		return exitOK
	}
	return t.print(backtestText(report, title, t.source.name, challenger, t.run))
}
