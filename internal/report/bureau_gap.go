package report

import (
	"verdict/internal/fault"
	"verdict/internal/wire"
)

// gap is a kind of figure that an account or enquiry omits, or that contradicts
// the account's status. Without a warning, the figure would count as 0 and nobody
// would notice.
type gap uint8

const (
	noType gap = iota
	noOpening
	noHistory
	noBalance
	noOverdue
	noInstalment
	zeroInstalment
	noLimit
	closedOwing
	noPurpose
	gapKinds
)

// gapTexts holds the code and the text of the warning for each kind. The text says how the account was counted and
// what to send. If the member "always" is true, the kind is reported even if no other account has the figure.
var gapTexts = [gapKinds]struct {
	code, text string
	always     bool
}{
	noType: {fault.CodeAccountTypeMissing,
		"the account does not state its type: it counts as other unsecured credit; " +
			"send the type (accountType)", true},
	noOpening: {fault.CodeOpenDateMissing, "the account does not state when it was opened, and other accounts do: " +
		"it is left out of bureau_oldest_account_months and of the features that are dated by opening; " +
		"send the day (openDate)", false},
	noHistory: {fault.CodePaymentHistoryMissing, "the account states no days past due, and other accounts do: " +
		"it counts as never late in the facts max_dpd_… and bureau_own_max_dpd_…; " +
		"send its months with days past due (paymentHistory, with dpd)", false},
	noBalance: {fault.CodeBalanceMissing, "the live account states no balance, and other accounts do: " +
		"it adds 0 to what is outstanding, and a card adds 0 to the instalments; " +
		"send the balance (currentBalance), 0 if nothing is owed", false},
	noOverdue: {fault.CodeOverdueMissing, "the live account states no overdue amount, and other accounts do: " +
		"it adds 0 to bureau_overdue_amount and bureau_own_overdue_amount; " +
		"send the amount (amountOverdue), 0 if nothing is overdue", false},
	noInstalment: {fault.CodeInstalmentMissing, "the live loan states no instalment, and other accounts do: " +
		"it adds 0 to bureau_own_emi (bureau_guaranteed_emi if it is guaranteed) and bureau_total_emi; " +
		"send the monthly instalment (emi), 0 if none is due", false},
	zeroInstalment: {fault.CodeInstalmentMissing,
		"the live loan states a balance and an instalment of 0 or -1, which bureaus write if " +
			"none was given: it adds 0 to bureau_own_emi (bureau_guaranteed_emi if it is guaranteed) and " +
			"bureau_total_emi; " +
			"send the monthly instalment (emi); if none is due, leave it as it is", true},
	noLimit: {fault.CodeCardLimitMissing,
		"the live card states no limit: it is left out of bureau_card_utilisation and " +
			"bureau_own_card_utilisation; send the limit (creditLimit)", true},
	closedOwing: {fault.CodeClosedButOwed,
		"the account is closed or sold and still states a balance, an overdue amount or an " +
			"instalment: its balance and its instalment count as 0, its overdue amount counts; if it is still owed, " +
			"send it as active and without a closing date, else send 0 for these figures", true},
	noPurpose: {fault.CodeEnquiryProductMissing, "the enquiry does not state a product, and other enquiries do: " +
		"it counts as one for other unsecured credit; send the product (product)", false},
}

// maxPlaces is the maximum number of accounts or enquiries that are named in
// the warnings of one kind.
const maxPlaces = 5

// gaps holds, for each kind, how many accounts or enquiries have the figure, how many lack it, and the first of those
// that lack it.
type gaps [gapKinds]struct {
	have, lack int
	places     [maxPlaces]wire.Value
}

// note counts an account or enquiry that should state the figure of this kind. The argument "has" says whether it
// does. If has is false, note stores v, unless maxPlaces values are stored already.
func (g *gaps) note(kind gap, has bool, v wire.Value) {
	of := &g[kind]
	if has {
		of.have++
		return
	}
	if of.lack < maxPlaces {
		of.places[of.lack] = v
	}
	of.lack++
}

// account notes which figures the account at v states and which it omits. It also notes figures that contradict the
// account's status, and an instalment of 0 or -1 despite a balance.
func (g *gaps) account(a *Account, m *slotted, v wire.Value, r *bureauReader) {
	if !a.Microfinance || !r.scalar.saysNothing(m[slotType]) { // entries of a microfinance list need no type
		g.note(noType, !r.scalar.saysNothing(m[slotType]), v)
	}
	g.note(noOpening, a.Opened.Known(), v)
	if len(a.History) > 0 || r.reportable(a) {
		g.note(noHistory, len(a.History) > 0, v)
	}
	if !a.Live {
		if a.Adverse&(WrittenOff|Settled) == 0 {
			g.note(closedOwing, !owes(a), v)
		}
		return
	}
	g.note(noBalance, a.BalancePaise != NoAmount, v)
	g.note(noOverdue, a.OverduePaise != NoAmount, v)
	switch {
	case a.Product != CreditCard:
		has := a.InstalmentPaise != NoAmount || a.ConvertedPaise != NoAmount
		if a.BalancePaise > 0 && a.Product != GoldLoan && r.fillsIn(a, m[slotInstalment]) {
			g.note(zeroInstalment, false, v)
		}
		if unread := !has && !r.scalar.saysNothing(m[slotInstalment]); !unread && (has || a.BalancePaise != 0) {
			g.note(noInstalment, has, v) // an unreadable instalment already has a notice
		}
	case a.BalancePaise != NoAmount:
		g[noInstalment].have++ // 5 percent of the balance counts as the instalment
		if a.BalancePaise > 0 {
			g.note(noLimit, a.SanctionedPaise > 0, v)
		}
	}
}

// fillsIn reports whether an instalment is 0 or -1, which bureaus write if no
// instalment was given.
func (r *bureauReader) fillsIn(a *Account, v wire.Value) bool {
	return a.InstalmentPaise == 0 || a.ConvertedPaise == 0 || r.scalar.isFiller(v)
}

// The ages, in months, between which a payment history matters: lenders report with
// a month's delay, and the longest window of the facts has 36 months.
const (
	reportingMonths  = 2
	rememberedMonths = 36
)

// reportable reports whether an account should have a payment history. It returns false for an account that was
// opened less than reportingMonths ago or closed at least rememberedMonths ago.
func (r *bureauReader) reportable(a *Account) bool {
	return !(a.Opened.Known() && r.newest-a.Opened.Month() < reportingMonths ||
		a.Closed.Known() && r.newest-a.Closed.Month() >= rememberedMonths)
}

// owes reports whether a closed account still states an amount owed. An instalment
// beside a balance of 0 is the former instalment and does not count.
func owes(a *Account) bool {
	return a.BalancePaise > 0 || a.OverduePaise > 0 ||
		a.BalancePaise != 0 && (a.InstalmentPaise > 0 || a.ConvertedPaise > 0)
}

// warn adds the warnings, which name the first accounts or enquiries of each kind.
func (g *gaps) warn(warnings *fault.List) {
	for kind := range g {
		of, text := &g[kind], gapTexts[kind]
		if of.have == 0 && !text.always {
			continue // no account has the figure, so the fact is absent
		}
		told := min(of.lack, maxPlaces)
		for i, v := range of.places[:told] {
			more := of.lack - told
			if i < told-1 || more == 0 {
				warnings.Add(v.Pointer(), text.code, "%s", text.text)
			} else {
				warnings.Add(v.Pointer(), text.code,
					"%s; this applies to %d more entries of the report", text.text, more)
			}
		}
	}
}
