package main

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"verdict/internal/engine/analysis"
	"verdict/internal/field"
	"verdict/internal/policydesk"
	"verdict/internal/wire"
)

const checkHelp = `Analyse a policy before it is activated: rules that never fire or always
fire, rules that another rule makes redundant, rules that a missing field
silences, wrong units, grades nobody can reach, better scores with worse prices,
guarantees that are not proved.
A policy that cannot be read is refused with all its errors. With a base, each
finding says whether it is new, and further findings list what the base has and
the policy lacks.

  verdict check -policy policy.json
  verdict check -policy policy.json -json
  verdict check -policy policy.json -base active.json
  verdict check                            the default policy

Exits with 1 when the policy is refused or a finding is an error.
` + lookupHelp

func check(c *command) int {
	fs := c.flags(checkHelp)
	policyFile := fs.String("policy", "", "policy `file`, - for standard input; default: the default policy")
	baseFile := fs.String("base", "", "policy `file` that the policy was made from, - for standard input")
	asJSON := fs.Bool("json", false, "print the findings as JSON")
	var files lookupFiles
	files.declare(fs)
	if code, done := c.parse(fs, 0); done {
		return code
	}
	policy, code, ok := files.read(c, *policyFile)
	if !ok {
		return code
	}
	found := analysis.Run(policy, field.Catalogue())
	if *baseFile != "" {
		base, code, ok := files.policy(c, *baseFile)
		if !ok {
			return code
		}
		found = analysis.Against(found, policy, analysis.Run(base, field.Catalogue()), base)
	}
	proofs, err := proveAll(c, policy, time.Now().Add(proofTime))
	if err != nil {
		return c.usage("prove the guarantees: %v", err)
	}
	r := newCheckReport(append(found, policydesk.GuaranteeFindings(proofs)...))
	if *asJSON {
		code = c.printJSON(r.json(), false)
	} else {
		code = c.print(r.text())
	}
	if code == exitOK && r.count(analysis.SeverityError) > 0 {
		return exitRefused
	}
	return code
}

// checkReport holds the findings of a policy, as one list and by severity.
type checkReport struct {
	all        []analysis.Finding
	bySeverity map[analysis.Severity][]analysis.Finding
}

func newCheckReport(findings []analysis.Finding) *checkReport {
	r := &checkReport{all: findings, bySeverity: map[analysis.Severity][]analysis.Finding{}}
	for _, f := range findings {
		r.bySeverity[f.Severity] = append(r.bySeverity[f.Severity], f)
	}
	return r
}

func (r *checkReport) count(s analysis.Severity) int { return len(r.bySeverity[s]) }

// headings holds the titles of the severities, the worst first.
var headings = []struct {
	severity   analysis.Severity
	one, title string
}{
	{analysis.SeverityError, "error", "errors"},
	{analysis.SeverityWarning, "warning", "warnings"},
	{analysis.SeverityInfo, "note", "notes"},
}

// text returns the analysis for people: a heading for each severity with its
// findings in the order of the document, and a summary in the last line.
func (r *checkReport) text() []byte {
	var b bytes.Buffer
	for _, h := range headings {
		if r.count(h.severity) == 0 {
			continue
		}
		fmt.Fprintf(&b, "%s\n", strings.ToUpper(h.title))
		for _, f := range r.bySeverity[h.severity] {
			writeFinding(&b, f)
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "%s\n", r.counts())
	return b.Bytes()
}

// brief returns the analysis for people with the summary in the first line. It ends with a newline.
func (r *checkReport) brief() []byte {
	if len(r.all) == 0 {
		return fmt.Appendf(nil, "%s\n", r.counts())
	}
	lists := bytes.TrimSuffix(r.text(), fmt.Appendf(nil, "\n%s\n", r.counts()))
	return fmt.Appendf(nil, "%s\n\n%s", r.counts(), lists)
}

// counts returns how many findings of each severity there are, such as "0 errors, 1 warning, 2 notes".
func (r *checkReport) counts() string {
	var counts []string
	for _, h := range headings {
		n := r.count(h.severity)
		noun := h.title
		if n == 1 {
			noun = h.one
		}
		counts = append(counts, fmt.Sprintf("%d %s", n, noun))
	}
	return strings.Join(counts, ", ")
}

func writeFinding(b *bytes.Buffer, f analysis.Finding) {
	place := f.Pointer
	if place == "" {
		place = "(the policy)"
	}
	origin := ""
	if f.Origin != analysis.OriginUnknown {
		origin = " (" + f.Origin.String() + ")"
	}
	if !f.Proved {
		origin += ", not proved"
	}
	fmt.Fprintf(b, "  %s: %s%s\n    %s\n", place, f.Code, origin, f.Detail)
	if len(f.Witness) == 0 {
		return
	}
	var facts []string
	for _, nv := range f.Witness {
		var w wire.Writer
		nv.Value.Write(&w)
		facts = append(facts, fmt.Sprintf("%s = %s", nv.Name, w.Buf))
	}
	fmt.Fprintf(b, "    witness: %s\n", strings.Join(facts, ", "))
}

// json returns the analysis for programs.
func (r *checkReport) json() []byte {
	var w wire.Writer
	w.Object().Key("findings").Array()
	for _, f := range r.all {
		f.Write(&w)
	}
	w.EndArray()
	for _, h := range headings {
		w.Key(h.title).Int(int64(r.count(h.severity)))
	}
	w.EndObject()
	return w.Buf
}
