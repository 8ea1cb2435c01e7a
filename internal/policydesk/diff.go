package policydesk

import (
	"context"
	"time"

	"verdict/internal/engine/prover"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/tenant"
)

// AgainstActive is the value of Comparison.Against that means the active version of the same policy_key.
const AgainstActive = "active"

// Comparison names the version that a rule set is compared with.
type Comparison struct {
	Against string // id of a rule set, AgainstActive, or "" for AgainstActive
	// Progress is called with the number of steps that are done and the total number of steps. It may be nil.
	Progress func(done, all int)
}

// Difference is the difference of two versions for all applicants.
type Difference struct {
	FromID, ToID string  // ToID is compared with FromID
	From, To     *Policy // both versions, compiled
	prover.Result
}

// The limits of a comparison: how many run at the same time on a node, each for a different tenant, and the budget of
// each.
const (
	maxComparing    = 2
	comparingStates = 1_000_000
	comparingBytes  = 128 << 20
	comparingTime   = 10 * time.Second
)

// Diff compares a rule set with another one, which may belong to another policy_key, for all applicants. The result
// says what changes for whom if the rule set replaces the other one. Diff stores nothing. It returns Unavailable
// while another comparison of the tenant runs, and Conflict if one of the documents can no longer be read.
func (s *Service) Diff(ctx context.Context, p tenant.Principal, id string, c Comparison) (Difference, error) {
	if err := p.Require(tenant.Read); err != nil {
		return Difference{}, err
	}
	changed, err := s.existing(ctx, p, id)
	if err != nil {
		return Difference{}, err
	}
	against := c.Against
	if against == "" || against == AgainstActive {
		if against, err = s.activeID(ctx, p, changed.Key); err != nil {
			return Difference{}, err
		}
	}
	old, err := s.existing(ctx, p, against)
	if err != nil {
		return Difference{}, err
	}
	if !s.comparing.Take(p.TenantID, 1) {
		return Difference{}, fault.New(fault.Unavailable, fault.CodeUnavailable,
			"rule sets of this tenant, or of several others, are being compared; try again when that has ended")
	}
	defer s.comparing.Give(p.TenantID, 1)
	end, check := s.core.Now().Add(comparingTime), operation.Checking(ctx)
	result, err := prover.Diff(old.Plan, changed.Plan, prover.Options{
		MaxStates: comparingStates,
		MaxBytes:  comparingBytes,
		Progress:  c.Progress,
		Check: func() error {
			if err := check(); err != nil {
				return err
			}
			if s.core.Now().After(end) {
				return prover.ErrOutOfTime
			}
			return nil
		},
	})
	if err != nil {
		return Difference{}, err
	}
	for i, policy := range []*Policy{old, changed} {
		if result.Guarantees[i], err = policy.guarantees(ctx); err != nil {
			return Difference{}, err
		}
	}
	return Difference{FromID: old.ID, ToID: changed.ID, From: old, To: changed, Result: result}, nil
}

// existing returns the compiled rule set with an id, or NotFound. It returns Conflict if this version of the service
// can no longer read the stored document.
func (s *Service) existing(ctx context.Context, p tenant.Principal, id string) (*Policy, error) {
	if !tenant.Valid(tenant.KindPolicy, id) {
		return nil, fault.Missing("rule set")
	}
	scope := s.core.Scope(p)
	policy, err := s.Policy(ctx, scope, id)
	if s.unreadable(ctx, scope, "compare", id, err) {
		return nil, fault.New(fault.Conflict, fault.CodeInvalidTransition,
			"rule set %s was stored by another version of the service and is no longer valid, so it cannot be "+
				"compared; create it again", id)
	}
	return policy, err
}
