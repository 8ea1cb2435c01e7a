// Package policydesk is the life of a policy: rule sets from draft to retired, with what
// differs from their base and what the static analysis says of them, activation and who
// may do it, scorecards, and the compiled policies that decisions are made with.
//
// The operations. Each checks what the caller may do first (Forbidden); besides the
// errors named here any may fail with one of storage.
//
//	CreateRuleSet
//	    stores a draft: Invalid with every fault, policy_too_costly, NotFound of its
//	    base, cap_reached
//	ReadDraft
//	    says what there is to say of a draft, and stores nothing
//	DeleteRuleSet
//	    deletes or archives a draft: NotFound, invalid_transition
//	RuleSet, RuleSets, Policies
//	    show versions: NotFound, invalid_cursor
//	RuleStats
//	    how the rules of a version fared
//	Activate
//	    makes a rule set the one that decides: NotFound, invalid_transition,
//	    precondition_failed, second_person_required, findings_unacknowledged
//	Scorecard
//	    creates a scorecard or scores with one: Invalid, NotFound, cap_reached
//	StoredScorecard, Scorecards
//	    show scorecards: NotFound, invalid_cursor
//
// For the other rooms: Policy finds a rule set, compiled; ActivePolicy the one that
// decides (no_active_policy when there is none); InsertScorecard stores a scorecard
// within a transaction. Flush is the background work of the room.
package policydesk

import (
	"verdict/internal/cache"
	"verdict/internal/operation"
)

// Options are what a Service needs besides its core. A zero field takes its default.
type Options struct {
	PlanCache int // how many compiled policies are kept; 1,000
	// Of a tenant in an environment; DefaultMaxDrafts and DefaultMaxScorecards.
	MaxDrafts, MaxScorecards int
	// Rule is told how rules fared, for metrics. It must not block; nil is left out.
	Rule func(RuleCount)
}

// How many drafts and scorecards an environment may have.
const (
	DefaultMaxDrafts     = 1_000
	DefaultMaxScorecards = 10_000
)

// Service is the operations on policies. It is safe for concurrent use.
type Service struct {
	core    *operation.Core
	options Options

	active   *cache.Cache[series, string]
	policies *cache.Cache[policyID, *Policy]
}

// The bounds of the caches: a tenant that does not call costs nothing.
const (
	activeCached   = 10_000
	policiesCached = 1_000
	// policyBytes bounds the documents of the policies kept. A compiled policy
	// takes some eight times its document.
	policyBytes = 32 << 20
)

// New makes the room.
func New(core *operation.Core, o Options) *Service {
	if o.PlanCache == 0 {
		o.PlanCache = policiesCached
	}
	if o.MaxDrafts == 0 {
		o.MaxDrafts = DefaultMaxDrafts
	}
	if o.MaxScorecards == 0 {
		o.MaxScorecards = DefaultMaxScorecards
	}
	s := &Service{core: core, options: o}
	s.active = cache.New(activeCached, cache.RefreshAfter, core.Now, s.loadActive)
	s.policies = cache.New(o.PlanCache, 0, core.Now, s.loadPolicy)
	s.policies.Bound(policyBytes, func(p *Policy) int { return p.size })
	return s
}
