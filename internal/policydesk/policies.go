package policydesk

import (
	"context"
	"time"

	"verdict/internal/engine"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// PolicyView is an active policy or a draft, with the statistics of its rules if they were
// requested.
type PolicyView struct {
	ID        string
	PolicyKey string
	Name      string
	Version   int64
	Status    string
	Checksum  string
	Policy    *engine.Policy
	Stats     map[string]RuleCount // by rule id; nil if not requested
}

// PolicyFilter selects policies. If StatsDays is not 0, Policies adds the statistics of that many
// days.
type PolicyFilter struct {
	PolicyKey string
	StatsDays int
}

// Policies returns a page of the active policies and the drafts.
func (s *Service) Policies(
	ctx context.Context, p tenant.Principal, f PolicyFilter, l operation.List,
) (operation.Page[PolicyView], error) {
	if err := p.Require(tenant.Read); err != nil {
		return operation.Page[PolicyView]{}, err
	}
	filters := []string{"policies", f.PolicyKey}
	page, err := l.Page(p, filters...)
	if err != nil {
		return operation.Page[PolicyView]{}, err
	}
	scope := s.core.Scope(p)
	var rows []store.RuleSet
	var stats []map[string]RuleCount // one for each row
	var next store.Position
	err = scope.Read(ctx, func(tx *store.Tx) (err error) {
		var more bool
		rows, more, err = tx.RuleSets().List(store.RuleSetFilter{PolicyKey: f.PolicyKey, Configured: true}, page)
		if err != nil {
			return err
		}
		// The next page begins after the last row, even if that row is skipped below.
		if next = (store.Position{}); more {
			last := rows[len(rows)-1]
			next = store.Position{Micros: last.CreatedMicros, ID: last.ID}
		}
		if stats = make([]map[string]RuleCount, len(rows)); f.StatsDays == 0 {
			return nil
		}
		for i, set := range rows {
			if stats[i], err = s.ruleStats(tx.RuleSets().RuleSetReader, p, set.ID, f.StatsDays); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return operation.Page[PolicyView]{}, err
	}
	// Parse the documents after the transaction, because parsing needs a slot on a processor.
	list, err := s.views(ctx, scope, rows, stats)
	if err != nil {
		return operation.Page[PolicyView]{}, err
	}
	return operation.PagedUntil(l, p, list, next, filters...), nil
}

// views parses the documents of rule sets. It omits and logs those that cannot be read;
// GET /v1/rule-sets lists them. stats has an element for each row.
func (s *Service) views(
	ctx context.Context, scope *store.Scope, rows []store.RuleSet, stats []map[string]RuleCount,
) ([]PolicyView, error) {
	list := make([]PolicyView, 0, len(rows))
	var skipped unreadableSets
	for i, set := range rows {
		_, policy, err := s.show(ctx, scope, set)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			skipped.add(set.ID, err)
			continue
		}
		list = append(list, PolicyView{
			ID:        set.ID,
			PolicyKey: set.PolicyKey,
			Name:      set.Name,
			Version:   set.Version,
			Status:    set.Status,
			Checksum:  set.Checksum,
			Policy:    policy,
			Stats:     stats[i],
		})
	}
	skipped.log(ctx, s.core.Logger, scope, "could not read stored rule sets; the list of policies omits them")
	return list, nil
}

// RuleStats returns how often the rules of a rule set were evaluated and hit in the last days, by
// rule id.
func (s *Service) RuleStats(
	ctx context.Context, p tenant.Principal, id string, days int,
) (map[string]RuleCount, error) {
	if err := p.Require(tenant.Read); err != nil {
		return nil, err
	}
	return s.ruleStats(s.core.Scope(p).RuleSets(ctx), p, id, days)
}

// OutcomeCount is the number of decisions with the same status and grade.
type OutcomeCount struct {
	Status, Grade string
	Count         int64
}

// MaxOutcomes is the maximum number of decisions that Outcomes counts.
const MaxOutcomes = 5_000

// Outcomes counts the decisions of a rule set in the last days by status and grade. It counts only the latest
// MaxOutcomes, so that the work does not depend on how much is stored.
func (s *Service) Outcomes(ctx context.Context, p tenant.Principal, id string, days int) ([]OutcomeCount, error) {
	if err := p.Require(tenant.Read); err != nil {
		return nil, err
	}
	from := s.core.Now().Add(-time.Duration(days) * 24 * time.Hour)
	rows, err := s.core.Scope(p).Decisions(ctx).CountOutcomes(id, tenant.FirstID(tenant.KindDecision, from),
		MaxOutcomes)
	list := make([]OutcomeCount, len(rows))
	for i, r := range rows {
		list[i] = OutcomeCount(r)
	}
	return list, err
}

func (s *Service) ruleStats(
	sets store.RuleSetReader, p tenant.Principal, id string, days int,
) (map[string]RuleCount, error) {
	from := tenant.BusinessDay(s.core.Now().Add(-time.Duration(days-1) * 24 * time.Hour))
	rows, err := sets.Stats(id, from)
	if err != nil {
		return nil, err
	}
	stats := make(map[string]RuleCount, len(rows))
	for _, r := range rows {
		stats[r.RuleID] = RuleCount{
			TenantID:    p.TenantID,
			Environment: string(p.Environment),
			RuleID:      r.RuleID,
			Evaluated:   r.Evaluated,
			Hit:         r.Hit,
			Unknown:     r.Unknown,
		}
	}
	return stats, nil
}
