package decisioning

import (
	"context"

	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

func (s *Service) roomForDraft(tx *store.Tx) error {
	return operation.Capped(tx.Drafts, s.options.MaxDrafts, "drafts", "delete one with DELETE /v1/rule-sets/{id}, or activate one")
}

func (s *Service) roomForScorecard(tx *store.Tx) error {
	return operation.Capped(tx.Scorecards, s.options.MaxScorecards, "scorecards",
		"use those, or ask whoever runs the service to raise -max-scorecards")
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
		set, kept, err := tx.RemoveDraft(id, now.UnixMicro())
		archived = kept
		if err != nil || kept && set.ArchivedMicros != now.UnixMicro() { // it was archived before
			return err
		}
		entry := deleted
		if kept {
			entry.Action = operation.ActionRuleSetArchived
		}
		entry.BeforeChecksum = set.Checksum
		return tx.Audit(entry)
	})
	if err == nil && !archived {
		s.policies.Forget(policyID{p.TenantID, string(p.Environment), id})
	}
	return archived, err
}
