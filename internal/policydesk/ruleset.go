package policydesk

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"verdict/internal/admission"
	"verdict/internal/engine"
	"verdict/internal/engine/analysis"
	"verdict/internal/engine/prover"
	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// RuleSet is one version of a policy. A time is 0 and a text is "" if it does not apply.
type RuleSet struct {
	ID              string
	PolicyKey       string
	Version         int64
	Name            string
	Status          string
	Document        engine.Document // complete, with the name and the policy_key
	Checksum        string
	Base            string // the id of the rule set from which it was made
	Notes           string
	CreatedMicros   int64
	CreatedBy       string
	ActivatedMicros int64
	ActivatedBy     string
	RetiredMicros   int64
	ArchivedMicros  int64 // when a draft was archived instead of deleted

	FeatureNames []string
	Inherited    []string           // sections inherited from the base; set only by CreateRuleSet
	Changes      []engine.Change    // against the base, if there is one; set only by CreateRuleSet and RuleSet
	Findings     []analysis.Finding // of the static analysis; set only by CreateRuleSet and RuleSet
	Proofs       []prover.Proof     // of the guarantees; set only by CreateRuleSet and RuleSet
}

func ruleSetOf(r store.RuleSet) RuleSet {
	return RuleSet{
		ID:              r.ID,
		PolicyKey:       r.PolicyKey,
		Version:         r.Version,
		Name:            r.Name,
		Status:          r.Status,
		Document:        r.Document,
		Checksum:        r.Checksum,
		Base:            r.Base,
		Notes:           r.Notes,
		CreatedMicros:   r.CreatedMicros,
		CreatedBy:       r.CreatedBy,
		ActivatedMicros: r.ActivatedMicros,
		ActivatedBy:     r.ActivatedBy,
		RetiredMicros:   r.RetiredMicros,
		ArchivedMicros:  r.ArchivedMicros,
	}
}

// CreateRuleSet stores a draft. If the draft omits members, they are inherited from its base, so
// that the stored document is complete. The default base is the active rule set of the same
// policy_key. CreateRuleSet stores only a document that compiles.
func (s *Service) CreateRuleSet(
	ctx context.Context, p tenant.Principal, draft engine.Draft, r *operation.Reply[RuleSet],
) (RuleSet, error) {
	if err := p.Require(tenant.PolicyWrite); err != nil {
		return RuleSet{}, err
	}
	scope := s.core.Scope(p)
	// The inherited members depend on the rule set that is active now. WritePrepared reads the draft
	// only once, so a repeated request gets the first answer.
	return operation.WritePrepared(ctx, s.core, scope, r, func() (func(*store.Tx) (RuleSet, error), error) {
		d, err := s.readNew(ctx, scope, draft)
		if err != nil {
			return nil, err
		}
		return s.insertion(ctx, p, d)
	})
}

// insertion returns the function that stores a policy as the next version of its policy_key.
func (s *Service) insertion(
	ctx context.Context, p tenant.Principal, d newVersion,
) (func(*store.Tx) (RuleSet, error), error) {
	now, policy := s.core.Moment(), d.policy
	draft := store.RuleSet{
		ID:            s.core.IDs.New(tenant.KindPolicy, now),
		PolicyKey:     policy.Key,
		Name:          policy.Name,
		Document:      policy.Document(),
		Checksum:      policy.Checksum(),
		Base:          d.base.ID,
		CreatedMicros: now.UnixMicro(),
		CreatedBy:     operation.Actor(p),
	}
	base, err := s.basePolicy(ctx, s.core.Scope(p), d.base.ID)
	if err != nil {
		return nil, err
	}
	proofs, fresh, err := s.prove(ctx, p, policy)
	if err != nil {
		return nil, err
	}
	findings, changes, err := analysedAgainst(ctx, policy, proofs, base)
	if err != nil {
		return nil, err
	}
	features, lists, tables := policy.FeatureNames(), listNames(policy.Lookups()), tableNames(policy.Tables)
	return func(tx *store.Tx) (RuleSet, error) {
		if err := s.roomForDraft(tx); err != nil {
			return RuleSet{}, err
		}
		stored, err := tx.RuleSets().Insert(draft)
		if err == nil && fresh != nil {
			err = tx.RuleSets().KeepProof(*fresh)
		}
		if err == nil {
			err = operation.CheckStored(tx, p.Plan)
		}
		if err != nil {
			return RuleSet{}, err
		}
		entry := s.core.Audit(p, now, operation.ActionRuleSetCreated, stored.ID, "")
		entry.BeforeChecksum, entry.AfterChecksum = d.base.Checksum, stored.Checksum
		if err := tx.Audit().Add(entry); err != nil {
			return RuleSet{}, err
		}
		if err := tx.Lists().Use(stored.ID, lists); err != nil {
			return RuleSet{}, err
		}
		if err := tx.Tables().Use(stored.ID, tables); err != nil {
			return RuleSet{}, err
		}
		set := ruleSetOf(stored)
		set.FeatureNames, set.Inherited, set.Findings, set.Changes = features, d.inherited, findings, changes
		set.Proofs = proofs
		return set, nil
	}, nil
}

// analysedAgainst analyses a policy that is not stored and compares it with its base, which may be
// nil. proofs are those of its guarantees, if they were proved.
func analysedAgainst(
	ctx context.Context, p *engine.Policy, proofs []prover.Proof, base *Policy,
) ([]analysis.Finding, []engine.Change, error) {
	found, err := analysis.RunUntil(p, field.Catalogue(), operation.Checking(ctx))
	if err != nil {
		return nil, nil, err
	}
	if len(proofs) > 0 {
		found = withGuarantees(found, proofs)
	}
	return againstBase(ctx, p, found, base)
}

// againstBase returns the findings of a version with their origin, and its changes against the
// base, which may be nil.
func againstBase(
	ctx context.Context, p *engine.Policy, found []analysis.Finding, base *Policy,
) ([]analysis.Finding, []engine.Change, error) {
	if base == nil {
		return analysis.Against(found, p, nil, nil), nil, nil
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
		changes = []engine.Change{} // the versions were compared, and nothing differs
	}
	return analysis.Against(found, p, inBase, base.source), changes, admission.Checkpoint(ctx)
}

// basePolicy returns the policy from which a version was made. It returns nil if there is none or
// if this version of the service cannot read it.
func (s *Service) basePolicy(ctx context.Context, scope *store.Scope, id string) (*Policy, error) {
	if id == "" {
		return nil, nil
	}
	base, err := s.Policy(ctx, scope, id)
	var unreadable operation.Defect
	if errors.As(err, &unreadable) {
		skipped := unreadableSets{ids: []string{id}, first: err}
		skipped.log(ctx, s.core.Logger, scope,
			"could not read the base of a rule set; the findings do not compare the rule set with its base")
		return nil, nil
	}
	return base, err
}

// newVersion is a draft that was read and merged with its base.
type newVersion struct {
	policy    *engine.Policy
	base      store.RuleSet // zero if there is no base
	inherited []string
}

// readNew reads a draft: it finds the base, applies the patch, and inherits the omitted members. It
// reports all faults together.
func (s *Service) readNew(ctx context.Context, scope *store.Scope, draft engine.Draft) (d newVersion, err error) {
	var faults fault.List
	if d.base, err = s.base(ctx, scope, draft, &faults); err != nil {
		return d, err
	}
	merged, err := draft.Merge(d.base.Document)
	if err != nil {
		return d, operation.AsDefect(err)
	}
	operation.AddAll(&faults, merged.Faults)
	d.inherited = merged.Inherited
	d.policy, err = s.readPolicy(ctx, scope, draft, merged.Document)
	switch err = fault.MapItems(err, merged.Relocate); {
	case faults.Len() == 0:
		return d, err
	case fault.KindOf(err) == fault.Invalid:
		operation.AddAll(&faults, fault.Of(err).Items)
	case err != nil:
		return d, err
	}
	return d, faults.Err()
}

// base returns the rule set that a draft inherits from, or the zero rule set if there is none. If
// the draft names no base, base returns the active rule set of the draft's policy_key. It returns
// NotFound if the named base does not exist.
func (s *Service) base(
	ctx context.Context, scope *store.Scope, draft engine.Draft, faults *fault.List,
) (store.RuleSet, error) {
	switch id, named := draft.Base(faults); {
	case id == engine.NoBase:
		return store.RuleSet{}, nil
	case named:
		if !tenant.Valid(tenant.KindPolicy, id) {
			return store.RuleSet{}, fault.Missing("base rule set")
		}
		return scope.RuleSets(ctx).Get(id)
	}
	key, ok := draft.PolicyKey()
	if !ok {
		return store.RuleSet{}, nil // readPolicy refuses the draft later
	}
	set, err := scope.RuleSets(ctx).Active(key)
	if fault.KindOf(err) == fault.NotFound {
		return store.RuleSet{}, nil
	}
	return set, err
}

// readPolicy parses the merged document of a draft, and looks up scorecards in the scope.
func (s *Service) readPolicy(
	ctx context.Context, scope *store.Scope, draft engine.Draft, merged engine.Document,
) (*engine.Policy, error) {
	var lookup error
	find := func(id string) (*engine.Scorecard, bool) {
		card, err := s.scorecard(ctx, scope, id)
		if err != nil && fault.KindOf(err) != fault.NotFound {
			lookup = err
		}
		return card, err == nil
	}
	lists, tables := listFinder{lists: scope.Lists(ctx)}, tableFinder{tables: scope.Tables(ctx)}
	sources := engine.Sources{
		Catalogue: field.Catalogue(), Scorecard: find, List: lists.find, Table: tables.find,
		Check: operation.Checking(ctx),
	}
	policy, err := engine.ParsePolicy(merged, sources)
	if err := cmp.Or(lists.err, tables.err); err != nil {
		return nil, err
	}
	if err == nil && draft.PinsScorecard() {
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
				"of a list count as one); at most %d are allowed: "+
				"remove or combine rules", policy.Cost(), engine.MaxCost))
	}
	return policy, err
}

// checkRules refuses a policy with too many knockouts, not counting those of the system, because
// every decision evaluates, explains and stores each knockout.
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
			"allowed, since every decision evaluates, explains and stores each of them: remove or combine rules",
			written, engine.MaxRules))
}

// checkPin checks a request that has both a scorecard and a scorecard_id. It refuses the request if no scorecard
// with this id is stored, or if the stored scorecard differs from the one in the request. A document that GET
// returned can be sent back, because its scorecard is the stored scorecard.
func checkPin(policy *engine.Policy, find func(id string) (*engine.Scorecard, bool)) error {
	stored, ok := find(policy.ScorecardID)
	switch {
	case !ok:
		return operation.Invalid("/scorecard_id", fault.CodeUnknownField,
			"no scorecard has this id; leave it out to use the scorecard of the request")
	case stored.Checksum() != policy.Scorecard.Checksum():
		return operation.Invalid("/scorecard_id", fault.CodeInvalidField,
			"the scorecard of the request differs from the stored one with this id; send only one of them")
	}
	return nil
}

func (s *Service) roomForDraft(tx *store.Tx) error {
	return operation.CheckCap(tx, tx.RuleSets().Drafts, s.options.MaxDrafts, "drafts",
		"delete one with DELETE /v1/rule-sets/{id}, or activate one")
}

// DeleteRuleSet deletes a draft. A draft that a backtest, a decision or another version refers to
// is archived instead: no list shows it, but it can be read by its id.
func (s *Service) DeleteRuleSet(ctx context.Context, p tenant.Principal, id string) (archived bool, err error) {
	if err := p.Require(tenant.PolicyWrite); err != nil {
		return false, err
	}
	if !tenant.Valid(tenant.KindPolicy, id) {
		return false, fault.Missing("rule set")
	}
	now := s.core.Moment()
	deleted := s.core.Audit(p, now, operation.ActionRuleSetDeleted, id, "")
	err = s.core.Scope(p).Write(ctx, func(tx *store.Tx) error {
		set, kept, err := tx.RuleSets().RemoveDraft(id, now.UnixMicro())
		archived = kept
		if err != nil || kept && set.ArchivedMicros != now.UnixMicro() { // the draft was archived before
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
