package policydesk

import (
	"context"
	"strings"

	"verdict/internal/engine"
	"verdict/internal/engine/analysis"
	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// Reading is the result of checking a draft.
type Reading struct {
	Faults   []fault.Item       // why the draft cannot be stored
	Findings []analysis.Finding // of the static analysis; nil if there are faults
	Changes  []engine.Change    // against the base; nil if there are faults or no base
	Checksum string             // "" if there are faults
}

// ReadDraft checks a draft as CreateRuleSet does, but proves no guarantees, and stores nothing. The
// faults of the draft are part of the result; they do not cause an error.
func (s *Service) ReadDraft(ctx context.Context, p tenant.Principal, draft engine.Draft) (Reading, error) {
	if err := p.Require(tenant.PolicyWrite); err != nil {
		return Reading{}, err
	}
	scope := s.core.Scope(p)
	d, err := s.readNew(ctx, scope, draft)
	switch {
	case fault.KindOf(err) == fault.Invalid:
		return Reading{Faults: fault.Of(err).Items}, nil
	case err != nil:
		return Reading{}, err
	}
	base, err := s.basePolicy(ctx, scope, d.base.ID)
	if err != nil {
		return Reading{}, err
	}
	reading := Reading{Checksum: d.policy.Checksum()}
	reading.Findings, reading.Changes, err = analysedAgainst(ctx, d.policy, nil, base)
	return reading, err
}

// PolicyFields returns the fields that a condition may name, except features. There are too many
// features for a list; FindFeatures searches them.
func PolicyFields() []*rule.Field {
	var list []*rule.Field
	for f := range catalogued() {
		if !field.IsFeature(f.Name) {
			list = append(list, f)
		}
	}
	return list
}

// FindFeatures returns the first features, in catalogue order, whose names contain all of the
// words. The parameter most limits their number.
func FindFeatures(words string, most int) []*rule.Field {
	var list []*rule.Field
	wanted := strings.Fields(strings.ToLower(words))
	for f := range catalogued() {
		if len(list) == most {
			break
		}
		if field.IsFeature(f.Name) && hasAll(f.Name, wanted) {
			list = append(list, f)
		}
	}
	return list
}

func hasAll(name string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(name, w) {
			return false
		}
	}
	return true
}

// catalogued yields every field of the catalogue.
func catalogued() func(yield func(*rule.Field) bool) {
	return func(yield func(*rule.Field) bool) {
		all := field.Catalogue()
		for id := range all.Len() {
			if !yield(all.Field(rule.FieldID(id))) {
				return
			}
		}
	}
}

// DraftPolicies compiles a draft and the rule set that it is based on. It returns Invalid with all faults of the
// draft, and NotFound if the base does not exist. Nothing is stored, and the compiled draft has no id.
func (s *Service) DraftPolicies(
	ctx context.Context, p tenant.Principal, draft engine.Draft,
) (base, changed *Policy, err error) {
	if err := p.Require(tenant.PolicyWrite); err != nil {
		return nil, nil, err
	}
	scope := s.core.Scope(p)
	d, err := s.readNew(ctx, scope, draft)
	if err != nil {
		return nil, nil, err
	}
	if base, err = s.Policy(ctx, scope, d.base.ID); err != nil {
		return nil, nil, err
	}
	changed, err = compile(ctx, policyID{scope.Tenant(), scope.Environment(), ""}, store.RuleSet{
		PolicyKey: d.policy.Key, Name: d.policy.Name, Document: d.policy.Document(), Base: d.base.ID,
	})
	return base, changed, err
}
