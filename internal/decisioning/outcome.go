package decisioning

import (
	"sync"

	"verdict/internal/application"
	"verdict/internal/engine"
	"verdict/internal/rule"
	"verdict/internal/signal"
)

// Outcome is a decision with what surrounds it: what Options.Encode writes.
type Outcome struct {
	Decision engine.Decision
	Envelope engine.Envelope
	Features *FeatureBlock // nil unless the request asked for features
	Fraud    *signal.Fraud // nil unless the request has a fraud block
}

// FeatureBlock is what an answer says of the features behind it.
type FeatureBlock struct {
	Count     int // of the catalogue
	Catalogue int
	Populated int // how many have a value
	Hash      string
	AsOf      string
	Top       []Contributor
	Used      []application.Feature // by the policy
}

// Contributor is a feature that stands out: by what it decided, by its points, or
// by its value.
type Contributor struct {
	Feature   string
	Value     int64 // ten-thousandths
	HasPoints bool
	Points    rule.Number
	Direction string // adverse, neutral or favourable; "" if it decided nothing
	Used      bool   // the policy names it
}

// PointPlaces is how many decimals points have at most.
const PointPlaces = rule.Places

// Answer is a decision as its answer tells it.
type Answer = engine.Answer

// Answered is a stored answer, read again.
type Answered struct {
	Answer
	Features *FeatureBlock // nil for none
	Fraud    *FraudBlock   // nil for none
}

// FraudBlock is what an answer says of fraud.
type FraudBlock struct {
	Score    int64
	Level    string // "" if nothing could be counted
	Signals  []FraudSignal
	AlertIDs []string
}

// FraudSignal is one signal of an answer.
type FraudSignal struct {
	ID           string
	NotEvaluated string // why it could not be evaluated; the rest is then zero
	Triggered    bool
	Severity     string
	Value        int64
	Measure      string
	Threshold    int64
	WindowHours  int64
	Entity       string
	ReasonCode   string
}

// outcomes are used again: one that has decided holds the memory for the next.
var outcomes = sync.Pool{New: func() any { return new(Outcome) }}

// borrow takes one out of the pool, to be released.
func borrow() *Outcome {
	o, _ := outcomes.Get().(*Outcome) // the pool holds nothing else
	return o
}

// Release gives the memory of the outcome back. Nobody may look at it afterwards.
func (o *Outcome) Release() {
	o.Envelope, o.Features, o.Fraud = engine.Envelope{}, nil, nil
	outcomes.Put(o)
}

// Answer returns the decision as its answer tells it.
func (o *Outcome) Answer() Answer { return o.Decision.Answer(&o.Envelope) }
