package policytest

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"verdict/internal/wire"
)

// Report has the results of a run, in the order in which the cases were run.
type Report struct {
	Results []Result
}

// Failed returns the number of cases that did not pass.
func (r *Report) Failed() (n int) {
	for i := range r.Results {
		if !r.Results[i].Passed() {
			n++
		}
	}
	return n
}

// title returns the name of a case for people: its file, and its name if it has one.
func (r *Result) title() string {
	if r.Case.Name == "" {
		return r.File
	}
	return r.File + ": " + r.Case.Name
}

// Text returns the report for people. It lists the cases that failed, with their
// differences side by side, or all cases if verbose is set. The last line is a summary.
func (r *Report) Text(verbose bool) []byte {
	var b bytes.Buffer
	for i := range r.Results {
		x := &r.Results[i]
		switch {
		case !x.Passed():
			fmt.Fprintf(&b, "FAIL %s\n%s", x.title(), x.details("  "))
		case verbose:
			fmt.Fprintf(&b, "ok   %s\n", x.title())
		}
	}
	noun := "cases"
	if len(r.Results) == 1 {
		noun = "case"
	}
	fmt.Fprintf(&b, "%d %s, %d failed\n", len(r.Results), noun, r.Failed())
	return b.Bytes()
}

// details returns the differences of a case as a table, or the faults of its application.
func (r *Result) details(indent string) string {
	var b strings.Builder
	if comment, _, _ := strings.Cut(r.Case.Comment, "\n"); comment != "" {
		b.WriteString(indent + comment + "\n")
	}
	if r.Refused != nil {
		text := strings.ReplaceAll(r.Refused.Error(), "\n", "\n"+indent)
		b.WriteString(indent + "the application is refused: " + text + "\n")
		return b.String()
	}
	for _, text := range r.Misspelt {
		b.WriteString(indent + text + "\n")
	}
	if len(r.Differences) == 0 {
		return b.String()
	}
	rows := [][3]string{{"path", "expected", "got"}}
	for _, d := range r.Differences {
		rows = append(rows, [3]string{d.Path, d.Want, d.Got})
	}
	var widths [2]int
	for _, row := range rows {
		for i := range widths {
			widths[i] = max(widths[i], utf8.RuneCountInString(row[i]))
		}
	}
	for _, row := range rows {
		b.WriteString(indent)
		for i, width := range widths {
			b.WriteString(row[i] + strings.Repeat(" ", width-utf8.RuneCountInString(row[i])+2))
		}
		b.WriteString(row[2] + "\n")
	}
	for _, d := range r.Differences {
		if member := firstMember(d.Want); member != "" && firstMember(d.Got) != "" && d.Path != hitsPart {
			fmt.Fprintf(&b, "%s%s is compared as a whole, so every member must be named; to compare one member, write "+
				"\"%s.%s\"\n", indent, d.Path, d.Path, member)
		}
	}
	return b.String()
}

// firstMember returns the name of the first member of an object, or "" if the JSON is not an object with a member.
func firstMember(document string) string {
	v, err := wire.Parse([]byte(document))
	if err != nil || v.Kind() != wire.Object {
		return ""
	}
	for name := range v.Members() {
		return name
	}
	return ""
}

// The elements of a JUnit report.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Name    string        `xml:"name,attr"`
		Class   string        `xml:"classname,attr"`
		File    string        `xml:"file,attr"`
		Failure *junitFailure `xml:"failure,omitempty"`
	}
	junitFailure struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// JUnit returns the report as JUnit XML, with one suite per file. It has no times,
// so that equal results give equal bytes.
func (r *Report) JUnit() ([]byte, error) {
	all := junitSuites{Tests: len(r.Results), Failures: r.Failed()}
	for i := range r.Results {
		x := &r.Results[i]
		if n := len(all.Suites); n == 0 || all.Suites[n-1].Name != x.File {
			all.Suites = append(all.Suites, junitSuite{Name: x.File})
		}
		suite := &all.Suites[len(all.Suites)-1]
		name := x.Case.Name
		if name == "" {
			name = x.File
		}
		c := junitCase{Name: name, Class: x.File, File: x.File}
		suite.Tests++
		if !x.Passed() {
			suite.Failures++
			c.Failure = &junitFailure{Message: x.message(), Text: x.details("")}
		}
		suite.Cases = append(suite.Cases, c)
	}
	out, err := xml.MarshalIndent(&all, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write JUnit XML: %w", err)
	}
	return append([]byte(xml.Header), append(out, '\n')...), nil
}

// message returns the differences of a case in one line.
func (r *Result) message() string {
	if r.Refused != nil {
		return "the application is refused"
	}
	parts := slices.Clone(r.Misspelt)
	for _, d := range r.Differences {
		parts = append(parts, fmt.Sprintf("%s: expected %s, got %s", d.Path, d.Want, d.Got))
	}
	return strings.Join(parts, "; ")
}
