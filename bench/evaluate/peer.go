package evaluate

import (
	"strings"

	"verdict/internal/civil"
	"verdict/internal/feature"
	"verdict/internal/report"
)

// The peer computes every feature with a separate pass over the records, which is how
// features are usually written. The functions for the passes are made before the
// measurement. The balances and the monthly sums are computed once for each request.

// peer is one request with its balances and monthly sums.
type peer struct {
	h             *report.History
	s             *report.Statement
	first         civil.Day
	balances      []int64
	newest, whole civil.Month
	months        []struct{ income, emi int64 } // whole months, the newest first
}

// events calls yield for each event of a metric with its age, in days or months, and its
// value.
type events func(p *peer, yield func(age int, value int64))

// peerFeature is one feature, with its events and its window.
type peerFeature struct {
	events, base events
	days, months int // the window; months is 0 unless the metric is monthly
	ever         bool
	counts, plus bool
	times        int64
	unit         int64
	aggregation  string
	payments     bool // whether the windows end with the newest month of the payment histories
}

func newPeer(h *report.History, s *report.Statement) *peer {
	p := &peer{h: h, s: s, newest: asOf.Month() - 2}
	p.first, p.balances = report.EndOfDay(s)
	for i := range h.Accounts {
		for _, m := range h.Accounts[i].History {
			if m.Month > p.newest && m.Month <= asOf.Month() {
				p.newest = m.Month
			}
		}
	}
	first, last, _ := report.WholeMonths(s)
	if last.Last() > asOf {
		last = asOf.Month() - 1
	}
	p.whole = last
	p.months = make([]struct{ income, emi int64 }, last-first+1)
	for i := range s.Transactions {
		t := &s.Transactions[i]
		ago := int(last - t.Day.Month())
		if ago < 0 || ago >= len(p.months) {
			continue
		}
		if t.Credit && t.Is(report.Income) {
			p.months[ago].income += t.AmountPaise
		}
		if !t.Credit && t.Is(report.LoanInstalment) {
			p.months[ago].emi += t.AmountPaise
		}
	}
	return p
}

// value returns the feature in ten-thousandths. ok is false if it has no value.
func (f *peerFeature) value(p *peer) (value int64, ok bool) {
	var n, sum, newer, older, base int64
	most := int64(-1 << 63)
	short := false
	if f.months > 0 && f.days == 7 {
		newest := p.whole
		if f.payments {
			newest = p.newest
		}
		since := asOf - newest.Last()
		short = since < 0 || since >= 7
	}
	window, half := f.days, f.days/2
	if f.months > 0 {
		window, half = f.months, f.months
	}
	f.events(p, func(age int, value int64) {
		if age < 0 || short {
			return
		}
		if age < window {
			n++
			sum += value
			most = max(most, value)
		}
		switch {
		case age < half:
			newer += value
		case age < 2*half:
			older += value
		}
	})
	switch {
	case f.aggregation == feature.CountOf:
		return n * 10_000, true
	case f.aggregation == feature.Sum:
		return sum * f.unit, true
	case f.aggregation == feature.Ratio && !short:
		f.base(p, func(age int, value int64) {
			switch {
			case !f.ever && (age < 0 || age >= window):
			case f.counts:
				base++
			default:
				base += value
			}
		})
		return f.ratio(n, sum, base)
	case n == 0 || f.aggregation == feature.Ratio:
		return 0, false
	case f.aggregation == feature.Max:
		return most * f.unit, true
	case f.aggregation == feature.Avg:
		return rounded(sum*f.unit, n), true
	}
	size := max(newer, -newer) + max(older, -older)
	if size == 0 {
		return 0, false
	}
	return rounded((newer-older)*10_000, size), true
}

func (f *peerFeature) ratio(n, sum, base int64) (value int64, ok bool) {
	if f.counts {
		sum = n
	}
	if f.plus {
		base += sum
	}
	if base *= max(f.times, 1); base == 0 {
		return 0, false
	}
	return rounded(sum*10_000, base), true
}

// peerFeatures returns all features in the order of their names.
func peerFeatures() []peerFeature {
	list := make([]peerFeature, 0, feature.Count)
	months := map[int]int{7: 1, 30: 1, 60: 2, 90: 3, 180: 6, 365: 12}
	for i := range feature.Count {
		n := feature.At(i)
		metric, _ := feature.LookupMetric(n.Metric)
		f := peerFeature{days: n.WindowDays, aggregation: n.Aggregation, unit: 100}
		if metric.Monthly {
			f.months = months[n.WindowDays]
		}
		if strings.HasPrefix(n.Metric, "dpd") {
			f.unit, f.payments = 10_000, true
		}
		f.events = eventsOf(n.Metric, n.Product)
		f.divide(n.Metric, n.Product)
		list = append(list, f)
	}
	return list
}

// divide sets the divisor of a metric's ratio.
func (f *peerFeature) divide(metric, product string) {
	by := func(metric, product string) { f.base = eventsOf(metric, product) }
	switch metric {
	case "enquiry":
		f.counts, f.plus = true, true
		by("account_opened", product)
	case "account_opened", "account_closed", "adverse":
		f.counts, f.ever = true, true
		by("on file", product)
	case "outstanding":
		by("sanctioned", product)
	case "dpd_1plus", "dpd_30plus", "dpd_90plus":
		f.counts = true
		by("months", product)
	case "overdue":
		by("balance", product)
	case "emi":
		f.ever = true
		by("emi", "all")
	case "credit":
		by("debit", product)
	case "debit", "income", "loan_credit", "self_transfer":
		by("credit", "all")
	case "issued_bounce":
		f.counts, f.plus = true, true
		by("honoured", product)
	case "deposited_return":
		f.counts, f.plus = true, true
		by("cheque credits", "all")
	case "charge":
		by("debit", "all")
	case "eod_balance":
		f.times = 30
		by("income", "all")
	case "low_balance_day":
		f.counts = true
		by("eod_balance", "all")
	case "income_gap":
		by("declared", "all")
	case "emi_gap":
		by("detected", "all")
	default:
		by("income", "all")
	}
}
