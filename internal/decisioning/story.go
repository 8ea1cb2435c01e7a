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

// Story explains to people how a stored decision came about. It contains the condition
// of each rule and the values it read, the value behind each factor of the score, all
// facts, and the changes that would have led to a better outcome.
type Story struct {
	Why          string // why the fields after Answer are missing; "" if they are set
	Summary      DecisionSummary
	Answer       Answered    // the stored answer
	Causes       []Cause     // one for each principal reason, in the order of the reasons
	Rules        []RuleStory // in the order Stage 1, adjustments, Stage 2
	Factors      []FactorStory
	Facts        []FactStory
	Improvements []Improvement
	People       []PersonRef // the people other than the primary applicant; set even if Why is not ""
}

// FieldValue is a field with its value.
type FieldValue struct {
	Name, Value, Unit, Meaning string
	Given                      bool
}

// RuleStory describes one rule of the policy, whether or not it had a result.
type RuleStory struct {
	ID         string
	Kind       string // "knockout" or "adjustment"
	Stage      int    // the stage of a knockout
	Action     string // the action of a knockout that hits
	ReasonCode string
	Condition  string // in words
	// Result is "pass", "fail", "refer" or "applied", as in the answer. For rules that
	// the answer leaves out it is "not_applied", "not_evaluated", or "not_reached" if
	// the second stage did not run.
	Result  string
	Delta   string // the change that an adjustment makes
	Reads   []FieldValue
	Missing []string // missing inputs that the rule needs
}

// The results of rules that an answer leaves out.
const (
	resultNotApplied   = "not_applied"
	resultNotEvaluated = "not_evaluated"
	resultNotReached   = "not_reached"
)

// FactorStory is one part of the score.
type FactorStory struct {
	Factor, Points string
	Read           FieldValue // empty for the base and the clamp, because these read no field
}

// FactStory is a stored fact.
type FactStory struct {
	FieldValue
	Group string
	Read  bool // the policy names the fact
}

// Story explains how a decision came about. If the policy or the facts can no longer be
// read, Why says so and the story contains only the summary and the answer. If the
// stored answer cannot be read, the story contains only Why and the summary.
func (s *Service) Story(ctx context.Context, p tenant.Principal, decisionID string) (Story, error) {
	if err := p.Require(tenant.Read); err != nil {
		return Story{}, err
	}
	if !tenant.Valid(tenant.KindDecision, decisionID) {
		return Story{}, fault.Missing("decision")
	}
	scope := s.core.Scope(p)
	stored, err := scope.Decisions(ctx).Get(decisionID)
	if err != nil {
		return Story{}, err
	}
	summary, people := summaryOf(&stored), peopleOf(&stored)
	if len(stored.Response) == 0 {
		return Story{Why: whyErased, Summary: summary, People: people}, nil
	}
	if err := s.core.OpenDecision(ctx, scope, &stored, nil); err != nil {
		return Story{}, err
	}
	answer, unreadable := s.options.Decode(stored.Response)
	if len(stored.Facts) == 0 {
		return Story{Why: whyExpired, Summary: summary, Answer: answer, People: people}, nil
	}
	if personErased(&stored) {
		return Story{Why: whyPerson, Summary: summary, Answer: answer, People: people}, nil
	}
	policy, facts, why, err := replayable(ctx, s.desk, scope, &stored)
	if err != nil || why != "" {
		return Story{Why: why, Summary: summary, Answer: answer, People: people}, err
	}
	if unreadable != nil {
		return Story{Why: "The stored answer cannot be read", Summary: summary, People: people}, nil
	}

	o := borrow()
	defer o.Release()
	d := &o.Decision
	policy.Plan.Decide(facts, d)
	better, err := improvements(ctx, policy.Plan, facts, d)
	if err != nil {
		return Story{}, err
	}
	d.AddDerived(facts) // rules and factors may have read these derived facts
	t := teller{policy: policy, facts: facts, answer: &answer.Answer}
	causes := t.causes(d)
	return Story{
		Summary:      summary,
		Answer:       answer,
		Causes:       causes,
		Rules:        t.rules(d.NotEvaluated()),
		Factors:      t.factors(),
		Facts:        t.known(),
		Improvements: better,
		People:       people,
	}, nil
}

// replayable returns the policy and the facts with which a stored decision can be
// repeated. If the policy or the facts can no longer be read, why says so; otherwise
// why is "". An error is a failure of storage.
func replayable(
	ctx context.Context, desk *policydesk.Service, scope *store.Scope, stored *store.Decision,
) (p *policydesk.Policy, f *rule.Facts, why string, err error) {
	if p, why, err = storedPolicy(ctx, desk, scope, stored); err != nil || why != "" {
		return nil, nil, why, err
	}
	f, err = FactsOf(stored.Facts, stored.OthersFacts())
	if err != nil {
		return nil, nil, "The stored facts cannot be read", nil //nolint:nilerr // why says it
	}
	return p, f, "", nil
}

// storedPolicy returns the policy of a stored decision. If the policy can no longer be read, why
// says so; otherwise why is "". An error is a failure of storage.
func storedPolicy(
	ctx context.Context, desk *policydesk.Service, scope *store.Scope, stored *store.Decision,
) (p *policydesk.Policy, why string, err error) {
	p, err = desk.Policy(ctx, scope, stored.PolicyID)
	var unreadable operation.Defect
	switch {
	case errors.As(err, &unreadable):
		return nil, "This version of the service cannot read the policy of the decision", nil
	case fault.KindOf(err) == fault.NotFound:
		return nil, "The policy of the decision no longer exists", nil
	case err != nil:
		return nil, "", fmt.Errorf("read the policy of decision %s: %w", stored.ID, err)
	}
	return p, "", nil
}
