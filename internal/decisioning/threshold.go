package decisioning

import (
	"context"
	"errors"
	"slices"

	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// thresholds are the shares of a quota, in percent, whose crossing is an event.
func thresholds() []int64 { return []int64{80, 100} }

// CheckThresholds records which shares of their quotas tenants have reached. The first call
// checks all tenants, and later calls those to whose journals this node has added entries since
// the last call. Each share is recorded once in a period, by one of the nodes. CheckThresholds
// runs apart from decisions, so that they need no further statement: an event comes seconds
// after the decision that crossed the threshold.
func (m *UsageMeter) CheckThresholds(ctx context.Context) error {
	now := m.core.Moment()
	period := tenant.PeriodOf(now).Key()
	names := m.core.DB.TakeMetered()
	if !m.allThresholds.Load() {
		all, err := m.core.DB.System().ScopesOfPeriod(ctx, period)
		if err != nil {
			return err
		}
		names = append(names, all...)
	}
	var failed error
	for _, name := range names {
		failed = errors.Join(failed, m.checkThresholds(ctx, name, period, now.UnixMicro()))
	}
	// After a failure the next call checks all tenants again.
	m.allThresholds.Store(failed == nil)
	return failed
}

func (m *UsageMeter) checkThresholds(ctx context.Context, name store.ScopeName, period string, nowMicros int64) error {
	owner, err := m.core.DB.Accounts().Tenant(ctx, name.Tenant)
	if fault.KindOf(err) == fault.NotFound {
		return nil // removed in the meantime
	}
	if err != nil {
		return err
	}
	plan, ok := m.plans.Get(owner.Plan)
	if !ok || plan.Unmetered || plan.MonthlyQuota <= 0 {
		return nil
	}
	scope := m.core.DB.Scope(name.Tenant, name.Environment)
	used, reached, err := scope.Usage(ctx).Used(period)
	if err != nil {
		return err
	}
	for _, percent := range thresholds() {
		if used*100 < plan.MonthlyQuota*percent || slices.Contains(reached, percent) {
			continue
		}
		err := scope.Write(ctx, func(tx *store.Tx) error {
			_, err := tx.Usage().Reach(store.UsageThreshold{
				Period: period, Percent: percent, Used: used, Quota: plan.MonthlyQuota, NowMicros: nowMicros,
			})
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
