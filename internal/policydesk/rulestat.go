package policydesk

import (
	"context"

	"verdict/internal/store"
	"verdict/internal/tenant"
)

// RuleCount counts how often a rule of one policy was evaluated, how often it hit, and how often
// it could not be evaluated.
type RuleCount struct {
	TenantID, Environment, PolicyKey, RuleID string
	Evaluated, Hit, Unknown                  int64
}

// Flush stores and reports the counts of the rules of all cached policies. Counts that cannot be
// stored are lost.
func (s *Service) Flush(ctx context.Context) {
	var stats []store.RuleStat
	day := tenant.BusinessDay(s.core.Now())
	s.policies.Each(func(p *Policy) {
		p.tally.Drain(func(rule string, evaluated, hit, unknown int64) {
			stats = append(stats, store.RuleStat{
				TenantID:    p.tenant,
				Environment: p.environment,
				RuleSetID:   p.ID,
				RuleID:      rule,
				Day:         day,
				Evaluated:   evaluated,
				Hit:         hit,
				Unknown:     unknown,
			})
			if report := s.options.Rule; report != nil {
				report(RuleCount{p.tenant, p.environment, p.Key, rule, evaluated, hit, unknown})
			}
		})
	})
	if len(stats) == 0 {
		return
	}
	if err := s.core.DB.System().AddRuleStats(ctx, stats); err != nil {
		s.core.Logger.WarnContext(ctx, "could not store rule statistics; the counts of this interval are lost",
			"rules", len(stats), "error", err)
	}
}
