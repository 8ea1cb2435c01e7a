package decisioning

import (
	"context"
	"fmt"

	"verdict/internal/journal"
	"verdict/internal/operation"
	"verdict/internal/rule"
	"verdict/internal/store"
)

// Kept is what remains of the answer of a decision whose applicant was erased.
type Kept struct {
	Summary     DecisionSummary
	Environment string
	PolicyName  string // "" if the policy can no longer be read
	Checksum    string // of the policy, "" if it can no longer be read
	Score       rule.Number
	AskedRupees rule.Number // the requested amount, 0 if none is known
	LimitPaise  int64       // 0 if nothing was offered
	RateBP      int64       // hundredths of a percent
	Reasons     []string    // codes by rank
}

// whyErased says why an erased decision cannot be explained.
const whyErased = "The applicant was erased, and with the applicant the answer and the facts of the decision"

// erased reports whether documents of a stored decision were erased.
func erased(d *store.Decision) bool { return len(d.Response) == 0 || len(d.Facts) == 0 }

// explainErased sets what remains of an erased decision.
func (s *Service) explainErased(
	ctx context.Context, scope *store.Scope, stored *store.Decision, out *Explained,
) error {
	outcome, zones, err := journal.ReadPlain(stored.Plain)
	if err != nil {
		return operation.AsDefect(fmt.Errorf("decision %s: %w", stored.ID, err))
	}
	out.InputsErased = zones
	out.Again = unverified(stored, whyErased)
	out.Kept = &Kept{
		Summary:     summaryOf(stored),
		Environment: scope.Environment(),
		Score:       outcome.Score,
		AskedRupees: outcome.AskedRupees,
		LimitPaise:  outcome.LimitPaise,
		RateBP:      outcome.RateBP,
		Reasons:     outcome.Reasons,
	}
	policy, why, err := s.storedPolicy(ctx, scope, stored)
	if err == nil && why == "" {
		out.Kept.PolicyName, out.Kept.Checksum = policy.Plan.Policy().Name, policy.Plan.Checksum()
	}
	return err
}
