package policydesk

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// RuleSet returns a rule set, with its findings. It returns NotFound if there is no such rule set.
func (s *Service) RuleSet(ctx context.Context, p tenant.Principal, id string) (RuleSet, error) {
	if err := p.Require(tenant.Read); err != nil {
		return RuleSet{}, err
	}
	if !tenant.Valid(tenant.KindPolicy, id) {
		return RuleSet{}, fault.Missing("rule set")
	}
	scope := s.core.Scope(p)
	set, err := scope.RuleSets(ctx).Get(id)
	if err != nil {
		return RuleSet{}, err
	}
	policy, err := s.Policy(ctx, scope, id)
	var unreadable operation.Defect
	switch {
	case errors.As(err, &unreadable):
		skipped := unreadableSets{ids: []string{id}, first: err}
		skipped.log(ctx, s.core.Logger, scope, "could not read a stored rule set; it is shown without findings")
		return ruleSetOf(set), nil // without findings, so that people can still read the document
	case err != nil:
		return RuleSet{}, err
	}
	base, err := s.basePolicy(ctx, scope, set.Base)
	if err != nil {
		return RuleSet{}, fmt.Errorf("the base of rule set %s: %w", id, operation.MissingIsDefect(err))
	}
	shown := ruleSetOf(set)
	shown.FeatureNames = policy.featureNames()
	if shown.Proofs, err = policy.guarantees(ctx); err != nil {
		return RuleSet{}, err
	}
	shown.Findings, shown.Changes, err = policy.against(ctx, base)
	return shown, err
}

// show parses a stored rule set for a list. Most rule sets of a list are shown only once, so show
// does not add them to the cache.
func (s *Service) show(ctx context.Context, scope *store.Scope, set store.RuleSet) (RuleSet, *engine.Policy, error) {
	shown := ruleSetOf(set)
	if known, ok := s.policies.Peek(policyID{scope.Tenant(), scope.Environment(), set.ID}); ok {
		shown.FeatureNames = known.featureNames()
		return shown, known.source, nil
	}
	sources := engine.Sources{Catalogue: field.Catalogue(), Check: operation.Checking(ctx)}
	policy, err := engine.ParsePolicy(set.Document, sources)
	if err != nil {
		return RuleSet{}, nil, err
	}
	shown.FeatureNames = policy.FeatureNames()
	return shown, policy, nil
}

// unreadableSets collects the rule sets of a list whose documents this version of the service cannot
// read.
type unreadableSets struct {
	ids   []string
	first error
}

func (u *unreadableSets) add(id string, err error) {
	if u.ids = append(u.ids, id); u.first == nil {
		u.first = err
	}
}

// log writes one line for the whole list. It says where the first document has its first fault, and
// not what the document contains there.
func (u *unreadableSets) log(ctx context.Context, to *slog.Logger, scope *store.Scope, message string) {
	if len(u.ids) == 0 {
		return
	}
	fields := []any{"tenant_id", scope.Tenant(), "environment", scope.Environment(), "rule_set_ids", u.ids}
	if refusal := fault.Of(u.first); refusal != nil && len(refusal.Items) > 0 {
		fields = append(fields, "code", refusal.Items[0].Code, "pointer", refusal.Items[0].Pointer)
	}
	to.WarnContext(ctx, message, fields...)
}

// RuleSetFilter selects rule sets. An empty field matches all rule sets.
type RuleSetFilter struct{ Status, PolicyKey string }

// RuleSets returns a page of the versions of policies.
func (s *Service) RuleSets(
	ctx context.Context, p tenant.Principal, f RuleSetFilter, l operation.List,
) (operation.Page[RuleSet], error) {
	if err := p.Require(tenant.Read); err != nil {
		return operation.Page[RuleSet]{}, err
	}
	filters := []string{"rule-sets", f.Status, f.PolicyKey}
	page, err := l.Page(p, filters...)
	if err != nil {
		return operation.Page[RuleSet]{}, err
	}
	scope := s.core.Scope(p)
	rows, more, err := scope.RuleSets(ctx).List(store.RuleSetFilter{Status: f.Status, PolicyKey: f.PolicyKey}, page)
	if err != nil {
		return operation.Page[RuleSet]{}, err
	}
	list := make([]RuleSet, len(rows))
	var skipped unreadableSets
	for i, set := range rows {
		list[i], _, err = s.show(ctx, scope, set)
		if ctx.Err() != nil {
			return operation.Page[RuleSet]{}, ctx.Err()
		}
		// A rule set that this version of the service cannot read must not hide the other rule
		// sets.
		if err != nil {
			list[i] = ruleSetOf(set)
			skipped.add(set.ID, err)
		}
	}
	skipped.log(ctx, s.core.Logger, scope, "could not read stored rule sets; they are listed without feature names")
	return operation.Paged(l, p, list, more, lastRuleSet, filters...), nil
}

func lastRuleSet(r RuleSet) (int64, string) { return r.CreatedMicros, r.ID }
