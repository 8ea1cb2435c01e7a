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

// study is what the underwriting agent finds out about a decided application.
// It is a function of the facts, the policy and what was asked, and of nothing
// else.
type study struct {
	ask           ask
	plan          *engine.Plan
	policyID      string
	policyVersion int64
	checksum      string
	facts         *rule.Facts
	storedFacts   []byte

	status       engine.Status
	decisionHash string
	band         *engine.Band // of the grade, nil for none
	offer        engine.Offer
	reasons      []reason
	terms        []string
	complete     advice.Completeness
	signals      []finding
	bank         []finding
	whatIfs      []variant
	improvements []advice.Improvement
	offers       []variant // what could be offered instead
	steps        []step

	check func() error // ends the study with its error; nil: never
	err   error

	recommendation string
	confidence     string
	needsHuman     bool
	documents      []document
	warnings       []fault.Item // what of the request had no effect
	statements     []statement
	narrated       string // the summary as a model wrote it, "" for the plain one
	refused        string // why a model's summary was not taken
}

// reason is a principal reason, for the applicant and for the lender.
type reason struct {
	code, message string
	detail        engine.Detail
}

// newStudy takes the steps, one after the other. check is called at least once
// a millisecond and its error, the only one, ends the study; nil lets it run to
// its end.
func newStudy(a ask, u *decisioning.Underwriting, check func() error) (*study, error) {
	d := u.Decision
	st := &study{
		ask: a, plan: u.Plan, policyID: u.PolicyID, policyVersion: u.PolicyVersion, checksum: u.Plan.Checksum(),
		facts: u.Facts, storedFacts: u.StoredFacts, status: d.Status, decisionHash: d.Hash(), offer: d.Offer, check: check,
	}
	policy := u.Plan.Policy()
	for i := range policy.Bands {
		if policy.Bands[i].Grade == d.Grade {
			st.band = &policy.Bands[i]
		}
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
	st.whatIf()
	st.counter()
	st.warnExplore()
	if st.err != nil {
		return nil, st.err
	}
	st.recommend()
	st.collect()
	st.compose(d)
	// The engine uses the memory of a decision again.
	st.offer.Terms = nil
	return st, nil
}

// interrupted reports whether the study must end, and asks so before another
// decision.
func (st *study) interrupted() bool {
	if st.err == nil && st.check != nil {
		st.err = st.check()
	}
	return st.err != nil
}

// completeness finds out what is missing and what it could change.
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
	st.step(toolCompleteness, nil, result)
}

// eligibility asks the first stage alone.
func (st *study) eligibility() {
	if st.interrupted() {
		return
	}
	var e engine.Eligibility
	st.plan.Eligible(st.facts, &e)
	status := e.Status()
	if e.Undetermined() {
		status = "ELIGIBLE" // as runs that are stored have it, which must come out again
	}
	st.step(toolEligibility, nil, strings.ToLower(status))
}

// decided notes the decision, which was made before the run began: it is the
// engine's, and nothing here changes it.
func (st *study) decided(d *engine.Decision) {
	result := d.Status.String()
	codes := make([]string, len(st.reasons))
	for i, r := range st.reasons {
		codes[i] = r.code
	}
	if len(codes) > 0 {
		result += ": " + strings.Join(codes, ", ")
	}
	st.step(toolDecide, nil, result)
}

// improve asks what the applicant could change.
func (st *study) improve(d *engine.Decision) {
	if st.interrupted() {
		return
	}
	st.improvements, st.err = advice.Improve(st.plan, st.facts, d, advice.Options{
		Tenures: st.ask.tenures, MinAmount: rule.Rupees(st.ask.minPaise), Check: st.check,
	})
	result := "none"
	if len(st.improvements) > 0 {
		parts := make([]string, len(st.improvements))
		for i := range st.improvements {
			parts[i] = changeText(st.improvements[i].Changes) + " gives " + st.improvements[i].Status.String()
		}
		result = strings.Join(parts, "; ")
	}
	st.step(toolImprove, st.ask.explored(), result)
}

func changeText(changes []advice.Change) string {
	parts := make([]string, len(changes))
	for i, c := range changes {
		parts[i] = fmt.Sprintf("%s %s", c.Field, c.To)
	}
	return strings.Join(parts, " and ")
}

// Outcome is the recommendation.
func (st *study) Outcome() string { return st.recommendation }

// Request is what a repetition needs.
func (st *study) Request() []byte {
	a := st.ask
	a.narration, a.refused = st.narrated, st.refused
	var w wire.Writer
	a.write(&w)
	return w.Buf
}

// Hash is the hash of the run without what differs between a run and its
// repetition, and without a model's prose.
func (st *study) Hash() string {
	plain := *st
	plain.narrated, plain.refused = "", ""
	var decision, w wire.Writer
	decision.Object().Key("decision_hash").String(st.decisionHash).EndObject()
	plain.Write(&w, decisioning.RunHead{Decision: decision.Buf})
	return digest(w.Buf)
}

// number is the value of a number field, ok when it was given.
func (st *study) number(name string) (rule.Number, bool) {
	v := st.facts.Get(name)
	return v.Number(), v.Type() == rule.NumberType
}

// requested is the amount asked for.
func (st *study) requested() (rule.Number, bool) { return st.number(field.RequestedAmount) }
