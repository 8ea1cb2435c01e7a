package policytest

import (
	"cmp"
	"time"

	"verdict/internal/application"
	"verdict/internal/civil"
	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/feature"
	"verdict/internal/field"
	"verdict/internal/loan"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// Subject is a policy under test. It decides as "verdict decide" does: nothing is stored, and facts that
// the service finds are absent unless the case states them. It must not be used by several goroutines at
// the same time.
type Subject struct {
	Policy *engine.Policy
	Plan   *engine.Plan
	// LookUp adds the answers of lists and tables about an application to its facts. If it is nil, no
	// answers are added.
	LookUp func(facts *rule.Facts, asOf time.Time)

	inputs   map[string]rule.Type
	features []application.Feature
	noScore  bool
}

// NewSubject compiles a policy.
func NewSubject(p *engine.Policy) *Subject {
	return &Subject{
		Policy:   p,
		Plan:     engine.Compile(p, field.Catalogue()),
		inputs:   p.InputTypes(),
		features: application.Features(p.FeatureNames()),
		noScore:  !p.NeedsScore(),
	}
}

// Decide reads an application and decides it into d. asOf is zero if the time is not known. stated are
// facts that the service would find. The facts of the returned application include those that the engine
// derived. The only error is that the application is invalid.
func (s *Subject) Decide(
	body wire.Value, asOf time.Time, d *engine.Decision, stated ...rule.NamedValue,
) (*application.Application, error) {
	var today civil.Day
	if !asOf.IsZero() {
		today = civil.DayAt(asOf)
	}
	app, err := application.Read(body, application.Options{
		Inputs:       s.inputs,
		FeaturesAuto: s.Policy.FeaturesAuto,
		Today:        today,
		NoScore:      s.noScore,
	})
	if err != nil {
		return nil, err
	}
	app.WarnNotMeasured(s.features)
	app.WarnBank(s.Policy.AbsentBankFigures(app.Facts))
	if app.MeasuresFeatures {
		var vector feature.Vector
		app.Measure(application.CatalogueOf(s.Policy.Semantics), s.features, &vector)
	}
	if s.Plan.UsesOwn() { // earlier decisions are not known, so the other facts about them stay absent
		named := cmp.Or(app.ApplicantRef, app.Facts.Get("fraud.applicant_ref").Text(), app.ApplicantID) != ""
		app.Facts.Set(field.OwnReference, rule.Bool(named))
	}
	if s.LookUp != nil {
		s.LookUp(app.Facts, asOf)
	}
	for _, f := range stated {
		app.Facts.Set(f.Name, f.Value)
	}
	s.Plan.Decide(app.Facts, d)
	d.AddDerived(app.Facts)
	return app, nil
}

// Answer returns the decision of an application as "verdict decide" prints it,
// without indentation. stated are facts that the service would find.
func (s *Subject) Answer(body wire.Value, asOf time.Time, stated ...rule.NamedValue) ([]byte, error) {
	answer, _, err := s.answer(body, asOf, stated)
	return answer, err
}

// answer returns the decision of an application and the application.
func (s *Subject) answer(
	body wire.Value, asOf time.Time, stated []rule.NamedValue,
) ([]byte, *application.Application, error) {
	var d engine.Decision
	app, err := s.Decide(body, asOf, &d, stated...)
	if err != nil {
		return nil, nil, err
	}
	env := engine.Envelope{
		Preview:       true,
		Facts:         app.Facts,
		TenurePointer: app.TenurePointer(),
		Warnings:      app.WarnAbsent(d.AbsentInputs()),
	}
	if !asOf.IsZero() {
		env.ValidUntil = loan.ValidUntil(asOf, s.Policy.OfferValidityDays).Format(time.RFC3339)
	}
	var w wire.Writer
	d.Write(&w, &env)
	return w.Buf, app, nil
}

// Result is the outcome of one case.
type Result struct {
	File        string
	Case        *Case
	Differences []Difference
	Refused     error    // the application is invalid
	Misspelt    []string // sentences about members of the application that are probably misspelt
}

// Passed reports whether every expected part is as expected.
func (r *Result) Passed() bool {
	return r.Refused == nil && len(r.Misspelt) == 0 && len(r.Differences) == 0
}

// Run decides the application of a case and compares the parts that it names. The case fails if a member of the
// application is probably misspelt, because the decision was made without that member.
func (s *Subject) Run(file string, c *Case) Result {
	r := Result{File: file, Case: c}
	answer, app, err := s.answer(c.Application, c.AsOf, c.Facts)
	if err != nil {
		r.Refused = err
		return r
	}
	decision, err := wire.Parse(answer)
	if err != nil {
		r.Refused = err
		return r
	}
	r.Misspelt = misspelt(c, app.Warnings)
	r.Differences = compare(c.Expect, decision)
	return r
}

// misspelt returns a sentence about each unknown member for which the warnings suggest a known one. Other unknown
// members are allowed, because another policy may declare them as its inputs.
func misspelt(c *Case, warnings []fault.Item) (list []string) {
	section := ""
	if c.Application.Pointer() == "" { // the application is a section of its own, and not a member of a JSON file
		section = ApplicationSection + ": "
	}
	for _, w := range warnings {
		if w.Code == fault.CodeUnknownField && w.Nearest != "" {
			item := fault.Unknown(w.Pointer, "is not a member of a request", w.Nearest, false)
			list = append(list, section+item.Pointer+" "+item.Detail)
		}
	}
	return list
}
