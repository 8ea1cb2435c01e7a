package store

import (
	"cmp"
	"context"
	"maps"
	"slices"
)

// RuleStat counts the results of a rule in the decisions of a day.
type RuleStat struct {
	TenantID    string
	Environment string
	RuleSetID   string
	RuleID      string
	Day         string // in the caller's format; "" in a sum over days
	Evaluated   int64  // decisions in which the rule ran
	Hit         int64
	Unknown     int64 // decisions in which the rule could not be evaluated
}

var ruleStatTable = newBulkTable("rule_stats",
	column{"rule_set_id", text}, column{"rule_id", text}, column{"day", text},
	column{"evaluated", bigint}, column{"hit", bigint}, column{"unknown", bigint}).
	withClause(`ON CONFLICT (tenant_id, environment, rule_set_id, rule_id, day) DO UPDATE SET
	evaluated = rule_stats.evaluated + excluded.evaluated, hit = rule_stats.hit + excluded.hit,
	unknown = rule_stats.unknown + excluded.unknown`)

// AddRuleStats adds counts to the stored counts, all in one transaction.
// Callers collect counts and do not call AddRuleStats for every decision.
func (sys *System) AddRuleStats(ctx context.Context, stats []RuleStat) error {
	// Sum up duplicates, so that no statement inserts a key twice, and sort, so
	// that two nodes cannot deadlock.
	sums := map[RuleStat]RuleStat{}
	for _, stat := range stats {
		key := stat
		key.Evaluated, key.Hit, key.Unknown = 0, 0, 0
		sum, found := sums[key]
		if !found {
			sum = key
		}
		sum.Evaluated += stat.Evaluated
		sum.Hit += stat.Hit
		sum.Unknown += stat.Unknown
		sums[key] = sum
	}
	if len(sums) == 0 {
		return nil
	}
	ordered := slices.SortedFunc(maps.Values(sums), compareRuleStats)
	return sys.write(ctx, "add rule statistics", func(s *transaction) error {
		for of := range byScope(ordered, RuleStat.scope) {
			rows := make([][]any, len(of))
			for i, stat := range of {
				rows[i] = []any{stat.RuleSetID, stat.RuleID, stat.Day, stat.Evaluated, stat.Hit, stat.Unknown}
			}
			if err := ruleStatTable.insert(s.within(of[0].TenantID, of[0].Environment), rows); err != nil {
				return err
			}
		}
		return nil
	})
}

func (stat RuleStat) scope() rlsScope {
	return rlsScope{tenant: stat.TenantID, environment: stat.Environment}
}

func compareRuleStats(a, b RuleStat) int {
	return cmp.Or(cmp.Compare(a.TenantID, b.TenantID), cmp.Compare(a.Environment, b.Environment),
		cmp.Compare(a.RuleSetID, b.RuleSetID), cmp.Compare(a.RuleID, b.RuleID), cmp.Compare(a.Day, b.Day))
}

// Stats returns the counts of each rule of a rule set, summed over the days from
// fromDay on. Rules that never ran are not included.
func (rs RuleSetReader) Stats(ruleSetID, fromDay string) ([]RuleStat, error) {
	return read(rs.access, func(tx *Tx) ([]RuleStat, error) {
		var stats []RuleStat
		err := tx.each(func(scan func(...any) error) error {
			stat := RuleStat{TenantID: tx.Tenant(), Environment: tx.Environment(), RuleSetID: ruleSetID}
			err := scan(&stat.RuleID, &stat.Evaluated, &stat.Hit, &stat.Unknown)
			stats = append(stats, stat)
			return err
		}, `SELECT rule_id, CAST(sum(evaluated) AS BIGINT), CAST(sum(hit) AS BIGINT), CAST(sum(unknown) AS BIGINT)
		FROM rule_stats WHERE tenant_id = $1 AND environment = $2 AND rule_set_id = $3 AND day >= $4
		GROUP BY rule_id ORDER BY rule_id`, ruleSetID, fromDay)
		return stats, err
	})
}

// RuleHits counts the decisions in which a rule ran and hit, in a range of days and in the range before it.
type RuleHits struct {
	RuleID                     string
	Evaluated, Hit             int64
	EvaluatedBefore, HitBefore int64
}

func (h *RuleHits) fields() []any {
	return []any{&h.RuleID, &h.Evaluated, &h.Hit, &h.EvaluatedBefore, &h.HitBefore}
}

// Hits returns the RuleHits of each rule of a rule set. The range of days begins with fromDay. The range before it
// begins with beforeDay and ends on the day before fromDay.
func (rs RuleSetReader) Hits(ruleSetID, beforeDay, fromDay string) ([]RuleHits, error) {
	return read(rs.access, func(tx *Tx) ([]RuleHits, error) {
		return eachRow(tx, (*RuleHits).fields, `SELECT rule_id,
			CAST(sum(CASE WHEN day >= $5 THEN evaluated ELSE 0 END) AS BIGINT),
			CAST(sum(CASE WHEN day >= $5 THEN hit ELSE 0 END) AS BIGINT),
			CAST(sum(CASE WHEN day < $5 THEN evaluated ELSE 0 END) AS BIGINT),
			CAST(sum(CASE WHEN day < $5 THEN hit ELSE 0 END) AS BIGINT)
		FROM rule_stats WHERE tenant_id = $1 AND environment = $2 AND rule_set_id = $3 AND day >= $4
		GROUP BY rule_id ORDER BY rule_id`, ruleSetID, beforeDay, fromDay)
	})
}
