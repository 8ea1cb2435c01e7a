package policydesk

import (
	"context"
	"errors"
	"fmt"

	"verdict/internal/admission"
	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// RuleSet is one version of a policy, as it is shown.
type RuleSet struct {
	store.RuleSet
	Inherited    []string         // sections taken from the base, told when it is created
	Changes      []engine.Change  // what differs from the base, nil in lists and without a base
	Findings     []engine.Finding // what the static analysis says, nil in lists
	FeatureNames []string
}

// baseNone is the base of a rule set that inherits nothing.
const baseNone = "none"

// CreateRuleSet stores a draft. What the request leaves out is taken from its
// base, by default the active rule set of the same policy_key, so that the
// stored document is complete. Only a document that would compile is stored.
func (s *Service) CreateRuleSet(ctx context.Context, p tenant.Principal, body wire.Value, o *operation.Once) (operation.Answer, error) {
	if err := p.Require(tenant.PolicyWrite); err != nil {
		return operation.Answer{}, err
	}
	scope := s.core.Scope(p)
	// What is inherited depends on the moment, so all of it is done once: a
	// repetition hears the first answer, whatever has been activated since.
	return s.core.Once(ctx, scope, o, func(keep operation.Keep) (operation.Answer, error) {
		d, err := s.readNew(ctx, scope, body)
		if err != nil {
			return operation.Answer{}, err
		}
		return s.storeDraft(ctx, p, d, keep)
	})
}

// storeDraft stores a policy that was read, as the next version of its
// policy_key.
func (s *Service) storeDraft(ctx context.Context, p tenant.Principal, d newVersion, keep operation.Keep) (operation.Answer, error) {
	now, policy := s.core.Moment(), d.policy
	draft := store.RuleSet{
		ID: s.core.IDs.New(tenant.KindPolicy, now), PolicyKey: policy.Key, Name: policy.Name, Document: policy.Document(),
		Checksum: policy.Checksum(), Base: d.base.ID, CreatedMicros: now.UnixMicro(), CreatedBy: operation.Actor(p),
	}
	base, err := s.basePolicy(ctx, s.core.Scope(p), d.base.ID)
	if err != nil {
		return operation.Answer{}, err
	}
	shown := RuleSet{Inherited: d.inherited, FeatureNames: policy.FeatureNames()}
	if shown.Findings, shown.Changes, err = analysedAgainst(ctx, policy, base); err != nil {
		return operation.Answer{}, err
	}
	return s.core.Commit(ctx, s.core.Scope(p), keep, func(tx *store.Tx) (operation.Answer, error) {
		if err := s.roomForDraft(tx); err != nil {
			return operation.Answer{}, err
		}
		stored, err := tx.RuleSets().Insert(draft)
		if err != nil {
			return operation.Answer{}, err
		}
		entry := s.core.Audit(p, now, operation.ActionRuleSetCreated, stored.ID, "")
		entry.BeforeChecksum, entry.AfterChecksum = d.base.Checksum, stored.Checksum
		if err := tx.Audit().Add(entry); err != nil {
			return operation.Answer{}, err
		}
		shown.RuleSet = stored
		return operation.Answer{Status: operation.StatusCreated, Location: "/v1/rule-sets/" + stored.ID, Body: shown.body()}, nil
	})
}

// analysedAgainst analyses a policy that is not stored and compares it with its
// base, which may be nil.
func analysedAgainst(ctx context.Context, p *engine.Policy, base *Policy) ([]engine.Finding, []engine.Change, error) {
	found, err := engine.AnalyseUntil(p, field.Catalogue(), operation.Checking(ctx))
	if err != nil {
		return nil, nil, err
	}
	return againstBase(ctx, p, found, base)
}

// againstBase returns the findings of a version with their origin, and its changes
// against the base, which may be nil.
func againstBase(
	ctx context.Context, p *engine.Policy, found []engine.Finding, base *Policy,
) ([]engine.Finding, []engine.Change, error) {
	if base == nil {
		return engine.Against(found, p, nil, nil), nil, nil
	}
	inBase, err := base.findings(ctx)
	if err != nil {
		return nil, nil, err
	}
	if err := admission.Checkpoint(ctx); err != nil {
		return nil, nil, err
	}
	changes := engine.Changes(p, base.source)
	if changes == nil {
		changes = []engine.Change{} // compared, and nothing differs
	}
	return engine.Against(found, p, inBase, base.source), changes, admission.Checkpoint(ctx)
}

// basePolicy finds the policy that a version was made from; nil when there is
// none, or none that this version of the service can read.
func (s *Service) basePolicy(ctx context.Context, scope *store.Scope, id string) (*Policy, error) {
	if id == "" {
		return nil, nil
	}
	base, err := s.Policy(ctx, scope, id)
	var unreadable operation.Defect
	if errors.As(err, &unreadable) {
		return nil, nil
	}
	return base, err
}

// newVersion is a request for a new version, read.
type newVersion struct {
	policy    *engine.Policy
	base      store.RuleSet // zero for none
	inherited []string
}

// readNew reads a request for a new version: finds its base, applies its patch,
// inherits what it leaves out. Everything that is wrong is told together.
func (s *Service) readNew(ctx context.Context, scope *store.Scope, body wire.Value) (d newVersion, err error) {
	var faults fault.List
	if d.base, err = s.base(ctx, scope, body, &faults); err != nil {
		return d, err
	}
	var from wire.Value
	if d.base.ID != "" {
		if from, err = wire.Parse(d.base.Document); err != nil {
			return d, operation.AsDefect(err)
		}
	}
	var patched engine.Patched
	request := body
	if names(body, "patch") {
		patched = engine.Patch(body, from)
		operation.AddAll(&faults, patched.Faults)
		if request, err = wire.Parse(patched.Request); err != nil {
			return d, operation.AsDefect(err)
		}
	}
	var merged []byte
	merged, d.inherited = engine.Inherit(request, from)
	d.policy, err = s.readPolicy(ctx, scope, body, merged)
	var refusal *fault.Error
	switch err = fault.Retold(err, patched.Retell); {
	case faults.Len() == 0:
		return d, err
	case errors.As(err, &refusal) && refusal.Kind == fault.Invalid:
		operation.AddAll(&faults, refusal.Items)
	case err != nil:
		return d, err
	}
	return d, faults.Err()
}

// names reports whether an object has a member, be it null.
func names(object wire.Value, member string) bool {
	for name := range object.Members() {
		if name == member {
			return true
		}
	}
	return false
}

// base finds what a draft inherits from: the zero rule set for nothing. A base
// that is no text is noted as a fault, and the usual one is taken to find what
// else is wrong.
func (s *Service) base(ctx context.Context, scope *store.Scope, body wire.Value, faults *fault.List) (store.RuleSet, error) {
	named := body.Get("base")
	switch {
	case named.Given() && named.Kind() != wire.String:
		faults.Add(named.Pointer(), fault.CodeWrongType, "must be the id of a rule set, or none")
	case named.Text() == baseNone:
		return store.RuleSet{}, nil
	case named.Given():
		if !tenant.Valid(tenant.KindPolicy, named.Text()) {
			return store.RuleSet{}, operation.Missing("rule set to take as base")
		}
		return scope.RuleSets(ctx).Get(named.Text())
	}
	key, ok := KeyOf(body)
	if !ok {
		return store.RuleSet{}, nil // refused when the document is read
	}
	set, err := scope.RuleSets(ctx).Active(key)
	var refusal *fault.Error
	if errors.As(err, &refusal) && refusal.Kind == fault.NotFound {
		return store.RuleSet{}, nil
	}
	return set, err
}

// readPolicy reads the merged document of a request, with the scope's
// scorecards at hand.
func (s *Service) readPolicy(ctx context.Context, scope *store.Scope, body wire.Value, merged []byte) (*engine.Policy, error) {
	var lookup error
	find := func(id string) (*engine.Scorecard, bool) {
		card, err := s.scorecard(ctx, scope, id)
		var refusal *fault.Error
		if err != nil && !(errors.As(err, &refusal) && refusal.Kind == fault.NotFound) {
			lookup = err
		}
		return card, err == nil
	}
	sources := engine.Sources{Catalogue: field.Catalogue(), Scorecard: find, Check: operation.Checking(ctx)}
	policy, err := engine.ParsePolicy(merged, sources)
	if err == nil && body.Get("scorecard").Given() && body.Get("scorecard_id").Given() {
		err = checkPin(policy, find)
	}
	if lookup != nil {
		return nil, lookup
	}
	if err == nil {
		err = checkRules(policy)
	}
	if err == nil && policy.Cost() > engine.MaxCost {
		err = operation.Invalid("", fault.CodePolicyTooCostly,
			fmt.Sprintf("the policy has %d predicates, operands, bins and bands (ten values "+
				"of a list count as one); at most %d are allowed: remove or join rules", policy.Cost(), engine.MaxCost))
	}
	return policy, err
}

// checkRules refuses a policy with more rules of its author than a decision
// should have to evaluate, explain and store.
func checkRules(policy *engine.Policy) error {
	written := 0
	for i := range policy.Knockouts {
		if !policy.Knockouts[i].System {
			written++
		}
	}
	if written <= engine.MaxRules {
		return nil
	}
	return operation.Invalid("/knockouts", fault.CodePolicyTooCostly,
		fmt.Sprintf("the policy has %d knockouts; at most %d are "+
			"allowed, since every decision evaluates, explains and stores each of them: remove or join rules", written, engine.MaxRules))
}

// checkPin refuses a request that brings a scorecard along and says that it is
// a stored one, when it is not. What a rule set was read out as can be sent
// back: that is the same card.
func checkPin(policy *engine.Policy, find func(id string) (*engine.Scorecard, bool)) error {
	stored, ok := find(policy.ScorecardID)
	switch {
	case !ok:
		return operation.Invalid("/scorecard_id", fault.CodeUnknownField, "no scorecard has this id; leave it out to use the scorecard of the request")
	case stored.Checksum() != policy.Scorecard.Checksum():
		return operation.Invalid("/scorecard_id", fault.CodeInvalidField, "the scorecard of the request is not the one with this id; give either")
	}
	return nil
}

// RuleSet finds a rule set, with its findings.
func (s *Service) RuleSet(ctx context.Context, p tenant.Principal, id string) (RuleSet, error) {
	if err := p.Require(tenant.Read); err != nil {
		return RuleSet{}, err
	}
	if !tenant.Valid(tenant.KindPolicy, id) {
		return RuleSet{}, operation.Missing("rule set")
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
		return RuleSet{RuleSet: set}, nil // its document can still be read by people
	case err != nil:
		return RuleSet{}, err
	}
	base, err := s.basePolicy(ctx, scope, set.Base)
	if err != nil {
		return RuleSet{}, fmt.Errorf("the base of rule set %s: %w", id, operation.MissingIsDefect(err))
	}
	shown := RuleSet{RuleSet: set, FeatureNames: policy.featureNames()}
	shown.Findings, shown.Changes, err = policy.against(ctx, base)
	return shown, err
}

// show reads a stored rule set for showing. In a list most are read once, so
// those that decisions do not use are not kept.
func (s *Service) show(ctx context.Context, scope *store.Scope, set store.RuleSet) (RuleSet, *engine.Policy, error) {
	if known, ok := s.policies.Peek(policyID{scope.Tenant(), scope.Environment(), set.ID}); ok {
		return RuleSet{RuleSet: set, FeatureNames: known.featureNames()}, known.source, nil
	}
	policy, err := engine.ParsePolicy(set.Document, engine.Sources{Catalogue: field.Catalogue(), Check: operation.Checking(ctx)})
	if err != nil {
		return RuleSet{}, nil, operation.AsDefect(err)
	}
	return RuleSet{RuleSet: set, FeatureNames: policy.FeatureNames()}, policy, nil
}

// RuleSetFilter narrows a list of rule sets; empty fields do not.
type RuleSetFilter struct{ Status, PolicyKey string }

// RuleSets lists versions of policies.
func (s *Service) RuleSets(ctx context.Context, p tenant.Principal, f RuleSetFilter, l operation.List) (operation.Page[RuleSet], error) {
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
	for i, set := range rows {
		// One that another version of the service stored, and this one does
		// not take any more, must not hide the others.
		if list[i], _, err = s.show(ctx, scope, set); err != nil {
			list[i] = RuleSet{RuleSet: set}
		}
		if ctx.Err() != nil {
			return operation.Page[RuleSet]{}, ctx.Err()
		}
	}
	return operation.Paged(l, p, list, more, lastRuleSet, filters...), nil
}

func lastRuleSet(r RuleSet) (int64, string) { return r.CreatedMicros, r.ID }

func (r RuleSet) body() []byte {
	w := wire.Writer{Buf: make([]byte, 0, len(r.Document)+2<<10)}
	r.Write(&w)
	return w.Buf
}

// Write writes the rule set: its document, which has the name and the
// policy_key, and what is known about it.
func (r RuleSet) Write(w *wire.Writer) {
	w.Object().Key("id").String(r.ID).Key("version").Int(r.Version).Key("status").String(r.Status)
	w.Key("checksum").String(r.Checksum)
	operation.Optional(w, "base", r.Base)
	if r.Inherited != nil {
		w.Key("inherited")
		operation.WriteStrings(w, r.Inherited)
	}
	if r.Changes != nil {
		w.Key("changes").Array()
		for _, c := range r.Changes {
			c.Write(w)
		}
		w.EndArray()
	}
	w.Members(r.Document).Key("feature_names")
	operation.WriteStrings(w, r.FeatureNames)
	if r.Findings != nil {
		w.Key("findings").Array()
		for _, f := range r.Findings {
			f.Write(w)
		}
		w.EndArray()
	}
	operation.Optional(w, "notes", r.Notes)
	w.Key("created_at").String(operation.Clock(r.CreatedMicros)).Key("created_by").String(r.CreatedBy)
	operation.OptionalTime(w, "activated_at", r.ActivatedMicros)
	operation.Optional(w, "activated_by", r.ActivatedBy)
	operation.OptionalTime(w, "retired_at", r.RetiredMicros)
	operation.OptionalTime(w, "archived_at", r.ArchivedMicros)
	w.EndObject()
}

func (s *Service) roomForDraft(tx *store.Tx) error {
	return operation.Capped(tx.RuleSets().Drafts, s.options.MaxDrafts, "drafts",
		"delete one with DELETE /v1/rule-sets/{id}, or activate one")
}

// DeleteRuleSet deletes a draft. One that a backtest, a decision or another version
// refers to is archived instead: hidden from lists, readable by its id.
func (s *Service) DeleteRuleSet(ctx context.Context, p tenant.Principal, id string) (archived bool, err error) {
	if err := p.Require(tenant.PolicyWrite); err != nil {
		return false, err
	}
	if !tenant.Valid(tenant.KindPolicy, id) {
		return false, operation.Missing("rule set")
	}
	now := s.core.Moment()
	deleted := s.core.Audit(p, now, operation.ActionRuleSetDeleted, id, "")
	err = s.core.Scope(p).Write(ctx, func(tx *store.Tx) error {
		set, kept, err := tx.RuleSets().RemoveDraft(id, now.UnixMicro())
		archived = kept
		if err != nil || kept && set.ArchivedMicros != now.UnixMicro() { // it was archived before
			return err
		}
		entry := deleted
		if kept {
			entry.Action = operation.ActionRuleSetArchived
		}
		entry.BeforeChecksum = set.Checksum
		return tx.Audit().Add(entry)
	})
	if err == nil && !archived {
		s.policies.Forget(policyID{p.TenantID, string(p.Environment), id})
	}
	return archived, err
}
