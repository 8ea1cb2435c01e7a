package engine

import (
	"verdict/internal/loan"
)

// quote is what a limit costs over a tenure of a band. It depends on those
// three and on nothing else of the application.
type quote struct {
	band     *compiledBand
	at       int32 // the tenure among the band's
	paise    int64
	schedule loan.Schedule
	fee, gst int64
	apr      int64
}

// quoteBits is how many quotes are kept, as a power of two. Limits come in
// steps and bands are few, so that this is most of what a book ever asks for.
const quoteBits = 11

// KeepQuotes has the decision remember what limits cost from one application
// to the next. A schedule runs over every month and an APR is searched for;
// together they were a seventh of a backtest's time. It takes some memory,
// which only pays for whoever decides thousands of applications with one
// Decision.
func (d *Decision) KeepQuotes() { d.quotes = make([]quote, 1<<quoteBits) }

// quote prices the limit, or remembers its price.
func (d *Decision) quote() *quote {
	l := &d.limit
	if d.quotes == nil {
		d.quoted = d.band.quote(l)
		return &d.quoted
	}
	// A product's high bits depend on all bits of its factors.
	const spread = 0x9e3779b97f4a7c15
	key := uint64(l.paise)<<16 ^ uint64(d.band.index)<<8 ^ uint64(l.at)
	q := &d.quotes[key*spread>>(64-quoteBits)]
	if q.band != d.band || q.paise != l.paise || q.at != int32(l.at) {
		*q = d.band.quote(l)
	}
	return q
}

func (b *compiledBand) quote(l *limit) quote {
	terms := &b.tenures[l.at].terms
	q := quote{band: b, at: int32(l.at), paise: l.paise, schedule: terms.Schedule(l.paise)}
	q.fee = loan.Fee(l.paise, int64(b.FeePct), b.FeeMinPaise)
	q.gst = loan.Tax(q.fee, int64(b.GSTPct))
	q.apr = loan.APR(l.paise-q.fee-q.gst, q.schedule.InstalmentPaise, q.schedule.LastPaise, terms.Months())
	return q
}
