package decisioning

import (
	"context"
	"errors"
	"slices"

	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// thresholds are shares of a quota, in percent. An event is recorded when a tenant reaches one of them.
func thresholds() []int64 { return []int64{80, 100} }

// CheckThresholds records which shares of their quotas tenants have reached. The first call
// checks all tenants. A later call checks a tenant only if this node has added entries to the tenant's journal since
// the last call. Each share is recorded once in a period, by one of the nodes. CheckThresholds runs separately from
// decisions, so that a decision needs no additional statement. The event therefore comes seconds after the decision
// that crossed the threshold.
func (m *UsageMeter) CheckThresholds(ctx context.Context) error {
	now := m.core.Moment()
	period := tenant.PeriodOf(now).Key()
	names := m.core.DB.TakeMetered()
	var failed error
	if !m.allThresholds.Load() {
		const page = 500
		for name, err := range m.core.DB.System().ScopesOfPeriod(ctx, period, page) {
			if err != nil {
				return errors.Join(failed, err)
			}
			failed = errors.Join(failed, m.checkThresholds(ctx, name, period, now.UnixMicro()))
		}
	}
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
		return nil // the tenant was removed in the meantime
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
