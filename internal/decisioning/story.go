package decisioning

import (
	"context"
	"errors"
	"fmt"

	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/policydesk"
	"verdict/internal/rule"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// Story is how a stored decision came about, for a person to read beside its
// answer: what each rule says and the values it read, what each factor of the
// score looked at, all that was known, and what would have changed it.
type Story struct {
	Why          string // what follows Answer is missing; "" when it is not
	Summary      DecisionSummary
	Answer       Answered    // as it was answered
	Rules        []RuleStory // first stage, adjustments, second stage
	Factors      []FactorStory
	Facts        []FactStory
	Improvements []Improvement
}

// FieldValue is a field with what it held.
type FieldValue struct {
	Name, Value, Unit, Meaning string
	Given                      bool
}

// RuleStory is one rule of the policy, whether it had a result or not.
type RuleStory struct {
	ID         string
	Kind       string // knockout or adjustment
	Stage      int    // of a knockout
	Action     string // of a knockout that hits
	ReasonCode string
	Condition  string // in words
	// Result is pass, fail, refer or applied as the answer has it; not_applied
	// and not_evaluated, which it leaves out; and not_reached for a second stage
	// that there was no need of.
	Result  string
	Delta   string // of an adjustment
	Reads   []FieldValue
	Missing []string // without which it could not be evaluated
}

// The results that an answer leaves out.
const (
	resultNotApplied   = "not_applied"
	resultNotEvaluated = "not_evaluated"
	resultNotReached   = "not_reached"
)

// FactorStory is one part of the score.
type FactorStory struct {
	Factor, Points string
	Read           FieldValue // without a name for the base and the clamp
}

// FactStory is one thing that was known, as it is stored.
type FactStory struct {
	FieldValue
	Group string
	Read  bool // the policy names it
}

// Story tells how a decision came about. When the policy or the facts cannot be
// read any more it says so, and nothing else.
func (s *Service) Story(ctx context.Context, p tenant.Principal, decisionID string) (Story, error) {
	if err := p.Require(tenant.Read); err != nil {
		return Story{}, err
	}
	if !tenant.Valid(tenant.KindDecision, decisionID) {
		return Story{}, operation.Missing("decision")
	}
	scope := s.core.Scope(p)
	stored, err := scope.Decisions(ctx).Get(decisionID)
	if err != nil {
		return Story{}, err
	}
	summary := summaryOf(&stored)
	answer, unreadable := s.options.Decode(stored.Response)
	policy, facts, why, err := s.replayable(ctx, scope, &stored)
	if err != nil || why != "" {
		return Story{Why: why, Summary: summary, Answer: answer}, err
	}
	if unreadable != nil {
		return Story{Why: "The stored answer cannot be read", Summary: summary}, nil
	}
	o := borrow()
	defer o.Release()
	d := &o.Decision
	policy.Plan.Decide(facts, d)
	better, err := improvements(ctx, policy.Plan, facts, d)
	if err != nil {
		return Story{}, err
	}
	d.AddDerived(facts) // rules and factors may have read these
	t := teller{policy: policy, facts: facts, answer: &answer.Answer}
	return Story{
		Summary:      summary,
		Answer:       answer,
		Rules:        t.rules(d.NotEvaluated()),
		Factors:      t.factors(),
		Facts:        t.known(),
		Improvements: better,
	}, nil
}

// replayable finds what a stored decision can be repeated from. What cannot be
// read any more is told in words; an error is a failure of storage.
func (s *Service) replayable(ctx context.Context, scope *store.Scope, stored *store.Decision) (p *policydesk.Policy, f *rule.Facts, why string, err error) {
	p, err = s.desk.Policy(ctx, scope, stored.PolicyID)
	var refusal *fault.Error
	var unreadable operation.Defect
	switch {
	case errors.As(err, &unreadable):
		return nil, nil, "The policy that decided cannot be read by this version of the service", nil
	case errors.As(err, &refusal) && refusal.Kind == fault.NotFound:
		return nil, nil, "The policy that decided is not there any more", nil
	case err != nil:
		return nil, nil, "", fmt.Errorf("the policy of decision %s: %w", stored.ID, err)
	}
	f, err = ReadFacts(stored.Facts)
	if err != nil {
		return nil, nil, "The stored facts cannot be read", nil //nolint:nilerr // it is told in words
	}
	return p, f, "", nil
}
