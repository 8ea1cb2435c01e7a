package store

import (
	"context"

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
// and a share has an effect; reached is false for later ones.
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

// ScopesOfPeriod returns the scopes that have billed units in a period. It reads the totals of all scopes, so it is for
// the start of the service.
func (sys *System) ScopesOfPeriod(ctx context.Context, period string) (found []ScopeName, err error) {
	err = sys.read(ctx, func(s *transaction) error {
		found = nil // reset, because the read may be repeated
		return s.each(func(scan func(...any) error) error {
			var n ScopeName
			err := scan(&n.Tenant, &n.Environment)
			found = append(found, n)
			return err
		}, "SELECT tenant_id, environment FROM usage_totals WHERE period = $1 ORDER BY tenant_id, environment", period)
	})
	return found, err
}
