package signal

import (
	"verdict/internal/civil"
	"verdict/internal/report"
	"verdict/internal/rule"
)

// adverseTally sums up accounts that were written off, or those that were
// settled.
type adverseTally struct {
	count       int64
	cards, rest sum
	newest      extreme // day of the newest write-off or settlement
}

func (t *adverseTally) add(a *report.Account, paise int64, day civil.Day) {
	t.count++
	if a.Product == report.CreditCard {
		t.cards.add(paise)
	} else {
		t.rest.add(paise)
	}
	if day.Known() {
		t.newest.atLeast(int64(day))
	}
}

// addAdverse adds the adverse notes of an account. An account that was settled
// after a write-off counts only as a write-off.
func (t *tally) addAdverse(a *report.Account, asOf civil.Day) {
	t.suit = t.suit || a.Adverse&(report.SuitFiled|report.Wilful) != 0
	recent := false
	if a.Adverse&report.Settled != 0 {
		day := adverseDay(a, a.SettledDay)
		recent = isRecent(day, asOf)
		if a.Adverse&report.WrittenOff == 0 {
			t.settled.add(a, a.SettledPaise, day)
		}
	}
	if a.Adverse&report.WrittenOff != 0 {
		day := adverseDay(a, a.WrittenOffDay)
		recent = recent || isRecent(day, asOf)
		t.writtenOff.add(a, a.WrittenOffPaise, day)
	}
	if recent {
		t.recentlyAdverse++
	}
}

// adverseDay returns the day of a write-off or settlement: the day that the
// report states, otherwise the day the account was closed, otherwise the day it
// was last reported.
func adverseDay(a *report.Account, told civil.Day) civil.Day {
	for _, day := range []civil.Day{told, a.Closed, a.Reported} {
		if day.Known() {
			return day
		}
	}
	return civil.NoDay
}

// isRecent reports whether a day is in the window of write-offs. An unknown day
// counts as recent, so that omitting the day brings no advantage.
func isRecent(day, asOf civil.Day) bool {
	return !day.Known() || monthsBetween(day, asOf) < writtenOffMonths
}

// addAdverseFacts adds the facts about adverse notes on the applicant's own and
// joint accounts.
func (t *tally) addAdverseFacts(asOf civil.Day, add func(string, rule.Value)) {
	add("bureau_own_written_off_36m", integer(t.recentlyAdverse))
	add("bureau_own_suit_or_wilful", rule.Bool(t.suit))
	t.writtenOff.addFacts(&writtenOffFacts, asOf, add)
	t.settled.addFacts(&settledFacts, asOf, add)
}

// adverseFacts are the names of the facts about write-offs, or about
// settlements.
type adverseFacts struct{ count, amount, cards, rest, since string }

func adverseFactsOf(prefix string) adverseFacts {
	return adverseFacts{
		count:  prefix + "_count",
		amount: prefix + "_amount",
		cards:  prefix + "_card_amount",
		rest:   prefix + "_loan_amount",
		since:  prefix + "_months_since",
	}
}

var (
	writtenOffFacts = adverseFactsOf("bureau_own_written_off")
	settledFacts    = adverseFactsOf("bureau_own_settled")
)

func (t *adverseTally) addFacts(f *adverseFacts, asOf civil.Day, add func(string, rule.Value)) {
	add(f.count, integer(t.count))
	all := sum{
		paise: t.cards.paise + t.rest.paise,
		asked: t.cards.asked + t.rest.asked,
		known: t.cards.known + t.rest.known,
	}
	all.addFact(f.amount, add)
	t.cards.addFact(f.cards, add)
	t.rest.addFact(f.rest, add)
	t.newest.addAge(f.since, asOf, add)
}
