package decisioning

import (
	"cmp"
	"context"
	"slices"
	"sync/atomic"
	"time"

	"verdict/internal/civil"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// UsageMeter counts the usage of tenants. Billed requests are counted in the transaction that stores their results.
// Free requests are counted in memory, and Flush stores the counts.
type UsageMeter struct {
	core  *operation.Core
	plans tenant.PricePlans

	free    freeCounts
	lastDay atomic.Pointer[businessDay]

	allThresholds atomic.Bool // CheckThresholds has checked all tenants
}

func newUsageMeter(core *operation.Core, plans tenant.PricePlans) *UsageMeter {
	m := &UsageMeter{core: core, plans: plans}
	m.free.counts = map[freeKey]int64{}
	return m
}

// Usage is the usage of a tenant in a billing period, with its plan.
type Usage struct {
	TenantID    string
	Environment tenant.Environment
	Plan        tenant.PricePlan
	Period      tenant.Period
	Used        int64        // billed units
	Counts      []UsageCount // by day and endpoint
}

// UsageCount is the number of units used at an endpoint on a day.
type UsageCount struct {
	Day, Endpoint string
	Billable      bool
	Units         int64
}

// Current returns the usage of the current period.
func (m *UsageMeter) Current(ctx context.Context, p tenant.Principal) (Usage, error) {
	if err := p.Require(tenant.Read); err != nil {
		return Usage{}, err
	}
	return m.in(ctx, p, tenant.PeriodOf(m.core.Now()))
}

// In returns the usage of the month that contains a time. The plan is always the current plan, because plans of the
// past are not stored.
func (m *UsageMeter) In(ctx context.Context, p tenant.Principal, at time.Time) (Usage, error) {
	if err := p.Require(tenant.Read); err != nil {
		return Usage{}, err
	}
	return m.in(ctx, p, tenant.PeriodOf(at))
}

func (m *UsageMeter) in(ctx context.Context, p tenant.Principal, period tenant.Period) (Usage, error) {
	used, err := m.core.Scope(p).Usage(ctx).Get(period.Key())
	if err != nil {
		return Usage{}, err
	}
	counts := make([]UsageCount, len(used.Counts))
	for i, c := range used.Counts {
		counts[i] = UsageCount(c)
	}
	return Usage{p.TenantID, p.Environment, p.Plan, period, used.Used, counts}, nil
}

// Bill bills a request of the caller in a transaction. It returns Limited quota_exceeded
// if the quota does not allow all units.
func (m *UsageMeter) Bill(tx *store.Tx, p tenant.Principal, endpoint string, units int64, now time.Time) error {
	return tx.Usage().Meter(m.billed(p, endpoint, units, now))
}

// billed returns the usage record of a billed request.
func (m *UsageMeter) billed(p tenant.Principal, endpoint string, units int64, now time.Time) store.Meter {
	quota := p.Plan.MonthlyQuota
	if p.Plan.Unmetered {
		quota = store.Unmetered
	}
	today := m.today(now)
	return store.Meter{
		Period:   today.period,
		Day:      today.day,
		Endpoint: endpoint,
		Units:    units,
		Billable: true,
		Quota:    quota,
	}
}

// UsageMonth is the usage of a tenant in a month.
type UsageMonth struct {
	Period       tenant.Period
	Billed, Free int64 // units
}

// UsageMonths is the maximum number of months that ByMonth returns.
const UsageMonths = 12

// ByMonth returns the current month and those before it, the latest first. It leaves out the months before the first
// usage. Later months without usage stay in the list.
func (m *UsageMeter) ByMonth(ctx context.Context, p tenant.Principal) ([]UsageMonth, error) {
	if err := p.Require(tenant.Read); err != nil {
		return nil, err
	}
	current := civil.MonthAt(m.core.Now())
	first := current - UsageMonths + 1
	sums, err := m.core.Scope(p).Usage(ctx).Sums(tenant.PeriodOf(first.Start()).Key())
	if err != nil {
		return nil, err
	}
	byKey := map[string]UsageMonth{}
	for _, sum := range sums {
		byKey[sum.Period] = UsageMonth{Billed: sum.Billed, Free: sum.Free}
	}
	var list []UsageMonth
	for month := current; month >= first && (month == current || len(byKey) > 0); month-- {
		period := tenant.PeriodOf(month.Start())
		found := byKey[period.Key()]
		delete(byKey, period.Key())
		found.Period = period
		list = append(list, found)
	}
	return list, nil
}

// ByEndpoint returns the usage of each endpoint, summed over all days. Billed and free
// units are separate.
func (u Usage) ByEndpoint() []UsageCount {
	type line struct {
		endpoint string
		billable bool
	}
	sums := map[line]int64{}
	for _, c := range u.Counts {
		sums[line{c.Endpoint, c.Billable}] += c.Units
	}
	list := make([]UsageCount, 0, len(sums))
	for l, units := range sums {
		list = append(list, UsageCount{Endpoint: l.endpoint, Billable: l.billable, Units: units})
	}
	slices.SortFunc(list, func(a, b UsageCount) int {
		return cmp.Or(cmp.Compare(a.Endpoint, b.Endpoint), cmp.Compare(a.Units, b.Units))
	})
	return list
}

// BilledByDay returns the billed units of each day.
func (u Usage) BilledByDay() map[string]int64 {
	days := map[string]int64{}
	for _, c := range u.Counts {
		if c.Billable {
			days[c.Day] += c.Units
		}
	}
	return days
}
