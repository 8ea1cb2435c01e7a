// Package application reads what a lender sends about one applicant, the body
// of POST /v1/decisions or of POST /v1/evaluate, into facts.
//
// Each value is kept twice: under its raw path, as it was sent, and under its
// canonical name, as it was understood (FOIR always as a ratio, a
// new-to-credit code never as a score). What was not sent stays absent. A
// wrong application is refused with every bad field at once; whatever was
// left aside or read in a surprising way comes back as a warning.
//
// Units follow from the endpoint and are never guessed from the value
// (CONTRACT A2).
package application

import (
	"slices"
	"strings"

	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// Endpoint is the request a body belongs to.
type Endpoint uint8

// The two entry points.
const (
	Decisions Endpoint = iota
	Evaluate
)

// Application is a request that was understood.
type Application struct {
	Endpoint    Endpoint
	ApplicantID string
	Bureau      string
	PolicyKey   string // "" when not named
	Facts       *rule.Facts
	Warnings    []fault.Item
}

// Options say what the caller expects of a body.
type Options struct {
	// Inputs are the paths that the policy declares; they are carried without
	// a warning.
	Inputs map[string]rule.Type
	// Members are further top-level names that the caller reads itself.
	Members []string
	// ScoreOptional is set for eligibility, which is asked before a bureau
	// report is paid for.
	ScoreOptional bool
}

// Read reads a body of either endpoint, told apart by its members.
func Read(v wire.Value, opt Options) (*Application, error) {
	if v.Get("report").Given() || v.Get("bureau").Given() {
		return ReadEvaluate(v, opt)
	}
	return ReadDecision(v, opt)
}

// ReadDecision reads a body of POST /v1/decisions.
func ReadDecision(v wire.Value, opt Options) (*Application, error) {
	r := newReader(Decisions, opt)
	if r.object(v) {
		r.topLevel(v, "applicant", "bureau_report")
		r.block(v, "applicant")
		r.block(v, "bureau_report")
		r.score(v.Get("bureau_report"), "/bureau_report", "bureau_report.score")
		r.app.ApplicantID = r.app.Facts.Get("applicant.id").Text()
	}
	return r.done()
}

// ReadEvaluate reads a body of POST /v1/evaluate.
func ReadEvaluate(v wire.Value, opt Options) (*Application, error) {
	r := newReader(Evaluate, opt)
	if r.object(v) {
		r.topLevel(v, "bureau", "report", "features", "device", "location", "fraud", "bank_summary")
		if f := v.Get("features"); f.Given() && f.Kind() != wire.Bool {
			r.faults.Add(f.Pointer(), fault.CodeWrongType, "must be true or false")
		}
		if report, ok := r.report(v); ok {
			r.walk(roots()["report"], report, "report")
			r.score(report.Get("scoreData"), report.Pointer()+"/scoreData", "report.scoreData.score")
		}
		for _, name := range []string{"device", "location", "fraud", "bank_summary"} {
			r.block(v, name)
		}
	}
	return r.done()
}

type reader struct {
	app      *Application
	opt      Options
	faults   fault.List
	warnings fault.List
	carried  int
}

func newReader(e Endpoint, opt Options) *reader {
	return &reader{app: &Application{Endpoint: e, Facts: rule.NewFacts(field.Catalogue())}, opt: opt}
}

func (r *reader) done() (*Application, error) {
	if err := r.faults.Err(); err != nil {
		return nil, err
	}
	r.app.Warnings = r.warnings.Items()
	return r.app, nil
}

func (r *reader) object(v wire.Value) bool {
	if v.Kind() == wire.Object {
		return true
	}
	r.faults.Add(v.Pointer(), fault.CodeWrongType, "must be an object, but is %s", v.Kind())
	return false
}

// topLevel reads policy_key and warns of members nobody reads, so that the
// service can grow new ones without breaking old callers (CONTRACT C0).
func (r *reader) topLevel(v wire.Value, known ...string) {
	for name, member := range v.Members() {
		switch {
		case name == "policy_key":
			if member.Kind() == wire.String {
				r.app.PolicyKey = member.Text()
			} else if member.Given() {
				r.faults.Add(member.Pointer(), fault.CodeWrongType, "must be a string")
			}
		case !slices.Contains(known, name) && !slices.Contains(r.opt.Members, name):
			r.warnings.Add(member.Pointer(), "unknown_field", "is not a member of this request and was not read")
		}
	}
}

// block walks one top-level object of the body.
func (r *reader) block(body wire.Value, name string) {
	if v := body.Get(name); v.Given() {
		if r.object(v) {
			r.walk(roots()[name], v, name)
		}
	}
}

// knownBureaus are those whose own layouts are known, with their aliases.
var knownBureaus = map[string]string{
	"cibil": "cibil", "transunion": "cibil", "experian": "experian", "equifax": "equifax",
	"crif": "crif", "crif_highmark": "crif",
}

// report finds the one report and checks that it is the named bureau's.
func (r *reader) report(v wire.Value) (wire.Value, bool) {
	name := v.Get("bureau")
	if name.Kind() != wire.String || name.Text() == "" || len(name.Text()) > 64 {
		r.faults.Add("/bureau", fault.CodeRequired, "must name the bureau, in 1 to 64 characters")
		return wire.Value{}, false
	}
	outer := v.Get("report")
	if outer.Kind() != wire.Object {
		r.faults.Add("/report", fault.CodeRequired, "must be an object with one key, the bureau's name")
		return wire.Value{}, false
	}
	if outer.Len() != 1 {
		r.faults.Add("/report", "report_must_have_one_key", "must have exactly one key, the bureau's name")
		return wire.Value{}, false
	}
	report := outer.Get(name.Text())
	if !report.Given() {
		r.faults.Add("/report", "bureau_report_mismatch", "its key must equal bureau")
		return wire.Value{}, false
	}
	if !r.object(report) {
		return wire.Value{}, false
	}
	bureau, known := knownBureaus[strings.ToLower(name.Text())]
	if !known {
		bureau = name.Text()
		r.warnings.Add("/bureau", "unknown_bureau", "is not a bureau whose own layout is known; the report was read in the common shape")
	}
	r.app.Bureau = bureau
	r.app.Facts.Set("bureau", rule.Str(bureau))
	return report, true
}
