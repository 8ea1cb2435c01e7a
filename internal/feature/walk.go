package feature

import (
	"verdict/internal/civil"
	"verdict/internal/report"
)

// walk yields every event of a row with its segment. It reads the same streams
// as Compute, but one row at a time and with the details that Explain shows.
func (in *input) walk(row uint8, yield func(segment uint8, r Record)) {
	number := len(plan.first) - 1
	for plan.first[number] > int(row) {
		number--
	}
	m := &plan.streams[number]
	holds := lookupProduct(m.Products[int(row)-plan.first[number]]).holds
	keep := func(class, at uint8, r Record) {
		if at != later && holds(classOf(m.Source, class)) {
			r.Value = scaled(r.Value, unitOf(m))
			yield(at, r)
		}
	}
	if !in.present[m.events.from] {
		return
	}
	switch m.events.from {
	case accounts, payments:
		in.walkAccounts(in.lists[accountList], AccountRecord, PaymentRecord, &m.events, keep)
		in.walkAccounts(in.lists[microfinanceList], MicrofinanceRecord, MicrofinancePaymentRecord, &m.events, keep)
	case enquiries:
		for _, e := range in.history.Enquiries {
			keep(bureauClass(e.Product, e.AmountPaise), segment(in.asOf, e.Made),
				Record{Kind: EnquiryRecord, At: e.At, Date: e.Made, Value: amount(e.AmountPaise)})
		}
	case transactions:
		in.walkTransactions(&m.events, keep)
	case balances:
		for i, paise := range in.balances {
			if value, ok := m.events.balance(paise); ok {
				day := in.firstDay + civil.Day(i)
				keep(0, segment(in.asOf, day), Record{Kind: DayRecord, At: NoPlace, Date: day, Value: value})
			}
		}
	default:
		in.walkMonths(&m.events, keep)
	}
}

func (in *input) walkAccounts(
	list []report.Account, kind, paid string, e *stream, keep func(class, at uint8, r Record),
) {
	for i := range list {
		a := &list[i]
		if !in.exists(a) {
			continue
		}
		class := bureauClass(a.Product, a.SanctionedPaise)
		if e.from == accounts {
			if on, value, ok := e.account(a, in.asOf); ok {
				keep(class, segment(in.asOf, on), Record{Kind: kind, At: a.At, Date: on, Value: value})
			}
			continue
		}
		for _, p := range a.History {
			if p.DaysPastDue >= e.leastDays {
				keep(class, monthSegment(in.newest[payments], p.Month),
					Record{Kind: paid, At: a.At, Date: p.Month.First(), Value: int64(p.DaysPastDue)})
			}
		}
	}
}

func (in *input) walkTransactions(e *stream, keep func(class, at uint8, r Record)) {
	for i := range in.statement.Transactions {
		t := &in.statement.Transactions[i]
		switch {
		case e.side == credits && !t.Credit, e.side == debits && t.Credit:
		case e.found != 0 && t.Found&e.found == 0, t.Found&e.unless != 0:
		default:
			keep(bankClass(t), segment(in.asOf, t.Day),
				Record{Kind: TransactionRecord, At: t.At, Date: t.Day, Value: amount(t.AmountPaise)})
		}
	}
}

func (in *input) walkMonths(e *stream, keep func(class, at uint8, r Record)) {
	for ago := range in.whole {
		if !in.whole[ago] {
			continue
		}
		if value, ok := e.month(&in.months[ago]); ok {
			keep(0, monthAxis.segmentOf[ago],
				Record{
					Kind:  MonthRecord,
					At:    NoPlace,
					Date:  (in.newest[e.from] - civil.Month(ago)).First(),
					Value: value,
				})
		}
	}
}
