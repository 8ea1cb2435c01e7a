package main

import (
	"bytes"
	_ "embed" // embeds the page
	"fmt"
	"html/template"
	"io"
	"time"

	"verdict/internal/durablefile"
	"verdict/internal/engine"
	"verdict/internal/engine/prover"
	"verdict/internal/engine/prover/smt"
	"verdict/internal/field"
	"verdict/internal/wire"
)

const diffHelp = `Compare two policies for all possible applicants: list every kind of applicant whom
they treat differently, each with an applicant whom both policies have decided, or
prove that there is none.

  verdict diff old.json new.json
  verdict diff old.json new.json -json
  verdict diff old.json new.json -html difference.html
  verdict diff old.json new.json -book book.csv.gz
  verdict diff old.json new.json -smt2 question.smt2

What changed and the summary come first. Then the first ten kinds are listed, or all
of them with -all, -json or -html. The status and, unless the application is declined,
the grade, the rate, the limit, the tenure, fee and charges, and the conditions of the
offer are compared. A comparison that takes longer than -time ends with what it has
found, and says that it is not complete. With -book it also counts how many rows of a
CSV file are of each kind; the columns are those of a backtest. With -smt2 it also
writes a question in SMT-LIB 2: is there an applicant to whom Stage 1, the score and
the bands of the two policies give another status, grade or rate? Solvers such as z3
and cvc5 answer sat (yes) or unsat (no).
With -json the result also has the proofs of the guarantees of both policies. Exits
with 0 even if the policies differ.
`

// diffOptions holds the arguments of the command.
type diffOptions struct {
	files                []string // two policies
	json, all            bool
	html, book, question string // names of files
	limit                time.Duration
}

// diffArguments parses and checks the arguments. If done is true, the command has nothing left to do.
func diffArguments(c *command) (o diffOptions, code int, done bool) {
	fs := c.flags(diffHelp)
	fs.BoolVar(&o.json, "json", false, "print the result as JSON")
	fs.BoolVar(&o.all, "all", false, allHelp)
	fs.StringVar(&o.html, "html", "", "write the result as a page to `file`, - for standard output")
	fs.StringVar(&o.book, "book", "", "count the rows of this CSV `file` in each kind, - for standard input")
	fs.StringVar(&o.question, "smt2", "", "write the question as SMT-LIB 2 to `file`, - for standard output")
	fs.DurationVar(&o.limit, "time", 10*time.Second,
		"the longest `time` that the comparison and the proofs may take together")
	if o.files, code, done = c.anyArguments(fs, len(c.args)); done {
		return o, code, true
	}
	switch {
	case len(o.files) != 2:
		return o, c.usage("give two policy files: verdict diff OLD NEW"), true
	case moreThanOne(o.files[0] == standardInput, o.files[1] == standardInput, o.book == standardInput):
		return o, c.usage("only one file can be standard input"), true
	case moreThanOne(o.json, o.html == standardInput, o.question == standardInput):
		return o, c.usage("only one result can go to standard output: use -json, \"-html -\" or \"-smt2 -\""), true
	}
	return o, exitOK, false
}

func diffCommand(c *command) int {
	o, code, done := diffArguments(c)
	if done {
		return code
	}
	plans, code, ok := o.plans(c)
	if !ok {
		return code
	}
	if o.question != "" {
		if code, done := c.writeResult(o.question, "question", smt.Differ(plans[0], plans[1]).Text); done {
			return code
		}
	}
	r, code, ok := o.compare(c, plans)
	if !ok {
		return code
	}
	if o.html != "" {
		page, err := diffPage(&r, plans)
		if err != nil {
			return c.usage("write the page: %v", err)
		}
		if code, done := c.writeResult(o.html, "page", page); done {
			return code
		}
	}
	if o.json {
		var w wire.Writer
		r.Write(&w)
		return c.printJSON(w.Buf, false)
	}
	return c.print(diffText(&r, plans, o.all))
}

// plans reads the two policies. If ok is false, plans has already reported the error, and code is the exit code.
func (o *diffOptions) plans(c *command) (plans [2]*engine.Plan, code int, ok bool) {
	for i, name := range o.files {
		p, code, ok, err := c.policyWith(name, new(lookupFiles).sources())
		if err != nil {
			return plans, c.refused(name, err), false
		}
		if !ok {
			return plans, code, false
		}
		plans[i] = engine.Compile(p, field.Catalogue())
	}
	return plans, exitOK, true
}

// compare compares two plans, proves the guarantees of both, and counts the rows of the book. If ok is false, compare
// has already reported the error, and code is the exit code.
func (o *diffOptions) compare(c *command, plans [2]*engine.Plan) (r prover.Result, code int, ok bool) {
	end := time.Now().Add(o.limit)
	r, err := comparePlans(c, plans, end)
	if err != nil {
		return r, c.usage("compare the policies: %v", err), false
	}
	for i, p := range plans {
		if r.Guarantees[i], err = proveAll(c, p.Policy(), end); err != nil {
			return r, c.usage("prove the guarantees: %v", err), false
		}
	}
	if o.book == "" {
		return r, exitOK, true
	}
	p, failed, code, ok := countBook(c, o.book, plans, &r)
	if !ok {
		return r, code, false
	}
	r.Population = p
	if failed > 0 {
		_, _ = fmt.Fprintf(c.stderr, "verdict diff: %d rows of %s cannot be read and are left out\n", failed, o.book)
	}
	return r, exitOK, true
}

// writeResult writes a result to a file, or prints it if the name means standard output. The parameter "what" names
// the result in an error. If done is true, the command has nothing left to do.
func (c *command) writeResult(name, what string, data []byte) (code int, done bool) {
	if name == standardInput {
		return c.print(data), true
	}
	if err := replaceFile(name, data); err != nil {
		return c.usage("write the %s: %v", what, err), true
	}
	return exitOK, false
}

// replaceFile writes a file. If that fails, the file keeps its old contents.
func replaceFile(name string, data []byte) error {
	return durablefile.Replace(name, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// moreThanOne reports whether several conditions are true.
func moreThanOne(conditions ...bool) bool {
	n := 0
	for _, is := range conditions {
		if is {
			n++
		}
	}
	return n > 1
}

// comparePlans compares two plans, at most until the time "end". It shows its progress on a terminal.
func comparePlans(c *command, plans [2]*engine.Plan, end time.Time) (prover.Result, error) {
	options, finish := c.proverOptions("comparing", end)
	defer finish()
	return prover.Diff(plans[0], plans[1], options)
}

// witnessFacts returns the facts of a witness as JSON.
func witnessFacts(x *prover.Witness) []byte {
	var w wire.Writer
	w.Object()
	for _, f := range x.Facts {
		w.Key(f.Name)
		f.Value.Write(&w)
	}
	w.EndObject()
	return w.Buf
}

//go:embed diff.html
var diffTemplate string

// diffPage returns the result as one HTML file without references to other files.
func diffPage(r *prover.Result, plans [2]*engine.Plan) ([]byte, error) {
	page, err := template.New("diff").Funcs(template.FuncMap{
		"facts": func(x *prover.Witness) string {
			if x.Request != nil {
				return string(x.Request)
			}
			return string(witnessFacts(x))
		},
		"cause": func(at int) string { return r.Changes[at].Section + " " + r.Changes[at].ID },
	}).Parse(diffTemplate)
	if err != nil {
		return nil, fmt.Errorf("parse the template: %w", err)
	}
	var b bytes.Buffer
	err = page.Execute(&b, struct {
		*prover.Result
		Old, New string
	}{r, plans[0].Policy().Name, plans[1].Policy().Name})
	return b.Bytes(), err
}
