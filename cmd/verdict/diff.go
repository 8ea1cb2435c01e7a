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

The status and, unless the application is declined, the grade, the rate, the limit,
the tenure, fee and charges, and the conditions of the offer are compared. A comparison that
takes longer than -time ends with what it has found, and says that it is not
complete. With -book it also counts how many rows of a CSV file are of each kind; the
columns are those of a backtest. With -smt2 it also writes a question in SMT-LIB 2: is
there an applicant to whom Stage 1, the score and the bands of the two policies give
another status, grade or rate? Solvers such as z3 and cvc5 answer sat (yes) or unsat (no).
With -json the result also has the proofs of the guarantees of both policies. Exits
with 0 even if the policies differ.
`

func diffCommand(c *command) int {
	fs := c.flags(diffHelp)
	asJSON := fs.Bool("json", false, "print the result as JSON")
	html := fs.String("html", "", "write the result as a page to `file`, - for standard output")
	book := fs.String("book", "", "count the rows of this CSV `file` in each kind, - for standard input")
	question := fs.String("smt2", "", "write the question as SMT-LIB 2 to `file`, - for standard output")
	limit := fs.Duration("time", 10*time.Second,
		"the longest `time` that the comparison and the proofs may take together")
	var files []string
	for { // flags may come before and after the files
		if code, done := c.parse(fs, len(c.args)); done {
			return code
		}
		if fs.NArg() == 0 {
			break
		}
		files, c.args = append(files, fs.Arg(0)), fs.Args()[1:]
	}
	switch {
	case len(files) != 2:
		return c.usage("give two policy files: verdict diff OLD NEW")
	case moreThanOne(files[0] == standardInput, files[1] == standardInput, *book == standardInput):
		return c.usage("only one file can be standard input")
	case moreThanOne(*asJSON, *html == standardInput, *question == standardInput):
		return c.usage("only one result can go to standard output: use -json, \"-html -\" or \"-smt2 -\"")
	}
	var plans [2]*engine.Plan
	for i, name := range files {
		p, code, ok, err := c.policyWith(name, new(lookupFiles).sources())
		if err != nil {
			return c.refused(name, err)
		}
		if !ok {
			return code
		}
		plans[i] = engine.Compile(p, field.Catalogue())
	}
	if *question != "" {
		text := smt.Differ(plans[0], plans[1]).Text
		if *question == standardInput {
			return c.print(text)
		}
		if err := replaceFile(*question, text); err != nil {
			return c.usage("write the question: %v", err)
		}
	}
	end := time.Now().Add(*limit)
	r, err := comparePlans(c, plans, end)
	if err != nil {
		return c.usage("compare the policies: %v", err)
	}
	for i, p := range plans {
		if r.Guarantees[i], err = proveAll(c, p.Policy(), end); err != nil {
			return c.usage("prove the guarantees: %v", err)
		}
	}
	if *book != "" {
		p, failed, code, ok := countBook(c, *book, plans, &r)
		if !ok {
			return code
		}
		r.Population = p
		if failed > 0 {
			_, _ = fmt.Fprintf(c.stderr, "verdict diff: %d rows of %s cannot be read and are left out\n", failed, *book)
		}
	}
	if *html != "" {
		page, err := diffPage(&r, plans)
		if err != nil {
			return c.usage("write the page: %v", err)
		}
		if *html == standardInput {
			return c.print(page)
		}
		if err := replaceFile(*html, page); err != nil {
			return c.usage("write the page: %v", err)
		}
	}
	if *asJSON {
		var w wire.Writer
		r.Write(&w)
		return c.printJSON(w.Buf, false)
	}
	return c.print(diffText(&r))
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

// diffText returns the result for people.
func diffText(r *prover.Result) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n", r.Summary())
	for i := range r.Classes {
		c := &r.Classes[i]
		fmt.Fprintf(&b, "\n%s (%s)\n", c.Title(), c.Direction())
		if p := r.Population; p != nil {
			fmt.Fprintf(&b, "  %d of %d rows\n", p.ByClass[i], p.Rows)
		}
		for _, x := range c.Where {
			fmt.Fprintf(&b, "    %s: %s\n", x.Field, x.Text)
		}
		for _, at := range c.Causes {
			change := r.Changes[at]
			fmt.Fprintf(&b, "  caused by %s %s\n", change.Section, change.ID)
		}
		switch {
		case !c.Confirmed:
			fmt.Fprintf(&b, "  not confirmed: no such applicant was found, but such applicants may exist\n")
		case c.Witness.Request != nil:
			fmt.Fprintf(&b, "  applicant: %s\n", c.Witness.Request)
		default:
			fmt.Fprintf(&b, "  applicant, as facts: %s\n", witnessFacts(c.Witness))
		}
	}
	for _, text := range r.Incomplete {
		fmt.Fprintf(&b, "\nnot complete: %s\n", text)
	}
	states := "states"
	if r.States == 1 {
		states = "state"
	}
	fmt.Fprintf(&b, "\n%d cells, %d %s\n", r.Cells, r.States, states)
	return b.Bytes()
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
