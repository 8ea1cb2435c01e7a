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
// them new to credit, and the outcomes of their loans. It contains no real data,
// so a lender can test a policy on it before having a book of its own.
//
// A row depends only on the book and on the row number, and is computed with
// integers. It therefore has the same bytes on every machine, regardless of
// which other rows are generated.
type Book struct {
	Seed    uint64
	Months  int         // months of origination, and of observation for each loan; 0 means DefaultMonths
	BadRate rule.Number // bad rate of all rows, approved or not; 0 means DefaultBadRate
}

// Bounds and defaults of a book.
const (
	DefaultSeed    = 42
	DefaultMonths  = 12
	MinMonths      = 6
	MaxMonths      = 60
	DefaultBadRate = rule.One * 6 / 100
	MinBadRate     = rule.One / 1000
	MaxBadRate     = rule.One / 2
)

// firstBadMonth is the first month on book in which a loan can be 90 days past
// due. The first instalment is due in the second month.
const firstBadMonth = 4

// Check adds a fault for each member that is out of bounds. The pointer of the
// fault is at+"/months" or at+"/bad_rate".
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

// Header returns the names of the columns.
func (b Book) Header() []string { return slices.Clone(bookHeader) }

// Setup returns the setup with which a backtest reads the book.
func (b Book) Setup() Setup {
	return Setup{
		Header:  b.Header(),
		Outcome: "outcome",
		Bad:     []string{"bad"},
		Good:    []string{"good"},
		Month:   "bad_month",
		ID:      "applicant_id",
	}
}

// Append appends the rows first to first+n-1 as CSV lines. The first row of the
// book is row 1.
func (b Book) Append(dst []byte, first int64, n int) []byte {
	months := int64(b.months())
	intercept := b.intercept()
	for row := first; row < first+int64(n); row++ {
		p := draw(rowDraws(b.Seed, row))
		p.setOutcome(intercept, months)
		dst = p.append(dst, row)
	}
	return dst
}

// months returns Months or its default, clamped to the bounds. It does not
// return an error, because generating a book must not fail; Check reports values
// out of bounds.
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

// setOutcome sets the month of origination, and the month in which the loan went
// bad if it did. Most bad loans go bad early, but none before firstBadMonth.
func (p *person) setOutcome(intercept, months int64) {
	p.vintage = p.drawnVintage * months >> 16
	if p.drawnBad < logistic(p.risk+intercept) {
		p.badMonth = firstBadMonth + p.drawnMonth*(months-firstBadMonth+1)>>16
	}
}

// firstYear and firstMonth are the first month of origination. They are fixed,
// because a month taken from the clock would change the bytes of the book.
const firstYear, firstMonth = 2023, 4

func (p *person) append(dst []byte, row int64) []byte {
	dst = append(dst, 'A')
	dst = appendPadded(dst, row, 9)
	dst = strconv.AppendInt(append(dst, ','), p.age, 10)
	dst = append(append(dst, ','), p.occupation.name...)
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

// appendPadded appends n, padded with leading zeros to the given width.
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

// The sample from which intercept is computed: its seed, its number of rows, and
// the number of strata of equal size into which it is condensed. The seed was
// chosen so that, for bad rates from 1 % to 25 %, the sample's mean
// probabilities are within one thousandth of those of four million rows.
const sampleSeed, sampled, strata = 3, 1 << 16, 1 << 7

// risks returns the mean risk of each stratum of the sample, in ascending order.
// All books use the same list, because the seed changes the individual
// applicants but not their distribution.
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

// intercept returns the number that gives the book its bad rate when it is added
// to every applicant's risk. It finds the number by bisection.
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
