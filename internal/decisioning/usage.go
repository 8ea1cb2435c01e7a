package decisioning

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// Usage is what a tenant used in a period, against its plan.
type Usage struct {
	TenantID    string
	Environment tenant.Environment
	Plan        tenant.Plan
	Period      tenant.Period
	Used        int64
	Counts      []store.UsageCount
}

// Usage reads the current period's.
func (s *Service) Usage(ctx context.Context, p tenant.Principal) (Usage, error) {
	if err := p.Require(tenant.Read); err != nil {
		return Usage{}, err
	}
	period := tenant.PeriodOf(s.core.Now())
	used, err := s.core.Scope(p).Usage(ctx).Get(period.Key())
	if err != nil {
		return Usage{}, err
	}
	return Usage{p.TenantID, p.Environment, p.Plan, period, used.Used, used.Counts}, nil
}

// Write writes the usage. The days add up to what was used: they count what is
// billed.
func (u Usage) Write(w *wire.Writer) {
	w.Object().Key("tenant_id").String(u.TenantID).Key("environment").String(string(u.Environment))
	w.Key("plan").String(u.Plan.Name)
	w.Key("period").Object().Key("start").String(u.Period.Start.Format(time.RFC3339))
	w.Key("end").String(u.Period.End.Format(time.RFC3339)).EndObject()
	if left, metered := u.Plan.Remaining(u.Used); metered {
		w.Key("quota").Int(u.Plan.MonthlyQuota).Key("used").Int(u.Used).Key("remaining").Int(left)
		w.Key("percent_used").Decimal(u.Plan.PercentUsed(u.Used), 2)
	} else {
		w.Key("quota").Null().Key("used").Int(u.Used)
	}
	w.Key("overage_allowed").Bool(u.Plan.Unmetered)
	w.Key("by_endpoint").Array()
	for _, c := range u.byEndpoint() {
		w.Object().Key("endpoint").String(c.Endpoint).Key("count").Int(c.Units).Key("billable").Bool(c.Billable).EndObject()
	}
	w.EndArray().Key("daily").Array()
	days := map[string]int64{}
	for _, c := range u.Counts {
		if c.Billable {
			days[c.Day] += c.Units
		}
	}
	for _, day := range slices.Sorted(maps.Keys(days)) {
		w.Object().Key("date").String(day).Key("count").Int(days[day]).EndObject()
	}
	w.EndArray().EndObject()
}

func (u Usage) byEndpoint() []store.UsageCount {
	type line struct {
		endpoint string
		billable bool
	}
	sums := map[line]int64{}
	for _, c := range u.Counts {
		sums[line{c.Endpoint, c.Billable}] += c.Units
	}
	list := make([]store.UsageCount, 0, len(sums))
	for l, units := range sums {
		list = append(list, store.UsageCount{Endpoint: l.endpoint, Billable: l.billable, Units: units})
	}
	slices.SortFunc(list, func(a, b store.UsageCount) int {
		return cmp.Or(cmp.Compare(a.Endpoint, b.Endpoint), cmp.Compare(a.Units, b.Units))
	})
	return list
}
