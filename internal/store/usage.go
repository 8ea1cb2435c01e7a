package store

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"verdict/internal/fault"
)

// Unmetered is the quota of a scope without a limit.
const Unmetered = -1

// Meter says how a request is counted. The caller chooses the period and the day,
// such as "2026-11" and "2026-11-14", because this package does not know in which
// time zone months begin.
type Meter struct {
	Period   string
	Day      string
	Endpoint string
	Units    int64 // 0 counts nothing
	Billable bool
	Quota    int64 // maximum billable units of the period, or Unmetered
}

// allowance is a period and its quota, against which meters count.
type allowance struct {
	period string
	quota  int64
}

// counter identifies the count, by day and endpoint, to which a meter adds.
type counter struct {
	period, day, endpoint string
	billable              bool
}

// admit counts the writes that the quota allows, in the given order, and refuses
// the others. Writes marked in leftOut are neither counted nor refused. The quota
// is never exceeded, even by concurrent writes, because the statement that raises
// the total also checks it.
func (us UsageMeter) admit(writes []*DecisionWrite, leftOut []bool) (refusals []error, err error) {
	refusals = make([]error, len(writes))
	drawing := map[allowance][]int{}
	for i, w := range writes {
		if m := w.Meter; m.Units > 0 && m.Billable && !leftOut[i] {
			a := allowance{m.Period, m.Quota}
			drawing[a] = append(drawing[a], i)
		}
	}
	for a, which := range drawing {
		units := make([]int64, len(which))
		for k, i := range which {
			units[k] = writes[i].Meter.Units
		}
		granted, err := us.draw(a, units)
		if err != nil {
			return nil, err
		}
		for _, i := range which[granted:] {
			refusals[i] = quotaExceeded()
		}
	}
	counts := map[counter]int64{}
	for i, w := range writes {
		if m := w.Meter; m.Units > 0 && refusals[i] == nil && !leftOut[i] {
			counts[counter{m.Period, m.Day, m.Endpoint, m.Billable}] += m.Units
		}
	}
	return refusals, us.count(counts)
}

// draw charges the longest prefix of the requests that fits into an allowance, and
// returns the length of the prefix. units holds the units of each request.
func (us UsageMeter) draw(a allowance, units []int64) (granted int, err error) {
	granted = len(units)
	for granted > 0 {
		var sum int64
		for _, n := range units[:granted] {
			sum += n
		}
		raised, err := us.raise(a, sum)
		if err != nil {
			return 0, err
		}
		if raised {
			return granted, nil
		}
		used, err := us.used(a.period)
		if err != nil {
			return 0, err
		}
		// Grant at least one request fewer than in the last attempt, so that the loop ends even if the total falls
		// in the meantime.
		fits, room := 0, a.quota-used
		for fits < granted-1 && units[fits] <= room {
			room -= units[fits]
			fits++
		}
		granted = fits
	}
	return 0, nil
}

// quotaHasRoom is the condition for raising a total: there is no quota, or the new total does not exceed the quota. $5
// is the quota.
const quotaHasRoom = `CAST($5 AS BIGINT) < 0 OR usage_totals.used + excluded.used <= $5`

// raise adds to the period's total unless that would exceed the quota. It returns
// false if the quota would be exceeded.
func (us UsageMeter) raise(a allowance, sum int64) (bool, error) {
	if a.quota != Unmetered && sum > a.quota {
		return false, nil // the statement does not check the first row of a period
	}
	changed, err := us.tx.exec(`INSERT INTO usage_totals (tenant_id, environment, period, used) VALUES ($1, $2, $3, $4)
		ON CONFLICT (tenant_id, environment, period) DO UPDATE SET used = usage_totals.used + excluded.used
		WHERE `+quotaHasRoom, a.period, sum, a.quota)
	return changed == 1, err
}

// Draw takes n units from an allowance that is not the quota of a plan, such as the reports of loans in a month. name
// identifies the allowance and its period. If the total would exceed the maximum most, Draw returns false and takes
// nothing.
func (us UsageMeter) Draw(name string, n, most int64) (bool, error) {
	return us.raise(allowance{period: name, quota: most}, n)
}

func (us UsageMeter) used(period string) (int64, error) {
	var used int64
	err := us.tx.one([]any{&used},
		"SELECT used FROM usage_totals WHERE tenant_id = $1 AND environment = $2 AND period = $3", period)
	return used, ignoreAbsent(err)
}

// count adds to the counters by day and endpoint. The fixed order prevents a
// deadlock between two nodes.
func (us UsageMeter) count(counts map[counter]int64) error {
	for _, c := range slices.SortedFunc(maps.Keys(counts), compareCounters) {
		if _, err := us.tx.exec(
			`INSERT INTO usage_counters (tenant_id, environment, period, day, endpoint, billable, units)
			VALUES ($1, $2, $3, $4, $5, $6, $7)
			ON CONFLICT (tenant_id, environment, period, day, endpoint, billable)
			DO UPDATE SET units = usage_counters.units + excluded.units`,
			c.period, c.day, c.endpoint, flag(c.billable), counts[c]); err != nil {
			return err
		}
	}
	return nil
}

func compareCounters(a, b counter) int {
	return cmp.Or(cmp.Compare(a.period, b.period), cmp.Compare(a.day, b.day),
		cmp.Compare(a.endpoint, b.endpoint), cmp.Compare(flag(a.billable), flag(b.billable)))
}

func quotaExceeded() *fault.Error {
	return fault.New(fault.Limited, fault.CodeQuotaExceeded, "the plan's quota for this period is used up")
}

// Meter counts a request that stores no decision. It returns Limited
// quota_exceeded if the request is billable and the quota does not allow all its
// units.
func (us UsageMeter) Meter(m Meter) error {
	refusals, err := us.admit([]*DecisionWrite{{Meter: m}}, []bool{false})
	if err != nil {
		return err
	}
	return refusals[0]
}

// UsageAdd is a number of requests that are metered and not billed.
type UsageAdd struct {
	TenantID, Environment string
	Meter                 Meter
}

// AddUsage adds counts of any number of scopes in one transaction. It checks no
// quota, so it returns an error and counts nothing if a meter is billable.
func (sys *System) AddUsage(ctx context.Context, adds []UsageAdd) error {
	sums := map[UsageAdd]int64{} // sums of units; the key is the UsageAdd without units and quota
	for _, add := range adds {
		if add.Meter.Billable {
			return errors.New("add usage: a billable meter must be counted against its quota")
		}
		units := add.Meter.Units
		add.Meter.Units, add.Meter.Quota = 0, 0
		if units > 0 {
			sums[add] += units
		}
	}
	if len(sums) == 0 {
		return nil
	}
	ordered := slices.SortedFunc(maps.Keys(sums),
		func(a, b UsageAdd) int { return compareScopes(a.scope(), b.scope()) })
	return sys.write(ctx, "add usage", func(s *transaction) error {
		for of := range byScope(ordered, UsageAdd.scope) {
			counts := map[counter]int64{}
			for _, add := range of {
				counts[counter{add.Meter.Period, add.Meter.Day, add.Meter.Endpoint, false}] = sums[add]
			}
			if err := s.within(of[0].TenantID, of[0].Environment).Usage().count(counts); err != nil {
				return err
			}
		}
		return nil
	})
}

func (a UsageAdd) scope() rlsScope { return rlsScope{tenant: a.TenantID, environment: a.Environment} }

// Usage holds the usage of a period.
type Usage struct {
	Used   int64 // billed units
	Counts []UsageCount
}

// UsageCount holds the units of one day and endpoint.
type UsageCount struct {
	Day, Endpoint string
	Billable      bool
	Units         int64
}

// Get returns a period's counters, ordered by day and endpoint. For a period
// without counts, Counts is empty.
func (us UsageReader) Get(period string) (Usage, error) {
	return read(us.access, func(tx *Tx) (Usage, error) {
		used, err := tx.Usage().used(period)
		if err != nil {
			return Usage{}, err
		}
		u := Usage{Used: used}
		err = tx.each(func(scan func(...any) error) error {
			var c UsageCount
			var billable int64
			err := scan(&c.Day, &c.Endpoint, &billable, &c.Units)
			c.Billable = billable == 1
			u.Counts = append(u.Counts, c)
			return err
		}, `SELECT day, endpoint, billable, units FROM usage_counters
		WHERE tenant_id = $1 AND environment = $2 AND period = $3 ORDER BY day, endpoint, billable`, period)
		return u, err
	})
}

// UsageSum holds the units of a period.
type UsageSum struct {
	Period       string
	Billed, Free int64
}

// Sums returns the units of each period that has units, oldest first. Parameter "from" is the first period.
func (us UsageReader) Sums(from string) ([]UsageSum, error) {
	return read(us.access, func(tx *Tx) ([]UsageSum, error) {
		return eachRow(tx, func(s *UsageSum) []any { return []any{&s.Period, &s.Billed, &s.Free} },
			`SELECT period, CAST(sum(CASE WHEN billable = 1 THEN units ELSE 0 END) AS BIGINT),
				CAST(sum(CASE WHEN billable = 1 THEN 0 ELSE units END) AS BIGINT)
			FROM usage_counters WHERE tenant_id = $1 AND environment = $2 AND period >= $3
			GROUP BY period ORDER BY period`, from)
	})
}

// Total returns the units of an endpoint in all periods, billed or not.
func (us UsageReader) Total(endpoint string) (int64, error) {
	return read(us.access, func(tx *Tx) (units int64, err error) {
		err = tx.one([]any{&units}, `SELECT CAST(coalesce(sum(units), 0) AS BIGINT) FROM usage_counters
			WHERE tenant_id = $1 AND environment = $2 AND endpoint = $3`, endpoint)
		return units, err
	})
}

func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
