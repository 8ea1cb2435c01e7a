package agent

import (
	"fmt"
	"strings"

	"verdict/internal/advice"
	"verdict/internal/decisioning"
	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// study is the work of the underwriting agent on a decided application. Apart from the summary of a model, its result
// depends only on the facts, the policy and the request.
type study struct {
	ask           ask
	plan          *engine.Plan
	policyID      string
	policyVersion int64
	checksum      string
	facts         *rule.Facts
	trace         trace

	status       engine.Status
	decisionHash string
	band         *engine.Band // the pricing band of the grade, nil if there is none
	offer        engine.Offer
	reasons      []reason
	terms        []string
	complete     advice.Completeness
	signals      []finding
	bank         []finding
	whatIfs      []variant
	improvements []advice.Improvement
	offers       []variant // the counter-offers

	check func() error // if it returns an error, the study ends; nil means no check
	err   error

	recommendation string
	confidence     string
	needsHuman     bool
	documents      []document
	warnings       []fault.Item // about members of the request that had no effect
	statements     []statement
	narrated       string // the model's summary, "" if the plain summary is used
	refused        string // why the model's summary was rejected
}

// reason is a principal reason. The message is for the applicant, the detail for the lender.
type reason struct {
	code, message string
	detail        engine.Detail
}

// newStudy runs all steps in order. The function check, which may be nil, is called often. If check returns an error,
// newStudy stops and returns that error. It returns no other error.
func newStudy(a ask, u *decisioning.Underwriting, check func() error) (*study, error) {
	d := u.Decision
	st := &study{
		ask:           a,
		plan:          u.Plan,
		policyID:      u.PolicyID,
		policyVersion: u.PolicyVersion,
		checksum:      u.Plan.Checksum(),
		facts:         u.Facts,
		trace:         trace{facts: u.StoredFacts, checksum: u.Plan.Checksum()},
		status:        d.Status,
		decisionHash:  d.Hash(),
		offer:         d.Offer,
		check:         check,
	}
	policy := u.Plan.Policy()
	for i := range policy.Bands {
		if policy.Bands[i].Grade == d.Grade {
			st.band = &policy.Bands[i]
		}
	}
	if policy.HasSegments() { // several bands may have the same grade
		st.band = d.Band()
	}
	detail := d.Detail
	switch {
	case a.edition < thirdEdition:
		detail = d.DetailInClear
	case a.edition < fourthEdition:
		detail = d.DetailMaskedByShape
	}
	for _, r := range d.Reasons {
		st.reasons = append(st.reasons, reason{code: r.Code, message: d.Message(r), detail: detail(r)})
	}
	for _, t := range d.Offer.Terms {
		st.terms = append(st.terms, t.Text)
	}

	st.completeness(d)
	st.eligibility()
	st.lookAtSignals(d)
	st.lookAtBank()
	st.decided(d)
	st.improve(d)
	st.explore()
	if st.err != nil {
		return nil, st.err
	}
	st.recommend()
	st.collect()
	st.statements = composeMemo(st, d)

	// The engine reuses the memory of the decision, so the study must not refer to
	// it.
	st.offer.Terms = nil
	return st, nil
}

// interrupted calls the check and reports whether the study must end.
func (st *study) interrupted() bool {
	if st.err == nil && st.check != nil {
		st.err = st.check()
	}
	return st.err != nil
}

// completeness records the missing inputs and the effect that they could have.
func (st *study) completeness(d *engine.Decision) {
	if st.complete, st.err = advice.Complete(st.plan, st.facts, d, st.check); st.err != nil {
		return
	}
	next := st.complete.AskNext()
	result := "complete"
	switch {
	case len(next) > 0:
		result = "could change the outcome: " + strings.Join(next, ", ")
	case len(st.complete.Open) > 0:
		result = fmt.Sprintf("%d rules not evaluated, none could change the outcome alone", len(st.complete.Open))
	}
	st.trace.record(toolCompleteness, nil, result)
}

// eligibility runs only the eligibility stage of the policy.
func (st *study) eligibility() {
	if st.interrupted() {
		return
	}
	var e engine.Eligibility
	st.plan.Eligible(st.facts, &e)
	status := e.Status()
	if e.Undetermined() {
		status = "ELIGIBLE" // stored runs contain this text, and a repetition must produce the same bytes
	}
	st.trace.record(toolEligibility, nil, strings.ToLower(status))
}

// decided records the decision as a step. The engine made the decision before
// the run began.
func (st *study) decided(d *engine.Decision) {
	result := d.Status.String()
	codes := make([]string, len(st.reasons))
	for i, r := range st.reasons {
		codes[i] = r.code
	}
	if len(codes) > 0 {
		result += ": " + strings.Join(codes, ", ")
	}
	st.trace.record(toolDecide, nil, result)
}

// improve records the changes by which the applicant could get a better outcome.
func (st *study) improve(d *engine.Decision) {
	if st.interrupted() {
		return
	}
	st.improvements, st.err = advice.Improve(st.plan, st.facts, d, advice.Options{
		Tenures:   st.ask.tenures,
		MinAmount: rule.Rupees(st.ask.minPaise),
		Check:     st.check,
	})
	result := "none"
	if len(st.improvements) > 0 {
		parts := make([]string, len(st.improvements))
		for i := range st.improvements {
			parts[i] = changeText(st.improvements[i].Changes) + " gives " + st.improvements[i].Status.String()
		}
		result = strings.Join(parts, "; ")
	}
	st.trace.record(toolImprove, st.ask.explored(), result)
}

func changeText(changes []advice.Change) string {
	parts := make([]string, len(changes))
	for i, c := range changes {
		parts[i] = fmt.Sprintf("%s %s", c.Field, c.To)
	}
	return strings.Join(parts, " and ")
}

// Outcome returns the recommendation.
func (st *study) Outcome() string { return st.recommendation }

// Request returns the document with the data that a repetition needs.
func (st *study) Request() []byte {
	a := st.ask
	a.narration, a.refused = st.narrated, st.refused
	var w wire.Writer
	a.write(&w)
	return w.Buf
}

// Hash returns the hash of the run. It leaves out the run's id and time and everything about a model's summary, and
// covers the decision only by the decision's hash. So a repetition has the same hash.
func (st *study) Hash() string {
	plain := *st
	plain.narrated, plain.refused = "", ""
	var decision, w wire.Writer
	decision.Object().Key("decision_hash").String(st.decisionHash).EndObject()
	plain.write(&w, decisioning.RunHead{Decision: decision.Buf})
	return digest(w.Buf)
}

// number returns the value of a number field. It returns false if the field was
// not sent.
func (st *study) number(name string) (rule.Number, bool) {
	v := st.facts.Get(name)
	return v.Number(), v.Type() == rule.NumberType
}

// requested returns the requested amount. It returns false if the amount was not
// sent.
func (st *study) requested() (rule.Number, bool) { return st.number(field.RequestedAmount) }
