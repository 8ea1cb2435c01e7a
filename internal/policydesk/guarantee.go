package policydesk

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"verdict/internal/engine"
	"verdict/internal/engine/analysis"
	"verdict/internal/engine/prover"
	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// The limits of proofs: how many drafts are proved at the same time on a node, each for a different tenant, and the
// budget of one draft.
const (
	maxProving    = 2
	provingStates = 1_000_000
	provingBytes  = 128 << 20
	provingTime   = 10 * time.Second
)

// notProved is the reason why a guarantee without a stored proof is undecided.
const notProved = "it was not proved by this version of the service; create the rule set again to have it proved"

// proofKey identifies everything that a proof depends on: the rules, the guarantees and the version of the prover.
func proofKey(p *engine.Policy) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d\n%s\n%s", prover.Version, p.Checksum(), p.GuaranteesDocument()))
	return hex.EncodeToString(sum[:])
}

// keptProofs returns the stored proofs of a policy's guarantees, which were made when a policy with the same rules
// and guarantees was saved. final is false if no proofs are stored, or if the time was not enough for one of them.
// The guarantees without a proof are then undecided.
func keptProofs(sets store.RuleSetReader, plan *engine.Plan) (proofs []prover.Proof, final bool, err error) {
	policy := plan.Policy()
	if len(policy.Guarantees) == 0 {
		return nil, true, nil
	}
	kept, err := sets.Proof(proofKey(policy))
	if err != nil {
		return nil, false, err
	}
	v, err := wire.Parse(kept.Document)
	if err == nil {
		proofs, err = prover.ReadProofs(plan, v)
	}
	if err != nil || len(proofs) != len(policy.Guarantees) { // no proofs are stored, or those of another version
		return unproved(policy), false, nil
	}
	return proofs, !slices.ContainsFunc(proofs, func(p prover.Proof) bool { return p.Late() }), nil
}

// unproved returns an undecided proof for each guarantee.
func unproved(p *engine.Policy) (proofs []prover.Proof) {
	for i := range p.Guarantees {
		g := &p.Guarantees[i]
		proofs = append(proofs,
			prover.Proof{ID: g.ID, Text: g.Text, Standing: prover.Undecided, Why: []string{notProved}})
	}
	return proofs
}

// guarantees returns the proofs of the policy's guarantees. The document of a rule set never changes and its proofs are
// stored with it, so they are cached.
func (p *Policy) guarantees(ctx context.Context) ([]prover.Proof, error) {
	if len(p.source.Guarantees) == 0 {
		return nil, nil
	}
	if known := p.proofs.Load(); known != nil {
		return *known, nil
	}
	proofs, _, err := keptProofs(p.sets(ctx), p.Plan)
	if err != nil {
		return nil, err
	}
	p.proofs.Store(&proofs)
	return proofs, nil
}

// prove proves the guarantees of a policy that is about to be stored. fresh is the record to store, or nil if the
// proofs are stored already. It returns Unavailable while another draft of the tenant, or several drafts of other
// tenants, are being proved.
func (s *Service) prove(
	ctx context.Context, p tenant.Principal, policy *engine.Policy,
) (proofs []prover.Proof, fresh *store.Proof, err error) {
	if len(policy.Guarantees) == 0 {
		return nil, nil, nil
	}
	plan := engine.Compile(policy, field.Catalogue())
	proofs, final, err := keptProofs(s.core.Scope(p).RuleSets(ctx), plan)
	if err != nil || final {
		return proofs, nil, err
	}
	if !s.proving.Take(p.TenantID, 1) {
		return nil, nil, fault.New(fault.Unavailable, fault.CodeUnavailable,
			"the guarantees of another draft of this tenant, or of several others, are being proved; "+
				"try again when that has ended")
	}
	defer s.proving.Give(p.TenantID, 1)
	end, check := s.core.Now().Add(provingTime), operation.Checking(ctx)
	proofs, err = prover.ProveAll(plan, prover.Options{
		MaxStates: provingStates,
		MaxBytes:  provingBytes,
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
		return nil, nil, err
	}
	var w wire.Writer
	prover.WriteProofs(&w, proofs)
	return proofs, &store.Proof{
		Key: proofKey(policy), Document: w.Buf, CreatedMicros: s.core.Moment().UnixMicro(),
	}, nil
}

// withGuarantees returns the findings of the analysis together with those about guarantees that are not proved, errors
// first.
func withGuarantees(found []analysis.Finding, proofs []prover.Proof) []analysis.Finding {
	out := append(slices.Clone(found), GuaranteeFindings(proofs)...)
	slices.SortStableFunc(out, func(x, y analysis.Finding) int { return int(y.Severity) - int(x.Severity) })
	return out
}

// GuaranteeFindings returns a finding for each guarantee that is not proved.
func GuaranteeFindings(proofs []prover.Proof) (found []analysis.Finding) {
	for i := range proofs {
		p := &proofs[i]
		if p.Standing == prover.Proved {
			continue
		}
		f := analysis.Guarantee(i, p.ID, p.Standing == prover.Refuted, p.Sentence())
		if len(p.Applicants) > 0 {
			f.Witness = p.Applicants[0].Facts
		}
		found = append(found, f)
	}
	return found
}

// checkGuarantees refuses the activation of a policy with a refuted guarantee. It reads only proofs that were made
// before, so that an activation never waits for a proof.
func checkGuarantees(proofs []prover.Proof) error {
	var items []fault.Item
	var ids []string
	for i := range proofs {
		proof := &proofs[i]
		if proof.Standing != prover.Refuted {
			continue
		}
		f := analysis.Guarantee(i, proof.ID, true, proof.Sentence())
		items = append(items, fault.Item{Pointer: f.Pointer, Code: f.Code, Detail: proof.Text + ": " + f.Detail})
		ids = append(ids, proof.ID)
	}
	if len(items) == 0 {
		return nil
	}
	refusal := fault.New(fault.Conflict, fault.CodeGuaranteeViolated,
		"the rule set violates its guarantees %s; change the rules, or create a version without these guarantees",
		strings.Join(ids, ", "))
	if len(ids) == 1 {
		refusal.Detail = "the rule set violates its guarantee " + ids[0] +
			"; change the rules, or create a version without this guarantee"
	}
	refusal.Items = items
	return refusal
}

// removedGuarantees returns the findings about guarantees that the base or the active version has and the policy does
// not keep.
func (s *Service) removedGuarantees(
	ctx context.Context, p tenant.Principal, policy *Policy,
) ([]analysis.Finding, error) {
	base, err := s.basePolicy(ctx, s.core.Scope(p), policy.base)
	if err != nil {
		return nil, fmt.Errorf("the base of rule set %s: %w", policy.ID, operation.MissingIsDefect(err))
	}
	if base != nil {
		if found := analysis.GuaranteesRemoved(policy.source, base.source); found != nil {
			return found, nil
		}
	}
	id, err := s.active.Get(ctx, series{p.TenantID, string(p.Environment), policy.Key})
	if err != nil {
		return nil, err
	}
	active, err := s.basePolicy(ctx, s.core.Scope(p), id)
	if err != nil || active == nil {
		return nil, err
	}
	return analysis.GuaranteesRemoved(policy.source, active.source), nil
}
