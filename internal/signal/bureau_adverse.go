package signal

import (
	"verdict/internal/report"
	"verdict/internal/rule"
)

// adverseTally adds up accounts that were written off, or that were settled.
type adverseTally struct {
	count       int64
	cards, rest sum
	newest      extreme // the day
}

func (t *adverseTally) add(a *report.Account, paise int64, day report.Day) {
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

// addAdverse adds what a lender has noted against an account. An account that
// was settled after it was written off is a write-off.
func (t *tally) addAdverse(a *report.Account, asOf report.Day) {
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

// adverseDay is the day of a write-off or settlement: the one that the report
// tells, else the day the account was closed, else the day it was last reported.
func adverseDay(a *report.Account, told report.Day) report.Day {
	for _, day := range []report.Day{told, a.Closed, a.Reported} {
		if day.Known() {
			return day
		}
	}
	return report.NoDay
}

// isRecent reports whether a day lies in the window of write-offs. A day that
// is not known counts as recent, so that silence is never the better outcome.
func isRecent(day, asOf report.Day) bool {
	return !day.Known() || monthsBetween(day, asOf) < writtenOffMonths
}

// tellAdverse adds what lenders have noted against the applicant's own and
// joint accounts.
func (t *tally) tellAdverse(asOf report.Day, add func(string, rule.Value)) {
	add("bureau_own_written_off_36m", whole(t.recentlyAdverse))
	add("bureau_own_suit_or_wilful", rule.Bool(t.suit))
	t.writtenOff.tell("bureau_own_written_off", asOf, add)
	t.settled.tell("bureau_own_settled", asOf, add)
}

func (t *adverseTally) tell(prefix string, asOf report.Day, add func(string, rule.Value)) {
	add(prefix+"_count", whole(t.count))
	all := sum{
		paise: t.cards.paise + t.rest.paise,
		asked: t.cards.asked + t.rest.asked,
		known: t.cards.known + t.rest.known,
	}
	all.tell(prefix+"_amount", add)
	t.cards.tell(prefix+"_card_amount", add)
	t.rest.tell(prefix+"_loan_amount", add)
	t.newest.tellAge(prefix+"_months_since", asOf, add)
}
