package store

import (
	"cmp"
	"context"
	"maps"
	"slices"
)

// The spans of DecisionStat.
const (
	StatHour = "hour"
	StatDay  = "day"
)

// DecisionStat counts the decisions, or the requests for decisions, of one hour or day. The caller chooses the
// kinds, the names and the format of At. The values of At must sort in the order of time.
type DecisionStat struct {
	TenantID    string
	Environment string
	Span        string // StatHour or StatDay
	Kind        string
	At          string // "" in a sum
	Name        string
	Count       int64
	Total       int64 // the sum of the counted amounts, such as paise
}

var decisionStatTable = newBulkTable("decision_stats",
	column{"span", text}, column{"kind", text}, column{"at", text}, column{"name", text},
	column{"count", bigint}, column{"total", bigint}).
	withClause(`ON CONFLICT (tenant_id, environment, span, kind, at, name) DO UPDATE SET
	count = decision_stats.count + excluded.count, total = decision_stats.total + excluded.total`)

// AddDecisionStats adds counts to the stored counts, all in one transaction.
func (sys *System) AddDecisionStats(ctx context.Context, stats []DecisionStat) error {
	// Sum up duplicates, so that no statement inserts a key twice, and sort, so
	// that two nodes cannot deadlock.
	sums := map[DecisionStat]DecisionStat{}
	for _, stat := range stats {
		key := stat
		key.Count, key.Total = 0, 0
		sum, found := sums[key]
		if !found {
			sum = key
		}
		sum.Count += stat.Count
		sum.Total += stat.Total
		sums[key] = sum
	}
	if len(sums) == 0 {
		return nil
	}
	ordered := slices.SortedFunc(maps.Values(sums), compareDecisionStats)
	return sys.write(ctx, "add statistics of decisions", func(s *transaction) error {
		for of := range byScope(ordered, DecisionStat.scope) {
			rows := make([][]any, len(of))
			for i, stat := range of {
				rows[i] = []any{stat.Span, stat.Kind, stat.At, stat.Name, stat.Count, stat.Total}
			}
			if err := decisionStatTable.insert(s.within(of[0].TenantID, of[0].Environment), rows); err != nil {
				return err
			}
		}
		return nil
	})
}

func (stat DecisionStat) scope() rlsScope {
	return rlsScope{tenant: stat.TenantID, environment: stat.Environment}
}

func compareDecisionStats(a, b DecisionStat) int {
	return cmp.Or(cmp.Compare(a.TenantID, b.TenantID), cmp.Compare(a.Environment, b.Environment),
		cmp.Compare(a.Span, b.Span), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.At, b.At), cmp.Compare(a.Name, b.Name))
}

// Stats returns the counts of a kind in a range of time, ordered by time and name. Parameter "from" is the
// beginning of the range. Parameter "to" is its end, which is not part of the range.
func (ds DecisionReader) Stats(span, kind, from, to string) ([]DecisionStat, error) {
	return read(ds.access, func(tx *Tx) ([]DecisionStat, error) {
		var stats []DecisionStat
		err := tx.each(func(scan func(...any) error) error {
			stat := DecisionStat{TenantID: tx.Tenant(), Environment: tx.Environment(), Span: span, Kind: kind}
			err := scan(&stat.At, &stat.Name, &stat.Count, &stat.Total)
			stats = append(stats, stat)
			return err
		}, `SELECT at, name, count, total FROM decision_stats
		WHERE tenant_id = $1 AND environment = $2 AND span = $3 AND kind = $4 AND at >= $5 AND at < $6
		ORDER BY at, name`, span, kind, from, to)
		return stats, err
	})
}

// StatSums returns the counts of a kind in the same range of time as Stats. It returns one sum for each name, ordered
// by name.
func (ds DecisionReader) StatSums(span, kind, from, to string) ([]DecisionStat, error) {
	return read(ds.access, func(tx *Tx) ([]DecisionStat, error) {
		var stats []DecisionStat
		err := tx.each(func(scan func(...any) error) error {
			stat := DecisionStat{TenantID: tx.Tenant(), Environment: tx.Environment(), Span: span, Kind: kind}
			err := scan(&stat.Name, &stat.Count, &stat.Total)
			stats = append(stats, stat)
			return err
		}, `SELECT name, CAST(sum(count) AS BIGINT), CAST(sum(total) AS BIGINT) FROM decision_stats
		WHERE tenant_id = $1 AND environment = $2 AND span = $3 AND kind = $4 AND at >= $5 AND at < $6
		GROUP BY name ORDER BY name`, span, kind, from, to)
		return stats, err
	})
}

// PurgeDecisionStats deletes at most limit counts of a span, of all tenants, from before a time. It returns the number
// of deleted counts.
func (sys *System) PurgeDecisionStats(ctx context.Context, span, before string, limit int) (int64, error) {
	var deleted int64
	err := sys.write(ctx, "purge statistics of decisions", func(s *transaction) (err error) {
		deleted, err = s.exec(`DELETE FROM decision_stats
			WHERE (tenant_id, environment, span, kind, at, name) IN (
				SELECT tenant_id, environment, span, kind, at, name FROM decision_stats WHERE span = $1 AND at < $2
				ORDER BY at LIMIT $3)`, span, before, int64(limit))
		return err
	})
	return deleted, err
}
