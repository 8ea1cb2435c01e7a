// Package application reads the body of POST /v1/decisions or POST /v1/evaluate, which describes an
// applicant and possibly a co-applicant and a guarantor, into facts.
//
// Each value is stored under its raw path, as it was sent. If it has a canonical
// name, it is also stored under that name, as it was interpreted. For example, a
// canonical FOIR is always a ratio, and a new-to-credit code is never a canonical
// score. A member that was not sent, or is null, stays absent. An invalid application is refused with one
// error that lists every invalid field. A member that was ignored or interpreted
// in an unexpected way is reported as a warning.
//
// Units depend only on the endpoint and are never guessed from the value.
package application

import (
	"fmt"
	"slices"
	"strings"
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

// Endpoint is the API endpoint that a body was sent for.
type Endpoint uint8

// The two endpoints.
const (
	Decisions Endpoint = iota
	Evaluate
)

// Application is a request that was read without faults.
type Application struct {
	Endpoint    Endpoint
	ApplicantID string // "" when not given
	// ApplicantRef is the top-level applicant_ref, "" when not given.
	ApplicantRef string
	Bureau       string // the bureau of an evaluate request
	PolicyKey    string // "" when not named
	Facts        *rule.Facts
	Warnings     []fault.Item
	// HasOthers is set when the request has a co-applicant or a guarantor.
	HasOthers bool
	// Others are the people other than the primary applicant whom the request names by a reference.
	Others []Other
	// HasUnnamed is set when the request has a co-applicant or a guarantor without a reference.
	HasUnnamed bool
	// IncludeFacts is set when the response must include the facts.
	IncludeFacts bool

	// History and Statement are the sources of features in an evaluate request. Each
	// is nil if it was not sent. AsOf is the day on which features are measured.
	History   *report.History
	Statement *report.Statement
	AsOf      civil.Day
	// WantsFeatures is set when the response must include the features.
	// MeasuresFeatures is set when they take part in the decision: the request
	// asked for them, or the policy always measures them.
	WantsFeatures    bool
	MeasuresFeatures bool

	// Device and Location hold the facts derived from the device and location blocks. Each is nil if the
	// block was not sent.
	Device   *signal.Block
	Location *signal.Block

	at      string     // the pointer of the primary applicant's entry; "" unless the request lists applicants
	hasBank bool       // a bank_summary was sent
	tenure  wire.Value // the requested tenure, as it was sent
}

// TenurePointer returns the JSON pointer of the tenure in the request, or "" if it has none.
func (a *Application) TenurePointer() string { return a.tenure.Pointer() }

var tenureID = func() rule.FieldID {
	id, _ := field.Catalogue().Lookup(field.RequestedTenureMonths)
	return id
}()

// Options control how a body is read.
type Options struct {
	// Inputs are the paths that the policy declares. They become facts without
	// a warning.
	Inputs map[string]rule.Type
	// FeaturesAuto is set when the policy measures features even if the request
	// does not ask for them.
	FeaturesAuto bool
	// Members are further top-level members that the caller reads itself.
	Members []string
	// ScoreOptional means that no score is required. It is set for eligibility checks, which are made
	// before the lender pays for a bureau report.
	ScoreOptional bool
	// NoScore is set when the policy reads no bureau score, so none is
	// required.
	NoScore bool
	// Include is set when the caller supports the member "include".
	Include bool
	// Strict refuses unknown members instead of warning about them.
	Strict bool
	// Today is the day of the request, from which ages and time windows are counted.
	// If Today is zero, the day of the report is used. If the report has no day
	// either, facts that need a day stay absent.
	Today civil.Day
	// Signals are the tenant's thresholds and tables; nil means the defaults.
	Signals *Signals
}

// Signals are the thresholds and tables by which facts are derived from blocks.
type Signals struct {
	Config   signal.Config
	Atlas    signal.Atlas
	Risks    *signal.PincodeTable // the tenant's own table; nil for none
	AtMicros int64                // the time against which the expiry of entries is checked
}

// defaultSignals returns the thresholds and tables of a new tenant.
var defaultSignals = sync.OnceValue(func() *Signals {
	return &Signals{Config: signal.DefaultConfig(), Atlas: signal.Atlas{Matches: place.Matches, Country: place.Country}}
})

// Read reads a body of either endpoint and recognizes the endpoint by the body's
// members. An invalid body is refused with a *fault.Error that names every
// invalid field and repeats no value.
func Read(v wire.Value, opt Options) (*Application, error) {
	switch {
	case v.Get("report").Given(), peopleEvaluate(v):
		return ReadEvaluate(v, opt)
	case opt.ScoreOptional:
		return readBeforeReport(v, opt)
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

// readBeforeReport reads a body that is sent before there is a bureau report. It
// accepts the members of both endpoints, because a device or a location can be
// reason enough not to pay for a report.
func readBeforeReport(v wire.Value, opt Options) (*Application, error) {
	r := newReader(Evaluate, opt)
	r.app.AsOf, r.early = opt.Today, true
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

// decisionMembers are the top-level members of a decision request; eitherMembers
// also has those of an evaluate request.
var (
	decisionMembers = []string{"applicant", "bureau_report", memberApplicants}
	eitherMembers   = slices.Concat(decisionMembers, evaluateMembers)
)

// decision reads the blocks of a decision request.
func (r *reader) decision(v wire.Value) {
	if hasPeople(v) {
		peopleReader{r}.read(v, r.primaryDecision)
		return
	}
	r.block(v, "applicant")
	r.block(v, "bureau_report")
	r.score(v, "bureau_report", "/bureau_report", "bureau_report.score")
	fallBack(r.app.Facts)
	r.app.ApplicantID = r.app.Facts.Get("applicant.id").Text()
}

// reader reads one request. It collects every fault and warning.
type reader struct {
	app      *Application
	opt      Options
	faults   fault.List
	warnings fault.List
	suggest  suggester
	carried  int        // number of unknown values that were stored
	quiet    bool       // unknown members cause no warning
	early    bool       // the request is sent before there is a report
	isOther  bool       // the reader reads a person other than the primary applicant
	foir     wire.Value // the declared FOIR, as it was sent
}

func newReader(e Endpoint, opt Options) *reader {
	r := &reader{app: &Application{Endpoint: e, Facts: rule.NewFacts(field.Catalogue())}, opt: opt}
	r.suggest = suggester{endpoint: e, inputs: opt.Inputs, members: opt.Members, warnings: &r.warnings}
	return r
}

func (r *reader) done() (*Application, error) {
	warnUnderstated(r.app.Facts, r.foir, &r.warnings)
	if r.opt.Strict {
		r.warnings.Move(fault.CodeUnknownField, &r.faults)
	}
	if r.faults.Len() > 0 && !r.opt.Strict {
		// A refused request returns no warnings. Report likely misspellings as
		// faults, because one may be the cause of the refusal.
		r.suggest.hinted.Move(fault.CodeUnknownField, &r.faults)
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

// maxKey is the maximum length of a key, in characters.
const maxKey = 64

// topLevel reads policy_key, applicant_ref and include, and warns about unknown members. Unless
// Options.Strict is set, unknown members are not refused, because a caller may send members of a newer
// version.
func (r *reader) topLevel(v wire.Value, known ...string) {
	for name, member := range v.Members() {
		switch {
		case !member.Given():
		case name == "policy_key":
			r.policyKey(member)
		case name == field.ApplicantRef:
			r.applicantRef(member)
		case name == "include" && r.opt.Include:
			r.include(member)
		case !slices.Contains(known, name) && !slices.Contains(r.opt.Members, name):
			r.suggest.warnMember(member, name, known)
		}
	}
}

// policyKey reads and checks policy_key.
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

// applicantRef reads the caller's reference of the applicant.
func (r *reader) applicantRef(v wire.Value) {
	switch {
	case v.Kind() != wire.String:
		r.faults.Add(v.Pointer(), fault.CodeWrongType, "must be a string, but is %s", v.Kind())
	case v.Text() == "" || len(v.Text()) > maxText:
		r.faults.Add(v.Pointer(), fault.CodeOutOfRange, "must have 1 to %d bytes", maxText)
	case strings.TrimSpace(v.Text()) != v.Text():
		r.faults.Add(v.Pointer(), fault.CodeInvalidField, "must not begin or end with a space, because the "+
			"reference with the space would name a different applicant")
	default:
		r.app.ApplicantRef = v.Text()
	}
}

// include reads the names of the optional members that the caller wants in the
// response.
func (r *reader) include(v wire.Value) {
	if v.Kind() != wire.Array {
		r.faults.Add(v.Pointer(), fault.CodeWrongType, `must be an array of names such as ["facts"], but is %s`,
			v.Kind())
		return
	}
	for _, e := range v.Elements() {
		if e.Text() != "facts" || e.Kind() != wire.String {
			r.faults.Add(e.Pointer(), fault.CodeInvalidField, `must be "facts", the only part that can be included`)
			return
		}
		r.app.IncludeFacts = true
	}
}

// key reads a string of 1 to maxKey characters.
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

// block reads the top-level object of the given name, if the body has it.
func (r *reader) block(body wire.Value, name string) {
	if v := body.Get(name); v.Given() && r.object(v) {
		r.walk(roots()[name], v, name)
	}
}
