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
	"sync"
	"unicode/utf8"

	"verdict/internal/civil"
	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/place"
	"verdict/internal/report"
	"verdict/internal/rule"
	"verdict/internal/signal"
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
	ApplicantID string // of a decision request, "" when not given
	Bureau      string // of an evaluate request
	PolicyKey   string // "" when not named
	Facts       *rule.Facts
	Warnings    []fault.Item
	// IncludeFacts says that the answer is to show the facts.
	IncludeFacts bool

	// History and Statement are what an evaluate request brings for features,
	// each nil when it is not there; AsOf is the day features are measured on.
	History   *report.History
	Statement *report.Statement
	AsOf      civil.Day
	// WantsFeatures says that the answer shall have the features;
	// MeasuresFeatures, that they take part in the decision: because they were
	// asked for, or because the policy always has them measured.
	WantsFeatures    bool
	MeasuresFeatures bool

	// Device and Location are what these blocks derived, nil for a block that
	// was not sent.
	Device   *signal.Block
	Location *signal.Block

	hasBank bool       // a bank_summary was sent
	tenure  wire.Value // the tenure asked for, as it was sent
}

// TenurePointer is where the request has the tenure, "" where it has none.
func (a *Application) TenurePointer() string { return a.tenure.Pointer() }

var tenureID = func() rule.FieldID {
	id, _ := field.Catalogue().Lookup(field.RequestedTenureMonths)
	return id
}()

// Options say what the caller expects of a body.
type Options struct {
	// Inputs are the paths that the policy declares; they are carried without
	// a warning.
	Inputs map[string]rule.Type
	// FeaturesAuto is set when the policy has features measured without the
	// request asking for them.
	FeaturesAuto bool
	// Members are further top-level names that the caller reads itself.
	Members []string
	// ScoreOptional is set for eligibility, which is asked before a bureau
	// report is paid for.
	ScoreOptional bool
	// NoScore says that the policy reads no bureau score, so that none is asked
	// for.
	NoScore bool
	// Include says that the caller answers the member include.
	Include bool
	// Strict refuses members that are not known instead of warning of them.
	Strict bool
	// Today is the day of the request, from which ages and windows are
	// counted. Without one it is the day of the report, and where there is
	// none either, nothing that needs a day is worked out.
	Today civil.Day
	// Signals are the tenant's thresholds and tables; nil for those that every
	// tenant starts with.
	Signals *Signals
}

// Signals is what blocks are held against to derive facts from them.
type Signals struct {
	Config   signal.Config
	Atlas    signal.Atlas
	Risks    *signal.PincodeTable // the tenant's own; nil for none
	AtMicros int64                // the moment at which an entry may have expired
}

// defaultSignals are what every tenant starts with.
var defaultSignals = sync.OnceValue(func() *Signals {
	return &Signals{Config: signal.DefaultConfig(), Atlas: signal.Atlas{Matches: place.Matches, Country: place.Country}}
})

// Read reads a body of either endpoint, told apart by its members. A wrong one
// is refused as a *fault.Error that names every bad field and repeats no value.
func Read(v wire.Value, opt Options) (*Application, error) {
	switch {
	case v.Get("report").Given():
		return ReadEvaluate(v, opt)
	case opt.ScoreOptional:
		return readWhatIsKnown(v, opt)
	case v.Get("bureau").Given() && !v.Get("bureau_report").Given():
		return ReadEvaluate(v, opt)
	}
	return ReadDecision(v, opt)
}

// ReadDecision reads a body of POST /v1/decisions.
func ReadDecision(v wire.Value, opt Options) (*Application, error) {
	r := newReader(Decisions, opt)
	switch {
	case !r.object(v):
	case v.Get("report").Given() && !v.Get("bureau_report").Given():
		r.faults.Add("/report", fault.CodeWrongEndpoint,
			"belongs to an evaluate request: send this body to POST /v1/evaluate")
	default:
		r.topLevel(v, decisionMembers...)
		r.decision(v)
	}
	return r.done()
}

// readWhatIsKnown reads a body before there is a report: of either endpoint's
// members whatever is there already. A device that no report is worth paying
// for is known before the report.
func readWhatIsKnown(v wire.Value, opt Options) (*Application, error) {
	r := newReader(Evaluate, opt)
	r.app.AsOf = opt.Today
	if r.object(v) {
		r.topLevel(v, eitherMembers...)
		r.decision(v)
		if v.Get("bureau").Given() {
			r.bureau(v)
		}
		r.blocks(v)
	}
	return r.done()
}

// decisionMembers are the top-level names of a decision request, eitherMembers
// those with an evaluate request's.
var (
	decisionMembers = []string{"applicant", "bureau_report"}
	eitherMembers   = slices.Concat(decisionMembers, evaluateMembers)
)

// decision reads the blocks of a decision request.
func (r *reader) decision(v wire.Value) {
	r.block(v, "applicant")
	r.block(v, "bureau_report")
	r.score(v, "bureau_report", "/bureau_report", "bureau_report.score")
	fallBack(r.app.Facts)
	r.app.ApplicantID = r.app.Facts.Get("applicant.id").Text()
}

type reader struct {
	app      *Application
	opt      Options
	faults   fault.List
	warnings fault.List
	carried  int
	quiet    bool       // what nothing reads is not worth a warning
	searched int        // unknown members for which a known name was looked for
	hinted   fault.List // unknown members that were probably meant to be known ones
	foir     wire.Value // as it was declared
}

func newReader(e Endpoint, opt Options) *reader {
	return &reader{app: &Application{Endpoint: e, Facts: rule.NewFacts(field.Catalogue())}, opt: opt}
}

func (r *reader) done() (*Application, error) {
	r.checkDeclared()
	if r.opt.Strict {
		r.warnings.Move(fault.CodeUnknownField, &r.faults)
	}
	if r.faults.Len() > 0 && !r.opt.Strict {
		// A refusal has no warnings, and a misspelt name may be its cause.
		r.hinted.Move(fault.CodeUnknownField, &r.faults)
	}
	if err := r.faults.Err(); err != nil {
		return nil, err
	}
	r.app.Warnings = r.warnings.Items()
	if more := r.warnings.Len() - len(r.app.Warnings); more > 0 {
		r.app.Warnings = append(r.app.Warnings, fault.Item{
			Code: fault.CodeMoreWarnings, Detail: fmt.Sprintf("%d more warnings are not listed", more),
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
			r.policyKey(member)
		case name == "include" && r.opt.Include:
			r.include(member)
		case !slices.Contains(known, name) && !slices.Contains(r.opt.Members, name):
			r.unknownMember(member, name, known)
		}
	}
}

// policyKey reads the name of the product's policies.
func (r *reader) policyKey(v wire.Value) {
	switch {
	case v.Kind() != wire.String:
		r.faults.Add(v.Pointer(), fault.CodeWrongType, "must be a string, but is %s", v.Kind())
	case !field.IsPolicyKey(v.Text()):
		r.faults.Add(v.Pointer(), fault.CodeInvalidField, field.PolicyKeyText)
	default:
		r.app.PolicyKey = v.Text()
	}
}

// include reads the parts that the caller wants to see in the answer.
func (r *reader) include(v wire.Value) {
	if v.Kind() != wire.Array {
		r.faults.Add(v.Pointer(), fault.CodeWrongType, `must be an array of names such as ["facts"], but is %s`, v.Kind())
		return
	}
	for _, e := range v.Elements() {
		if e.Text() != "facts" || e.Kind() != wire.String {
			r.faults.Add(e.Pointer(), fault.CodeInvalidField, "must be facts, the one part that can be included")
			return
		}
		r.app.IncludeFacts = true
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

// block walks one top-level object of the body.
func (r *reader) block(body wire.Value, name string) {
	if v := body.Get(name); v.Given() && r.object(v) {
		r.walk(roots()[name], v, name)
	}
}
