package decisioning

import (
	"context"
	"fmt"
	"slices"

	"verdict/internal/journal"
	"verdict/internal/operation"
	"verdict/internal/rule"
	"verdict/internal/sealing"
	"verdict/internal/store"
)

// Kept has the parts that remain of the answer of an erased decision. A decision is erased with its applicant or
// at the end of its retention period.
type Kept struct {
	Summary     DecisionSummary
	Environment string
	PolicyName  string // "" if the policy can no longer be read
	Checksum    string // the checksum of the policy; "" if the policy can no longer be read
	Score       rule.Number
	AskedRupees rule.Number // the requested amount, 0 if none is known
	LimitPaise  int64       // 0 if nothing was offered
	RateBP      int64       // hundredths of a percent
	Reasons     []string    // codes by rank
}

// Reasons why a decision cannot be explained. The answer is erased with the applicant or at the end of its
// retention period. The facts alone are erased only at the end of their own retention period.
const (
	whyErased  = "The answer and the facts of the decision were erased"
	whyExpired = "The facts of the decision were erased at the end of their retention period"
	whyPerson  = "The facts about a co-applicant or a guarantor of the decision were erased"
)

// erased reports whether a stored decision can no longer be computed again, because documents that it needs were
// erased.
func erased(d *store.Decision) bool {
	return len(d.Response) == 0 || len(d.Facts) == 0 || personErased(d)
}

// personErased reports whether the facts about a co-applicant or a guarantor of a stored decision were erased.
func personErased(d *store.Decision) bool {
	return slices.ContainsFunc(d.People, func(p store.DecisionPerson) bool { return len(p.Facts) == 0 })
}

// explainErased sets in out the parts that remain of an erased decision.
func (s *Service) explainErased(
	ctx context.Context, scope *store.Scope, stored *store.Decision, out *Explained,
) error {
	outcome, zones, err := journal.ReadPlain(stored.Plain)
	if err != nil {
		return operation.AsDefect(fmt.Errorf("decision %s: %w", stored.ID, err))
	}
	out.InputsErased = slices.DeleteFunc(zones, func(zone string) bool {
		return slices.ContainsFunc(stored.People, func(p store.DecisionPerson) bool {
			return p.Role == zone && len(p.Facts) > 0 // the person was not erased
		})
	})
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
	policy, why, err := storedPolicy(ctx, s.desk, scope, stored)
	if err == nil && why == "" {
		out.Kept.PolicyName, out.Kept.Checksum = policy.Plan.Policy().Name, policy.Plan.Checksum()
	}
	return err
}

// emptiedZones returns the names of the zones of a stored decision whose documents were emptied. It must be called
// before the documents are opened.
func emptiedZones(ctx context.Context, scope *store.Scope, d *store.Decision) (names []string, err error) {
	var features *store.Features
	// A decision from before the journal has no zones here, and no retention period has been applied to it yet. A
	// column that was altered is reported by Verify.
	_, zones, unreadable := journal.ReadPlain(d.Plain)
	if unreadable == nil && slices.Contains(zones, sealing.Features.String()) {
		if features, err = featuresOf(ctx, scope, d.ID); err != nil {
			return nil, err
		}
	}
	for _, zone := range journal.Emptied(d, features) {
		names = append(names, zone.String())
	}
	return names, nil
}
