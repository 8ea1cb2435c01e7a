package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"verdict/internal/engine"
	"verdict/internal/policytest"
	"verdict/internal/policytest/generate"
	"verdict/internal/rule"
)

const testHelp = `Run the test cases of a policy, or write cases that cover it.

  verdict test -policy policy.json cases/
  verdict test -policy policy.json -junit report.xml cases/ extra.txtar
  verdict test -policy policy.json -coverage cases/
  verdict test -generate -policy policy.json -o cases/

A case is an application, as "verdict decide -input" takes it, and the parts of the
decision that are expected. Only the parts that are named are compared: status,
grade, score, limit, rate, reasons, hits, conditions, or a path such as offer.emi.
A case is a txtar file

  Somebody of 20 is one year too young.
  -- application.json --
  {"applicant": {"age": 20}, "bureau_report": {"score": 780}}
  -- expect.json --
  {"status": "DECLINED", "reasons": ["AGE_RANGE"]}

or a JSON file {"name": …, "application": {…}, "expect": {…}}, or an array of such
objects. A section facts.json, or a member "facts", states what only the service knows:
{"fraud_blocklisted": true}. If you name a folder, all its .txtar and .json files are
run, in the order of their names.

With -generate, a small set of cases is written that covers every rule, bin, band
and boundary both ways, with what the policy decides today. Read the cases before you
keep them: they repeat the mistakes of the policy. What could not be covered is
printed with the reason.

Exits with 0 when every case passes, with 1 when a decision differs, a member of an
application is probably misspelt, or a case or the policy is invalid, and with 2
when a file cannot be read or written or there are no cases.
` + lookupHelp + `An entry that has expired at the time of a case, or now, does not count.
`

// testOptions holds the arguments of the command.
type testOptions struct {
	policy, junit, folder         string
	verbose, coverage, generating bool
	cases                         []string // files and folders
	lookups                       lookupFiles
}

// testArguments parses and checks the arguments. If done is true, the command has nothing left to do.
func testArguments(c *command) (o testOptions, code int, done bool) {
	flags := c.flags(testHelp)
	flags.StringVar(&o.policy, "policy", "", "policy `file`, - for standard input; default: the default policy")
	flags.StringVar(&o.junit, "junit", "",
		"also write the results as JUnit XML to `file`, - for standard output instead of the text")
	flags.BoolVar(&o.verbose, "v", false, "print the cases that pass too")
	flags.BoolVar(&o.coverage, "coverage", false,
		"also print which rules, bins, bands and boundaries the cases do not cover")
	flags.BoolVar(&o.generating, "generate", false, "write cases that cover the policy")
	flags.StringVar(&o.folder, "o", "", "with -generate: the `folder` to write to; it must be empty or not exist")
	o.lookups.declare(flags)
	if o.cases, code, done = c.anyArguments(flags, maxCaseFiles); done {
		return o, code, true
	}
	switch {
	case (o.generating || o.coverage) && o.lookups.given():
		return o, c.usage("-generate and -coverage cannot use lists or tables: leave out -list and -table"), true
	case o.generating && (o.folder == "" || o.junit != "" || o.coverage || o.verbose || len(o.cases) > 0):
		return o, c.usage("-generate needs -o FOLDER, and no cases, -junit, -coverage or -v"), true
	case !o.generating && o.folder != "":
		return o, c.usage("-o needs -generate: it is the folder for the generated cases"), true
	case !o.generating && len(o.cases) == 0:
		return o, c.usage("name the files or folders of the cases"), true
	}
	return o, exitOK, false
}

func testPolicy(c *command) int {
	o, code, done := testArguments(c)
	if done {
		return code
	}
	policy, code, ok := o.lookups.read(c, o.policy)
	if !ok {
		return code
	}
	if o.generating {
		return generateCases(c, policy, o.folder)
	}
	report, cases, code, ok := o.run(c, policy)
	if !ok {
		return code
	}
	if code := printTestResults(c, &report, o.junit, o.verbose); code != exitOK {
		return code
	}
	if o.coverage && o.junit != standardInput {
		if code := printCoverage(c, policy, cases); code != exitOK {
			return code
		}
	}
	if report.Failed() > 0 {
		return exitRefused
	}
	return exitOK
}

// run runs all cases, and returns their results and the cases. If ok is false, run has already reported the error, and
// code is the exit code.
func (o *testOptions) run(
	c *command, policy *engine.Policy,
) (report policytest.Report, all []policytest.Case, code int, ok bool) {
	files, err := caseFiles(o.cases)
	if err != nil {
		return report, nil, c.usage("%v", err), false
	}
	subject := policytest.NewSubject(policy)
	if o.lookups.given() {
		subject.LookUp = func(facts *rule.Facts, asOf time.Time) {
			if asOf.IsZero() {
				asOf = o.lookups.now
			}
			o.lookups.lookUp(subject.Plan.Lookups(), subject.Plan.Tables(), facts, asOf)
		}
	}
	for _, file := range files {
		data, err := c.read(file)
		if err != nil {
			return report, nil, c.usage("%v", err), false
		}
		cases, err := policytest.Read(data)
		if err != nil {
			return report, nil, c.refused(file, err), false
		}
		all = append(all, cases...)
		for i := range cases {
			report.Results = append(report.Results, subject.Run(filepath.ToSlash(file), &cases[i]))
		}
	}
	return report, all, exitOK, true
}

// maxCaseFiles is the maximum number of files and folders on the command line.
const maxCaseFiles = 10_000

// caseFiles lists the files of cases. A folder stands for the .txtar and .json files
// in it and below it.
func caseFiles(names []string) (list []string, err error) {
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			list = append(list, name)
			continue
		}
		before := len(list)
		err = filepath.WalkDir(name, func(path string, entry fs.DirEntry, err error) error {
			if extension := filepath.Ext(path); err == nil && !entry.IsDir() &&
				slices.Contains(caseExtensions, extension) {
				list = append(list, path)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		if len(list) == before {
			return nil, fmt.Errorf("the folder %s has no .txtar and no .json file", name)
		}
	}
	return list, nil
}

var caseExtensions = []string{".txtar", ".json"}

// printTestResults prints the results, and writes them as JUnit XML if a file is named.
func printTestResults(c *command, report *policytest.Report, junit string, verbose bool) int {
	if junit == "" {
		return c.print(report.Text(verbose))
	}
	document, err := report.JUnit()
	if err != nil {
		return c.usage("%v", err)
	}
	if junit == standardInput {
		return c.print(document)
	}
	if err := replaceFile(junit, document); err != nil {
		return c.usage("write %s: %v", junit, err)
	}
	return c.print(report.Text(verbose))
}

// printCoverage prints how many goals of a policy the cases reach, and lists the other
// goals.
func printCoverage(c *command, policy *engine.Policy, cases []policytest.Case) int {
	measured, err := generate.NewCoverage(policy)
	if err != nil {
		return c.refused("the policy", err)
	}
	total, missed := measured.Count(cases)
	var b bytes.Buffer
	fmt.Fprintf(&b, "%d of %d covered\n", total-len(missed), total)
	for _, text := range missed {
		fmt.Fprintf(&b, "  not covered: %s\n", text)
	}
	return c.print(b.Bytes())
}

// generateCases writes cases that cover a policy to a folder.
func generateCases(c *command, policy *engine.Policy, folder string) int {
	switch entries, err := os.ReadDir(folder); {
	case err == nil && len(entries) > 0:
		return c.usage("the folder %s is not empty: former cases would be mixed with the new ones", folder)
	case err != nil && !os.IsNotExist(err):
		return c.usage("%v", err)
	}
	set, err := generate.Generate(policy)
	if err != nil {
		return c.refused("the policy", err)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil { //nolint:gosec // cases are no secret
		return c.usage("%v", err)
	}
	for _, f := range set.Files {
		if err := replaceFile(filepath.Join(folder, f.Name), f.Data); err != nil {
			return c.usage("%v", err)
		}
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%d cases cover %d of %d goals\n", len(set.Files), set.Goals-len(set.Unreached), set.Goals)
	for _, g := range set.Unreached {
		fmt.Fprintf(&b, "  not covered: %s\n    %s\n", g.Text, g.Why)
	}
	return c.print(b.Bytes())
}
