package store

import (
	"context"
	"iter"

	"verdict/internal/evidence"
	"verdict/internal/wire"
)

// UsageThreshold says that the usage of a period has reached a share of its quota.
type UsageThreshold struct {
	Period    string
	Percent   int64
	Used      int64
	Quota     int64
	NowMicros int64
}

// Reach records that a share of the quota was reached, with an entry in the journal. Only the first call for a period
// and a share has an effect; reached is false for later calls.
func (us UsageMeter) Reach(t UsageThreshold) (reached bool, err error) {
	added, err := us.tx.exec(`INSERT INTO usage_thresholds (tenant_id, environment, period, percent, created_micros)
		VALUES ($1, $2, $3, $4, $5) ON CONFLICT (tenant_id, environment, period, percent) DO NOTHING`,
		t.Period, t.Percent, t.NowMicros)
	if err != nil || added == 0 {
		return false, err
	}
	_, err = us.tx.record(evidence.Record{
		Kind:   evidence.Usage,
		ID:     t.Period,
		Micros: wholeMillis(t.NowMicros),
		Type:   "usage.threshold",
		Data: eventData(func(w *wire.Writer) {
			w.Key("percent").Int(t.Percent)
			w.Optional("period", t.Period)
			w.Key("quota").Int(t.Quota)
			w.Key("used").Int(t.Used)
		}),
	})
	return err == nil, err
}

// Used returns the billed units of a period, and which shares of the quota were reached in it.
func (us UsageReader) Used(period string) (used int64, reached []int64, err error) {
	return readTwo(us.access, func(tx *Tx) (used int64, reached []int64, err error) {
		if used, err = tx.Usage().used(period); err != nil {
			return 0, nil, err
		}
		err = tx.each(func(scan func(...any) error) error {
			var percent int64
			err := scan(&percent)
			reached = append(reached, percent)
			return err
		}, `SELECT percent FROM usage_thresholds WHERE tenant_id = $1 AND environment = $2 AND period = $3
			ORDER BY percent`, period)
		return used, reached, err
	})
}

// ScopesOfPeriod yields the scopes that have billed units in a period, ordered by tenant and environment. Parameter
// page is the number of scopes that it reads at a time. It reads the totals of all scopes, so call it only at the
// start of the service.
func (sys *System) ScopesOfPeriod(ctx context.Context, period string, page int) iter.Seq2[ScopeName, error] {
	return sys.scopes(ctx, page, `SELECT tenant_id, environment FROM usage_totals
		WHERE (tenant_id, environment) > ($1, $2) AND period = $4 ORDER BY tenant_id, environment LIMIT $3`, period)
}
