package decisioning

import (
	"context"

	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// CodeCapReached refuses something of which a tenant has as many as it may.
const CodeCapReached = "cap_reached"

// Caps are how many of something a tenant may have: drafts, scorecards and entries
// of the block list in one environment, and API keys in use in both. A zero field
// takes its default.
type Caps struct{ Drafts, Scorecards, Blocked, Keys int }

// DefaultCaps are the caps unless set otherwise.
func DefaultCaps() Caps { return Caps{Drafts: 1_000, Scorecards: 10_000, Blocked: 100_000, Keys: 100} }

func (c *Caps) fill() {
	usual := DefaultCaps()
	for _, f := range []struct {
		field *int
		usual int
	}{{&c.Drafts, usual.Drafts}, {&c.Scorecards, usual.Scorecards}, {&c.Blocked, usual.Blocked}, {&c.Keys, usual.Keys}} {
		if *f.field == 0 {
			*f.field = f.usual
		}
	}
}

// capped refuses one more of something, after which there would be too many.
func capped(count func() (int64, error), most int, what, mend string) error {
	n, err := count()
	if err != nil || n < int64(most) {
		return err
	}
	return fault.New(fault.Conflict, CodeCapReached, "there are %d %s, which is as many as there may be in an environment; %s", n, what, mend)
}

func (s *Service) roomForDraft(tx *store.Tx) error {
	return capped(tx.Drafts, s.options.Caps.Drafts, "drafts", "delete one with DELETE /v1/rule-sets/{id}, or activate one")
}

func (s *Service) roomForScorecard(tx *store.Tx) error {
	return capped(tx.Scorecards, s.options.Caps.Scorecards, "scorecards",
		"use those, or ask whoever runs the service to raise -max-scorecards")
}

func (s *Service) roomForBlocked(tx *store.Tx) error {
	return capped(tx.BlockedEntities, s.options.Caps.Blocked, "entries of the block list", "remove one with DELETE /v1/fraud/blocklist")
}

// DeleteRuleSet deletes a draft. One that a backtest, a decision or another version
// refers to is archived instead: hidden from lists, readable by its id.
func (s *Service) DeleteRuleSet(ctx context.Context, p tenant.Principal, id string) (archived bool, err error) {
	if err := p.Require(tenant.PolicyWrite); err != nil {
		return false, err
	}
	if !tenant.Valid(tenant.KindPolicy, id) {
		return false, missing("rule set")
	}
	now := s.moment()
	deleted := s.audit(p, now, actionRuleSetDeleted, id, "")
	err = s.scope(p).Write(ctx, func(tx *store.Tx) error {
		set, kept, err := tx.RemoveDraft(id, now.UnixMicro())
		archived = kept
		if err != nil || kept && set.ArchivedMicros != now.UnixMicro() { // it was archived before
			return err
		}
		entry := deleted
		if kept {
			entry.Action = actionRuleSetArchived
		}
		entry.BeforeChecksum = set.Checksum
		return tx.Audit(entry)
	})
	if err == nil && !archived {
		s.policies.Forget(policyID{p.TenantID, string(p.Environment), id})
	}
	return archived, err
}
