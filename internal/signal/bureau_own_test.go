package signal

import (
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"verdict/internal/civil"
	"verdict/internal/report"
)

// drawOwned generates a history with accounts of all owners. Amounts are whole
// rupees and multiples of 20, so that 5 % of a card balance is exact.
func drawOwned(t *rapid.T) *report.History {
	h := history()
	h.HasAccounts = true
	rupees := rapid.Custom(func(t *rapid.T) int64 { return 20_00 * rapid.Int64Range(0, 50_000).Draw(t, "20 rupees") })
	for range rapid.IntRange(0, 12).Draw(t, "accounts") {
		a := account()
		a.Product = report.Product(rapid.IntRange(0, 9).Draw(t, "product"))
		a.Owner = report.Owner(rapid.IntRange(0, 3).Draw(t, "owner"))
		a.Live = rapid.Bool().Draw(t, "live")
		a.Opened = today - civil.Day(rapid.IntRange(0, 9000).Draw(t, "opened"))
		a.BalancePaise, a.OverduePaise, a.InstalmentPaise = rupees.Draw(t, "balance"), rupees.Draw(t, "overdue"),
			rupees.Draw(t, "instalment")
		for age := range rapid.IntRange(0, 40).Draw(t, "months") {
			a.History = append(a.History, report.Payment{
				Month: today.Month() - civil.Month(age), DaysPastDue: int16(rapid.IntRange(0, 200).Draw(t, "days")),
			})
		}
		h.Accounts = append(h.Accounts, a)
	}
	return h
}

func number(t *rapid.T, facts map[string]string, name string) float64 {
	if facts[name] == "" {
		return 0
	}
	n, err := strconv.ParseFloat(facts[name], 64)
	if err != nil {
		t.Fatalf("%s is %q", name, facts[name])
	}
	return n
}

// TestOwnersPartTheAccounts checks that every account is an own, a guaranteed or
// an add-on account. The counts and sums of the three groups must add up to those
// of all accounts. The worst value of the three groups must be the worst value of
// all accounts.
func TestOwnersPartTheAccounts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		facts := bureauFacts(t, drawOwned(rt))
		get := func(name string) float64 { return number(rt, facts, name) }
		for _, c := range []struct {
			all   string
			parts []string
		}{
			{"active_tradelines",
				[]string{"bureau_own_active_tradelines", "bureau_guaranteed_accounts", "bureau_addon_accounts"}},
			{"bureau_total_outstanding",
				[]string{"bureau_own_outstanding", "bureau_guaranteed_outstanding", "bureau_addon_outstanding"}},
			{"bureau_overdue_amount", []string{"bureau_own_overdue_amount",
				"bureau_guaranteed_overdue_amount", "bureau_addon_overdue_amount"}},
		} {
			sum := 0.0
			for _, part := range c.parts {
				sum += get(part)
			}
			if sum != get(c.all) {
				rt.Fatalf("%s is %s, its parts come to %v in %v", c.all, facts[c.all], sum, facts)
			}
		}
		worst := max(get("bureau_own_max_dpd_12m"), get("bureau_guaranteed_max_dpd_12m"),
			get("bureau_addon_max_dpd_12m"))
		if worst != get("max_dpd_12m") {
			rt.Fatalf("the worst of the parts is %v in %v", worst, facts)
		}
		if get("bureau_own_emi")+get("bureau_guaranteed_emi") > get("bureau_total_emi") {
			rt.Fatalf("the parts pay more than all in %v", facts)
		}
		if get("bureau_own_max_dpd_12m") > get("bureau_own_max_dpd_24m") ||
			get("bureau_own_max_dpd_24m") > get("bureau_own_max_dpd_36m") {
			rt.Fatalf("a longer window is less late in %v", facts)
		}
	})
}

// TestOwnersLeaveTheOtherFactsAlone checks that facts that name no owner do not
// depend on the owners of the accounts or on microfinance lists.
func TestOwnersLeaveTheOtherFactsAlone(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		h := drawOwned(rt)
		before := bureauFacts(t, h)
		for i := range h.Accounts {
			h.Accounts[i].Owner, h.Accounts[i].Microfinance = report.Own, true
		}
		h.Microfinance = drawOwned(rt).Accounts
		after := bureauFacts(t, h)
		for name, value := range after {
			named := strings.HasPrefix(name, "bureau_own_") || strings.HasPrefix(name, "bureau_guaranteed_") ||
				strings.HasPrefix(name, "bureau_addon_")
			if !named && before[name] != value {
				rt.Fatalf("%s was %q and is %q", name, before[name], value)
			}
		}
	})
}

// TestOwnAccountsAlone checks that the facts of own accounts equal the facts of
// all accounts if all accounts are own or joint accounts.
func TestOwnAccountsAlone(t *testing.T) {
	t.Parallel()
	twins := map[string]string{
		"bureau_own_active_tradelines": "active_tradelines", "bureau_own_live_unsecured": "bureau_live_unsecured",
		"bureau_own_emi": "bureau_total_emi", "bureau_own_outstanding": "bureau_total_outstanding",
		"bureau_own_unsecured_outstanding": "bureau_unsecured_outstanding",
		"bureau_own_overdue_amount":        "bureau_overdue_amount",
		"bureau_own_card_utilisation":      "bureau_card_utilisation",
		"bureau_own_oldest_account_months": "bureau_oldest_account_months", "bureau_own_max_dpd_12m": "max_dpd_12m",
		"bureau_own_max_dpd_24m": "max_dpd_24m", "bureau_own_max_dpd_36m": "max_dpd_36m",
		"bureau_own_months_since_30dpd": "bureau_months_since_30dpd",
		"bureau_own_written_off_36m":    "bureau_written_off_36m", "bureau_own_suit_or_wilful": "bureau_suit_or_wilful",
	}
	rapid.Check(t, func(rt *rapid.T) {
		h := drawOwned(rt)
		for i := range h.Accounts {
			h.Accounts[i].Owner = report.Owner(rapid.IntRange(0, 1).Draw(rt, "own or joint"))
		}
		facts := bureauFacts(t, h)
		for own, all := range twins {
			if facts[own] != facts[all] {
				rt.Fatalf("%s is %q, %s is %q", own, facts[own], all, facts[all])
			}
		}
	})
}

// TestAdverseFacts checks the facts about written-off and settled accounts:
// amounts, products and ages.
func TestAdverseFacts(t *testing.T) {
	t.Parallel()
	h := history()
	h.HasAccounts = true
	add := func(p report.Product, adverse report.Adverse, writtenOff, settled int64, change func(a *report.Account)) {
		a := account()
		a.Product, a.Live, a.Adverse = p, false, adverse
		a.WrittenOffPaise, a.SettledPaise = writtenOff, settled
		change(&a)
		h.Accounts = append(h.Accounts, a)
	}
	day := civil.DayOf
	add(report.CreditCard, report.WrittenOff, 4_000_00, report.NoAmount,
		func(a *report.Account) { a.WrittenOffDay = day(2024, 1, 10) })
	add(report.PersonalLoan, report.WrittenOff|report.Settled, 50_000_00, 20_000_00, func(a *report.Account) {
		a.WrittenOffDay, a.SettledDay = day(2019, 1, 10), day(2025, 11, 10) // settled within 36 months
	})
	add(report.CreditCard, report.Settled, report.NoAmount, 9_000_00,
		func(a *report.Account) { a.Closed = day(2020, 11, 15) })
	add(report.PersonalLoan, report.WrittenOff, 70_000_00, report.NoAmount,
		func(a *report.Account) { a.Owner = report.Guarantor })
	got := bureauFacts(t, h)
	for name, want := range map[string]string{
		"bureau_own_written_off_36m": "2", "bureau_written_off_36m": "3",
		"bureau_own_written_off_count": "2", "bureau_own_written_off_amount": "54000",
		"bureau_own_written_off_card_amount": "4000", "bureau_own_written_off_loan_amount": "50000",
		"bureau_own_written_off_months_since": "34",
		"bureau_own_settled_count":            "1", "bureau_own_settled_amount": "9000",
		"bureau_own_settled_card_amount": "9000", "bureau_own_settled_loan_amount": "0",
		"bureau_own_settled_months_since": "72",
	} {
		if got[name] != want {
			t.Errorf("%s is %q, want %q", name, got[name], want)
		}
	}
}
