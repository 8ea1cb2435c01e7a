package feature

import (
	"verdict/internal/civil"
	"verdict/internal/report"
)

// The kinds of records that features are computed from.
const (
	AccountRecord = "account" // At is its index among the accounts
	EnquiryRecord = "enquiry" // At is its index among the enquiries
	PaymentRecord = "payment" // At is the index of its account, Date the first day of its month
	// MicrofinanceRecord and MicrofinancePaymentRecord correspond to AccountRecord
	// and PaymentRecord. They are for accounts in the separate list of microfinance.
	MicrofinanceRecord        = "microfinance_account"
	MicrofinancePaymentRecord = "microfinance_payment"
	TransactionRecord         = "transaction" // At is its index among the transactions
	DayRecord                 = "day"         // a day's closing balance, which is not in a list
	MonthRecord               = "month"       // a whole month of the statement, not in a list; Date is its first day
)

// The roles of a record in a feature.
const (
	EventPart = "event" // in the window; not used for a trend
	NewerPart = "newer" // in the newer period of a trend
	OlderPart = "older" // in the older period of a trend
	BasePart  = "base"  // in the denominator of a ratio
)

// NoPlace is the index of a record that is not in a list.
const NoPlace int32 = -1

// Record is one record and its role in a feature.
type Record struct {
	Part  string
	Kind  string
	At    int32 // index in the list as it was sent; NoPlace if the record is not in a list
	Date  civil.Day
	Value int64 // ten-thousandths of a rupee or day
}

// Placed reports whether the record is in a list that was sent.
func (r Record) Placed() bool { return r.At != NoPlace }

// Provenance describes how a feature's value was computed.
type Provenance struct {
	Name     Name
	Meaning  string
	Formula  string
	From, To civil.Day // the window, both ends included; NoDay if the source is absent
	Value    int64     // ten-thousandths, as in Vector
	Known    bool      // whether there is a value
	// CoveredFrom is the first day of the bank statement if there is no value
	// because the window begins earlier; otherwise NoDay.
	CoveredFrom civil.Day
	Records     []Record
}

// Explain returns the records from which a feature was computed by a catalogue. ok is false if there is no such
// feature. A feature has no records if its source is absent or does not cover its window. It also has none if the
// window is the shortest one of a monthly metric and no month ended within it.
func Explain(c Catalogue, h *report.History, s *report.Statement, asOf civil.Day, name string) (p Provenance, ok bool) {
	index := Index(name)
	if index < 0 {
		return Provenance{}, false
	}
	var v Vector
	Compute(c, h, s, asOf, &v)
	var in input
	in.gather(c, h, s, asOf)
	pair, window, aggregation := place(index)
	p = Provenance{Name: At(index), From: civil.NoDay, To: civil.NoDay, CoveredFrom: civil.NoDay}
	p.Meaning, p.Formula = p.Name.Meaning(), pair.formula(aggregation)
	p.Value, p.Known = v.Get(index)
	if !in.present[pair.from] {
		return p, true
	}
	spans := &dayAxis.spans
	p.From, p.To = in.windowFrom(window), asOf
	if pair.metric.Monthly {
		spans = &monthAxis.spans
		p.From, p.To = in.monthsFrom(pair.from, window).First(), in.newest[pair.from].Last()
		if window == 0 && !in.ended[pair.from] {
			return p, true // no month ended within this window
		}
	}
	if window >= in.covered[pair.from] {
		p.CoveredFrom = s.First()
		return p, true
	}
	in.explain(&p, pair, spans[window], aggregation)
	return p, true
}

func (in *input) explain(p *Provenance, pair *pair, s span, aggregation int) {
	take := func(part string, of uint8, from, to uint8) {
		in.walk(of, func(at uint8, r Record) {
			if at >= from && at < to {
				r.Part = part
				p.Records = append(p.Records, r)
			}
		})
	}
	if aggregation == trendAt {
		take(NewerPart, pair.row, 0, s.newer)
		take(OlderPart, pair.row, s.newer, s.older)
		return
	}
	take(EventPart, pair.row, 0, s.end)
	if aggregation != ratioAt || !in.present[pair.baseOf] {
		return
	}
	end := s.end
	if pair.metric.fraction.ever {
		end = later
	}
	take(BasePart, pair.base, 0, end)
}

// formula returns a text that says how the value is computed from the records.
func (p *pair) formula(aggregation int) string {
	switch aggregation {
	case countAt:
		return "number of records"
	case sumAt:
		return "sum of the records' values"
	case maxAt:
		return "largest of the records' values"
	case avgAt:
		return "sum of the records' values ÷ number of records"
	case trendAt:
		return "(newer − older) ÷ (|newer| + |older|), of the sums of the records' values"
	default:
		return p.metric.Ratio
	}
}
