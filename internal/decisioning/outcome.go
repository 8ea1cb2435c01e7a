package decisioning

import (
	"sync"

	"verdict/internal/application"
	"verdict/internal/engine"
	"verdict/internal/rule"
	"verdict/internal/signal"
)

// Outcome is everything that Options.Encode writes into an answer: the decision with its
// envelope, features and fraud assessment.
type Outcome struct {
	Decision engine.Decision
	Envelope engine.Envelope
	Features *FeatureBlock // nil unless the request asked for features
	Fraud    *signal.Fraud // nil unless the request has identifiers of somebody
}

// FeatureBlock is the features block of an answer.
type FeatureBlock struct {
	Count     int // features in the catalogue
	Catalogue int // version of the catalogue
	Populated int // features that have a value
	Hash      string
	AsOf      string
	Top       []Contributor
	Used      []application.Feature // features that the policy names
}

// Contributor is a feature with a large effect on the decision, or with an unusual
// value.
type Contributor struct {
	Feature   string
	Value     int64 // ten-thousandths
	HasPoints bool
	Points    rule.Number
	Direction string // "adverse", "neutral" or "favourable"; "" if the feature had no effect
	Used      bool   // the policy names the feature
}

// PointPlaces is the maximum number of decimals in points.
const PointPlaces = rule.Places

// Answer is the content of a decision's answer.
type Answer = engine.Answer

// Answered is a decoded answer.
type Answered struct {
	Answer
	Features *FeatureBlock // nil if the answer has none
	Fraud    *FraudBlock   // nil if the answer has none
}

// FraudBlock is the fraud block of an answer.
type FraudBlock struct {
	Score    int64
	Level    string // "" if nothing could be counted and nothing is on the block list
	Signals  []FraudSignal
	AlertIDs []string
	People   []PersonFraud // the other people whose identifiers the request had
}

// PersonFraud is the part of a FraudBlock about a person other than the primary applicant.
type PersonFraud struct {
	Role    string
	Score   int64
	Level   string
	Signals []FraudSignal
}

// FraudSignal is one signal of an answer.
type FraudSignal struct {
	ID           string
	NotEvaluated string // why the signal was not evaluated; all fields after it are then zero
	Triggered    bool
	Severity     string
	Value        int64
	Measure      string
	Threshold    int64
	WindowHours  int64
	Entity       string
	ReasonCode   string
}

// outcomes is a pool, so that the next decision can reuse the memory of an Outcome.
var outcomes = sync.Pool{New: func() any { return new(Outcome) }}

// borrow returns an Outcome from the pool. The caller must release it.
func borrow() *Outcome {
	o, _ := outcomes.Get().(*Outcome) // the pool holds only outcomes
	return o
}

// Release returns the outcome to the pool. The outcome must not be used afterwards,
// because another decision may reuse its memory.
func (o *Outcome) Release() {
	o.Envelope, o.Features, o.Fraud = engine.Envelope{}, nil, nil
	outcomes.Put(o)
}

// Answer returns the content of the decision's answer.
func (o *Outcome) Answer() Answer { return o.Decision.Answer(&o.Envelope) }
