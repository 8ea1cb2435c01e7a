package engine

import (
	"verdict/internal/loan"
)

// quote is the price of a limit over a tenure of a band. It depends only on the
// limit, the tenure and the band, which belongs to one policy.
type quote struct {
	band         *compiledBand
	at           int32 // index of the tenure in the band
	limitPaise   int64
	schedule     loan.Schedule
	feePaise     int64
	gstPaise     int64 // the tax on the fee
	chargesPaise int64 // all charges of the policy with their tax
	apr          int64 // as loan.APR returns it
}

// quoteBits is the base-2 logarithm of the number of cached quotes. Limits are
// multiples of a step and a policy has few bands, so the cache covers most of a
// portfolio.
const quoteBits = 11

// KeepQuotes makes the decision cache quotes from one application to the next.
// Computing a schedule iterates over every month, and computing an APR is a
// search; together they took a seventh of a backtest's time. The cache uses
// memory, so it pays off only if one Decision decides thousands of
// applications.
func (d *Decision) KeepQuotes() { d.quotes = make([]quote, 1<<quoteBits) }

// quote returns the price of the limit, from the cache if there is one.
func (d *Decision) quote() *quote {
	l := &d.limit
	if d.quotes == nil {
		d.quoted = d.band.quote(d.plan.policy, l)
		return &d.quoted
	}
	// Multiplicative hashing: the high bits of a product depend on all bits of
	// its factors.
	const multiplier = 0x9e3779b97f4a7c15
	key := uint64(l.paise)<<16 ^ uint64(d.band.index)<<8 ^ uint64(l.at)
	q := &d.quotes[key*multiplier>>(64-quoteBits)]
	if q.band != d.band || q.limitPaise != l.paise || q.at != int32(l.at) {
		*q = d.band.quote(d.plan.policy, l)
	}
	return q
}

// quote returns the price of a limit of the band, with the charges of the policy.
func (b *compiledBand) quote(policy *Policy, l *limit) quote {
	terms := &b.tenures[l.at].terms
	q := quote{band: b, at: int32(l.at), limitPaise: l.paise, schedule: terms.Schedule(l.paise)}
	q.feePaise = loan.Fee(l.paise, int64(b.FeePct), b.FeeMinPaise)
	q.gstPaise = loan.Tax(q.feePaise, int64(b.GSTPct))
	q.chargesPaise = policy.ChargesOn(l.paise)
	netPaise := l.paise - q.feePaise - q.gstPaise - q.chargesPaise
	q.apr = loan.APR(netPaise, q.schedule.InstalmentPaise, q.schedule.LastPaise, terms.Months())
	return q
}
