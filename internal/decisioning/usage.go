package decisioning

import (
	"cmp"
	"context"
	"slices"

	"verdict/internal/tenant"
)

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

// Usage returns the usage of the current period.
func (s *Service) Usage(ctx context.Context, p tenant.Principal) (Usage, error) {
	if err := p.Require(tenant.Read); err != nil {
		return Usage{}, err
	}
	period := tenant.PeriodOf(s.core.Now())
	used, err := s.core.Scope(p).Usage(ctx).Get(period.Key())
	if err != nil {
		return Usage{}, err
	}
	counts := make([]UsageCount, len(used.Counts))
	for i, c := range used.Counts {
		counts[i] = UsageCount(c)
	}
	return Usage{p.TenantID, p.Environment, p.Plan, period, used.Used, counts}, nil
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
