// Package application reads what a lender sends about one applicant, the body
// of POST /v1/decisions or of POST /v1/evaluate, into facts.
//
// Each value is kept twice: under its raw path, as it was sent, and under its
// canonical name, as it was understood (FOIR always as a ratio, a
// new-to-credit code never as a score). What was not sent stays absent, and a
// null is the same as not sent. A wrong application is refused with every bad
// field at once; whatever was left aside or read in a surprising way comes
// back as a warning.
//
// Units follow from the endpoint and are never guessed from the value.
package application

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

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

// Codes of faults and warnings that only a request can have.
const (
	CodeOneKey            = "report_must_have_one_key"
	CodeBureauMismatch    = "bureau_report_mismatch"
	CodeUnknownBureau     = "unknown_bureau"
	CodeUnknownEmployment = "unknown_employment_type"
	CodeLooksLikeRatio    = "foir_looks_like_ratio"
	CodeNotRead           = "not_read"
	CodeMoreWarnings      = "more_warnings"
)

// Application is a request that was understood.
type Application struct {
	Endpoint    Endpoint
	ApplicantID string // of a decision request, "" when not given
	Bureau      string // of an evaluate request
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

// Read reads a body of either endpoint, told apart by its members. A wrong one
// is refused as a *fault.Error that names every bad field and repeats no value.
func Read(v wire.Value, opt Options) (*Application, error) {
	if v.Get("report").Given() || v.Get("bureau").Given() && !v.Get("bureau_report").Given() {
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
		if report, ok := r.report(v); ok {
			r.walk(roots()["report"], report, "report")
			r.score(report.Get("scoreData"), report.Pointer()+"/scoreData", "report.scoreData.score")
		}
		r.features(v.Get("features"))
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
	if more := r.warnings.Len() - len(r.app.Warnings); more > 0 {
		r.app.Warnings = append(r.app.Warnings, fault.Item{
			Code: CodeMoreWarnings, Detail: fmt.Sprintf("%d more warnings are not listed", more),
		})
	}
	return r.app, nil
}

func (r *reader) object(v wire.Value) bool {
	if v.Kind() == wire.Object {
		return true
	}
	r.faults.Add(v.Pointer(), fault.CodeWrongType, "must be an object, but is %s", v.Kind())
	return false
}

// maxKey bounds the names by which a request picks things, in characters.
const maxKey = 64

// topLevel reads policy_key and warns of members nobody reads, so that the
// service can grow new ones without breaking old callers.
func (r *reader) topLevel(v wire.Value, known ...string) {
	for name, member := range v.Members() {
		switch {
		case !member.Given():
		case name == "policy_key":
			r.app.PolicyKey, _ = r.key(member)
		case !slices.Contains(known, name) && !slices.Contains(r.opt.Members, name):
			r.warnings.Add(member.Pointer(), fault.CodeUnknownField, "is not a member of this request and was not read")
		}
	}
}

// key reads a short name.
func (r *reader) key(v wire.Value) (string, bool) {
	switch n := utf8.RuneCountInString(v.Text()); {
	case v.Kind() != wire.String:
		r.faults.Add(v.Pointer(), fault.CodeWrongType, "must be a string, but is %s", v.Kind())
		return "", false
	case n < 1 || n > maxKey:
		r.faults.Add(v.Pointer(), fault.CodeOutOfRange, "must have 1 to %d characters", maxKey)
		return "", false
	}
	return v.Text(), true
}

// features reads the switch of the feature factory.
func (r *reader) features(v wire.Value) {
	switch {
	case !v.Given():
	case v.Kind() != wire.Bool:
		r.faults.Add(v.Pointer(), fault.CodeWrongType, "must be true or false, but is %s", v.Kind())
	case v.IsTrue():
		r.warnings.Add(v.Pointer(), CodeNotRead, "no features are computed yet; they are absent")
	}
}

// block walks one top-level object of the body.
func (r *reader) block(body wire.Value, name string) {
	if v := body.Get(name); v.Given() && r.object(v) {
		r.walk(roots()[name], v, name)
	}
}

// knownBureaus are those whose own layouts are known, with their aliases.
var knownBureaus = map[string]string{
	"cibil": "cibil", "transunion": "cibil", "experian": "experian", "equifax": "equifax",
	"crif": "crif", "crif_highmark": "crif",
}

// report finds the one report and checks that it is the named bureau's. A
// wrong name does not hide what is wrong inside the report.
func (r *reader) report(v wire.Value) (wire.Value, bool) {
	bureau, named := r.bureau(v.Get("bureau"))
	outer := v.Get("report")
	if !outer.Given() {
		r.faults.Add("/report", fault.CodeRequired, "is required: an object with one key, the bureau's name")
		return wire.Value{}, false
	}
	if !r.object(outer) {
		return wire.Value{}, false
	}
	var key string
	var report wire.Value
	given := 0
	for name, member := range outer.Members() {
		if member.Given() {
			given++
			key, report = name, member
		}
	}
	if given != 1 {
		r.faults.Add(outer.Pointer(), CodeOneKey, "must have exactly one key, the bureau's name")
		return wire.Value{}, false
	}
	if named && key != bureau {
		r.faults.Add(outer.Pointer(), CodeBureauMismatch, "its key must equal bureau")
	}
	return report, r.object(report)
}

// bureau reads the bureau's name as it was sent, and makes its canonical
// spelling a fact.
func (r *reader) bureau(v wire.Value) (name string, ok bool) {
	if !v.Given() {
		r.faults.Add("/bureau", fault.CodeRequired, "is required: the name of the bureau whose report is sent")
		return "", false
	}
	if name, ok = r.key(v); !ok {
		return "", false
	}
	canonical, known := knownBureaus[strings.ToLower(name)]
	if !known {
		canonical = name
		r.warnings.Add(v.Pointer(), CodeUnknownBureau, "is not a bureau whose own layout is known; the report was read in the common shape")
	}
	r.app.Bureau = canonical
	r.app.Facts.Set("bureau", rule.Str(canonical))
	return name, true
}
