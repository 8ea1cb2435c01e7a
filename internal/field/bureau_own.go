package field

import "slices"

// bureauOwnFacts returns the facts that distinguish accounts by the applicant's
// role: own and joint accounts, accounts that the applicant guarantees, and
// accounts used with an add-on card.
func bureauOwnFacts() []entry {
	return slices.Concat(ownFacts(), ownAdverseFacts(), partFacts())
}

func ownFacts() []entry {
	return []entry{
		count("bureau_own_active_tradelines", "Number of own and joint accounts that are live.").reason(
			"BUR_TRADELINES"),
		count("bureau_own_live_unsecured", "Number of own and joint accounts that are live and unsecured.").
			reason("BUR_TRADELINES"),
		rupees("bureau_own_emi",
			"Monthly instalments of the live own and joint accounts; a credit card counts 5 percent of its balance.").
			reason("FOIR_HIGH"),
		rupees("bureau_own_outstanding", "Amount owed today on the live own and joint accounts.").reason("FOIR_HIGH"),
		rupees("bureau_own_unsecured_outstanding",
			"Amount owed today on the live own and joint accounts that are unsecured.").reason("FOIR_HIGH"),
		rupees("bureau_own_overdue_amount", "Amount overdue today over the own and joint accounts.").reason(
			"BUR_OVERDUE"),
		ratio("bureau_own_card_utilisation", "Balances of own and joint credit cards as a share of the cards' limits.").
			reason("FOIR_HIGH"),
		months("bureau_own_oldest_account_months", "Age of the oldest own or joint account on file.").reason(
			"BUR_THIN_FILE"),
		days("bureau_own_max_dpd_12m", "Most days past due on an own or joint account in the last 12 months.").
			reason("BUR_DPD"),
		days("bureau_own_max_dpd_24m", "Most days past due on an own or joint account in the last 24 months.").
			reason("BUR_DPD"),
		days("bureau_own_max_dpd_36m", "Most days past due on an own or joint account in the last 36 months.").
			reason("BUR_DPD"),
		months("bureau_own_months_since_30dpd",
			"Months since an own or joint account was last 30 or more days past due; absent if no such account "+
				"ever was.").
			reason("BUR_DPD"),
	}
}

// ownAdverseFacts returns the facts about write-offs, settlements and suits on
// own and joint accounts.
func ownAdverseFacts() []entry {
	facts := []entry{
		count("bureau_own_written_off_36m",
			"Number of own and joint accounts written off or settled in the last 36 months.").reason("BUR_WRITEOFF"),
		boolean("bureau_own_suit_or_wilful",
			"A lender has filed suit or reported a wilful default on an own or joint account.").reason("BUR_SUIT"),
	}
	for _, kind := range []struct{ name, was, number string }{
		{"written_off", "written off",
			"Number of own and joint accounts written off at any time, settled afterwards or not."},
		{"settled", "settled", "Number of own and joint accounts settled at any time without being written off first."},
	} {
		name := "bureau_own_" + kind.name
		facts = append(facts,
			count(name+"_count", kind.number).reason("BUR_WRITEOFF"),
			rupees(name+"_amount",
				"Amount "+kind.was+" on own and joint accounts; absent when none of them states it.").
				reason("BUR_WRITEOFF"),
			rupees(name+"_card_amount", "Amount "+kind.was+" on own and joint credit cards.").
				reason("BUR_WRITEOFF"),
			rupees(name+"_loan_amount", "Amount "+kind.was+" on own and joint accounts that are not credit cards.").
				reason("BUR_WRITEOFF"),
			months(name+"_months_since",
				"Months since an own or joint account was last "+kind.was+"; absent when none was.").
				reason("BUR_WRITEOFF"),
		)
	}
	return facts
}

// partFacts returns the facts about microfinance accounts, guaranteed accounts
// and add-on cards.
func partFacts() []entry {
	var facts []entry
	for _, kind := range []struct{ name, accounts string }{
		{"bureau_own_microfinance", "own and joint microfinance accounts"},
		{"bureau_guaranteed", "accounts of others that the applicant guarantees"},
		{"bureau_addon", "accounts of others that the applicant uses with an add-on card"},
	} {
		facts = append(facts,
			count(kind.name+"_accounts", "Number of live "+kind.accounts+".").reason("BUR_TRADELINES"))
		if kind.name != "bureau_addon" {
			facts = append(facts, rupees(kind.name+"_emi", "Monthly instalments of the live "+kind.accounts+".").
				reason("FOIR_HIGH"))
		}
		facts = append(facts,
			rupees(kind.name+"_outstanding", "Amount owed today on the live "+kind.accounts+".").reason("FOIR_HIGH"),
			rupees(kind.name+"_overdue_amount", "Amount overdue today over the "+kind.accounts+".").reason(
				"BUR_OVERDUE"),
			days(kind.name+"_max_dpd_12m", "Most days past due in the last 12 months on the "+kind.accounts+".").
				reason("BUR_DPD"),
		)
	}
	return facts
}

// Fallback is a fact that takes the value of another fact if the request does
// not send it.
type Fallback struct {
	Name string // name of the fact
	From string // name of the fact whose value it takes
}

// Fallbacks returns the facts about own and joint accounts that fall back to
// the facts about all accounts. A lender that sends figures instead of accounts
// may send only figures about all accounts. Without the fallback, a policy on
// own accounts would then find no obligations and no delinquency.
func Fallbacks() []Fallback {
	return []Fallback{
		{"bureau_own_active_tradelines", "active_tradelines"},
		{"bureau_own_live_unsecured", "bureau_live_unsecured"},
		{"bureau_own_emi", "bureau_total_emi"},
		{"bureau_own_outstanding", "bureau_total_outstanding"},
		{"bureau_own_unsecured_outstanding", "bureau_unsecured_outstanding"},
		{"bureau_own_overdue_amount", "bureau_overdue_amount"},
		{"bureau_own_card_utilisation", "bureau_card_utilisation"},
		{"bureau_own_oldest_account_months", "bureau_oldest_account_months"},
		{"bureau_own_max_dpd_12m", "max_dpd_12m"},
		{"bureau_own_max_dpd_24m", "max_dpd_24m"},
		{"bureau_own_max_dpd_36m", "max_dpd_36m"},
		{"bureau_own_months_since_30dpd", "bureau_months_since_30dpd"},
		{"bureau_own_written_off_36m", "bureau_written_off_36m"},
		{"bureau_own_suit_or_wilful", "bureau_suit_or_wilful"},
	}
}
