package signal

import (
	"slices"

	"verdict/internal/civil"
	"verdict/internal/exact"
	"verdict/internal/report"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// recentDays is the length, in days, of the window of the facts whose names end in _90d.
const recentDays = 90

// noInstalments is the value of bank_abb_to_emi when there are no instalments.
const noInstalments = 99

// mismatchMonths is the minimum number of whole months for comparing declared
// with detected amounts, because a single month may be unusual.
const mismatchMonths = 2

// Bank derives the bank_* facts of a bank_summary block and calls add for each
// known fact. s is nil if the block has no transactions. An invalid scalar counts
// as not sent, because the reader of the block's scalars refuses it.
func Bank(summary wire.Value, s *report.Statement, asOf civil.Day, add func(name string, v rule.Value)) {
	b := bank{asOf: asOf, put: add}
	income := b.stated(summary, "bank_income", "income", "monthly_income")
	emi := b.stated(summary, "bank_emi", "emi")
	b.bounces(summary)
	b.share("bank_foir", emi, income)
	balance := rupeesOf(summary, "balance", "avg_balance")
	if s != nil {
		b.statement(s)
		if first, paise := report.EndOfDay(s); len(paise) > 0 {
			balance = amount{mean(paise), true}
			b.negativeDays(first, paise)
		}
		if !emi.known {
			emi = b.emi
		}
	}
	b.money("bank_avg_balance", balance)
	b.coverage(balance, emi)
}

// bank holds the state of one derivation.
type bank struct {
	asOf civil.Day
	put  func(name string, v rule.Value)
	emi  amount // detected instalments
}

// amount is an amount in paise that may be unknown.
type amount struct {
	paise int64
	known bool
}

func (a amount) number() rule.Number { return rule.Rupees(a.paise) }

// maxPaise is the largest amount that a fact can hold; a larger sum counts as
// unknown.
const maxPaise = int64(rule.MaxNumber / rule.Paisa)

func (a amount) fits() bool { return a.known && -maxPaise <= a.paise && a.paise <= maxPaise }

func (b *bank) money(name string, a amount) {
	if a.fits() {
		b.put(name, rule.Num(a.number()))
	}
}

func (b *bank) count(name string, n int) { b.put(name, rule.Num(rule.Int(int64(n)))) }

// share adds part ÷ whole with six decimals, if both are known and whole is
// positive.
func (b *bank) share(name string, part, whole amount) {
	if !part.fits() || !whole.fits() || whole.paise <= 0 {
		return
	}
	if ratio, ok := part.number().Over(whole.number()); ok {
		b.put(name, rule.Num(ratio))
	}
}

// percent adds part ÷ whole in percent with four decimals. This is the precision of a ratio with six decimals.
func (b *bank) percent(name string, partPaise, wholePaise int64) {
	part, whole := amount{partPaise, true}, amount{wholePaise, true}
	if !part.fits() || !whole.fits() {
		return
	}
	ratio, ok := part.number().Over(whole.number())
	if !ok {
		return
	}
	if pct, ok := ratio.Times(rule.Int(100)); ok {
		b.put(name, rule.Num(pct))
	}
}

// rupeesOf reads an amount from the first member in names that was sent. The
// amount is unknown if none was sent, or if the member is not a number that a
// fact can hold.
func rupeesOf(summary wire.Value, names ...string) amount {
	for _, name := range names {
		v := summary.Get(name)
		if !v.Given() {
			continue
		}
		if v.Kind() != wire.Number {
			return amount{}
		}
		paise, _, ok := wire.ParseDecimal(v.Text(), 2)
		a := amount{paise, ok}
		a.known = a.fits()
		return a
	}
	return amount{}
}

// stated reads an amount that the summary states, adds it as a fact and returns
// it. A negative amount counts as unknown.
func (b *bank) stated(summary wire.Value, fact string, names ...string) amount {
	a := rupeesOf(summary, names...)
	if a.paise < 0 {
		return amount{}
	}
	b.money(fact, a)
	return a
}

func (b *bank) bounces(summary wire.Value) {
	v := summary.Get("bounces")
	if !v.Given() {
		v = summary.Get("bounce_count")
	}
	if v.Kind() != wire.Number {
		return
	}
	if n, exact, ok := rule.ParseNumber(v.Text()); ok && exact && n >= 0 && n.HasPlaces(0) {
		b.put("bank_bounces", rule.Num(n))
	}
}

// coverage adds a fact that says how many times the balance covers the
// instalments. emi is the stated amount or, if there is none, the detected
// amount.
func (b *bank) coverage(balance, emi amount) {
	switch {
	case !balance.known || !emi.known:
	case emi.paise == 0:
		b.count("bank_abb_to_emi", noInstalments)
	default:
		b.share("bank_abb_to_emi", balance, emi)
	}
}

// mean returns the average, rounded half away from zero.
func mean(paise []int64) int64 {
	sum := int64(0)
	for _, p := range paise {
		sum += p
	}
	return exact.DivHalfAway(sum, int64(len(paise)))
}

// median sorts the values and returns the middle one, or the mean of the two
// middle ones.
func median(paise []int64) int64 {
	slices.Sort(paise)
	n := len(paise)
	if n%2 == 1 {
		return paise[n/2]
	}
	return exact.DivHalfAway(paise[n/2-1]+paise[n/2], 2)
}
