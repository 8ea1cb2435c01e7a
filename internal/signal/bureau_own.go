package signal

import (
	"verdict/internal/civil"
	"verdict/internal/report"
	"verdict/internal/rule"
)

// owned derives facts by the applicant's role in the accounts. There are three
// roles: own and joint accounts together, accounts that the applicant guarantees,
// and accounts of others that the applicant uses with an add-on card. Each
// account has one of these roles. Microfinance accounts are included, even those
// that the bureau lists separately.
func owned(h *report.History, asOf civil.Day, add func(string, rule.Value)) {
	var own, microfinance, guaranteed, addon tally
	each(h, func(a *report.Account) {
		switch {
		case a.Owner == report.Guarantor:
			guaranteed.add(a, asOf)
		case a.Owner == report.AuthorisedUser:
			addon.add(a, asOf)
		default:
			own.add(a, asOf)
			if a.Microfinance {
				microfinance.add(a, asOf)
			}
		}
	})
	own.addOwnFacts(asOf, add)
	own.addAdverseFacts(asOf, add)
	microfinance.addFacts(&microfinanceFacts, add)
	guaranteed.addFacts(&guaranteedFacts, add)
	addon.addFacts(&addonFacts, add)
}

// each calls do for every account. The accounts of the separate microfinance list
// come last.
func each(h *report.History, do func(*report.Account)) {
	for i := range h.Accounts {
		do(&h.Accounts[i])
	}
	for i := range h.Microfinance {
		do(&h.Microfinance[i])
	}
}

// tally sums up the accounts of one role, or the microfinance accounts.
type tally struct {
	live, liveUnsecured               int64
	overdue, owed, unsecuredOwed, emi sum
	drawn, limit                      int64                    // sums over the cards
	worst                             [len(dpdWindows)]extreme // highest days past due in each window
	serious                           extreme                  // age in months of the newest serious month
	oldest                            extreme                  // day on which the oldest account was opened
	suit                              bool
	recentlyAdverse                   int64
	writtenOff, settled               adverseTally
}

// extreme is the maximum or minimum of some numbers. known is false if there were
// no numbers.
type extreme struct {
	n     int64
	known bool
}

func (x *extreme) atLeast(n int64) {
	if !x.known || n > x.n {
		x.n, x.known = n, true
	}
}

func (x *extreme) atMost(n int64) {
	if !x.known || n < x.n {
		x.n, x.known = n, true
	}
}

// addFact adds n as a fact, if n is known.
func (x *extreme) addFact(name string, add func(string, rule.Value)) {
	if x.known {
		add(name, integer(x.n))
	}
}

// addAge adds the whole months since the day n as a fact, if n is known.
func (x *extreme) addAge(name string, asOf civil.Day, add func(string, rule.Value)) {
	if x.known {
		add(name, integer(monthsBetween(civil.Day(x.n), asOf)))
	}
}

func (t *tally) add(a *report.Account, asOf civil.Day) {
	t.overdue.add(a.OverduePaise)
	if a.Live {
		t.addLive(a)
	}
	if a.Opened.Known() {
		t.oldest.atMost(int64(a.Opened))
	}
	t.addPayments(a, asOf.Month())
	t.addAdverse(a, asOf)
}

// addLive adds the balance and the monthly instalment of a live account.
func (t *tally) addLive(a *report.Account) {
	balance := a.BalancePaise
	if balance != report.NoAmount {
		balance = max(0, balance) // an overpaid card reduces no other debt
	}
	t.live++
	t.owed.add(balance)
	if !a.Product.Secured() {
		t.liveUnsecured++
		t.unsecuredOwed.add(balance)
	}
	if a.Product != report.CreditCard {
		t.emi.add(instalment(a))
		return
	}
	t.emi.add(cardInstalment(balance))
	if balance != report.NoAmount && a.SanctionedPaise > 0 {
		t.drawn += balance
		t.limit += a.SanctionedPaise
	}
}

// instalment returns the monthly instalment of an account. An instalment with
// another rhythm is converted to a monthly amount.
func instalment(a *report.Account) int64 {
	if a.InstalmentPaise == report.NoAmount {
		return a.ConvertedPaise
	}
	return a.InstalmentPaise
}

func (t *tally) addPayments(a *report.Account, now civil.Month) {
	for _, p := range a.History {
		age := int64(now - p.Month)
		if age < 0 {
			continue
		}
		for i, window := range dpdWindows {
			if age < window {
				t.worst[i].atLeast(int64(p.DaysPastDue))
			}
		}
		if p.DaysPastDue >= seriousDays {
			t.serious.atMost(age)
		}
	}
}

// partFacts are the names of the facts about microfinance, guaranteed or add-on accounts. A name is "" if there is no
// such fact.
type partFacts struct{ accounts, emi, outstanding, overdue, worst string }

func factsOf(prefix string) partFacts {
	return partFacts{
		accounts:    prefix + "_accounts",
		emi:         prefix + "_emi",
		outstanding: prefix + "_outstanding",
		overdue:     prefix + "_overdue_amount",
		worst:       prefix + "_max_dpd_12m",
	}
}

var (
	microfinanceFacts = factsOf("bureau_own_microfinance")
	guaranteedFacts   = factsOf("bureau_guaranteed")
	addonFacts        = func() partFacts {
		f := factsOf("bureau_addon")
		f.emi = "" // the owner of an add-on card pays its instalment
		return f
	}()
)

// addFacts adds the facts that f names.
func (t *tally) addFacts(f *partFacts, add func(string, rule.Value)) {
	add(f.accounts, integer(t.live))
	if f.emi != "" {
		t.emi.addFact(f.emi, add)
	}
	t.owed.addFact(f.outstanding, add)
	t.overdue.addFact(f.overdue, add)
	t.worst[0].addFact(f.worst, add)
}

// addOwnFacts adds the facts of the applicant's own and joint accounts.
func (t *tally) addOwnFacts(asOf civil.Day, add func(string, rule.Value)) {
	add("bureau_own_active_tradelines", integer(t.live))
	add("bureau_own_live_unsecured", integer(t.liveUnsecured))
	t.emi.addFact("bureau_own_emi", add)
	t.owed.addFact("bureau_own_outstanding", add)
	t.unsecuredOwed.addFact("bureau_own_unsecured_outstanding", add)
	t.overdue.addFact("bureau_own_overdue_amount", add)
	if t.limit > 0 {
		add("bureau_own_card_utilisation", rule.Num(ratio(t.drawn, t.limit)))
	}
	t.oldest.addAge("bureau_own_oldest_account_months", asOf, add)
	for i, name := range []string{"bureau_own_max_dpd_12m", "bureau_own_max_dpd_24m", "bureau_own_max_dpd_36m"} {
		t.worst[i].addFact(name, add)
	}
	t.serious.addFact("bureau_own_months_since_30dpd", add)
}
