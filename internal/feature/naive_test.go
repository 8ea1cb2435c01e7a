package feature

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"verdict/internal/civil"
	"verdict/internal/report"
)

// naive is a second implementation of the features, to which Compute is compared.
// It makes one pass for every feature and uses calendar dates and fractions. It
// shares only the input types with the package.
type naive struct {
	catalogue Catalogue
	h         *report.History
	s         *report.Statement
	today     time.Time
	lists     map[string]*naiveList
}

// naiveEvent is one event on a day, or in a month counted from year 0.
type naiveEvent struct {
	day   time.Time
	month int
	value int64
}

type naiveList struct {
	absent bool
	events []naiveEvent
	newest int // newest month of a monthly list
}

func calendar(d civil.Day) time.Time { return time.Date(1970, 1, 1+int(d), 0, 0, 0, 0, time.UTC) }

func monthNumber(t time.Time) int { return t.Year()*12 + int(t.Month()) - 1 }

func monthEnd(number int) time.Time {
	return time.Date(number/12, time.Month(number%12+2), 0, 0, 0, 0, 0, time.UTC)
}

func given(paise int64) int64 {
	if paise == report.NoAmount || paise < 0 {
		return 0
	}
	return min(paise, 10_000_000_000_000)
}

// in reports whether a bureau record belongs to a product.
func (n *naive) in(product string, p report.Product, paise int64) bool {
	secured := p == report.OtherSecured || p == report.VehicleLoan || p == report.HomeLoan ||
		p == report.GoldLoan || p == report.BusinessLoanSecured
	switch product {
	case "all":
		return true
	case "unsecured":
		return !secured
	case "secured":
		return secured
	case "personal_loan":
		return p == report.PersonalLoan
	case "small_ticket_loan":
		return p == report.PersonalLoan && paise != report.NoAmount && paise <= 5_000_000
	case "credit_card":
		return p == report.CreditCard
	case "consumer_loan":
		return p == report.ConsumerLoan
	case "vehicle_loan":
		return p == report.VehicleLoan
	case "home_loan":
		return p == report.HomeLoan
	case "gold_loan":
		return p == report.GoldLoan
	default:
		return p == report.BusinessLoan || p == report.BusinessLoanSecured
	}
}

// onFile returns the accounts of a product that existed on the as-of date.
func (n *naive) onFile(product string) (list []report.Account) {
	all := n.h.Accounts
	if n.catalogue == Catalogue2 {
		all = slices.Concat(n.h.Accounts, n.h.Microfinance)
	}
	for _, a := range all {
		if n.in(product, a.Product,
			a.SanctionedPaise) && (a.Opened == civil.NoDay || !calendar(a.Opened).After(n.today)) {
			list = append(list, a)
		}
	}
	return list
}

func (n *naive) said(a report.Account) time.Time {
	if a.Reported != civil.NoDay {
		return calendar(a.Reported)
	}
	if a.Closed != civil.NoDay {
		return calendar(a.Closed)
	}
	return n.today
}

func naiveInstalment(a report.Account) int64 {
	if !a.Live {
		return 0
	}
	if a.Product == report.CreditCard {
		return (5*given(a.BalancePaise) + 50) / 100
	}
	return given(a.InstalmentPaise)
}

// list returns the events of a metric and product. metric may also name the denominator of a
// ratio, even if that denominator is not a metric of the catalogue.
func (n *naive) list(metric, product string) *naiveList {
	key := metric + "/" + product
	if n.lists[key] == nil {
		n.lists[key] = n.build(metric, product)
	}
	return n.lists[key]
}

func (n *naive) build(metric, product string) *naiveList {
	switch metric {
	case "enquiry":
		return n.enquiries(product)
	case "account_opened", "outstanding", "account_closed", "overdue", "adverse", "emi", "live sanctioned",
		"reported balance":
		return n.accounts(metric, product)
	case "dpd_1plus":
		return n.months(product, 1)
	case "dpd_30plus":
		return n.months(product, 30)
	case "dpd_90plus":
		return n.months(product, 90)
	case "account-months":
		return n.months(product, -1000)
	case "eod_balance", "low_balance_day":
		return n.days(metric)
	case "income_gap", "emi_gap", "declared", "detected":
		return n.gaps(metric)
	default:
		return n.transactions(metric, product)
	}
}

var naiveMonths = map[int]int{7: 1, 30: 1, 60: 2, 90: 3, 180: 6, 365: 12}

func isMonthly(metric string) bool {
	return strings.HasPrefix(metric, "dpd") || strings.HasSuffix(metric, "_gap") ||
		metric == "account-months" || metric == "declared" || metric == "detected"
}

// within returns the events of a window. newer and older are the totals of the
// two periods that a trend compares.
func (n *naive) within(metric string, l *naiveList, days int) (events []naiveEvent, newer, older int64) {
	if !isMonthly(metric) {
		for _, e := range l.events {
			age := int(n.today.Sub(e.day) / (24 * time.Hour))
			if e.day.After(n.today) || age >= days {
				continue
			}
			events = append(events, e)
			switch half := days / 2; {
			case age < half:
				newer += e.value
			case age < half+half:
				older += e.value
			}
		}
		return events, newer, older
	}
	if ago := n.today.Sub(monthEnd(l.newest)); days == 7 && (ago < 0 || ago >= 7*24*time.Hour) {
		return nil, 0, 0
	}
	months := naiveMonths[days]
	for _, e := range l.events {
		switch ago := l.newest - e.month; {
		case ago < 0:
		case ago < months:
			events = append(events, e)
			newer += e.value
		case ago < 2*months:
			older += e.value
		}
	}
	return events, newer, older
}

// covers reports whether the statement begins on or before the first day of a
// window.
func (n *naive) covers(metric string, l *naiveList, days int) bool {
	switch metric {
	case "enquiry", "account_opened", "outstanding", "dpd_1plus", "dpd_30plus", "dpd_90plus", "account_closed",
		"overdue", "adverse", "emi":
		return true // a bureau metric
	}
	if len(n.s.Transactions) == 0 {
		return false
	}
	begin := n.today.AddDate(0, 0, 1-days)
	if isMonthly(metric) {
		begin = monthEnd(l.newest-naiveMonths[days]).AddDate(0, 0, 1)
	}
	return !begin.Before(calendar(n.s.Transactions[0].Day))
}

func total(events []naiveEvent) (count, sum int64) {
	for _, e := range events {
		sum += e.value
	}
	return int64(len(events)), sum
}

// base returns the denominator of a metric's ratio. ok is false if there is no
// denominator.
func (n *naive) base(metric, product string, days int, count int64) (base int64, byCount, ok bool) {
	of := func(metric, product string) (count, sum int64, ok bool) {
		l := n.list(metric, product)
		events, _, _ := n.within(metric, l, days)
		count, sum = total(events)
		return count, sum, !l.absent
	}
	var c, s int64
	switch metric {
	case "enquiry":
		c, _, ok = of("account_opened", product)
		return c + count, true, ok
	case "account_opened", "account_closed", "adverse":
		return int64(len(n.onFile(product))), true, true
	case "outstanding":
		_, s, ok = of("live sanctioned", product)
	case "dpd_1plus", "dpd_30plus", "dpd_90plus":
		c, _, ok = of("account-months", product)
		return c, true, ok
	case "overdue":
		_, s, ok = of("reported balance", product)
	case "emi":
		for _, a := range n.onFile("all") {
			s += naiveInstalment(a)
		}
		ok = true
	case "credit":
		_, s, ok = of("debit", product)
	case "debit", "income", "loan_credit", "self_transfer":
		_, s, ok = of("credit", "all")
	case "salary", "emi_debit", "card_bill", "bill_payment", "investment":
		_, s, ok = of("income", "all")
	case "issued_bounce":
		c, _, ok = of("honoured", product)
		return c + count, true, ok
	case "deposited_return":
		c, _, ok = of("cheque credits", "all")
		return c + count, true, ok
	case "charge":
		_, s, ok = of("debit", "all")
	case "eod_balance": // (B ÷ n) ÷ (I · 30 ÷ n)
		_, s, ok = of("income", "all")
		s *= 30
	case "low_balance_day":
		c, _, ok = of("eod_balance", "all")
		return c, true, ok
	case "income_gap":
		_, s, ok = of("declared", "all")
	case "emi_gap":
		_, s, ok = of("detected", "all")
	}
	return s, false, ok
}

// value returns the value of one feature, or nil if there is none.
func (n *naive) value(metric, product string, days int, aggregation string) *big.Rat {
	l := n.list(metric, product)
	if l.absent || n.catalogue == Catalogue2 && !n.covers(metric, l, days) {
		return nil
	}
	events, newer, older := n.within(metric, l, days)
	count, sum := total(events)
	unit := int64(100)
	if strings.HasPrefix(metric, "dpd") {
		unit = 1
	}
	switch aggregation {
	case "count":
		return big.NewRat(count, 1)
	case "sum":
		return big.NewRat(sum, unit)
	case "ratio":
		base, byCount, ok := n.base(metric, product, days, count)
		switch {
		case !ok || base == 0:
			return nil
		case byCount:
			return big.NewRat(count, base)
		default:
			return big.NewRat(sum, base)
		}
	}
	if count == 0 {
		return nil
	}
	switch aggregation {
	case "max":
		largest := events[0].value
		for _, e := range events {
			largest = max(largest, e.value)
		}
		return big.NewRat(largest, unit)
	case "avg":
		return big.NewRat(sum, unit*count)
	default:
		size := max(newer, -newer) + max(older, -older)
		if size == 0 {
			return nil
		}
		return big.NewRat(newer-older, size)
	}
}

// tenThousandths rounds to ten-thousandths, half away from zero, and limits the
// result to 10^12.
func tenThousandths(r *big.Rat) int64 {
	num, den := new(big.Int).Mul(r.Num(), big.NewInt(20_000)), new(big.Int).Mul(r.Denom(), big.NewInt(2))
	negative := num.Sign() < 0
	num.Abs(num).Add(num, r.Denom())
	num.Quo(num, den)
	value := int64(10_000_000_000_000_000)
	if num.IsInt64() {
		value = min(value, num.Int64())
	}
	if negative {
		return -value
	}
	return value
}

// TestComputeIsTheDefinition compares every feature of random inputs with the
// naive definition.
func TestComputeIsTheDefinition(t *testing.T) {
	t.Parallel()
	const shards, each = 8, 100
	for shard := range shards {
		t.Run(strconv.Itoa(shard), func(t *testing.T) {
			t.Parallel()
			for i := range each {
				checkNaive(t, Catalogue1, uint64(shard*each+i))
				checkNaive(t, Catalogue2, uint64(shard*each+i))
			}
		})
	}
}

func checkNaive(t *testing.T, c Catalogue, seed uint64) {
	t.Helper()
	r := newSource(seed)
	asOf := r.asOf()
	h, s := r.history(asOf), r.statement(asOf)
	var v Vector
	Compute(c, h, s, asOf, &v)
	n := &naive{catalogue: c, h: h, s: s, today: calendar(asOf), lists: map[string]*naiveList{}}
	faults := 0
	for i := range Count {
		part := strings.Split(NameAt(i), "__")
		days, err := strconv.Atoi(strings.TrimSuffix(part[2], "d"))
		if err != nil {
			t.Fatal(err)
		}
		want, got := "null", "null"
		if r := n.value(part[0], part[1], days, part[3]); r != nil {
			want = fmt.Sprint(tenThousandths(r))
		}
		if value, ok := v.Get(i); ok {
			got = fmt.Sprint(value)
		} else if value != 0 {
			t.Errorf("seed %d: %s has no value but holds %d", seed, NameAt(i), value)
		}
		if got != want {
			t.Errorf("seed %d, as of %s: %s is %s, want %s", seed, asOf, NameAt(i), got, want)
			if faults++; faults > 10 {
				t.FailNow()
			}
		}
	}
}
