package backtest

import (
	"math/bits"
	"slices"
	"strconv"
	"sync"

	"verdict/internal/fault"
	"verdict/internal/rule"
)

// Book is a synthetic book of unsecured loans in India: applicants with
// correlated incomes, obligations, enquiries, late payments and scores, some of
// them new to credit, and what became of their loans. It is no random noise,
// and it is nobody's data: a policy can be tried on it before there is a book
// of one's own.
//
// A row depends on the book and on its number alone, and is made of whole
// numbers: the same bytes on every machine, whichever rows are made with it.
type Book struct {
	Seed    uint64
	Months  int         // of origination, and of each loan's observation; 0: DefaultMonths
	BadRate rule.Number // of the whole book, whoever is approved; 0: DefaultBadRate
}

// The bounds of a book, and what it is when nothing is said.
const (
	DefaultSeed    = 42
	DefaultMonths  = 12
	MinMonths      = 6
	MaxMonths      = 60
	DefaultBadRate = rule.One * 6 / 100
	MinBadRate     = rule.One / 1000
	MaxBadRate     = rule.One / 2
)

// firstBadMonth is the month on book in which a loan can first be 90 days past
// due: the first instalment falls due in the second.
const firstBadMonth = 4

// Check adds a fault for each member out of its bounds, at /months and
// /bad_rate under the given pointer.
func (b Book) Check(at string, faults *fault.List) {
	if b.Months != 0 && (b.Months < MinMonths || b.Months > MaxMonths) {
		faults.Add(at+"/months", fault.CodeOutOfRange, "must be a whole number from %d to %d", MinMonths, MaxMonths)
	}
	if b.BadRate != 0 && (b.BadRate < MinBadRate || b.BadRate > MaxBadRate) {
		faults.Add(at+"/bad_rate", fault.CodeOutOfRange, "must be a ratio from %s to %s", MinBadRate, MaxBadRate)
	}
}

var bookHeader = []string{
	"applicant_id", "age", "employment_type", "monthly_income", "foir", "requested_amount", "requested_tenure_months",
	"score", "enquiries_6m", "active_tradelines", "max_dpd_12m", "vintage", "outcome", "bad_month",
}

// Header names the columns.
func (b Book) Header() []string { return slices.Clone(bookHeader) }

// Setup says how a backtest reads the book.
func (b Book) Setup() Setup {
	return Setup{
		Header: b.Header(), Outcome: "outcome", Bad: []string{"bad"}, Good: []string{"good"},
		Month: "bad_month", ID: "applicant_id",
	}
}

// Append appends the rows first to first+n-1 as lines of CSV; rows count from 1.
func (b Book) Append(dst []byte, first int64, n int) []byte {
	months := int64(b.months())
	intercept := b.intercept()
	for row := first; row < first+int64(n); row++ {
		p := draw(rowDraws(b.Seed, row))
		p.end(intercept, months)
		dst = p.append(dst, row)
	}
	return dst
}

// months is within its bounds whatever Months is: a book is made without
// errors, and Check is for those who can be told.
func (b Book) months() int {
	if b.Months == 0 {
		return DefaultMonths
	}
	return min(max(b.Months, MinMonths), MaxMonths)
}

func (b Book) badRate() int64 {
	rate := b.BadRate
	if rate == 0 {
		rate = DefaultBadRate
	}
	rate = min(max(rate, MinBadRate), MaxBadRate)
	return int64(rate) * (certain >> 6) / (int64(rule.One) >> 6)
}

// end settles what became of the loan: whether it went bad, and when. Most of
// those that do so do it early, but none in its first months.
func (p *person) end(intercept, months int64) {
	p.vintage = p.drawnVintage * months >> 16
	if p.drawnBad < logistic(p.risk+intercept) {
		p.badMonth = firstBadMonth + p.drawnMonth*(months-firstBadMonth+1)>>16
	}
}

// The first month of origination. The book has no clock, and a fixed month
// keeps its bytes what they are.
const firstYear, firstMonth = 2023, 4

func (p *person) append(dst []byte, row int64) []byte {
	dst = append(dst, 'A')
	dst = appendPadded(dst, row, 9)
	dst = strconv.AppendInt(append(dst, ','), p.age, 10)
	dst = append(append(dst, ','), p.trade.name...)
	dst = strconv.AppendInt(append(dst, ','), p.income, 10)
	dst = appendPadded(append(dst, ",0."...), p.foir, 2)
	for _, n := range [...]int64{p.amount, p.tenure, p.score, p.enquiries, p.tradelines} {
		dst = strconv.AppendInt(append(dst, ','), n, 10)
	}
	dst = append(dst, ',')
	if !p.newToCredit {
		dst = strconv.AppendInt(dst, p.dpd, 10)
	}
	month := firstMonth - 1 + p.vintage
	dst = strconv.AppendInt(append(dst, ','), firstYear+month/12, 10)
	dst = appendPadded(append(dst, '-'), month%12+1, 2)
	if p.badMonth == 0 {
		return append(dst, ",good,\n"...)
	}
	dst = strconv.AppendInt(append(dst, ",bad,"...), p.badMonth, 10)
	return append(dst, '\n')
}

// appendPadded appends n with zeros before it to the given width.
func appendPadded(dst []byte, n int64, width int) []byte {
	least := int64(1)
	for range width - 1 {
		least *= 10
	}
	for ; n < least && least > 1; least /= 10 {
		dst = append(dst, '0')
	}
	return strconv.AppendInt(dst, n, 10)
}

// The intercept is found on a fixed sample, condensed to strata of equal size.
// Its seed is one whose mean probabilities are, from a hundredth of bads to a
// quarter, within a thousandth part of those of four million rows.
const sampleSeed, sampled, strata = 3, 1 << 16, 1 << 7

// risks are the mean risks of the sample's strata, in order. They stand for every book: the seed changes who
// applies, not what applicants are like.
var risks = sync.OnceValue(func() []int64 {
	all := make([]int64, sampled)
	for i := range all {
		p := draw(rowDraws(sampleSeed, int64(i+1)))
		all[i] = p.risk
	}
	slices.Sort(all)
	means := make([]int64, 0, strata)
	for group := range slices.Chunk(all, sampled/strata) {
		means = append(means, sum(group)/int64(len(group)))
	}
	return means
})

// intercept finds, by halving, the number whose addition to everybody's risk
// makes the book's bad rate what it shall be.
func (b Book) intercept() int64 {
	groups := risks()
	want := b.badRate() * int64(len(groups))
	low := int64(-maxExponent)
	for step := int64(1) << (bits.Len(2*maxExponent) - 1); step > 0; step /= 2 {
		var got int64
		for _, risk := range groups {
			got += logistic(risk + low + step)
		}
		if got <= want {
			low += step
		}
	}
	return low
}
